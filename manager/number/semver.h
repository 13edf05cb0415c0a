/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semver.h - versions as semver.org has them, which attributes of type version are
 *
 * What is behind a '+' does not count in a comparison.
 */
#ifndef MANAGER_NUMBER_SEMVER_H
#define MANAGER_NUMBER_SEMVER_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { CEL_SEMVER_MAX = 256 };	/* bytes of one that is made from another, with the NUL */

/* Borrowed from the text. */
struct semver {
	const char *text;
	uint64_t part[3];
	const char *pre;	/* "alpha.1"; length 0: it is a release */
	size_t pre_length;
};

/* ERR_NETCONF: it is none, and why. */
int semver_parse(const char *text, struct semver *ret, struct err *e) must_check;

/*
 * What semver(text, true) reads: without the 'v' in front and leading zeros, and with the parts
 * that are missing ("v1.02" is 1.2.0).  ERR_NETCONF: there is no such.
 */
int semver_normalize(const char *text, char ret[CEL_SEMVER_MAX], struct err *e) must_check;

/* -1, 0, 1: as a comes before b, with it, or behind it. */
int semver_compare(const struct semver *a, const struct semver *b);

#endif
