/* SPDX-License-Identifier: Apache-2.0 */
/* representor.c - what is set on the representor of a VF or sub-function */
#include "cni/representor/representor.h"

#include "base/log.h"
#include "devinfo/node/eswitch.h"

#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *kind(const struct function *f)
{
	return f->is_sf ? "SF" : "VF";
}

/* -- before -- */

/* 1, 0 when the device is no function of a switch, -1. */
static int function_of(const struct attachment *a, struct function *ret, struct err *e)
{
	if (a->dev.is_pci)
		return function_of_vf(&a->dev.pci, ret);
	return *a->dev.sf.name ? function_of_sf(a->host, &a->dev.sf, ret, e) : 0;
}

int representor_find(struct attachment *a, struct err *e)
{
	int r;

	if (a->rep_looked)
		return a->rep.ifindex != 0;
	a->function = (struct function){ 0 };
	a->rep = (struct representor){ .ifindex = 0 };
	r = function_of(a, &a->function, e);
	if (r > 0)
		r = eswitch_representor(a->host, &a->function, &a->rep, e);
	a->rep_looked = r >= 0 && *a->dev.key;
	return r;
}

/* What asks for one, in messages. */
static const char *keys_of(const struct netconf *nc)
{
	return nc->port.present ? "bridge, trunk" : "switch";
}

/* Why there is none. */
static int no_representor(const struct attachment *a, struct err *e)
{
	const struct function *f = &a->function;
	const char *keys = keys_of(a->conf);
	enum eswitch_mode mode = ESWITCH_OTHER;

	if (!*f->pf_bdf)
		return err_set(e, ERR_NETCONF, 0,
			       "%s: %s is neither a VF nor a sub-function", keys,
			       *a->dev.key ? a->dev.key : a->call->ifname);
	if (eswitch_mode_of(a->host, f, &mode, e) < 0)
		return -1;
	if (mode != ESWITCH_SWITCHDEV)
		return err_set(e, ERR_DEVICE, 0,
			       "%s: PF %s is in %s mode, expected switchdev mode", keys,
			       f->pf_bdf, eswitch_mode_name(mode));
	return err_set(e, ERR_DEVICE, ENODEV, "%s %u of PF %s has no representor here", kind(f),
		       f->number, f->pf_bdf);
}

/* The bridge that the uplink, or the bond of the uplink, is a port of: 1, 0, -1. */
static int uplinks_bridge(struct nl *home, int uplink, struct bridge *ret, struct err *e)
{
	struct link link, master;
	int r = link_get_by_index(home, uplink, &link, e);

	for (int depth = 0; r > 0 && link.master && depth < 2; depth++) {
		r = link_get_by_index(home, link.master, &master, e);
		if (r > 0 && strcmp(master.kind, "bridge") == 0)
			return bridge_get(home, master.name, ret, e);
		link = master;
	}
	return r < 0 ? -1 : 0;
}

static bool is_listed(const struct bridge_port_conf *c, const char *name)
{
	for (unsigned int i = 0; i < c->bridges; i++)
		if (strcmp(c->bridge[i], name) == 0)
			return true;
	return c->bridges == 0;
}

static int choose_bridge(struct attachment *a, struct bridge *ret, struct err *e)
{
	const struct bridge_port_conf *c = &a->conf->port;
	const struct function *f = &a->function;
	struct bridge b = { 0 };
	int r;

	if (c->bridges == 1) {
		r = bridge_get(&a->home, c->bridge[0], &b, e);
		if (r > 0 && !b.is_bridge)
			return err_set(e, ERR_DEVICE, 0, "bridge: %s is not a bridge", b.name);
		if (r == 0)
			return err_set(e, ERR_DEVICE, ENODEV, "bridge: there is no %s here",
				       c->bridge[0]);
	} else {
		r = f->uplink_ifindex ? uplinks_bridge(&a->home, f->uplink_ifindex, &b, e) : 0;
		if (r == 0)
			return err_set(e, ERR_DEVICE, 0,
				       "bridge: uplink %s is a port of none, so one must be named",
				       *f->uplink ? f->uplink : f->pf_bdf);
		if (r > 0 && !is_listed(c, b.name))
			return err_set(e, ERR_DEVICE, 0,
				       "bridge: uplink %s is a port of %s, which is not listed",
				       f->uplink, b.name);
	}
	*ret = b;
	return r < 0 ? -1 : 0;
}

/* False when the VLANs of the port are the bridge's to choose. */
static bool wanted_vlans(const struct netconf *nc, struct bridge_vlans *ret)
{
	*ret = (struct bridge_vlans){ .all = nc->port.trunk };
	if (nc->vlan > 0) {
		idset_add(&ret->all, (unsigned int)nc->vlan);
		idset_add(&ret->untagged, (unsigned int)nc->vlan);
		ret->pvid = (uint16_t)nc->vlan;
	}
	return !idset_empty(&ret->all);
}

/* What it is a port of now: it can be taken from a bridge only, and given back to one. */
static int probe_master(struct attachment *a, struct port_state *p, struct err *e)
{
	struct link master;
	int r = p->master ? link_get_by_index(&a->home, p->master, &master, e) : 0;

	if (r < 0)
		return -1;
	if (r == 0) {
		p->master = 0;
		return 0;
	}
	if (strcmp(master.kind, "bridge") != 0)
		return err_set(e, ERR_DEVICE, EBUSY,
			       "bridge, trunk: representor %s is a port of %s, which is not a "
			       "bridge "
			       "but %s",
			       p->name, master.name, *master.kind ? master.kind : "hardware");
	memcpy(p->master_name, master.name, sizeof(p->master_name));
	return bridge_vlans_get(&a->home, p->ifindex, &p->vlans, e) < 0 ? -1 : 0;
}

static int probe_port(struct attachment *a, struct port_state *p, struct err *e)
{
	struct bridge_vlans want;
	struct bridge b = { 0 };

	if (choose_bridge(a, &b, e) < 0)
		return -1;
	p->bridge = b.ifindex;
	memcpy(p->bridge_name, b.name, sizeof(p->bridge_name));
	p->vlans_set = wanted_vlans(a->conf, &want);
	if (p->vlans_set && !b.vlan_filtering)
		return err_set(e, ERR_DEVICE, 0,
			       "bridge: %s does not filter VLANs (vlan_filtering is 0)", b.name);
	return probe_master(a, p, e);
}

static int probe_link(struct attachment *a, struct err *e)
{
	bool is_port = netconf_has_port(a->conf);
	struct port_state *p = &a->rec.port;
	struct link link;
	int r = link_get_by_index(&a->home, a->rep.ifindex, &link, e);

	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "representor %s has just gone",
			       a->rep.name);
	if (r < 0)
		return -1;
	*p = (struct port_state){
		.ifindex = link.ifindex,
		.master = link.master,
		.mtu = link.mtu,
		.up = link.flags & IFF_UP,
		.mtu_set = a->conf->mtu > 0 && link.mtu != (uint32_t)a->conf->mtu,
		.up_set = is_port && !(link.flags & IFF_UP),
	};
	memcpy(p->name, link.name, sizeof(p->name));
	p->present = is_port || p->mtu_set;
	return a->conf->port.present ? probe_port(a, p, e) : 0;
}

int representor_probe(struct attachment *a, struct err *e)
{
	bool must = netconf_has_port(a->conf);
	int r;

	if (!must && a->conf->mtu <= 0)
		return 0;
	r = representor_find(a, e);
	if (r == 0 && must)
		return no_representor(a, e);
	return r <= 0 ? r : probe_link(a, e);
}

/* -- setting it -- */

static int set_master(struct nl *home, int ifindex, int master, const char *name, struct err *e)
{
	if (bridge_set_master(home, ifindex, master, e) < 0)
		return err_wrap(e, "make it a port of %s", master ? name : "nothing");
	return 0;
}

static int set_vlans(struct attachment *a, const struct port_state *p, struct err *e)
{
	struct bridge_vlans now = { .pvid = 0 }, want;

	if (!wanted_vlans(a->conf, &want))
		return 0;
	if (bridge_vlans_get(&a->home, p->ifindex, &now, e) < 0)
		return -1;
	return bridge_vlans_set(&a->home, p->ifindex, &now, &want, e);
}

int representor_configure(struct attachment *a, struct err *e)
{
	const struct port_state *p = &a->rec.port;
	struct link_change c = {
		.mtu = p->mtu_set ? (uint32_t)a->conf->mtu : 0,
		.flags = IFF_UP,
		.mask = p->up_set ? IFF_UP : 0,
	};

	if (!p->present)
		return 0;
	if ((p->bridge && p->bridge != p->master &&
	     set_master(&a->home, p->ifindex, p->bridge, p->bridge_name, e) < 0) ||
	    (p->vlans_set && set_vlans(a, p, e) < 0) ||
	    ((c.mtu || c.mask) && link_set(&a->home, p->ifindex, &c, e) < 0))
		return err_wrap(e, "configure representor %s", p->name);
	return 0;
}

/* -- and back -- */

/* What the device is now: 1, 0 when it is no function of a switch any more, -1. */
static int function_now(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct function *ret, struct err *e)
{
	struct sub_function sf;
	int r;

	if (rec->is_pci)
		return function_of_vf(dev, ret);
	r = sysfs_sub_function(host, rec->device, &sf, e);
	return r > 0 ? function_of_sf(host, &sf, ret, e) : r;
}

/* Without its uplink a switch does not show; whether this is a representor still does. */
static int no_uplink(const struct host *host, const struct function *f, const struct link *was,
		     struct err *e)
{
	char id[SWITCH_ID_TEXT];
	int r = sysfs_switch_id(host, was->name, id, e);

	return r <= 0 ? r : err_set(e, ERR_TRY_AGAIN, ENODEV,
				    "PF %s has no network device here, so it cannot be told "
				    "whether %s is the representor of its %s %u",
				    f->pf_bdf, was->name, kind(f), f->number);
}

/* The representor as it is now: 1; 0 when the one we changed is gone, or another function's; -1. */
static int find_again(const struct host *host, struct nl *home, const struct record *rec,
		      const struct pci_device *dev, struct link *ret, struct err *e)
{
	struct representor rep = { .ifindex = 0 };
	struct function f;
	int r = link_get_by_index(home, rec->port.ifindex, ret, e);

	if (r > 0)
		r = function_now(host, rec, dev, &f, e);
	if (r <= 0)
		return r;
	if (!*f.uplink)
		return no_uplink(host, &f, ret, e);
	r = eswitch_representor(host, &f, &rep, e);
	return r < 0 ? -1 : rep.ifindex == rec->port.ifindex;
}

/* What it was a port of may be gone by now, its number another's; then it is a port of nothing. */
static int restore_master(struct nl *home, const struct port_state *p, struct link *now,
			  struct err *e)
{
	int want = p->master, r;
	struct link master;

	if (!p->bridge)
		return 0;
	r = want ? link_get_by_index(home, want, &master, e) : 0;
	if (r < 0)
		return -1;
	if (r == 0 || (*p->master_name && strcmp(master.name, p->master_name) != 0))
		want = 0;
	if (want == now->master)
		return 0;
	if (set_master(home, p->ifindex, want, p->master_name, e) < 0)
		return -1;
	now->master = want;
	return 0;
}

/* Those of a port that was none of our business were not even read. */
static int restore_vlans(struct nl *home, const struct port_state *p, const struct link *now,
			 struct err *e)
{
	struct bridge_vlans have = { .pvid = 0 };

	if (!p->bridge || !p->master || now->master != p->master ||
	    (!p->vlans_set && p->bridge == p->master))
		return 0;
	if (bridge_vlans_get(home, p->ifindex, &have, e) < 0)
		return -1;
	return bridge_vlans_set(home, p->ifindex, &have, &p->vlans, e);
}

static int restore_link(struct nl *home, const struct port_state *p, const struct link *now,
			struct err *e)
{
	struct link_change c = {
		.mtu = p->mtu_set && now->mtu != p->mtu ? p->mtu : 0,
		.flags = p->up ? IFF_UP : 0,
		.mask = p->up_set && (now->flags & IFF_UP) != (p->up ? IFF_UP : 0) ? IFF_UP : 0,
	};

	return c.mtu || c.mask ? link_set(home, p->ifindex, &c, e) : 0;
}

int representor_restore(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct err all = { .code = ERR_OK };
	const struct port_state *p = &rec->port;
	struct link now = { 0 };
	int r;

	if (!p->present)
		return 0;
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	r = find_again(host, &home, rec, dev, &now, e);
	if (r <= 0) {
		if (r == 0)
			log_info("msg=\"the representor is another now, nothing to restore on "
				 "it\" representor=%s", p->name);
		return r;
	}
	if (restore_link(&home, p, &now, e) < 0)
		err_join(&all, e);
	if (restore_master(&home, p, &now, e) < 0)
		err_join(&all, e);
	else if (restore_vlans(&home, p, &now, e) < 0)
		err_join(&all, e);
	return err_joined(&all, e) < 0 ? err_wrap(e, "restore representor %s", p->name) : 0;
}

/* -- as it should be? -- */

static int name_of(struct nl *home, int ifindex, char ret[16], struct err *e)
{
	struct link link;
	int r = ifindex ? link_get_by_index(home, ifindex, &link, e) : 0;

	(void)snprintf(ret, 16, "%s", r > 0 ? link.name : ifindex ? "a lost one" : "none");
	return r < 0 ? -1 : 0;
}

static int check_port(struct check *c, const struct link *now, struct err *e)
{
	struct nl *home = &c->home;
	int bridge = c->rec->port.bridge;
	char wanted[BRIDGE_VLANS_TEXT], text[BRIDGE_VLANS_TEXT];
	struct bridge_vlans want, have = { .pvid = 0 };

	if (now->master != bridge) {
		if (name_of(home, bridge, wanted, e) < 0 ||
		    name_of(home, now->master, text, e) < 0)
			return -1;
		check_differs(c, "representor %s: bridge: expected %s, got %s", now->name, wanted,
			      text);
		return 0;
	}
	if (!wanted_vlans(c->conf, &want))
		return 0;
	if (bridge_vlans_get(home, now->ifindex, &have, e) < 0)
		return -1;
	if (!bridge_vlans_equal(&want, &have))
		check_differs(c, "representor %s: vlans: expected %s, got %s", now->name,
			      bridge_vlans_format(&want, wanted), bridge_vlans_format(&have, text));
	return 0;
}

int representor_check(struct check *c, struct err *e)
{
	const struct record *rec = c->rec;
	struct pci_device dev = { 0 };
	struct link now;
	int r;

	if (!rec->port.present)
		return 0;
	r = rec->is_pci ? eswitch_pci(c->host, rec->device, &dev, e) : 1;
	if (r < 0 && e->code == ERR_DEVICE)	/* its PF was taken away */
		r = 0;
	if (r > 0)
		r = find_again(c->host, &c->home, rec, &dev, &now, e);
	if (r < 0)
		return -1;
	if (r == 0) {
		check_differs(c, "representor: %s is not that of %s any more", rec->port.name,
			      rec->device);
		return 0;
	}
	if (c->conf->mtu > 0 && now.mtu != (uint32_t)c->conf->mtu)
		check_differs(c, "representor %s: mtu: expected %lld, got %u", now.name,
			      (long long)c->conf->mtu, now.mtu);
	if ((rec->port.bridge || netconf_has_port(c->conf)) && !(now.flags & IFF_UP))
		check_differs(c, "representor %s: state: expected up, got down", now.name);
	return rec->port.bridge ? check_port(c, &now, e) : 0;
}
