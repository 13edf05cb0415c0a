/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.h - how long to wait before something is tried again */
#ifndef DAEMON_API_BACKOFF_H
#define DAEMON_API_BACKOFF_H

enum { BACKOFF_FIRST_MS = 100, BACKOFF_MAX_MS = 5 * 60 * 1000 };

/* Zeroed at first, and again after a success. */
struct backoff {
	unsigned int tries;		/* that have failed */
};

/*
 * Count a failure, and return for how many milliseconds to wait: twice as long each time up to
 * BACKOFF_MAX_MS, of that a random part above the half, so that many nodes do not come together;
 * at_least_ms where that is longer, which an answer may have said, BACKOFF_MAX_MS at most.
 */
unsigned int backoff_next(struct backoff *b, unsigned int at_least_ms);

#endif
