/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_summary.h - the devices of a node in a few names with values, each fit to be a label's
 *
 * As "sriov.vfs": "6" or "eswitch.switchdev": "2".  What there is none of has no name, so that a
 * rule asks by Exists.  Names stay as they are once they were released.
 *
 *	health				the worst of all devices', from ok to vanished
 *	health.HEALTH			how many devices are so, but for ok
 *	rdma.mode			shared or exclusive
 *	iommu, vhost-net, vhost-vdpa, vduse	"true" when the node has it
 *	sriov.pfs			PFs that can have VFs
 *	sriov.totalvfs, sriov.vfs	how many VFs these could have, and have
 *	sriov.vfs.userspace		VFs at a driver for user space, as vfio-pci
 *	eswitch.legacy, eswitch.switchdev	PFs by the mode of their switch
 *	representors, subfunctions, rdma.devices, vdpa.devices, vdpa.mgmtdevs
 *	vdpa.driver.DRIVER		vDPA devices of vhost_vdpa, virtio_vdpa, none
 *	driver.DRIVER			PCI functions by driver
 *	driver.DRIVER.version, firmware.DRIVER	"several" when they differ
 *	pool.RESOURCE			devices of a pool; also 0
 *	vdpa.mgmtdev.NAME		vDPA devices of a management device; also 0
 */
#ifndef MANAGER_NFD_NODE_SUMMARY_H
#define MANAGER_NFD_NODE_SUMMARY_H

#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <jansson.h>

#define NODE_SUMMARY_PREFIX	"devinfo-"	/* of the names, when they are labels */

/*
 * An object of texts, new reference; what matters most comes first.  The inventory is a joined one.
 * pools may be NULL.
 */
json_t *node_summary(const struct inventory *inv, const struct pools *pools);

#endif
