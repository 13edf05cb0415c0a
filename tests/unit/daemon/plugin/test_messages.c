/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_messages.c - messages of the device plugin API, as another implementation makes them
 *
 * The bytes are those of protobuf.js with the whole API (tests/fake/kubelet-js).
 */
#include "daemon/plugin/messages.h"

#include "base/octets.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

/* Bytes of their digits. */
static size_t bytes(const char *hex, unsigned char *ret)
{
	size_t n = strlen(hex) / 2;

	return octets_parse(hex, '\0', ret, n) ? n : 0;
}

static const char *digits(const struct message *m)
{
	static char text[2048];

	octets_format(m->data, m->len, '\0', text);
	return text;
}

/* -- requests -- */

static void test_allocate(void)
{
	auto_with(allocate_request_done) struct allocate_request r = { .n = 0 };
	unsigned char msg[256];
	struct err e = { 0 };

	test("a request to allocate has the ids of each container, in order");
	if (!ok(allocate_request_decode(msg, bytes("0a1c0a0c303030303a30313a31302e300a0c303030303a"
						   "30313a31302e320a060a0473662e340a00", msg),
					&r, &e) == 0))
		return;
	eqi(r.n, 3);
	eqi(r.list[0].n, 2);
	eq(r.list[0].id[0], "0000:01:10.0");
	eq(r.list[0].id[1], "0000:01:10.2");
	eqi(r.list[1].n, 1);
	eq(r.list[1].id[0], "sf.4");
	eqi(r.list[2].n, 0);
}

static void test_empty(void)
{
	auto_with(allocate_request_done) struct allocate_request a = { .n = 7 };
	auto_with(id_list_done) struct id_list l = { .n = 0 };
	struct err e = { 0 };

	a.n = 0;
	test("an empty request is one");
	ok(allocate_request_decode((const unsigned char *)"", 0, &a, &e) == 0);
	eqi(a.n, 0);
	ok(prestart_request_decode((const unsigned char *)"", 0, &l, &e) == 0);
	eqi(l.n, 0);
}

static void test_preferred(void)
{
	auto_with(preferred_request_done) struct preferred_request r = { .n = 0 };
	struct preferred_request bad = { .n = 0 };
	unsigned char msg[64];
	struct err e = { 0 };

	test("a request for what to prefer has ids, those that must be, and how many");
	ok(preferred_request_decode(msg, bytes("0a0b0a01610a01621201621801", msg), &r, &e) == 0);
	eqi(r.n, 1);
	if (r.n == 1) {
		eqi(r.list[0].available.n, 2);
		eq(r.list[0].available.id[1], "b");
		eqi(r.list[0].must_include.n, 1);
		eqi(r.list[0].size, 1);
	}
	test("fewer than no device cannot be wanted");
	ok(preferred_request_decode(msg, bytes("0a0b18ffffffffffffffffff01", msg), &bad, &e) < 0);
	eq(e.msg, "-1 devices are wanted");
}

static void test_prestart(void)
{
	auto_with(id_list_done) struct id_list l = { .n = 0 };
	unsigned char msg[64];
	struct err e = { 0 };

	test("a request before a start has the ids of a container");
	ok(prestart_request_decode(msg, bytes("0a0473662e34", msg), &l, &e) == 0);
	eqi(l.n, 1);
	if (l.n == 1)
		eq(l.id[0], "sf.4");
}

/* -- bad ones -- */

static const struct {
	const char *name, *hex, *why;
} bad[] = {
	{ "an id with a NUL", "0a050a03610062", "an id of 3 bytes is none of a device" },
	{ "an empty id", "0a020a00", "an id of 0 bytes is none of a device" },
	{ "an id that is a path", "0a080a062f612f2e2e62", NULL },
	{ "an id that climbs", "0a070a052e2e2f6162", "an id of 5 bytes is none of a device" },
	{ "an id with a blank", "0a050a03612062", "an id of 3 bytes is none of a device" },
	{ "an id of 64 bytes",
	  "0a420a40616161616161616161616161616161616161616161616161616161616161616161616161616161"
	  "61616161616161616161616161616161616161616161616161",
	  "an id of 64 bytes is none of a device" },
	{ "a length beyond the end", "0a7f0a", "the request does not decode (3 bytes)" },
	{ "a group that does not end", "0b", "the request does not decode (1 bytes)" },
};

static void test_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct allocate_request r = { .n = 0 };
		unsigned char msg[256];
		struct err e = { 0 };

		test(bad[i].name);
		ok(allocate_request_decode(msg, bytes(bad[i].hex, msg), &r, &e) < 0);
		eqi(e.code, ERR_DECODE);
		if (bad[i].why)
			eq(e.msg, bad[i].why);
		ok(!r.list && r.n == 0);
	}
}

/* A request of n times these bytes. */
static int decode_many(const char *hex, size_t n, struct err *e)
{
	unsigned char one[64], *msg = malloc(n * 64);
	struct allocate_request r = { .n = 0 };
	size_t len = bytes(hex, one);
	int ret;

	for (size_t i = 0; i < n; i++)
		memcpy(msg + i * len, one, len);
	ret = allocate_request_decode(msg, n * len, &r, e);
	allocate_request_done(&r);
	free(msg);
	return ret;
}

static void test_bounds(void)
{
	struct err e = { 0 };

	test("so many containers, and no more");
	ok(decode_many("0a00", MESSAGE_MAX_CONTAINERS, &e) == 0);
	ok(decode_many("0a00", MESSAGE_MAX_CONTAINERS + 1, &e) < 0);
	eq(e.msg, "the request has more than 1024 containers");
	test("so many ids in all, and no more");
	ok(decode_many("0a0c0a01610a01610a01610a0161", MESSAGE_MAX_CONTAINERS, &e) == 0);
	ok(decode_many("0a330a01610a01610a01610a01610a01610a01610a01610a01610a01610a01610a01610a01"
		       "610a01610a01610a01610a01610a0161", MESSAGE_MAX_CONTAINERS, &e) < 0);
	eq(e.msg, "the request has more than 16384 ids");
	test("a million of nothing would take too much memory");
	ok(decode_many("0a00", 500000, &e) < 0);
	eq(e.msg, "the request of 1000000 bytes is too large when decoded");
}

/* -- answers -- */

static void test_options(void)
{
	auto_message struct message none = { .len = 0 }, all = { .len = 0 }, reg = { .len = 0 };
	struct err e = { 0 };

	test("options, of which absent is no");
	ok(options_encode(&(struct plugin_abilities){ .preferred = true }, &none, &e) == 0);
	eq(digits(&none), "1001");
	ok(options_encode(&(struct plugin_abilities){ .pre_start = true }, &all, &e) == 0);
	eq(digits(&all), "0801");
	test("a registration names version, socket and resource");
	ok(register_request_encode("devinfo-a.sock", "intel.com/vf",
				   &(struct plugin_abilities){ true, true }, &reg, &e) == 0);
	eq(digits(&reg), "0a0776316265746131120e646576696e666f2d612e736f636b1a0c696e74656c2e636f6d"
			 "2f7666220408011001");
}

static void test_list(void)
{
	struct offered list[] = {
		{ .id = "0000:01:10.0", .healthy = true, .has_numa = true, .numa = 0 },
		{ .id = "0000:01:10.2", .reason = "no carrier", .has_numa = true, .numa = 1 },
		{ .id = "sf.4", .healthy = true },
	};
	struct offer o = { .resource = "intel.com/vf", .list = list, .n = 3 };
	auto_message struct message m = { .len = 0 }, none = { .len = 0 };
	struct err e = { 0 };

	test("a list has each device with its health and, where that is known, its place");
	ok(list_encode(&o, &m, &e) == 0);
	eq(digits(&m), "0a1b0a0c303030303a30313a31302e3012074865616c7468791a020a000a1f0a0c30303030"
		       "3a30313a31302e321209556e6865616c7468791a040a0208010a0f0a0473662e3412074865"
		       "616c746879");
	o.n = 0;
	test("a list of nothing is empty");
	ok(list_encode(&o, &none, &e) == 0);
	eqi(none.len, 0);
}

static void test_allocated(void)
{
	char x[] = "x,y", empty[] = "{}", name[1][CDI_NAME_SIZE] = { "a/b=c" };
	struct access_node node = { "/dev/vfio/noiommu-1", "/dev/vfio/1", "rw" };
	struct access list[] = {
		{ .nodes = &node, .n_nodes = 1, .env = { { "A", x }, { "A_INFO", empty } } },
		{ .cdi = name, .n_cdi = 1 },
	};
	auto_message struct message m = { .len = 0 }, none = { .len = 0 };
	struct err e = { 0 };

	test("what was allocated, container for container");
	ok(allocate_response_encode(list, 2, &m, &e) == 0);
	eq(digits(&m), "0a400a080a01411203782c790a0c0a06415f494e464f12027b7d1a260a0b2f6465762f7666"
		       "696f2f3112132f6465762f7666696f2f6e6f696f6d6d752d311a0272770a092a070a05612f"
		       "623d63");
	ok(allocate_response_encode(list, 0, &none, &e) == 0);
	eqi(none.len, 0);
}

static void test_preferred_answer(void)
{
	char ids[2][MESSAGE_ID_SIZE] = { "b", "a" };
	const struct id_list list[] = { { .id = ids, .n = 2 }, { .n = 0 } };
	auto_message struct message m = { .len = 0 };
	struct err e = { 0 };

	test("what is preferred, container for container, in order");
	ok(preferred_response_encode(list, 2, &m, &e) == 0);
	eq(digits(&m), "0a060a01620a01610a00");
}

int main(void)
{
	test_allocate();
	test_empty();
	test_preferred();
	test_prestart();
	test_bad();
	test_bounds();
	test_options();
	test_list();
	test_allocated();
	test_preferred_answer();
	return tap_end();
}
