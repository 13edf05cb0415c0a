/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discover.h - device-info from what the kernel shows
 *
 * Device plugins write little more than an address, and often nothing at all.
 * These functions complete it.  Of what a device plugin said they change the
 * representor alone, and only to the one which the kernel shows: it has another
 * name, or is another one, when the switch has been set up anew since.
 */
#ifndef DEVINFO_NODE_DISCOVER_H
#define DEVINFO_NODE_DISCOVER_H

#include "base/host.h"
#include "devinfo/format/device_info.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/sysfs.h"

/*
 * Make the device-info of type "pci" of a function nobody has written a file about.  Here and
 * below, rep is its representor (ifindex 0: it has none), which is looked for when rep is NULL.
 */
int device_info_discover(const struct host *host, const struct pci_device *dev,
			 const struct representor *rep, struct device_info *ret, struct err *e)
	must_check;

/*
 * Fill in what is absent in a map of type "pci" or "vdpa" and raise the version when a 1.1.0 key
 * is among it.  vhost-user and memif have nothing the kernel knows.  -1 with ERR_DEVINFO, and *di
 * as before, when *di is about another function than dev.
 */
int device_info_enrich(const struct host *host, const struct pci_device *dev,
		       const struct representor *rep, struct device_info *di, struct err *e)
	must_check;

/*
 * Do the same for a sub-function, of which only the representor can be said: the specification has
 * no type for one, so what a device plugin wrote is completed.
 */
int device_info_enrich_sf(const struct host *host, const struct sub_function *sf,
			  const struct representor *rep, struct device_info *di, struct err *e)
	must_check;

#endif
