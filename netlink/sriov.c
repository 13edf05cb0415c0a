/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sriov.c - the attributes of a virtual function, read and set on its physical function
 *
 *	IFLA_VFINFO_LIST { IFLA_VF_INFO { IFLA_VF_MAC, IFLA_VF_VLAN, ... } ... }
 *
 * Each attribute is a fixed struct that begins with the VF's number.  do_setvfinfo() in
 * the kernel takes them in the order MAC, VLAN, VLAN_LIST, RATE, SPOOFCHK, LINK_STATE,
 * TRUST, whatever the order in the message; enum vf_attr follows it.
 *
 * The VLAN protocol exists in VLAN_LIST only, and is the one member in network byte
 * order.  Plain IFLA_VF_VLAN means 802.1Q and is understood by every kernel, so
 * VLAN_LIST is sent only for what it cannot say.
 *
 * A GUID is a 64-bit number in host order.  The kernel is done with a VF after its node
 * GUID, so that a port GUID in the same message would be lost without a word.
 */
#include "netlink/sriov.h"

#include "netlink/link_name.h"

#include "base/deadline.h"
#include "base/guid.h"
#include "netlink/link.h"
#include "netlink/vf_list.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#ifndef RTEXT_FILTER_SKIP_STATS
#define RTEXT_FILTER_SKIP_STATS (1 << 3)
#endif

enum {
	BUSY_MS = 2000,			/* how long a VF may be in reset */
	BUSY_PAUSE_MS = 50,
};

static_assert(sizeof(((struct ifla_vf_mac *)0)->mac) == VF_MAC_MAX, "the kernel's MAX_ADDR_LEN");

/* -- reading -- */

void vf_compose_get(struct nl_req *r, int pf_ifindex)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_GETLINK, 0, sizeof(*ifi));

	ifi->ifi_index = pf_ifindex;
	nl_put_u32(r, IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS);
}

/* IFLA_VF_VLAN_LIST knows the protocol; without it there is only 802.1Q. */
static bool parse_vlan(const struct nlattr *const tb[], struct vf_state *v)
{
	const struct nlattr *list[IFLA_VF_VLAN_INFO + 1] = { 0 };
	struct ifla_vf_vlan_info info;
	struct ifla_vf_vlan vlan;

	if (tb[IFLA_VF_VLAN_LIST])
		nl_attrs_nested(tb[IFLA_VF_VLAN_LIST], list, IFLA_VF_VLAN_INFO);
	if (nl_get(list[IFLA_VF_VLAN_INFO], &info, sizeof(info))) {
		v->vlan = (uint16_t)info.vlan;
		v->qos = (uint8_t)info.qos;
		v->proto = ntohs(info.vlan_proto);
		return true;
	}
	if (!nl_get(tb[IFLA_VF_VLAN], &vlan, sizeof(vlan)))
		return false;
	v->vlan = (uint16_t)vlan.vlan;
	v->qos = (uint8_t)vlan.qos;
	v->proto = VF_PROTO_8021Q;
	return true;
}

/* Spoofchk, trust and link state share one shape; all ones means that the driver does not tell. */
static bool parse_setting(const struct nlattr *a, uint32_t *ret)
{
	struct ifla_vf_spoofchk s;

	if (!nl_get(a, &s, sizeof(s)) || s.setting == UINT32_MAX)
		return false;
	*ret = s.setting;
	return true;
}

static void parse_guid(const struct nlattr *a, uint32_t attr, struct vf_state *v, uint64_t *ret)
{
	struct ifla_vf_guid guid;

	if (!nl_get(a, &guid, sizeof(guid)))
		return;
	*ret = guid.guid;
	v->have |= attr;
}

static struct vf_state parse_vf(const struct nlattr *const tb[])
{
	struct vf_state v = { 0 };
	struct ifla_vf_mac mac;
	struct ifla_vf_rate rate;
	uint32_t setting;

	if (nl_get(tb[IFLA_VF_MAC], &mac, sizeof(mac))) {
		memcpy(v.mac, mac.mac, sizeof(v.mac));
		v.have |= VF_MAC;
	}
	if (parse_vlan(tb, &v))
		v.have |= VF_VLAN;
	if (nl_get(tb[IFLA_VF_RATE], &rate, sizeof(rate))) {
		v.min_tx_rate = rate.min_tx_rate;
		v.max_tx_rate = rate.max_tx_rate;
		v.have |= VF_RATE;
	}
	if (parse_setting(tb[IFLA_VF_SPOOFCHK], &setting)) {
		v.spoofchk = setting != 0;
		v.have |= VF_SPOOFCHK;
	}
	if (parse_setting(tb[IFLA_VF_TRUST], &setting)) {
		v.trust = setting != 0;
		v.have |= VF_TRUST;
	}
	if (parse_setting(tb[IFLA_VF_LINK_STATE], &setting)) {
		v.link_state = (uint8_t)setting;
		v.have |= VF_LINK_STATE;
	}
	parse_guid(tb[IFLA_VF_IB_NODE_GUID], VF_NODE_GUID, &v, &v.node_guid);
	parse_guid(tb[IFLA_VF_IB_PORT_GUID], VF_PORT_GUID, &v, &v.port_guid);
	return v;
}

static bool take_vf(unsigned int vf, const struct nlattr *info, void *arg)
{
	const struct nlattr *tb[IFLA_VF_VLAN_LIST + 1];
	struct vf_lookup *l = arg;
	struct vf_state state;

	nl_attrs_nested(info, tb, IFLA_VF_VLAN_LIST);
	l->listed = true;
	l->last = vf;
	if (l->fn) {
		state = parse_vf(tb);
		l->fn(vf, &state, l->arg);
		return true;
	}
	l->found = vf == l->vf;
	if (l->found)
		l->state = parse_vf(tb);
	return !l->found;
}

bool vf_parse(const struct nlmsghdr *nlh, struct vf_lookup *l)
{
	unsigned int n = vf_list_walk(nlh, take_vf, l);

	l->num_vf = n > 0 ? n : l->num_vf;
	return l->found;
}

static int on_pf(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	(void)e;
	(void)vf_parse(nlh, arg);	/* a VF that is absent is no error here */
	return 0;
}

int vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret, struct err *e)
{
	struct vf_lookup l = { .vf = vf };
	char called[LINK_CALLED];
	struct nl_req r;

	vf_compose_get(&r, pf_ifindex);
	nl_make_room(nl);
	if (nl_request(nl, &r, on_pf, &l, e) < 0)
		return err_wrap(e, "read vf %u of %s", vf, link_called(nl, pf_ifindex, called));
	if (!l.found && l.listed && l.last < vf && vf < l.num_vf)
		return err_set(e, ERR_NETLINK, EMSGSIZE,
			       "the kernel's list of the %u VFs of %s ends before vf %u",
			       l.num_vf, link_called(nl, pf_ifindex, called), vf);
	if (l.found)
		*ret = l.state;
	return l.found;
}

int vf_each(struct nl *nl, int pf_ifindex, vf_fn *fn, void *arg, struct err *e)
{
	struct vf_lookup l = { .fn = fn, .arg = arg };
	char called[LINK_CALLED];
	struct nl_req r;

	vf_compose_get(&r, pf_ifindex);
	nl_make_room(nl);
	return nl_request(nl, &r, on_pf, &l, e) < 0 ?
		       err_wrap(e, "read VFs of %s", link_called(nl, pf_ifindex, called)) : 0;
}

/* -- setting -- */

static void put_vlan(struct nl_req *r, unsigned int vf, const struct vf_state *want)
{
	struct ifla_vf_vlan vlan = { .vf = vf, .vlan = want->vlan, .qos = want->qos };
	struct ifla_vf_vlan_info info = {
		.vf = vf, .vlan = want->vlan, .qos = want->qos, .vlan_proto = htons(want->proto)
	};
	struct nlattr *list;

	if (want->proto == 0 || want->proto == VF_PROTO_8021Q) {
		nl_put(r, IFLA_VF_VLAN, &vlan, sizeof(vlan));
	} else {
		list = nl_nest(r, IFLA_VF_VLAN_LIST);
		nl_put(r, IFLA_VF_VLAN_INFO, &info, sizeof(info));
		nl_nest_end(r, list);
	}
}

static void put_setting(struct nl_req *r, uint16_t type, unsigned int vf, uint32_t setting)
{
	struct ifla_vf_spoofchk s = { .vf = vf, .setting = setting };

	nl_put(r, type, &s, sizeof(s));
}

void vf_compose_set(struct nl_req *r, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		    uint32_t which)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_SETLINK, 0, sizeof(*ifi));
	struct nlattr *list = nl_nest(r, IFLA_VFINFO_LIST), *info = nl_nest(r, IFLA_VF_INFO);
	struct ifla_vf_mac mac = { .vf = vf };
	struct ifla_vf_rate rate = {
		.vf = vf, .min_tx_rate = want->min_tx_rate, .max_tx_rate = want->max_tx_rate
	};

	ifi->ifi_index = pf_ifindex;
	memcpy(mac.mac, want->mac, sizeof(mac.mac));
	if (which & VF_MAC)
		nl_put(r, IFLA_VF_MAC, &mac, sizeof(mac));
	if (which & VF_VLAN)
		put_vlan(r, vf, want);
	if (which & VF_RATE)
		nl_put(r, IFLA_VF_RATE, &rate, sizeof(rate));
	if (which & VF_SPOOFCHK)
		put_setting(r, IFLA_VF_SPOOFCHK, vf, want->spoofchk);
	if (which & VF_LINK_STATE)
		put_setting(r, IFLA_VF_LINK_STATE, vf, want->link_state);
	if (which & VF_TRUST)
		put_setting(r, IFLA_VF_TRUST, vf, want->trust);
	nl_nest_end(r, info);
	nl_nest_end(r, list);
}

/*
 * Drivers reset a VF when it is made, and when it gets an address or a VLAN, and until that is over
 * i40e answers EAGAIN, ice EBUSY.
 */
static int set_one(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		   enum vf_attr attr, const struct deadline *d, struct err *e)
{
	char text[VF_ATTR_TEXT];
	struct nl_req r;

	vf_compose_set(&r, pf_ifindex, vf, want, attr);
	while (nl_request(nl, &r, NULL, NULL, e) < 0) {
		if (!nl->refused || (e->sys != EAGAIN && e->sys != EBUSY) ||
		    deadline_left_ms(d) == 0)
			return err_wrap(e, "vf %u: %s", vf, vf_attr_format(want, attr, text));
		deadline_sleep(d, BUSY_PAUSE_MS);
	}
	return 0;
}

int vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
	   struct err *e)
{
	const struct deadline d = deadline_in(BUSY_MS);
	uint32_t have = want->have & VF_ALL;
	char called[LINK_CALLED];
	struct nl_req req;
	struct err one;
	int r = 0;

	if ((have & (have - 1)) == 0)	/* one at most: its refusal needs no search */
		return have ? set_one(nl, pf_ifindex, vf, want, (enum vf_attr)have, &d, e) : 0;
	vf_compose_set(&req, pf_ifindex, vf, want, have);
	if (nl_request(nl, &req, NULL, NULL, e) == 0)
		return 0;
	if (!nl->refused)
		return err_wrap(e, "set vf %u of %s", vf, link_called(nl, pf_ifindex, called));
	for (uint32_t attr = 1; attr < VF_ALL; attr <<= 1)
		if ((have & attr) &&
		    set_one(nl, pf_ifindex, vf, want, (enum vf_attr)attr, &d, &one) < 0) {
			if (r == 0)
				*e = one;
			r = -1;
		}
	return r < 0 ? -1 : 1;
}

void vf_compose_guid(struct nl_req *r, int pf_ifindex, unsigned int vf, enum vf_attr which,
		     uint64_t guid)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_SETLINK, 0, sizeof(*ifi));
	struct nlattr *list = nl_nest(r, IFLA_VFINFO_LIST), *info = nl_nest(r, IFLA_VF_INFO);
	struct ifla_vf_guid g;

	memset(&g, 0, sizeof(g));	/* the hole between its members, too */
	g.vf = vf;
	g.guid = guid;
	ifi->ifi_index = pf_ifindex;
	nl_put(r, which == VF_NODE_GUID ? IFLA_VF_IB_NODE_GUID : IFLA_VF_IB_PORT_GUID, &g,
	       sizeof(g));
	nl_nest_end(r, info);
	nl_nest_end(r, list);
}

int vf_set_guids(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		 struct err *e)
{
	static const enum vf_attr both[] = { VF_NODE_GUID, VF_PORT_GUID };
	char text[VF_ATTR_TEXT];
	struct nl_req r;

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		vf_compose_guid(&r, pf_ifindex, vf, both[i],
				both[i] == VF_NODE_GUID ? want->node_guid : want->port_guid);
		if (nl_request(nl, &r, NULL, NULL, e) < 0)
			return err_wrap(e, "vf %u: %s", vf, vf_attr_format(want, both[i], text));
	}
	return 0;
}

/* -- comparing and naming -- */

static bool same_vlan(const struct vf_state *a, const struct vf_state *b)
{
	uint16_t pa = a->proto ? a->proto : VF_PROTO_8021Q;
	uint16_t pb = b->proto ? b->proto : VF_PROTO_8021Q;
	bool tagged = a->vlan || a->qos;	/* without a tag its protocol means nothing */

	return a->vlan == b->vlan && a->qos == b->qos && (!tagged || pa == pb);
}

uint32_t vf_diff(const struct vf_state *a, const struct vf_state *b)
{
	uint32_t diff = 0;

	if (memcmp(a->mac, b->mac, sizeof(a->mac)) != 0)
		diff |= VF_MAC;
	if (!same_vlan(a, b))
		diff |= VF_VLAN;
	if (a->min_tx_rate != b->min_tx_rate || a->max_tx_rate != b->max_tx_rate)
		diff |= VF_RATE;
	if (a->spoofchk != b->spoofchk)
		diff |= VF_SPOOFCHK;
	if (a->link_state != b->link_state)
		diff |= VF_LINK_STATE;
	if (a->trust != b->trust)
		diff |= VF_TRUST;
	if (a->node_guid != b->node_guid)
		diff |= VF_NODE_GUID;
	if (a->port_guid != b->port_guid)
		diff |= VF_PORT_GUID;
	return diff & a->have & b->have;
}

const char *vf_attr_name(enum vf_attr attr)
{
	switch (attr) {
	case VF_MAC:
		return "mac";
	case VF_VLAN:
		return "vlan";
	case VF_RATE:
		return "rate";
	case VF_SPOOFCHK:
		return "spoofchk";
	case VF_LINK_STATE:
		return "link state";
	case VF_TRUST:
		return "trust";
	case VF_NODE_GUID:
		return "node guid";
	case VF_PORT_GUID:
		return "port guid";
	case VF_ALL:
	case VF_GUIDS:
		break;
	}
	return "attributes";
}

static const char *link_state_name(uint8_t state)
{
	static const char *const names[] = { "auto", "enable", "disable" };

	return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static void format_vlan(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	const char *proto = v->proto == VF_PROTO_8021AD ? "802.1ad" : "802.1q";

	if (v->proto == 0 || v->proto == VF_PROTO_8021Q || v->proto == VF_PROTO_8021AD)
		(void)snprintf(buf, VF_ATTR_TEXT, "vlan %u qos %u proto %s", v->vlan, v->qos,
			       proto);
	else
		(void)snprintf(buf, VF_ATTR_TEXT, "vlan %u qos %u proto 0x%04x", v->vlan, v->qos,
			       v->proto);
}

const char *vf_attr_format(const struct vf_state *v, enum vf_attr attr, char buf[VF_ATTR_TEXT])
{
	const char *name = vf_attr_name(attr);
	char mac[MAC_TEXT], guid[GUID_TEXT];

	if (attr == VF_MAC)
		(void)snprintf(buf, VF_ATTR_TEXT, "%s %s", name, mac_format(v->mac, mac));
	else if (attr & VF_GUIDS)
		(void)snprintf(buf, VF_ATTR_TEXT, "%s %s", name,
			       guid_format(attr == VF_NODE_GUID ? v->node_guid : v->port_guid,
					   guid));
	else if (attr == VF_VLAN)
		format_vlan(v, buf);
	else if (attr == VF_RATE)
		(void)snprintf(buf, VF_ATTR_TEXT, "%s min %u max %u Mbit/s", name, v->min_tx_rate,
			       v->max_tx_rate);
	else if (attr == VF_LINK_STATE)
		(void)snprintf(buf, VF_ATTR_TEXT, "%s %s", name, link_state_name(v->link_state));
	else
		(void)snprintf(buf, VF_ATTR_TEXT, "%s %s", name,
			       (attr == VF_TRUST ? v->trust : v->spoofchk) ? "on" : "off");
	return buf;
}
