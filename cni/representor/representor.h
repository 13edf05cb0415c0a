/* SPDX-License-Identifier: Apache-2.0 */
/*
 * representor.h - set and restore the representor of a VF or sub-function
 *
 * The room cni/representor/ is an aspect: it changes the representor on the host, its bridge,
 * VLANs, MTU and state, by netlink.  It touches neither the function nor anything in the pod.
 *
 * In switchdev mode a function's VLANs are those of a bridge port, and the port is the
 * representor, a network device that stays on the host.  A restore looks for it anew: only the
 * very device that was changed counts, and only while it is this function's representor.
 */
#ifndef CNI_REPRESENTOR_H
#define CNI_REPRESENTOR_H

#include "base/err.h"
#include "cni/aspect/aspect.h"

/*
 * Find the representor of a->dev and set a->rep: 1, 0 when there is none (ifindex 0), -1.  An ADD
 * looks for it once, as soon as the device is known.
 */
int representor_find(struct attachment *a, struct err *e) must_check;

/* Step of an ADD: read the representor's state before, if something is to be set on it. */
int representor_probe(struct attachment *a, struct err *e) must_check;

/*
 * Step of an ADD: set bridge, VLANs, MTU, and up last, so that one that was down passes no frame
 * before it has its VLANs.  One that was up stays up, and has the bridge's default VLAN for a
 * moment.
 */
int representor_configure(struct attachment *a, struct err *e) must_check;

/*
 * Restore what we changed; dev is the record's device when it is a PCI function.  ERR_TRY_AGAIN
 * when the uplink is not here, without which its representor cannot be identified.
 */
int representor_restore(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct err *e) must_check;

/* Report each difference between the values set and the present ones. */
int representor_check(struct check *c, struct err *e) must_check;

extern const struct aspect representor_aspect;

#endif
