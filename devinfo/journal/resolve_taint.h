/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_taint.h - which of a pod's devices are kept from it by a taint of the administrator's? */
#ifndef DEVINFO_JOURNAL_RESOLVE_TAINT_H
#define DEVINFO_JOURNAL_RESOLVE_TAINT_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/resolve.h"
#include "devinfo/taint/tainted.h"

/*
 * The rule that is about a vDPA device on a PCI function or auxiliary device, NULL when there is
 * none: who gets that as a whole gets the vDPA device with it.
 */
int taint_find_on(const struct taint_rules *rules, const struct host *host, const char *key,
		  const struct taint_rule **ret, struct err *e) must_check;

/*
 * The rule that is about a candidate: by its own name, by that of what it is on, or as its claim
 * calls it.  1 with *ret, 0, -1.
 */
int candidate_taint(const struct taint_rules *rules, const struct host *host,
		    const struct candidate *one, const struct taint_rule **ret, struct err *e)
	must_check;

/*
 * Leave those out.  -1: ERR_DEVICE when none remains of some, naming one and its taint; nothing is
 * left out then.
 */
int candidates_drop_tainted(const struct taint_rules *rules, const struct host *host,
			    struct candidates *c, struct err *e) must_check;

#endif
