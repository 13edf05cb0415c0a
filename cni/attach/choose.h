/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - which device is this attachment's?
 *
 * It is that of runtimeConfig.deviceID, else the configuration's, else the one that the
 * ledger chooses of what kubelet gave to this pod (devinfo/journal/resolve.h).
 */
#ifndef CNI_ATTACH_CHOOSE_H
#define CNI_ATTACH_CHOOSE_H

#include "cni/aspect/choice.h"
#include "devinfo/journal/device_ref.h"

/* Is it told to ask kubelet?  An owner that is told nothing does so as well. */
bool choose_asks_kubelet(const struct choosing *ch);

/*
 * What can be said without looking at the node: is something named, or a pod to ask for, in
 * CNI_ARGS of the right form (ERR_ENV)?
 */
int choose_check(const struct choosing *ch, struct err *e) must_check;

/*
 * Choose the device.  When the interface is there already, and does not show its device, kubelet's
 * answer is believed only where it leaves no choice, and names no device that another attachment
 * has, or whose interface is on the host (ch->unique_parent): else *ret is empty.  It is also empty
 * when the pod has no device and need not have one (ch->none).
 *
 * This only looks: the device is not locked, and may be another's by the time it is; then the
 * caller asks again.  A device that this node does not know has an empty key, and is an error for
 * an owner.
 */
int choose_device(struct choosing *ch, struct choice *ret, struct err *e) must_check;

/*
 * Find the device of this name as the node shows it now, into *c, whose other members stay: 1; 0
 * when nothing here has the name, -1.
 */
int choose_by_name(const struct host *host, const char *id, struct choice *c, struct err *e)
	must_check;

/*
 * Read what sysfs says about a choice: under the device's lock, for what was true before it was
 * held may be wrong by then.
 */
int choose_read(const struct host *host, struct choice *c, struct err *e) must_check;
/* Do the same for who has asked under that lock what the key names: what it has shown stays. */
int choose_read_of(const struct host *host, struct choice *c, const struct device_ref *ref,
		   struct err *e) must_check;

/* Did kubelet give the device to the pod of CNI_ARGS, which must name one?  1, 0, -1. */
int choose_is_of_pod(const struct host *host, const struct cni_call *call, const struct choice *c,
		     struct err *e) must_check;

/*
 * Note that the device that was named for this attachment is another one's.  When both are of one
 * pod the other gets another device on the next try, so the pod does not fail for ever.  The caller
 * does not hold the device's lock.
 */
void choose_insist(const struct choosing *ch, const struct choice *c);

/* Refuse the device of this record, whose attachment lives: ERR_TRY_AGAIN names it.  -1. */
int choose_busy(const struct record *rec, struct err *e);

#endif
