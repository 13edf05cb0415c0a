/* SPDX-License-Identifier: Apache-2.0 */
/* test_backoff.c - waits that grow, within their bounds */
#include "daemon/api/backoff.h"

#include "tests/unit/tap.h"

int main(void)
{
	struct backoff b = { 0 };
	unsigned int full = BACKOFF_FIRST_MS, seen[2] = { 0 };

	test("each wait is between the half and all of twice the one before, up to the limit");
	for (int i = 0; i < 40; i++) {
		unsigned int ms = backoff_next(&b, 0);

		ok(ms >= full / 2 && ms <= full);
		full = 2 * full > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : 2 * full;
	}
	test("what an answer says is the least, but for the limit");
	b = (struct backoff){ 0 };
	eqi(backoff_next(&b, 7000), 7000);
	b = (struct backoff){ 0 };
	eqi(backoff_next(&b, 4000000000u), BACKOFF_MAX_MS);
	test("waits differ from node to node");
	for (int i = 0; i < 100; i++) {
		b = (struct backoff){ .tries = 10 };
		seen[backoff_next(&b, 0) > 75000]++;
	}
	ok(seen[0] > 0);
	ok(seen[1] > 0);
	return tap_end();
}
