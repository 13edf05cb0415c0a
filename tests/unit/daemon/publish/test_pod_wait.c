/* SPDX-License-Identifier: Apache-2.0 */
/* test_pod_wait.c - when a pod is tried again, each by itself */
#include "daemon/publish/pod_wait.h"

#include "base/mem.h"
#include "daemon/api/backoff.h"
#include "tests/unit/tap.h"

int main(void)
{
	json_auto_t *waits = json_object();
	int64_t now = 3600 * 1000;
	unsigned int ms, longest = 0;

	test("a pod that has not waited yet is tried at once");
	eqi(pod_wait_left(waits, "a", now), 0);

	test("then it waits, longer each time, and up to five minutes");
	ms = pod_wait_longer(waits, "a", 0, now);
	ok(ms >= BACKOFF_FIRST_MS / 2 && ms <= BACKOFF_FIRST_MS);
	eqi(pod_wait_left(waits, "a", now), ms);
	eqi(pod_wait_left(waits, "a", now + ms - 1), 1);
	eqi(pod_wait_left(waits, "a", now + ms), 0);
	for (int i = 0; i < 20; i++) {
		now += ms;
		ms = pod_wait_longer(waits, "a", 0, now);
		longest = ms > longest ? ms : longest;
	}
	ok(ms >= BACKOFF_MAX_MS / 2);
	ok(longest <= BACKOFF_MAX_MS);

	test("no other waits for it");
	eqi(pod_wait_left(waits, "b", now), 0);
	ok(pod_wait_longer(waits, "b", 0, now) <= BACKOFF_FIRST_MS);

	test("as long as the server said it waits at least");
	eqi(pod_wait_longer(waits, "b", 7000, now), 7000);

	test("up to ten minutes of quiet count, after them it begins anew");
	now += POD_WAIT_QUIET_MS;
	ok(pod_wait_longer(waits, "a", 0, now) >= BACKOFF_MAX_MS / 2);
	now += POD_WAIT_QUIET_MS + 1;
	ok(pod_wait_longer(waits, "a", 0, now) <= BACKOFF_FIRST_MS);
	return tap_end();
}
