/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubelet.h - ask the sources in their order, with retries, what kubelet has given to a pod
 *
 * The room devinfo/kubelet/ finds the devices of a pod from PodResources, the checkpoint, the
 * metadata files of DRA drivers and CDI.  It reads sockets and files, checks every text, and writes
 * nothing.  It returns ids and addresses and does not look at the node's devices.
 */
#ifndef DEVINFO_KUBELET_H
#define DEVINFO_KUBELET_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"

/*
 * Get all that kubelet has allocated to a pod from the first source that has it: PodResources v1
 * Get, v1 List, kubelet's checkpoint.  The first two go by the pod's name; their answer is compared
 * with the checkpoint's by UID, where both are known.  resource is what the caller looks for, NULL
 * for anything, "" for claims: while kubelet does not answer, the checkpoint only counts when it
 * has devices of that.  1 when the pod is known, *ret filled, with or without devices; ret->tried
 * says why sources before ret->source had no answer, which is for the caller to log.
 *
 * -1: ERR_TRY_AGAIN when kubelet did not answer until *d (busy, restarting, silent), lists two pods
 * of this name, or another pod; ERR_INTERRUPTED after a signal; else ERR_PODRES.  The details name
 * every source with its last error.
 */
int kubelet_allocation(const struct host *h, const struct pod *pod, const char *resource,
		       const struct deadline *d, struct allocation *ret,
		       struct err *e) must_check;

/*
 * From now on this process and its children ask PodResources about a pod once: what it has said is
 * the answer to each later question about the same pod.
 */
void kubelet_ask_once(void);

#endif
