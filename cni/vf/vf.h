/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf.h - set and restore a VF's attributes on its PF
 *
 * The room cni/vf/ changes what a PF holds for a VF, by netlink: VLAN, MAC, rates and the like.
 * Other rooms handle the VF's driver and its network device (cni/driver/, cni/netdev/).
 */
#ifndef CNI_VF_H
#define CNI_VF_H

#include "base/err.h"
#include "cni/aspect/aspect.h"
#include "conf/netconf.h"
#include "devinfo/node/sysfs.h"
#include "netlink/sriov.h"

/*
 * Get the attributes that a configuration requests; mac is NULL or six bytes.  have is 0 for none.
 */
void vf_want(const struct netconf *nc, const uint8_t *mac, struct vf_state *ret);

/*
 * Set the attributes in want->have.  The kernel's ACK is enough, as a PF with many VFs is slow to
 * read: they are read back only when a driver took them one by one, but not together.
 */
int vf_apply(struct nl *nl, const struct pci_device *dev, const struct vf_state *want,
	     struct err *e) must_check;

/*
 * Restore the attributes of `before` that are in mask and differ now, and verify them.  Those in
 * `sure` are known to differ, because this attachment has set them: they are set first, so that one
 * reading verifies them.  The others are changed only when they differ, and then read once more.
 */
int vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	       uint32_t mask, uint32_t sure, struct err *e) must_check;

/*
 * Set the defaults instead: no VLAN, no limits, spoofchk on, trust off, link state auto, if the
 * driver reported them (before->have); and no address, or, if the driver refuses that, the one of
 * before.
 */
int vf_clean(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	     struct err *e) must_check;

/* Report each value that differs: "vlan of VF 3 of ens1f0: want 100, have 0". */
void vf_compare(struct check *c, const struct pci_device *dev, const struct vf_state *want,
		const struct vf_state *now);

/*
 * After the PF is restored: make the VF, at home, take its address of before.  One that keeps
 * another address is set to trust for that moment.
 */
int vf_settle_mac(struct nl *home, const struct journal *journal, struct record *rec,
		  const struct pci_device *dev, struct err *e) must_check;

extern const struct aspect vf_aspect;

#endif
