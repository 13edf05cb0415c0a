/* SPDX-License-Identifier: Apache-2.0 */
/* backoff.c - how long to wait before something is tried again */
#include "daemon/api/backoff.h"

#include <sys/random.h>

enum { DOUBLINGS = 13 };		/* the last makes more than five minutes of 100 ms */

unsigned int backoff_next(struct backoff *b, unsigned int at_least_ms)
{
	unsigned int ms, noise = 0;

	b->tries += b->tries < DOUBLINGS;
	ms = BACKOFF_FIRST_MS << (b->tries - 1);
	if (ms > BACKOFF_MAX_MS)
		ms = BACKOFF_MAX_MS;
	if (getrandom(&noise, sizeof(noise), GRND_NONBLOCK) == (long)sizeof(noise))
		ms -= noise % (ms / 2 + 1);
	if (at_least_ms > BACKOFF_MAX_MS)
		at_least_ms = BACKOFF_MAX_MS;
	return ms > at_least_ms ? ms : at_least_ms;
}
