/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_addr.c - the addresses of the live node's network devices, from libnl's cache
 *
 * libnl's own <netlink/addr.h> comes first: within its headers that name would find the one of this
 * tree.
 */
#include <libnl3/netlink/addr.h>
#include <libnl3/netlink/cache.h>
#include <libnl3/netlink/errno.h>
#include <libnl3/netlink/route/addr.h>
#include <libnl3/netlink/socket.h>

#include "base/attr.h"
#include "manager/inventory/read.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Network devices by their index, which is what addresses name. */
struct by_index {
	int ifindex, place;
};

struct pass {
	struct inventory *inv;
	struct by_index *list;		/* owned */
	struct nl_sock *sock;		/* owned */
	struct nl_cache *cache;		/* owned */
};

static void pass_done(const struct pass *p)
{
	free(p->list);
	nl_cache_free(p->cache);	/* NULL, too */
	nl_socket_free(p->sock);
}

static int by_ifindex(const void *a, const void *b)
{
	const struct by_index *x = a, *y = b;

	return x->ifindex < y->ifindex ? -1 : x->ifindex > y->ifindex;
}

static int index_links(struct pass *p, struct err *e)
{
	size_t n = p->inv->n_links;

	p->list = calloc(n + 1, sizeof(*p->list));
	if (!p->list)
		return err_set(e, ERR_IO, ENOMEM, "list of network devices");
	for (size_t i = 0; i < n; i++)
		p->list[i] = (struct by_index){ p->inv->links[i].ifindex, (int)i };
	qsort(p->list, n, sizeof(*p->list), by_ifindex);
	return 0;
}

/* Those beyond INV_NAMES are left out. */
static void take_addr(struct nl_object *object, void *arg)
{
	struct rtnl_addr *a = (struct rtnl_addr *)object;
	struct by_index key = { .ifindex = rtnl_addr_get_ifindex(a) }, *at;
	struct pass *p = arg;
	char text[64];
	struct inv_link *l;

	at = bsearch(&key, p->list, p->inv->n_links, sizeof(key), by_ifindex);
	l = at ? &p->inv->links[at->place] : NULL;
	if (!l || l->n_ips == INV_NAMES || !rtnl_addr_get_local(a))
		return;
	(void)nl_addr2str(rtnl_addr_get_local(a), text, sizeof(text));
	text[strcspn(text, "/")] = '\0';	/* of /32 and /128 libnl says nothing */
	(void)snprintf(l->ips[l->n_ips], sizeof(l->ips[0]), "%.50s/%d", text,
		       rtnl_addr_get_prefixlen(a));
	l->n_ips++;
}

int read_kernel_addrs(struct inventory *inv, struct err *e)
{
	auto_with(pass_done) struct pass p = { .inv = inv };
	int r;

	if (index_links(&p, e) < 0)
		return -1;
	p.sock = nl_socket_alloc();
	r = p.sock ? nl_connect(p.sock, NETLINK_ROUTE) : -NLE_NOMEM;
	if (r == 0)
		r = rtnl_addr_alloc_cache(p.sock, &p.cache);
	if (r < 0)
		return err_set(e, ERR_NETLINK, 0, "read IP addresses: %s", nl_geterror(r));
	nl_cache_foreach(p.cache, take_addr, &p);
	return 0;
}
