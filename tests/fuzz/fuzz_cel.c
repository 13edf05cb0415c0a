/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cel.c - expressions of claims, classes and patches, for devices of a driver's slice
 *
 * The input is an expression; behind a NUL there may be a device: {"driver": ..., "attributes":
 * {...}, "capacity": {...}}.
 */
#include "manager/cel/cel.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char usual[] =
	"{\"driver\":\"d\",\"attributes\":{\"s\":{\"string\":\"fish\"},\"i\":{\"int\":8},"
	"\"b\":{\"bool\":true},\"v\":{\"version\":\"1.2.3-rc.1\"},\"d/q\":{\"int\":-1},"
	"\"o.io/l\":{\"strings\":[\"red\",\"αβ\"]},\"o.io/n\":{\"ints\":[0,1,2]}},"
	"\"capacity\":{\"m\":{\"value\":\"10Gi\"},\"o.io/n\":{\"value\":\"1500m\"}}}";

/* The usual device is made once: most inputs are for it. */
static json_t *make_device(const char *text, size_t len)
{
	static json_t *of_most;
	json_t *given = len > 0 ? json_loadb(text, len, 0, NULL) : NULL;

	if (!of_most)
		of_most = json_loads(usual, 0, NULL);
	return given ? given : json_incref(of_most);
}

static void ask(const struct cel *c, json_t *o)
{
	const struct cel_device d = { .driver = json_string_value(json_object_get(o, "driver")),
				      .attributes = json_object_get(o, "attributes"),
				      .capacity = json_object_get(o, "capacity") };
	json_auto_t *before = json_deep_copy(o), *trace = NULL;
	struct err e = { 0 }, f = { 0 };
	int r = cel_matches(c, &d, &e);

	must_agree(r, &e);
	must(cel_trace(c, &d, &trace, &f) == r);
	must(e.code == f.code && strcmp(e.msg, f.msg) == 0 && strcmp(e.details, f.details) == 0);
	must(json_is_string(json_object_get(trace, "term")));
	must(r >= 0 ? json_is_boolean(json_object_get(trace, "value")) :
		      json_object_get(trace, "error") || json_object_get(trace, "value"));
	must(json_equal(o, before));
}

static void fuzz_one(const char *text, size_t len)
{
	auto_free char *string = strndup(text, len);
	size_t n = strlen(string);
	json_auto_t *device = NULL;
	struct err e = { 0 };
	auto_cel struct cel *c = cel_compile(string, &e);

	must(!c == (e.code == ERR_NETCONF));
	if (!c) {
		must(strncmp(e.msg, "expression: ", 12) == 0);
		return;
	}
	accepted();
	device = make_device(text + n + (n < len), len - n - (n < len));
	ask(c, device);
}
