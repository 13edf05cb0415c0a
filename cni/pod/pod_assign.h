/* SPDX-License-Identifier: Apache-2.0 */
/* pod_assign.h - which attachment gets which of the pod's devices, before the first one begins */
#ifndef CNI_POD_ASSIGN_H
#define CNI_POD_ASSIGN_H

#include "cni/pod/pod.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/pod_record.h"

#include <jansson.h>

/*
 * Note in the ledger a device for each attachment that asks kubelet, in the order of the record:
 * so the result does not depend on which process comes first.  kubelet is asked once, by us.  In a
 * list with other plugins these are told the device, as Multus does, also in the record's calls.
 * asked: the calls of each.  ERR_DEVICE, with the attachment, when the pod has too few of them.
 */
int pod_assign(const struct pod_call *c, struct journal *j, const struct pod_record *rec,
	       const json_t *asked, struct err *e) must_check;

#endif
