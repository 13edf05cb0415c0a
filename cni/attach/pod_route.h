/* SPDX-License-Identifier: Apache-2.0 */
/* pod_route.h - the default route of a pod that has several networks */
#ifndef CNI_ATTACH_POD_ROUTE_H
#define CNI_ATTACH_POD_ROUTE_H

#include "cni/aspect/attachment.h"

#include <stdbool.h>

/* Is anything said of this attachment's default routes (multi-network specification, 4.1.2.1.9)? */
bool pod_route_is_said(const struct attachment *a);

/* Before the interface gets them: leave out routes that pod_route_set() would remove. */
void pod_route_leave_out(const struct attachment *a, struct ipam_result *r);

/*
 * Replace or remove its default routes, in the pod and in a result of the form of 1.1.0, as far as
 * that is said.  The interface has its addresses.
 */
int pod_route_set(struct attachment *a, json_t *result, struct err *e) must_check;

#endif
