/* SPDX-License-Identifier: Apache-2.0 */
/* vf.h - a VF's attributes on its PF: what the configuration wants, and back again */
#ifndef CNI_VF_H
#define CNI_VF_H

#include "base/err.h"
#include "conf/netconf.h"
#include "devinfo/sysfs.h"
#include "netlink/sriov.h"

/* The attributes a configuration asks for; mac is NULL or six bytes.  Nothing asked: have is 0. */
void vf_want(const struct netconf *nc, const uint8_t *mac, struct vf_state *ret);

/*
 * Give a VF back the attributes of `before` that are in mask and differ now, and read them once
 * more to be sure.  The kernel is asked to change nothing that is as it was.
 */
int vf_restore(struct nl *nl, const struct pci_device *dev, const struct vf_state *before,
	       uint32_t mask, struct err *e) must_check;

#endif
