/* SPDX-License-Identifier: Apache-2.0 */
/* pod_wait.h - when a pod is tried again, each by itself */
#ifndef DAEMON_PUBLISH_POD_WAIT_H
#define DAEMON_PUBLISH_POD_WAIT_H

#include <jansson.h>
#include <stdint.h>

enum { POD_WAIT_QUIET_MS = 10 * 60 * 1000 };	/* after it a pod begins anew */

/* Waits are an object, empty at first, with a member for each uid that a success deletes. */

/* For how many milliseconds a pod is still to wait; 0: it may be tried. */
unsigned int pod_wait_left(const json_t *waits, const char *uid, int64_t now);
/* It waits from now on, longer each time, as backoff_next() says, which is returned. */
unsigned int pod_wait_longer(json_t *waits, const char *uid, unsigned int at_least_ms,
			     int64_t now);

#endif
