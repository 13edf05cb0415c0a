/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa.h - the vDPA device of an attachment: given or created, driven and given back
 *
 * The room cni/vdpa/ is an aspect: it makes, sets up and deletes vDPA devices by netlink, binds
 * their drivers in /sys, and gives their nodes in /dev an owner.  Other aspects have the function
 * below and the network device that virtio_vdpa makes.
 *
 * A vDPA device has the data path of virtio and is driven by one of two drivers: vhost_vdpa makes
 * /dev/vhost-vdpa-N of it, for programs in user space and virtual machines; virtio_vdpa makes a
 * network device, which goes into the pod as any other.  It sits on a function (a VF, an auxiliary
 * device), whose attributes are set as ever, or on a simulator.
 *
 * It may be created for the attachment.  Then its name is a hash of the attachment's, which is in
 * the record before the device is made: whoever finds the record knows what to delete.
 *
 * The kernel's removal of a device waits, uninterruptibly and with the lock of all vDPA devices
 * held, until the last program has closed its node.  So nothing is sent while it is open: DEL is
 * told to try again.
 */
#ifndef CNI_VDPA_H
#define CNI_VDPA_H

#include "base/err.h"
#include "cni/aspect/aspect.h"

/* -- ADD -- */

/* See struct aspect. */
int vdpa_choose(const struct choosing *ch, enum choose_when when, struct choice *c,
		char called[64], struct err *e) must_check;

/* Find the only device that a management device has made: 1, 0 none, -1 lists several. */
int vdpa_find_of_mgmtdev(const char *id, char ret[VDPA_NAME_MAX], struct err *e) must_check;

/* Is it a vDPA attachment, and can it be what is asked for?  Fills a->vdpa and a->rec.vdpa. */
int vdpa_probe(struct attachment *a, struct err *e) must_check;

/*
 * Read what its device plugin wrote of it, or else the attachment's own file has, into a->info,
 * before anything is changed.  It is refused when it is malformed or about another function.
 */
int vdpa_probe_info(struct attachment *a, struct err *e) must_check;

/*
 * Create it, set its address, bind its driver; then its node is there and open to the pod's user,
 * or its network device is found and recorded, to be configured and moved as any other.
 */
int vdpa_prepare(struct attachment *a, struct err *e) must_check;

/* Make the attachment's device-info, with everything in place. */
int vdpa_info(struct attachment *a, struct err *e) must_check;

/* -- DEL, roll-back, clean-up -- */

/* STATUS: is the management device of vdpa.mgmtdev there, and can it make what is asked for? */
int vdpa_status(const struct host *host, const struct netconf *nc, const struct deadline *d,
		struct err *e) must_check;

/* Is it bound to vhost_vdpa meanwhile? */
bool vdpa_is_node(const struct record *rec);

/* Does its network device end with its driver or itself?  Then none is to be brought home. */
bool vdpa_ends_netdev(const struct record *rec);

/* Had it one before, which comes anew with the driver? */
bool vdpa_renews_netdev(const struct record *rec);

/*
 * Put into the record by what its network device is known now.  virtioN says nothing of it: the
 * next device has that name, so it is what sysfs has for the vDPA device.  Where two of one
 * function cannot be told apart, its number has to agree as well.  1; 0 when there is none to
 * restore; -1.
 */
int vdpa_find_netdev(const struct host *host, struct record *rec, struct err *e) must_check;

/* Must the network device of the virtio device that is surely its own be somewhere?  1, 0, -1. */
int vdpa_has_netdev(const struct host *host, const struct record *rec, struct err *e) must_check;

/*
 * Check that no program has it open, and that the kernel answers, so that it can be undone:
 * ERR_TRY_AGAIN when not.  The record remembers for this call, that a device which does not answer
 * is waited for but once.
 */
int vdpa_check_free(const struct host *host, struct record *rec, struct err *e) must_check;

/*
 * Give it back: delete what was created, bind the driver of before, restore address and node.
 * ERR_TRY_AGAIN while a program has it open, or while the kernel does not answer in time.  Nothing
 * is done twice; a device that has gone is given back.  After vdpa_check_free().
 */
int vdpa_restore(const struct host *host, struct record *rec, struct err *e) must_check;

/* -- CHECK -- */

/* Tell each difference between what was set and what is, as "want..., have...". */
int vdpa_check(struct check *c, struct err *e) must_check;

extern const struct aspect vdpa_aspect;

#endif
