/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa_info.h - the device-info of a vDPA device, made, completed and repaired
 *
 * Of other devices what a device plugin says is only completed.  Of vDPA devices some write what
 * no program can use: the management device for a path, no path at all for virtio, the number of
 * another node.  Here sysfs is right, and what was changed is said.
 */
#ifndef DEVINFO_NODE_VDPA_INFO_H
#define DEVINFO_NODE_VDPA_INFO_H

#include "base/host.h"
#include "devinfo/format/device_info.h"
#include "devinfo/node/vdpa_device.h"

enum { VDPA_REPAIRED = 256 };		/* bytes of a text for a warning */

/*
 * Make the map of a device that is bound to one of the two drivers and, with virtio, whose virtio
 * device is known.  -1 with ERR_DEVICE when it is not.
 */
int vdpa_info_discover(const struct host *host, const struct vdpa_device *dev,
		       struct device_info *ret, struct err *e) must_check;

/*
 * Make the same from what a device plugin wrote (device_info_draft()): what only it knows is kept,
 * what is absent is filled in, and parent-device, driver and path become sysfs's.  `repaired` names
 * those of the three that were missing or wrong; it is "" when none was.  -1 with ERR_DEVINFO, and
 * *di as before, when vdpa_info_check() does not hold.
 */
int vdpa_info_enrich(const struct host *host, const struct vdpa_device *dev,
		     struct device_info *di, char repaired[VDPA_REPAIRED], struct err *e)
	must_check;

/*
 * Can this be said of the device, of which name and place are enough?  -1 with ERR_DEVINFO when it
 * is of another type, or about another function.
 */
int vdpa_info_check(const struct vdpa_device *dev, const struct device_info *di, struct err *e)
	must_check;

#endif
