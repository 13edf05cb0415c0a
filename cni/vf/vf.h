/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf.h - a VF's attributes on its PF: what the configuration wants, and back again
 *
 * The room cni/vf/ touches what a PF holds for a VF, by netlink: VLAN, MAC, rates and the like.
 * The VF itself, its driver and its network device are others' (cni/driver/, cni/netdev/).  It
 * knows no record: its callers keep what was before.
 */
#ifndef CNI_VF_H
#define CNI_VF_H

#include "base/err.h"
#include "cni/aspect/aspect.h"
#include "conf/netconf.h"
#include "devinfo/node/sysfs.h"
#include "netlink/sriov.h"

/* The attributes a configuration asks for; mac is NULL or six bytes.  Nothing asked: have is 0. */
void vf_want(const struct netconf *nc, const uint8_t *mac, struct vf_state *ret);

/*
 * Set what want->have names, the kernel's ACK being enough: nothing is read again, for a PF with
 * many VFs is slow to read.  Only after a driver that took the attributes one by one, but not
 * together, is it looked whether they are set.
 */
int vf_apply(struct nl *nl, const struct pci_device *dev, const struct vf_state *want,
	     struct err *e) must_check;

/*
 * Give a VF back the attributes of `before` that are in mask and differ now, and see that it has
 * them.  Those in `sure` are known to differ, because this attachment has set them: they are set
 * first, so that the one reading is the proof.  The others are changed only when they differ, and
 * then read once more.
 */
int vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	       uint32_t mask, uint32_t sure, struct err *e) must_check;

/*
 * The other policy: no VLAN, no limits, spoofchk on, trust off, link state auto, so far as the
 * driver reported them (before->have); and no address, or where the driver refuses that, the one of
 * before.
 */
int vf_clean(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	     struct err *e) must_check;

/* Tell each value that differs: "vlan of VF 3 of ens1f0: want 100, have 0". */
void vf_compare(struct check *c, const struct pci_device *dev, const struct vf_state *want,
		const struct vf_state *now);

/*
 * With the PF as it was: see that the VF, at home, has its own idea of its address again.  One that
 * insists on another is trusted for that moment.
 */
int vf_settle_mac(struct nl *home, const struct journal *journal, struct record *rec,
		  const struct pci_device *dev, struct err *e) must_check;

extern const struct aspect vf_aspect;

#endif
