/* SPDX-License-Identifier: Apache-2.0 */
/* vf.c - a VF's attributes on its PF: what the configuration wants, and back again */
#include "cni/vf/vf.h"

#include "base/guid.h"
#include "base/mem.h"
#include "netlink/link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

void vf_want(const struct netconf *nc, const uint8_t *mac, struct vf_state *ret)
{
	struct vf_state w = { 0 };

	if (mac) {
		w.have |= VF_MAC;
		memcpy(w.mac, mac, MAC_LEN);
	}
	if (nc->vlan >= 0 && !netconf_has_port(nc)) {
		w.have |= VF_VLAN;
		w.vlan = (uint16_t)nc->vlan;
		w.qos = (uint8_t)nc->vlan_qos;
		w.proto = nc->vlan_proto;
	}
	if (nc->min_tx_rate >= 0 || nc->max_tx_rate >= 0) {
		w.have |= VF_RATE; /* the kernel takes both at once; what is not said is no limit */
		w.min_tx_rate = nc->min_tx_rate > 0 ? (uint32_t)nc->min_tx_rate : 0;
		w.max_tx_rate = nc->max_tx_rate > 0 ? (uint32_t)nc->max_tx_rate : 0;
	}
	if (nc->spoofchk != ONOFF_UNSET)
		w.have |= VF_SPOOFCHK;
	w.spoofchk = nc->spoofchk == ONOFF_ON;
	if (nc->trust != ONOFF_UNSET)
		w.have |= VF_TRUST;
	w.trust = nc->trust == ONOFF_ON;
	if (nc->link_state != LINK_POLICY_UNSET)
		w.have |= VF_LINK_STATE;
	w.link_state = nc->link_state == LINK_POLICY_ENABLE	 ? VF_LINK_ENABLE :
		       nc->link_state == LINK_POLICY_DISABLE ? VF_LINK_DISABLE :
							       VF_LINK_AUTO;
	if (nc->guid)
		w.have |= VF_GUIDS;
	w.node_guid = w.port_guid = nc->guid;
	*ret = w;
}

/* The attributes of mask that differ from before; -1 when they cannot be read. */
static int differing(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
		     uint32_t mask, uint32_t *ret, struct err *e)
{
	struct vf_state now;
	int r = vf_get(nl, dev->pf_ifindex, dev->vf_index, &now, e);

	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "the PF lists no such VF");
	if (r < 0)
		return -1;
	*ret = vf_diff(before, &now) & mask;
	return 0;
}

static int not_as_wanted(uint32_t diff, struct err *e)
{
	return err_set(e, ERR_DEVICE, 0, "the driver accepted but did not set: %s",
		       vf_attr_name((enum vf_attr)(diff & -diff)));
}

int vf_apply(struct nl *nl, const struct pci_device *dev, const struct vf_state *want,
	     struct err *e)
{
	uint32_t diff = 0;
	int r = vf_set(nl, dev->pf_ifindex, dev->vf_index, want, e);

	if (r <= 0)
		return r;
	if (differing(nl, dev, want, want->have, &diff, e) < 0)
		return -1;
	return diff ? not_as_wanted(diff, e) : 0;
}

static int set_some(struct nl *nl, const struct pci_device *dev, const struct vf_state *values,
		    uint32_t which, struct err *e)
{
	struct vf_state want = *values;

	want.have = which;
	return vf_set(nl, dev->pf_ifindex, dev->vf_index, &want, e) < 0 ? -1 : 0;
}

/* What is sure to differ goes out unseen, and is looked at with all the rest: one reading. */
static int restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
		   uint32_t mask, uint32_t sure, struct err *e)
{
	uint32_t diff = 0;	/* gcc -fanalyzer does not follow differing() */

	sure &= mask & before->have;
	if (sure && set_some(nl, dev, before, sure, e) < 0 && !nl->refused)
		return -1;
	if (differing(nl, dev, before, mask, &diff, e) < 0)
		return -1;
	if (diff == 0)
		return 0;
	if (set_some(nl, dev, before, diff, e) < 0 ||
	    differing(nl, dev, before, mask, &diff, e) < 0)
		return -1;
	return diff ? not_as_wanted(diff, e) : 0;
}

static int has_pf(const struct pci_device *dev, struct err *e)
{
	return dev->pf_ifindex ? 0 : err_set(e, ERR_TRY_AGAIN, ENODEV,
					     "PF %s of VF %u has no network device here",
					     dev->pf_bdf, dev->vf_index);
}

int vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	       uint32_t mask, uint32_t sure, struct err *e)
{
	if (has_pf(dev, e) < 0)
		return -1;
	if (restore(nl, dev, before, mask & VF_ALL, sure, e) < 0)	/* GUIDs: infiniband.h */
		return err_wrap(e, "restore VF %u of %s", dev->vf_index, dev->pf_netdev);
	return 0;
}

static bool same_mac(const struct vf_state *a, const struct vf_state *b)
{
	return memcmp(a->mac, b->mac, sizeof(a->mac)) == 0;
}

/* Many drivers refuse to take an address away: then it gets that of before. */
static int clean_mac(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
		     const struct vf_state *clean, struct err *e)
{
	struct vf_state now = { 0 };
	int r = vf_get(nl, dev->pf_ifindex, dev->vf_index, &now, e);

	if (r <= 0 || !(now.have & before->have & VF_MAC) || same_mac(&now, clean))
		return r < 0 ? -1 : 0;
	if (set_some(nl, dev, clean, VF_MAC, e) == 0 || same_mac(&now, before))
		return 0;
	return restore(nl, dev, before, VF_MAC, VF_MAC, e);
}

int vf_clean(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	     struct err *e)
{
	struct vf_state clean = { .have = before->have, .spoofchk = true };

	if (has_pf(dev, e) < 0)
		return -1;
	if (restore(nl, dev, &clean, VF_ALL & ~(uint32_t)VF_MAC, 0, e) < 0 ||
	    clean_mac(nl, dev, before, &clean, e) < 0)
		return err_wrap(e, "clean VF %u of %s", dev->vf_index, dev->pf_netdev);
	return 0;
}

/* -- telling a difference, in the kernel's terms -- */

static void tell_mac(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	char text[MAC_TEXT];

	(void)snprintf(buf, VF_ATTR_TEXT, "%s", mac_format(v->mac, text));
}

static void tell_vlan(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	(void)snprintf(buf, VF_ATTR_TEXT, "%u", v->vlan);
}

static void tell_qos(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	(void)snprintf(buf, VF_ATTR_TEXT, "%u", v->qos);
}

static void tell_proto(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	uint16_t proto = v->proto ? v->proto : VF_PROTO_8021Q;

	if (proto == VF_PROTO_8021Q || proto == VF_PROTO_8021AD)
		(void)snprintf(buf, VF_ATTR_TEXT,
			       proto == VF_PROTO_8021Q ? "802.1q" : "802.1ad");
	else
		(void)snprintf(buf, VF_ATTR_TEXT, "0x%04x", proto);
}

static void tell_min_rate(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	(void)snprintf(buf, VF_ATTR_TEXT, "%u", v->min_tx_rate);
}

static void tell_max_rate(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	(void)snprintf(buf, VF_ATTR_TEXT, "%u", v->max_tx_rate);
}

static void tell_spoofchk(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	(void)snprintf(buf, VF_ATTR_TEXT, v->spoofchk ? "on" : "off");
}

static void tell_trust(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	(void)snprintf(buf, VF_ATTR_TEXT, v->trust ? "on" : "off");
}

static void tell_link_state(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	static const char *const names[] = {
		[IFLA_VF_LINK_STATE_AUTO] = "auto", [IFLA_VF_LINK_STATE_ENABLE] = "enable",
		[IFLA_VF_LINK_STATE_DISABLE] = "disable",
	};

	(void)snprintf(buf, VF_ATTR_TEXT, "%s",
		       v->link_state < ARRAY_SIZE(names) ? names[v->link_state] : "unknown");
}

static void tell_node_guid(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	char text[GUID_TEXT];

	(void)snprintf(buf, VF_ATTR_TEXT, "%s", guid_format(v->node_guid, text));
}

static void tell_port_guid(const struct vf_state *v, char buf[VF_ATTR_TEXT])
{
	char text[GUID_TEXT];

	(void)snprintf(buf, VF_ATTR_TEXT, "%s", guid_format(v->port_guid, text));
}

static const struct attribute {
	enum vf_attr attr;
	const char *name;		/* as ip-link(8) and the configuration have it */
	void (*tell)(const struct vf_state *v, char buf[VF_ATTR_TEXT]);
} aspects[] = {
	{ VF_MAC, "mac", tell_mac },
	{ VF_VLAN, "vlan", tell_vlan },
	{ VF_VLAN, "vlan qos", tell_qos },
	{ VF_VLAN, "vlan proto", tell_proto },
	{ VF_RATE, "min_tx_rate", tell_min_rate },
	{ VF_RATE, "max_tx_rate", tell_max_rate },
	{ VF_SPOOFCHK, "spoofchk", tell_spoofchk },
	{ VF_LINK_STATE, "link state", tell_link_state },
	{ VF_TRUST, "trust", tell_trust },
	{ VF_NODE_GUID, "node guid", tell_node_guid },
	{ VF_PORT_GUID, "port guid", tell_port_guid },
};

void vf_compare(struct check *c, const struct pci_device *dev, const struct vf_state *want,
		const struct vf_state *now)
{
	uint32_t diff = vf_diff(want, now);
	char wanted[VF_ATTR_TEXT], have[VF_ATTR_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(aspects); i++) {
		const struct attribute *a = &aspects[i];

		if (!(diff & a->attr))
			continue;
		a->tell(want, wanted);
		a->tell(now, have);
		if (strcmp(wanted, have) != 0)
			check_differs(c, "%s of VF %u of %s: expected %s, got %s", a->name,
				      dev->vf_index, dev->pf_netdev, wanted, have);
	}
}
