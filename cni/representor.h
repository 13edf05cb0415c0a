/* SPDX-License-Identifier: Apache-2.0 */
/*
 * representor.h - what is set on the representor of a VF or sub-function
 *
 * In switchdev mode a function's VLANs are those of a bridge port, and the port is the
 * representor, a network device that stays on the host.  It is looked for anew each time
 * it is used: in a restore only the very device that was changed counts, and only while it
 * is this function's representor.
 */
#ifndef CNI_REPRESENTOR_H
#define CNI_REPRESENTOR_H

#include "base/err.h"
#include "cni/attach.h"

/* Step of an ADD: find the representor, when something is to be set on it, and its state before. */
int representor_look(struct attachment *a, struct err *e) must_check;

/* Step of an ADD: bridge, VLANs, MTU, and up, the last so that no frame is ahead of the VLANs. */
int representor_configure(struct attachment *a, struct err *e) must_check;

/* Put back what we changed; dev is the record's device when it is a PCI function. */
int representor_restore(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct err *e) must_check;

/* Tell each difference between what was set and what is, as "want..., have...". */
typedef void representor_differs_fn(void *arg, const char *text);
int representor_check(const struct host *host, struct nl *home, const struct netconf *conf,
		      const struct record *rec, representor_differs_fn *fn, void *arg,
		      struct err *e) must_check;

#endif
