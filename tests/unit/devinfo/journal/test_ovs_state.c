/* SPDX-License-Identifier: Apache-2.0 */
/* test_ovs_state.c - a port of Open vSwitch in a record: there and back, and what is not ours */
#include "devinfo/journal/record.h"
#include "tests/unit/tap.h"

#include <string.h>

static const struct ovs_state full = {
	.port = "eth3", .bridge = "br-int", .db = "/run/o/db.sock", .timeout_ms = 7,
};

static void there_and_back(void)
{
	json_auto_t *record = field_write(&ovs_state_fields, &full, json_object());
	struct ovs_state s = { .port = "" };
	struct err e;

	test("what is written is read again, all of it");
	ok(field_read(&ovs_state_fields, record, "ovsPort", &s, &e) == 0);
	eq(s.port, full.port);
	eq(s.bridge, full.bridge);
	eq(s.db, full.db);
	ok(s.timeout_ms == 7);
	test("a path that JSON cannot say is not written");
	s = full;
	s.db[5] = (char)0xff;
	ok(!field_write(&ovs_state_fields, &s, json_object()));
}

static void bad(void)
{
#define O(port, bridge, db, ms)                                                        \
	"{\"port\":\"" port "\",\"bridge\":\"" bridge "\",\"db\":\"" db "\"," \
	"\"timeoutMs\":" ms "}"
#define LONG "/12345678901234567890123456789012345678901234567890123456789012345678901234567890"
	static const char *const records[] = {
		"{}", O("", "b", "/d", "1"),
		O("a/b", "b", "/d", "1"), O("eth3", "", "/d", "1"), O("eth3", "..", "/d", "1"),
		O("eth3", "b", "d", "1"), O("eth3", "b", "", "1"), O("eth3", "b", "/d", "0"),
		O("eth3", "b", "/d", "\"1\""), O("eth3", "b", LONG LONG, "1"),
		O("a234567890123456", "b", "/d", "1"),
	};

	test("what we do not write is refused");
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		json_auto_t *record = json_loads(records[i], 0, NULL);
		struct ovs_state s = { .port = "" };
		struct err e = { 0 };

		ok(record && field_read(&ovs_state_fields, record, "ovsPort", &s, &e) == -1);
		ok(e.code == ERR_DECODE);
	}
}

int main(void)
{
	there_and_back();
	bad();
	return tap_end();
}
