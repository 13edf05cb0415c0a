/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taint_policy.h - a device that the administrator has tainted is not given away
 *
 * Only where the node's file says so (refuseTainted), and only in an ADD: what is attached stays.
 * Without that nothing is read.
 */
#ifndef CNI_ATTACH_TAINT_POLICY_H
#define CNI_ATTACH_TAINT_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/choice.h"

/* Of several devices of the pod leave those out: 0, -1 when none remains. */
int taint_policy_choose(const struct host *host, struct candidates *c, struct err *e) must_check;

/* A device that is chosen, and read by choose_read(): 0, -1 ERR_DEVICE with the taint. */
int taint_policy_check(const struct host *host, const struct choice *c, struct err *e) must_check;

#endif
