/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_addr.c - the addresses of the live node's network devices */
#include "manager/inventory/read.h"

#include "base/mem.h"
#include "netlink/addr_find.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>

/* Network devices by their index, which is what addresses name. */
struct by_index {
	int ifindex;
	struct inv_link *link;
};

struct pass {
	struct inventory *inv;
	struct by_index *list;		/* of inv->n_links, sorted */
	bool failed;			/* without memory */
};

static int by_ifindex(const void *a, const void *b)
{
	const struct by_index *x = a, *y = b;

	return x->ifindex < y->ifindex ? -1 : x->ifindex > y->ifindex;
}

/* Room for all of them is made for the first, as few network devices have one. */
static bool add_ip(struct inv_link *l, const char *ip)
{
	char (*ips)[64] = l->ips ? l->ips : inv_texts(INV_NAMES, sizeof(*ips));

	if (!ips)
		return false;
	(void)snprintf(ips[l->n_ips++], sizeof(*ips), "%s", ip);
	l->ips = ips;
	return true;
}

/* Those beyond INV_NAMES are left out. */
static void take_addr(int ifindex, const struct ip_prefix *addr, void *arg)
{
	const struct by_index key = { .ifindex = ifindex }, *at;
	struct pass *p = arg;
	char text[PREFIX_TEXT];

	for (size_t i = 0; i < p->inv->n_links && !addr; i++)
		p->inv->links[i].n_ips = 0;
	at = addr ? bsearch(&key, p->list, p->inv->n_links, sizeof(key), by_ifindex) : NULL;
	if (!at || at->link->n_ips == INV_NAMES)
		return;
	p->failed |= !add_ip(at->link, prefix_format(addr, text));
}

int read_kernel_addrs(struct inventory *inv, struct err *e)
{
	auto_free struct by_index *list = calloc(inv->n_links + 1, sizeof(*list));
	struct pass p = { .inv = inv, .list = list };
	auto_nl struct nl nl = { 0 };

	if (!list)
		return err_set(e, ERR_IO, ENOMEM, "list of network devices");
	for (size_t i = 0; i < inv->n_links; i++)
		list[i] = (struct by_index){ inv->links[i].ifindex, &inv->links[i] };
	qsort(list, inv->n_links, sizeof(*list), by_ifindex);
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, e) < 0 || addr_each(&nl, take_addr, &p, e) < 0)
		return err_wrap(e, "read IP addresses");
	return p.failed ? err_set(e, ERR_IO, ENOMEM, "IP addresses") : 0;
}
