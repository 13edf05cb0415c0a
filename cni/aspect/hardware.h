/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware.h - check whether the hardware of an attachment still exists
 *
 * A PCI function is identified by its address.  The name of an auxiliary device is reused for the
 * next sub-function, so its number has to agree as well.
 */
#ifndef CNI_ASPECT_HARDWARE_H
#define CNI_ASPECT_HARDWARE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/record.h"
#include "devinfo/node/sysfs.h"

/*
 * Find the hardware of a record: 1, also for a device without hardware; 0 when it was removed, or
 * is another one now; -1.  *ret is the PCI function, if it is one.
 */
int hardware_find(const struct host *host, const struct record *rec, struct pci_device *ret,
		  struct err *e) must_check;

/*
 * Must its network device be in some namespace?  1 for hardware with a network driver, 0 when there
 * may be none, -1.  dev is from hardware_find().
 */
int hardware_has_netdev(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct err *e) must_check;

#endif
