/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - the driver of a PCI function: another one, and back; its nodes; a reset
 *
 * The room cni/driver/ touches a PCI function's files below /sys/bus/pci: driver_override, bind,
 * unbind, reset; of /dev it only looks at nodes.  It asks nothing by netlink, and knows
 * driver_state of a record and no more of an attachment.
 *
 * Everything is done through /sys below host->root, and can be done again: each function
 * looks first, and does what is left to do.  Whatever the kernel may keep waiting for a program is
 * ERR_TRY_AGAIN when it takes too long.
 */
#ifndef CNI_DRIVER_H
#define CNI_DRIVER_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/aspect.h"
#include "devinfo/journal/record.h"
#include "devinfo/node/sysfs.h"

/* vfio-pci, or a variant of it. */
bool driver_is_vfio(const char *driver);

/* Is it one for user space at all?  ERR_NETCONF. */
int driver_check(const char *driver, struct err *e) must_check;

/*
 * Can this function be bound to `driver`, one for user space?  *ret is what has to be recorded
 * before; its `bound` is empty when the function has that driver already.  Changes nothing.
 */
int driver_probe(const struct host *host, const struct pci_device *dev, const char *driver,
		struct driver_state *ret, struct err *e) must_check;

/* Bind it as recorded, and see that it is. */
int driver_bind(const struct host *host, const char *bdf, const struct driver_state *state,
		struct err *e) must_check;

/* Take its driver away for the moment, whichever it has; driver_restore() brings it back. */
int driver_unbind(const struct host *host, const char *bdf, struct err *e) must_check;

/*
 * Give it its driver and its driver_override of before, from any state between.  ERR_TRY_AGAIN
 * while a program still has the function open: to unbind it then would wait for that program.  A
 * driver that was unloaded since is none; and where we have given it no other one (state->bound is
 * empty), one that somebody else has given it stays.
 */
int driver_restore(const struct host *host, const char *bdf, const struct driver_state *state,
		   struct err *e) must_check;

/*
 * Can a program in user space open this function?  Of vfio, its IOMMU group has a node (or, without
 * IOMMU, the function has), which nobody has open, and no other function of the group is in the
 * kernel's hands; of uio, its node is there.
 */
int driver_check_nodes(const struct host *host, const struct pci_device *dev,
		       struct err *e) must_check;

/*
 * ERR_TRY_AGAIN while a program has the function's group of vfio open, or when that cannot be told.
 * A node of the function alone, and uio's, can be opened by several, and do not tell.
 */
int driver_check_unused(const struct host *host, const char *bdf, struct err *e) must_check;

/* The same, where it has a driver for user space, or one that is just being taken away. */
int driver_check_free(const struct host *host, const char *bdf, struct err *e) must_check;

/* Can it be reset alone (a function level reset)?  1, 0, -1; of a PF that has VFs ERR_BUSY. */
int driver_can_reset(const struct host *host, const char *bdf, struct err *e) must_check;

/*
 * What has to be recorded before its driver is taken away for a moment: which that is, unless it is
 * one for user space.  Changes nothing.
 */
int driver_note(const struct host *host, const struct pci_device *dev, struct driver_state *ret,
		struct err *e) must_check;

/*
 * Reset it, between the driver that it has and that of before, which may come back a little later
 * with a network device of another name and number.  One for user space stays.
 */
int driver_reset(const struct host *host, const char *bdf, const struct driver_state *state,
		 struct err *e) must_check;

/* May the node's administrator's list, or an IOMMU, let it have this driver?  ERR_DEVICE. */
int driver_check_allowed(const struct host *host, const struct pci_device *dev, const char *driver,
			 struct err *e) must_check;

extern const struct aspect driver_aspect;

#endif
