/* SPDX-License-Identifier: Apache-2.0 */
/* test_messages.c - what devinfod tells of devices, there and back, and what does not decode */
#include "manager/report/report.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

static const struct report_device healthy = {
	.resource = "intel.com/vf", .id = "0000:01:10.0", .healthy = true, .reason = "",
	.pod_namespace = "default", .pod_name = "p1", .pod_uid = "u-1", .container = "c",
	.interface = "net1", .network = "n", .since_ms = 1700000000123,
};
static const struct report_device broken = {
	.resource = "intel.com/vf", .id = "0000:01:10.1", .reason = "it has no driver",
	.reason_names = true,
	.pod_namespace = "", .pod_name = "", .pod_uid = "", .container = "", .interface = "",
	.network = "", .since_ms = -1,
};

static bool same(const struct report_device *a, const struct report_device *b)
{
	return strcmp(a->resource, b->resource) == 0 && strcmp(a->id, b->id) == 0 &&
	       a->healthy == b->healthy && strcmp(a->reason, b->reason) == 0 &&
	       strcmp(a->pod_namespace, b->pod_namespace) == 0 &&
	       strcmp(a->pod_name, b->pod_name) == 0 && strcmp(a->pod_uid, b->pod_uid) == 0 &&
	       strcmp(a->container, b->container) == 0 &&
	       strcmp(a->interface, b->interface) == 0 && strcmp(a->network, b->network) == 0 &&
	       a->reason_names == b->reason_names && a->since_ms == b->since_ms;
}

static void test_round(void)
{
	struct report_device devices[] = { healthy, broken };
	const char *gone[] = { "intel.com/vf/0000:01:10.2", "a/b" };
	struct report_change past[] = { { 5, true, broken }, { 6, false, healthy } };
	const struct report in = { true, 77, devices, gone, past, 2, 2, 2, NULL };
	auto_report_message struct report_message m = { .len = 0 };
	auto_report struct report out = { .n_devices = 0 };
	struct err e;

	test("a report is the same after its way");
	ok(report_encode(&in, &m, &e) == 0);
	ok(report_decode(m.data, m.len, &out, &e) == 0);
	ok(out.complete && out.at_ms == 77);
	eqi((long long)out.n_devices, 2);
	ok(same(&out.devices[0], &healthy) && same(&out.devices[1], &broken));
	eqi((long long)out.n_gone, 2);
	eq(out.gone[0], "intel.com/vf/0000:01:10.2");
	eq(out.gone[1], "a/b");
	eqi((long long)out.n_past, 2);
	ok(out.past[0].gone && out.past[0].at_ms == 5 && same(&out.past[0].device, &broken));
	ok(!out.past[1].gone && out.past[1].at_ms == 6 && same(&out.past[1].device, &healthy));
}

/* The numbers of the fields are a contract: another program's client has them, too. */
static void test_wire(void)
{
	static const unsigned char want[] =
		"\010\001"				/* complete = 1 */
		"\022\075"				/* devices = 2 */
		"\012\001r\022\001d\030\001\042\001w"	/* resource, id, healthy, reason */
		"\052\001n\062\001p\072\001u\102\001c"	/* namespace, name, uid, container */
		"\112\001i\122\001k\130\005";		/* interface, network, since */
	struct report_device d = { "r", "d", true, "w", false, "n", "p", "u", "c", "i", "k", 5 };
	const struct report in = { .complete = true, .devices = &d, .n_devices = 1 };
	auto_report_message struct report_message m = { .len = 0 };
	struct err e;

	test("the bytes are those of report.proto");
	ok(report_encode(&in, &m, &e) == 0);
	eqi((long long)m.len, sizeof(want) - 1);
	ok(m.len > 4 && memcmp(m.data + 4, want + 4, sizeof(want) - 5) == 0);
}

static void test_empty(void)
{
	auto_report_message struct report_message m = { .len = 0 };
	const struct report in = { .complete = false };
	auto_report struct report out = { .n_devices = 0 };
	struct err e;

	test("nothing at all is a report, whose lists are empty");
	ok(report_encode(&in, &m, &e) == 0 && m.len == 0);
	ok(report_decode(m.data, 0, &out, &e) == 0);
	ok(!out.complete && out.n_devices == 0 && out.n_gone == 0 && out.n_past == 0);
}

static void test_wrong(void)
{
	struct report_device devices[] = { healthy };
	const struct report in = { .devices = devices, .n_devices = 1 };
	auto_report_message struct report_message m = { .len = 0 };
	auto_report struct report out = { .n_devices = 4711 };
	unsigned char *many;
	struct err e;

	test("a report that is cut off does not decode, and leaves no trace");
	ok(report_encode(&in, &m, &e) == 0);
	for (size_t len = 1; len < m.len; len++)
		if (report_decode(m.data, len, &out, &e) == 0 || out.n_devices != 4711 ||
		    e.code != ERR_DECODE)
			ok(false);
	contains(e.msg, "does not decode");

	test("one that takes too much memory is refused");
	many = calloc(1, REPORT_MAX);	/* empty devices of two bytes each */
	for (size_t i = 0; many && i < REPORT_MAX; i += 2)
		many[i] = 0x12;
	ok(many && report_decode(many, REPORT_MAX, &out, &e) == -1);
	eq(e.msg, "the message of 8388608 bytes is too large when decoded");
	free(many);

	test("a change without a device is none");
	ok(report_decode((const unsigned char *)"\052\002\010\001", 4, &out, &e) == 0);
	eqi((long long)out.n_past, 0);
}

static void test_request(void)
{
	auto_report_message struct report_message with = { .len = 0 }, without = { .len = 0 };
	bool past = false;
	struct err e;

	test("a request says whether the past is wanted");
	ok(report_request_encode(true, &with, &e) == 0 &&
	   report_request_encode(false, &without, &e) == 0);
	ok(report_request_decode(with.data, with.len, &past, &e) == 0 && past);
	ok(report_request_decode(without.data, without.len, &past, &e) == 0 && !past);
	ok(report_request_decode((const unsigned char *)"\377", 1, &past, &e) == -1);
	ok(e.code == ERR_DECODE);
}

int main(void)
{
	test_round();
	test_wire();
	test_empty();
	test_wrong();
	test_request();
	return tap_end();
}
