/* SPDX-License-Identifier: Apache-2.0 */
/* driver_part.h - what binding (driver.c) and looking who may have it open (driver_use.c) share */
#ifndef CNI_DRIVER_PART_H
#define CNI_DRIVER_PART_H

#include "cni/driver/driver.h"

#define PCI_DIR		"/sys/bus/pci/devices/"

enum { DRIVER_READ_MS = 1500 };	/* for an attribute that waits for the lock of the device */

/* The driver that it has; "" for none. */
int driver_now(const struct host *host, const char *bdf, char ret[64], struct err *e) must_check;
/* Of a driver, "" for none: may a program in user space have the function open? */
bool driver_may_be_open(const char *driver);
/* Is no other function of its IOMMU group in the kernel's hands? */
int driver_check_group(const struct host *host, const struct pci_device *dev,
		       struct err *e) must_check;

#endif
