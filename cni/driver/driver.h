/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - change and restore the driver of a PCI function; check its nodes; reset it
 *
 * The room cni/driver/ touches a PCI function's files below /sys/bus/pci: driver_override, bind,
 * unbind, reset; of /dev it only looks at nodes.  It uses no netlink, and of an attachment only the
 * record's driver_state.
 *
 * Everything is done through /sys below host->root, and can be done again: each function reads the
 * state first, and does what is left to do.  ERR_TRY_AGAIN when the kernel waits too long for a
 * program.
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

/* Check that it is a driver for user space; else ERR_NETCONF. */
int driver_check(const char *driver, struct err *e) must_check;

/*
 * Can this function be bound to `driver`, one for user space?  *ret has to be recorded before; its
 * `bound` is "" when the function has that driver already.  Changes nothing.
 */
int driver_probe(const struct host *host, const struct pci_device *dev, const char *driver,
		struct driver_state *ret, struct err *e) must_check;

/* Bind it as recorded, and verify that it is bound. */
int driver_bind(const struct host *host, const char *bdf, const struct driver_state *state,
		struct err *e) must_check;

/* Unbind whatever driver it has; driver_restore() binds it again. */
int driver_unbind(const struct host *host, const char *bdf, struct err *e) must_check;

/*
 * Restore the driver and driver_override of before, from any state.  ERR_TRY_AGAIN while a program
 * still has the function open, as unbinding would wait for that program.  A driver that was
 * unloaded since counts as none; if we bound no other one (state->bound is ""), one that somebody
 * else bound stays.
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

/* The same, if it has a driver for user space, or one that is being unbound. */
int driver_check_free(const struct host *host, const char *bdf, struct err *e) must_check;

/* Can it be reset alone (a function level reset)?  1, 0, -1; of a PF that has VFs ERR_BUSY. */
int driver_can_reset(const struct host *host, const char *bdf, struct err *e) must_check;

/*
 * Get what has to be recorded before its driver is unbound for a moment: the driver, unless it is
 * one for user space.  Changes nothing.
 */
int driver_note(const struct host *host, const struct pci_device *dev, struct driver_state *ret,
		struct err *e) must_check;

/*
 * Reset it without a driver, then bind the driver of before, whose network device may appear a
 * little later with another name and index.  A driver for user space stays bound.
 */
int driver_reset(const struct host *host, const char *bdf, const struct driver_state *state,
		 struct err *e) must_check;

/*
 * Check that the administrator's list of drivers, and the IOMMU, allow this driver: else
 * ERR_DEVICE.
 */
int driver_check_allowed(const struct host *host, const struct pci_device *dev, const char *driver,
			 struct err *e) must_check;

extern const struct aspect driver_aspect;

#endif
