/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_status_entry.c - network-status beside what Multus makes of the same results
 *
 * tests/upstream/network-status.json has results of plugins, and for each the annotation as the
 * library of Multus composes it.  Where it is right ours is the same, byte for byte, but for
 * default-route, which it does not have; where it is not, "ours" is what we say, and "why".
 */
#include "cni/call/status_entry.h"
#include "base/mem.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define CASES "tests/upstream/network-status.json"

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* "apps/net" of the namespace apps; the default network has none. */
static json_t *entries_of(const json_t *one)
{
	const char *name = text_of(one, "name"), *slash = strchr(name, '/');
	char name_space[64] = "";
	struct owner o = {
		.network = slash ? slash + 1 : name, .container_id = "c", .netns = "",
		.ifname = json_is_true(json_object_get(one, "default")) ? "eth0" : "net1",
	};

	if (slash)
		(void)snprintf(name_space, sizeof(name_space), "%.*s", (int)(slash - name), name);
	return status_entries(&o, name_space, json_object_get(one, "result"), 0,
			      json_object_get(one, "info"));
}

static void test_case(const json_t *one)
{
	json_auto_t *entries = entries_of(one);
	const char *ours = text_of(one, "ours");
	auto_free char *text = NULL;
	json_t *entry;
	size_t i;

	if (!ours)
		json_array_foreach(entries, i, entry)
			(void)json_object_del(entry, "default-route");
	text = status_annotation(entries);
	eq(text, ours ? ours : text_of(one, "multus"));
	if (ours)
		ok(text_of(one, "why") && strcmp(ours, text_of(one, "multus")) != 0);
}

static void test_recorded(void)
{
	json_auto_t *cases = json_load_file(CASES, 0, NULL);
	const json_t *one;
	size_t i, same = 0;

	if (json_array_size(cases) < 20)
		bail_out(CASES);
	test("each result becomes the annotation that Multus makes of it, or what is right");
	json_array_foreach(cases, i, one) {
		test_case(one);
		same += !text_of(one, "ours");
	}
	ok(same >= 14);
}

static void test_default_route(void)
{
	json_auto_t *one = json_pack("{s:s,s:{s:[{s:s,s:s}],s:[{s:s,s:s}]}}", "name", "net",
				     "result", "interfaces", "name", "net1", "sandbox", "/n",
				     "routes", "dst", "0.0.0.0/0", "gw", "192.0.2.1");
	json_auto_t *entries = entries_of(one);
	auto_free char *text = json_dumps(entries, JSON_COMPACT);

	test("the specification's default-route comes last, behind all that Multus has");
	eq(text, "[{\"name\":\"net\",\"interface\":\"net1\",\"dns\":{},\"gateway\":"
		 "[\"192.0.2.1\"],\"default-route\":[\"192.0.2.1\"]}]");
}

static void test_extension(void)
{
	json_auto_t *one = json_loads(
		"{\"name\":\"net\",\"result\":{},\"info\":{\"type\":\"pci\",\"version\":\"1.2.0\","
		"\"pci\":{\"pci-address\":\"0000:01:10.0\",\"x.example/y\":1},\"z\":2}}", 0, NULL);
	json_auto_t *entries = entries_of(one);

	test("members of device-info that Multus' library does not know, and would lose, are kept");
	ok(json_equal(json_object_get(json_array_get(entries, 0), "device-info"),
		      json_object_get(one, "info")));
}

static void test_other_interface(void)
{
	json_auto_t *one = json_loads(
		"{\"name\":\"net\",\"result\":{\"interfaces\":["
		"{\"name\":\"net1\",\"sandbox\":\"/n\"},"
		"{\"name\":\"data0\",\"sandbox\":\"/n\"}]}}", 0, NULL);
	json_auto_t *entries = entries_of(one);
	auto_free char *text = json_dumps(entries, JSON_COMPACT), *value = NULL;

	test("an entry of another interface names its attachment's in the file alone");
	eq(text, "[{\"name\":\"net\",\"interface\":\"net1\",\"dns\":{}},{\"name\":\"net\","
		 "\"interface\":\"data0\",\"dns\":{},\"devinfo.cni.dev/attachment\":\"net1\"}]");
	value = status_annotation(entries);
	eq(value, "[{\n    \"name\": \"net\",\n    \"interface\": \"net1\",\n    \"dns\": {}\n},{\n"
		  "    \"name\": \"net\",\n    \"interface\": \"data0\",\n    \"dns\": {}\n}]");
	test("of no entry the annotation is an empty list");
	json_array_clear(entries);
	free(value);
	value = status_annotation(entries);
	eq(value, "[]");
}

int main(void)
{
	test_recorded();
	test_default_route();
	test_extension();
	test_other_interface();
	return tap_end();
}
