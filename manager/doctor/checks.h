/* SPDX-License-Identifier: Apache-2.0 */
/* checks.h - the tables of all checks, and the function that runs them */
#ifndef MANAGER_DOCTOR_CHECKS_H
#define MANAGER_DOCTOR_CHECKS_H

#include "manager/doctor/finding.h"

#include <stddef.h>

struct check {
	const char *name;		/* "record-dead" */
	const char *about;		/* one line, for the manual and `doctor --list` */
	check_fn *run;
};

/* Groups of checks, each in its own file with its own table; the last row has no name. */
extern const struct check node_checks[];	/* kernel, directories, files, others */
extern const struct check leak_checks[];	/* what is left of whom */

/* Return the i-th check of all groups, from 0; NULL after the last. */
const struct check *check_at(size_t i);

/*
 * Read the node, join it, ask kubelet, with timeout_ms, and run all checks; without leak_checks
 * when the journal cannot be trusted.  The caller releases *inv and *ret, also after an error.
 */
int findings_make(const struct host *host, unsigned int timeout_ms, struct inventory *inv,
		  struct findings *ret, struct err *e) must_check;

#endif
