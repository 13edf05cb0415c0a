/* SPDX-License-Identifier: Apache-2.0 */
/* pod_wait.c - when a pod is tried again, each by itself */
#include "daemon/publish/pod_wait.h"

#include "daemon/api/backoff.h"

#include <stdbool.h>

static json_int_t number(const json_t *wait, const char *key)
{
	return json_integer_value(json_object_get(wait, key));
}

unsigned int pod_wait_left(const json_t *waits, const char *uid, int64_t now)
{
	int64_t left = number(json_object_get(waits, uid), "not_before") - now;

	return left > 0 ? (unsigned int)left : 0;
}

unsigned int pod_wait_longer(json_t *waits, const char *uid, unsigned int at_least_ms, int64_t now)
{
	const json_t *wait = json_object_get(waits, uid);
	bool quiet = now - number(wait, "at") > POD_WAIT_QUIET_MS;
	struct backoff b = { .tries = quiet ? 0 : (unsigned int)number(wait, "tries") };
	unsigned int ms = backoff_next(&b, at_least_ms);

	(void)json_object_set_new(waits, uid, json_pack("{s:I,s:I,s:I}", "tries",
							(json_int_t)b.tries, "at", (json_int_t)now,
							"not_before", (json_int_t)(now + ms)));
	return ms;
}
