/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semver.h - semantic versions ("1.2.3-rc.1+build"), exact
 *
 * What it follows: Semantic Versioning 2.0.0 (semver.org), sections 2, 9, 10 and 11, as
 * blang/semver v4 reads it, by which the API server and the scheduler read attributes of type
 * version.  semver_normalize() is what Kubernetes' CEL library adds, semver(text, true), and
 * semver_read_lenient() is NewVersion() of Masterminds/semver v3, by which NFD compares versions.
 *
 * What is not there: a version whose numbers need more than 64 bits is refused.
 */
#ifndef MANAGER_NUMBER_SEMVER_H
#define MANAGER_NUMBER_SEMVER_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { SEMVER_MAX = 256 };		/* bytes of one that is made from another, with the NUL */

/* It borrows from the text that it was read from, which the caller keeps. */
struct semver {
	const char *text;
	uint64_t part[3];
	const char *pre;	/* "alpha.1"; length 0: it is a release */
	size_t pre_length;
};

/* Reads the whole text as one version.  ERR_NETCONF: it is none; *ret is not touched then. */
int semver_parse(const char *text, struct semver *ret, struct err *e) must_check;

/*
 * Makes of a text what semver(text, true) reads: without the 'v' in front and leading zeros, and
 * with the parts that are absent ("v1.02" is 1.2.0).  The result need not be a version.
 * ERR_NETCONF: the text is too long, or has a pre-release without three parts.
 */
int semver_normalize(const char *text, char ret[SEMVER_MAX], struct err *e) must_check;

/*
 * Reads a version in a lenient form, "v1.02-rc.1+build": a 'v' may be in front, parts that are
 * absent are 0, numbers may have leading zeros, but not in a pre-release.  Returns how many bytes
 * it read, which is the whole text when that is a version; 0: it does not begin with one, and *ret
 * is not touched.
 */
size_t semver_read_lenient(const char *text, struct semver *ret);

/*
 * Compares by precedence: -1, 0, 1 as a comes before b, with it, or behind it.  What is behind a
 * '+' does not count.
 */
int semver_compare(const struct semver *a, const struct semver *b);

#endif
