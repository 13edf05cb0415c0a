/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs_rdma.h - the RDMA devices of a PCI function or an auxiliary device, after /sys
 *
 * They are what its directory infiniband/ has, in the namespace that sysfs was mounted in.
 */
#ifndef DEVINFO_NODE_SYSFS_RDMA_H
#define DEVINFO_NODE_SYSFS_RDMA_H

#include "base/err.h"
#include "base/host.h"

#include <stdbool.h>
#include <stdint.h>

enum { RDMA_NAMES_MAX = 8, RDMA_NAME_SIZE = 64 };	/* mlx4 has two, all others one */

struct rdma_names {
	unsigned int count;		/* how many there are */
	unsigned int n;			/* how many of them are here, sorted */
	char name[RDMA_NAMES_MAX][RDMA_NAME_SIZE];
};

/* Get as many as fit; a device of another kind, or one that is gone, has none. */
int sysfs_rdma(const struct host *host, bool is_pci, const char *device, struct rdma_names *ret,
	       struct err *e) must_check;

/* Is the RDMA device of this name one of the device's?  1, 0, -1. */
int sysfs_rdma_is_of(const struct host *host, bool is_pci, const char *device, const char *name,
		     struct err *e) must_check;

/* Get the node GUID of the only RDMA device of a PCI function: 1, 0 when none is told, -1. */
int sysfs_rdma_node_guid(const struct host *host, const char *bdf, uint64_t *ret,
			 struct err *e) must_check;

#endif
