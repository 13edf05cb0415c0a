/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubelet.h - what has kubelet given to this pod?  The sources in their order, and patience
 *
 * The room devinfo/kubelet/ asks what was given to a pod: PodResources, the checkpoint, the
 * metadata files of DRA drivers, CDI.  It reads sockets and files, checks every text, and writes
 * nothing.  What a device is on this node it does not know: ids and addresses are all.
 */
#ifndef DEVINFO_KUBELET_H
#define DEVINFO_KUBELET_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"

/*
 * All that kubelet has allocated to a pod, by the first source that can tell: PodResources v1 Get,
 * v1 List, kubelet's checkpoint.  What the first two tell by the pod's name has to be the pod's by
 * its UID, where that and the checkpoint are known.  resource is what the caller looks for, NULL
 * for anything, "" for claims: while kubelet cannot be asked, the checkpoint is only believed when
 * it has some of it.  1 when the pod is known, *ret filled, with or without devices; ret->tried
 * says why sources before ret->source had no answer, which is for the caller to log.
 *
 * -1: ERR_TRY_AGAIN when it could not be asked until *d (busy, restarting, silent), lists two pods
 * of this name, or tells of another one; ERR_PODRES otherwise, ERR_INTERRUPTED; the details name
 * every source that was asked and why it had no answer the last time.
 */
int kubelet_allocation(const struct host *h, const struct pod *pod, const char *resource,
		       const struct deadline *d, struct allocation *ret,
		       struct err *e) must_check;

#endif
