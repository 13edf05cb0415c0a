/* SPDX-License-Identifier: Apache-2.0 */
/*
 * infiniband.h - what is different with an InfiniBand function: its GUID
 *
 * Node and port GUID of a VF are set on its PF, and the VF takes them when its driver is
 * bound.  So the driver lets it go, the GUIDs are set, and the driver gets it back (driver.h):
 * in this order, so that whenever we are killed, an unbound VF or a GUID that is not that of
 * before shows that there is something left to do.  The VF's RDMA device and its IPoIB
 * interface are new ones afterwards.
 */
#ifndef CNI_RDMA_INFINIBAND_H
#define CNI_RDMA_INFINIBAND_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/attachment.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/sysfs.h"

/* -- ADD -- */

/*
 * For an InfiniBand function, check that the request is possible, and fill in the GUIDs of before
 * and the driver that is unbound for the new ones.  Called after the other probes, and before
 * rdma_probe().
 */
int infiniband_probe(struct attachment *a, struct err *e) must_check;

/* With rdma_probe() done: an IPoIB interface that is going to be made anew has no address to keep.
 */
int infiniband_probe_rdma(struct attachment *a, struct err *e) must_check;

/* Set the GUID, if there is one to set, and find what the driver has made anew. */
int infiniband_set_guid(struct attachment *a, struct err *e) must_check;

/* -- DEL, roll-back, clean-up -- */

/*
 * Restore the InfiniBand and RDMA state of an attachment: the RDMA device is moved home, the GUIDs
 * of before are set.  dev was read before that.
 */
int infiniband_restore(const struct host *host, const struct journal *journal, struct record *rec,
		       const struct pci_device *dev, struct err *e) must_check;

/*
 * Restore the name of its RDMA device, after the function's own driver is bound again, and the
 * pod's namespace was searched or is dead.  One that does not come home was removed, or moved on by
 * the pod, and is no error.
 */
int infiniband_settle(const struct host *host, const struct journal *journal, struct record *rec,
		      struct err *e) must_check;

#endif
