/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_link.c - what only netlink says of the live node's network devices */
#include "manager/inventory/read.h"

#include "base/mac.h"
#include "base/mem.h"
#include "devinfo/node/sysfs.h"
#include "manager/inventory/join_text.h"
#include "netlink/default_route.h"
#include "netlink/ethtool.h"
#include "netlink/link.h"
#include "netlink/sriov.h"

#include <assert.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- names and kind -- */

static_assert((int)ALTNAMES_MAX <= (int)INV_NAMES, "what is written can be read");

static bool take_altnames(const struct altnames *alt, struct inv_link *l)
{
	char (*names)[128] = inv_texts(alt->n, sizeof(*names));

	if (!names)
		return false;
	for (size_t i = 0; i < alt->n; i++)	/* any bytes are allowed there */
		JOIN_TEXT(names[i], alt->name[i]);
	free(l->altnames);
	l->n_altnames = alt->n;
	l->altnames = names;
	return true;
}

/* True without memory.  One that came after sysfs was read is none of this inventory. */
static bool take_link(const struct link *link, const void *arg)
{
	const struct inventory *inv = arg;	/* its list is not */
	int place = inventory_link(inv, link->name);
	struct inv_link *l = place == INV_NONE ? NULL : &inv->links[place];

	if (!l || l->ifindex != link->ifindex)
		return false;
	(void)snprintf(l->kind, sizeof(l->kind), "%s", link->kind);
	for (size_t i = 0; i < XDP_MODES && !l->xdp; i++)
		l->xdp = (int)link->xdp.id[i];
	return link->alt.n && !take_altnames(&link->alt, l);
}

static void read_driver(struct nl *nl, struct inventory *inv, struct inv_link *l)
{
	struct ethtool_driver driver;
	struct inv_function *f;
	int place = inventory_function(inv, l->parent);

	if (!*l->parent || !ethtool_read_driver(nl, l->name, &driver))
		return;
	join_text(l->driver, sizeof(l->driver), driver.name);
	join_text(l->drivers_version, sizeof(l->drivers_version), driver.version);
	join_text(l->firmware, sizeof(l->firmware), driver.firmware);
	if (place == INV_NONE)
		return;
	f = &inv->functions[place];
	memcpy(f->drivers_version, l->drivers_version, sizeof(f->drivers_version));
	memcpy(f->firmware, l->firmware, sizeof(f->firmware));
}

/* -- VFs -- */

struct vf_pass {
	struct inventory *inv;
	const char *pf;
	struct err *e;
	bool failed;
};

static void take_vf(unsigned int vf, const struct vf_state *v, void *arg)
{
	static const char *const states[] = {
		[IFLA_VF_LINK_STATE_AUTO] = "auto", [IFLA_VF_LINK_STATE_ENABLE] = "enable",
		[IFLA_VF_LINK_STATE_DISABLE] = "disable",
	};
	struct vf_pass *p = arg;
	struct inv_vf *one = p->failed ? NULL : INV_ADD(p->inv, vfs, p->e);

	if (!one) {
		p->failed = true;
		return;
	}
	(void)snprintf(one->pf, sizeof(one->pf), "%s", p->pf);
	one->index = (int)vf;
	if (v->have & VF_MAC && mac_is_unicast(v->mac))	/* of zero: it has none */
		(void)mac_format(v->mac, one->mac);
	one->vlan = v->vlan;
	one->qos = v->qos;
	if (v->vlan || v->qos)
		(void)snprintf(one->vlan_proto, sizeof(one->vlan_proto), "%s",
			       v->proto == VF_PROTO_8021AD ? "802.1ad" : "802.1q");
	if (v->have & VF_LINK_STATE && v->link_state < ARRAY_SIZE(states))
		(void)snprintf(one->link_state, sizeof(one->link_state), "%s",
			       states[v->link_state]);
	one->spoofchk = v->spoofchk;
	one->trust = v->trust;
	one->min_tx_rate = (int)v->min_tx_rate;
	one->max_tx_rate = (int)v->max_tx_rate;
}

/* Of a PF, but not by its representors, which have the same device behind them. */
static bool lists_vfs(const struct inventory *inv, const struct inv_link *l)
{
	int pf = inventory_function(inv, l->parent);

	return pf != INV_NONE && inv->functions[pf].num_vfs > 0 &&
	       port_parse(l->port_name).kind > PORT_SF;
}

/* A list that is too long for the kernel, or that a driver in trouble refuses, is not known. */
static int read_vfs(struct nl *nl, struct inventory *inv, struct err *e)
{
	struct err ignored;

	for (size_t i = 0; i < inv->n_links; i++) {
		const struct inv_link *l = &inv->links[i];
		struct vf_pass p = { .inv = inv, .pf = l->name, .e = e };

		if (lists_vfs(inv, l))
			(void)!vf_each(nl, l->ifindex, take_vf, &p, &ignored);
		if (p.failed)
			return -1;
	}
	return 0;
}

/* -- routes -- */

static int read_routes(struct nl *nl, struct inventory *inv, struct err *e)
{
	auto_default_routes struct default_routes routes = { .n = 0 };

	if (default_routes_get(nl, &routes, e) < 0)
		return -1;
	for (size_t i = 0; i < inv->n_links; i++)
		for (size_t k = 0; k < routes.n; k++)
			if (routes.ifindex[k] == (uint32_t)inv->links[i].ifindex)
				inv->links[i].default_route = true;
	return 0;
}

int read_kernel_links(struct inventory *inv, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	struct link last;
	int r;

	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, e) < 0)
		return -1;
	r = link_find(&nl, take_link, inv, &last, e);
	if (r != 0)
		return r < 0 ? -1 : err_set(e, ERR_IO, ENOMEM, "names of network devices");
	for (size_t i = 0; i < inv->n_links; i++)
		read_driver(&nl, inv, &inv->links[i]);
	return read_vfs(&nl, inv, e) < 0 ? -1 : read_routes(&nl, inv, e);
}
