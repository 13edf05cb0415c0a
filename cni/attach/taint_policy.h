/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taint_policy.h - refuse devices that the administrator has tainted
 *
 * Only with refuseTainted in the node's file, and only in an ADD: attached devices stay.  Without
 * that key nothing is read.
 */
#ifndef CNI_ATTACH_TAINT_POLICY_H
#define CNI_ATTACH_TAINT_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/choice.h"

/* Remove tainted devices from the pod's candidates: 0, -1 when none remains. */
int taint_policy_choose(const struct host *host, struct candidates *c, struct err *e) must_check;

/* Check a device that choose_read() has read: 0, -1 ERR_DEVICE with the taint. */
int taint_policy_check(const struct host *host, const struct choice *c, struct err *e) must_check;

#endif
