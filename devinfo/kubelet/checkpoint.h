/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - kubelet's own note of which pod has which devices
 *
 * <kubeletDir>/device-plugins/kubelet_internal_checkpoint, which kubelet replaces with each
 * allocation and reads when it starts.  The one source that goes by the pod's UID, and
 * the one that needs no kubelet to answer.  It knows nothing of claims.
 */
#ifndef DEVINFO_KUBELET_CHECKPOINT_H
#define DEVINFO_KUBELET_CHECKPOINT_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"

#define CHECKPOINT_MAX	(16 * 1024 * 1024)	/* bytes */

/*
 * The devices of the pod of this UID, both forms of DeviceIDs (a list before Kubernetes 1.20, then
 * lists by NUMA node), containers in the order of the file.  1; 0 when there is no file or it
 * knows no such pod, *e saying which; -1 when it cannot be read (ERR_PODRES).
 */
int checkpoint_read(const struct host *h, const char *uid, struct allocation *ret,
		    struct err *e) must_check;

/* The same of its text. */
int checkpoint_parse(const char *text, size_t len, const char *uid, struct allocation *ret,
		     struct err *e) must_check;

/* Is there one?  0, or -1 saying why not. */
int checkpoint_probe(const struct host *h, struct err *e) must_check;

#endif
