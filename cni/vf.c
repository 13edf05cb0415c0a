/* SPDX-License-Identifier: Apache-2.0 */
/* vf.c - a VF's attributes on its PF: what the configuration wants, and back again */
#include "cni/vf.h"

#include "netlink/link.h"

#include <errno.h>
#include <string.h>

void vf_want(const struct netconf *nc, const uint8_t *mac, struct vf_state *ret)
{
	struct vf_state w = { 0 };

	if (mac) {
		w.have |= VF_MAC;
		memcpy(w.mac, mac, MAC_LEN);
	}
	if (nc->vlan >= 0 && !nc->port.present) {	/* else it is the representor's */
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

static int restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
		   uint32_t mask, struct err *e)
{
	struct vf_state want = *before;
	uint32_t diff = 0;	/* gcc -fanalyzer does not follow differing() */

	if (differing(nl, dev, before, mask, &diff, e) < 0)
		return -1;
	if (diff == 0)
		return 0;
	want.have = diff;
	if (vf_set(nl, dev->pf_ifindex, dev->vf_index, &want, e) < 0 ||
	    differing(nl, dev, before, mask, &diff, e) < 0)
		return -1;
	if (diff)
		return err_set(e, ERR_DEVICE, 0, "the driver accepted but did not restore: %s",
			       vf_attr_name((enum vf_attr)(diff & -diff)));
	return 0;
}

int vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	       uint32_t mask, struct err *e)
{
	if (!dev->pf_ifindex)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "PF %s of VF %u has no network device here", dev->pf_bdf,
			       dev->vf_index);
	if (restore(nl, dev, before, mask & VF_ALL, e) < 0)	/* GUIDs: infiniband.h */
		return err_wrap(e, "restore VF %u of %s", dev->vf_index, dev->pf_netdev);
	return 0;
}
