/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally.h - how many calls of the plugin there were, how long they took, and how they failed
 *
 * The room devinfo/tally/ is one small file, `<runDir>/calls`, to which each call of the plugin
 * adds at its end, and which the daemon reads.  Only the daemon makes it: a node without one lacks
 * it, and a call pays one system call to see that.
 *
 * Theory of operation.  A call maps the file and adds to numbers of 64 bits, atomically: no lock,
 * no wait, nothing that is half written.  What could harm a call is that a page of the file cannot
 * be had, by a signal (SIGBUS).  So the file is made whole, written aside and renamed, never
 * shortened, and only on a tmpfs, whose pages are there once they are written; and a call takes it
 * only when it is a regular file of root's that nobody else may write, of just this size and
 * version.  Numbers that are wrong are no more than wrong numbers: the daemon reads the file, it
 * does not map it.
 */
#ifndef DEVINFO_TALLY_H
#define DEVINFO_TALLY_H

#include "base/err.h"
#include "base/host.h"

#include <stdint.h>

enum { TALLY_VERBS = 5, TALLY_BOUNDS = 12, TALLY_CODES = 20 };

struct tally_verb {
	uint64_t us;			/* all calls together, in microseconds */
	uint64_t lasted[TALLY_BOUNDS + 1];	/* calls, by tally_bounds_ms; the last: longer */
	uint64_t failed[TALLY_CODES];	/* by tally_codes; the last: any other code */
};

struct tally {
	uint64_t version;
	struct tally_verb verb[TALLY_VERBS];	/* by tally_verbs */
};

extern const char *const tally_verbs[TALLY_VERBS];
extern const unsigned int tally_bounds_ms[TALLY_BOUNDS];
extern const int tally_codes[TALLY_CODES - 1];

/* Add a call that took so many microseconds; ERR_OK: it succeeded.  What goes wrong is ignored. */
void tally_note(const struct host *host, const char *verb, enum err_code code, uint64_t us);

/* Microseconds of CLOCK_MONOTONIC. */
uint64_t tally_now(void);

/*
 * Make the file where it is absent or not one of these: 1; 0 when runDir is on no tmpfs, and calls
 * are not counted; -1.
 */
int tally_make(const struct host *host, struct err *e) must_check;

/* Read it: 1, 0 when there is none, -1. */
int tally_read(const struct host *host, struct tally *ret, struct err *e) must_check;

#endif
