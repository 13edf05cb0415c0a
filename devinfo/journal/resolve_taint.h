/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_taint.h - exclude those of a pod's devices that an administrator has tainted */
#ifndef DEVINFO_JOURNAL_RESOLVE_TAINT_H
#define DEVINFO_JOURNAL_RESOLVE_TAINT_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/resolve.h"
#include "devinfo/taint/tainted.h"

/*
 * Find a rule about a vDPA device on a PCI function or auxiliary device, NULL when there is none:
 * an attachment that gets the whole function gets the vDPA device with it.
 */
int taint_find_on(const struct taint_rules *rules, const struct host *host, const char *key,
		  const struct taint_rule **ret, struct err *e) must_check;

/*
 * Find the rule about a candidate: by its own name, its parent's, or its name in the claim.  1 with
 * *ret, 0, -1.
 */
int candidate_taint(const struct taint_rules *rules, const struct host *host,
		    const struct candidate *one, const struct taint_rule **ret, struct err *e)
	must_check;

/*
 * Remove tainted candidates. -1 with ERR_DEVICE, naming one and its taint, when none would remain;
 * then none is removed.
 */
int candidates_drop_tainted(const struct taint_rules *rules, const struct host *host,
			    struct candidates *c, struct err *e) must_check;

#endif
