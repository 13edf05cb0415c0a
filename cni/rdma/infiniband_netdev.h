/* SPDX-License-Identifier: Apache-2.0 */
/*
 * infiniband_netdev.h - the IPoIB interface, found again where it was made anew
 *
 * By the driver, which was bound again for a GUID, or by the kernel when the RDMA device moved.
 */
#ifndef CNI_RDMA_INFINIBAND_NETDEV_H
#define CNI_RDMA_INFINIBAND_NETDEV_H

#include "base/err.h"
#include "cni/aspect/attachment.h"

/* Find the IPoIB interface again, at home, when it was made anew; the record is written. */
int infiniband_find_netdev(struct attachment *a, struct err *e) must_check;

#endif
