/* SPDX-License-Identifier: Apache-2.0 */
/*
 * representor.h - what is set on the representor of a VF or sub-function
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
 * The representor of a->dev, into a->rep: 1, 0 when there is none, which a->rep then says, -1.  It
 * is looked for once in an ADD, as soon as the device is known.
 */
int representor_find(struct attachment *a, struct err *e) must_check;

/* Step of an ADD: when something is to be set on the representor, its state before. */
int representor_probe(struct attachment *a, struct err *e) must_check;

/*
 * Step of an ADD: bridge, VLANs, MTU; and up, last, so that one that was down passes no frame ahead
 * of its VLANs.  One that was up stays so, and has the bridge's default VLAN for a moment.
 */
int representor_configure(struct attachment *a, struct err *e) must_check;

/*
 * Put back what we changed; dev is the record's device when it is a PCI function.  ERR_TRY_AGAIN
 * when the uplink is not here, without which it cannot be told whose representor it is.
 */
int representor_restore(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct err *e) must_check;

/* Tell each difference between what was set and what is, as "want..., have...". */
int representor_check(struct check *c, struct err *e) must_check;

extern const struct aspect representor_aspect;

#endif
