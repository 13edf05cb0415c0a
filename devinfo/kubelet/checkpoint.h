/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - kubelet's checkpoint, its own file of which pod has which devices
 *
 * <kubeletDir>/device-plugins/kubelet_internal_checkpoint, which kubelet replaces with each
 * allocation and reads when it starts.  It is the only source by the pod's UID, and the only one
 * without a running kubelet.  It has no claims.
 */
#ifndef DEVINFO_KUBELET_CHECKPOINT_H
#define DEVINFO_KUBELET_CHECKPOINT_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"

#define CHECKPOINT_MAX	(16 * 1024 * 1024)	/* bytes */

/*
 * Read the devices of the pod of this UID, or with NULL those of all pods, in both forms of
 * DeviceIDs (a list before Kubernetes 1.20, then lists by NUMA node), containers in the order of
 * the file.  1; 0 when there is no file or it has no such pod, with the reason in *e; -1 when it
 * cannot be read (ERR_PODRES).
 */
int checkpoint_read(const struct host *h, const char *uid, struct allocation *ret,
		    struct err *e) must_check;

/* The same for the file's text. */
int checkpoint_parse(const char *text, size_t len, const char *uid, struct allocation *ret,
		     struct err *e) must_check;

/* Check that the file exists: 0, or -1 with the reason. */
int checkpoint_probe(const struct host *h, struct err *e) must_check;

#endif
