/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chained.h - an interface that another plugin has made, or will make for us
 *
 * These are the steps of an ADD in the places "chained" and "meta" (conf/netconf.h).  The
 * interface stays where it is; what we change on it is changed, and restored, inside the
 * container.
 */
#ifndef CNI_ATTACH_CHAINED_H
#define CNI_ATTACH_CHAINED_H

#include "base/err.h"
#include "cni/attach/attach.h"

/* Check prevResult, and put it into a->result. */
int chained_read_prev(struct attachment *a, struct err *e) must_check;

/* Without a prevResult the interface is the chain's to make: nobody may have it yet. */
int chained_is_free(struct attachment *a, struct err *e) must_check;

/* Find the device, so far as the configuration names one. */
int chained_named_device(struct attachment *a, struct err *e) must_check;

/* Run the plugins of the chain, which have to be in the record by then; a->result is theirs. */
int chained_run_plugins(struct attachment *a, struct err *e) must_check;

/* Do the same for plugins that come behind us; what they leave out of our interface is kept. */
int chained_run_behind(struct attachment *a, struct err *e) must_check;

/*
 * Find the interface in the container, and the device behind it: it is the one named, else the
 * interface's parent, else prevResult's pciID, else what kubelet gave the pod.  There may be none.
 */
int chained_probe(struct attachment *a, struct err *e) must_check;

/*
 * Run aspects_probe() of a device.  A pod that has none, and need not have one, has the interface
 * as it is but for the attributes that are asked for.
 */
int chained_probe_aspects(struct attachment *a, struct err *e) must_check;

/* Put what we changed into a->result, and make the answer of it. */
int chained_answer(struct attachment *a, struct err *e) must_check;

#endif
