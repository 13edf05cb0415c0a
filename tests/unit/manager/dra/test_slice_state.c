/* SPDX-License-Identifier: Apache-2.0 */
/* test_slice_state.c - the generation of a pool, by what is remembered and what the cluster has */
#include "manager/dra/slice_state.h"

#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>

static char root[] = "/tmp/slice-state.XXXXXX";

/* Slices of one pool: of each device its name, and a time of its taint; "": it has no taint. */
static json_t *slice(const char *name, json_int_t generation, const char *device, const char *time)
{
	json_t *d = json_pack("{s:s}", "name", device);

	if (*time)
		(void)json_object_set_new(d, "taints", json_pack("[{s:s,s:s,s:s}]", "key", "k",
								 "effect", "NoSchedule",
								 "timeAdded", time));
	return json_pack("{s:{s:s},s:{s:s,s:{s:s,s:I},s:[o]}}", "metadata", "name", name, "spec",
			 "driver", "d", "pool", "name", "p", "generation", generation, "devices",
			 d);
}

static json_int_t generation_of(const json_t *slices)
{
	return json_integer_value(json_object_get(json_object_get(
		json_object_get(json_array_get(slices, 0), "spec"), "pool"), "generation"));
}

static const char *time_of(const json_t *slices)
{
	const json_t *devices = json_object_get(json_object_get(json_array_get(slices, 0), "spec"),
						"devices");
	const char *text = json_string_value(json_object_get(json_array_get(json_object_get(
		json_array_get(devices, 0), "taints"), 0), "timeAdded"));

	return text ? text : "";
}

/* What a device is given that the cluster has with `seen`, which is taken. */
static json_t *take(const struct host *host, const char *device, const char *time, json_t *seen)
{
	json_t *slices = json_pack("[o]", slice("a", 0, device, time));
	struct err e = { 0 };

	ok(slice_state_take_after(host, slices, seen, &e) == 0);
	json_decref(seen);
	return slices;
}

static void forget(void)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf '%s/state'", root);
	ok(system(command) == 0);
}

static void takes(const struct host *host, const char *device, json_t *seen, json_int_t want)
{
	json_t *slices = take(host, device, "", seen);

	eqi(generation_of(slices), want);
	json_decref(slices);
}

static void test_generation(const struct host *host)
{
	test("without a cluster the first is 1, and the next one comes with a change");
	takes(host, "x", NULL, 1);
	takes(host, "x", json_array(), 1);
	takes(host, "y", json_array(), 2);
	test("what the cluster has of an earlier generation is nothing new");
	takes(host, "y", json_pack("[o]", slice("a", 1, "x", "")), 2);
	test("one that was changed there is made again as it was");
	takes(host, "y", json_pack("[o]", slice("a", 2, "z", "")), 2);
	test("a later one that says the same is taken");
	takes(host, "y", json_pack("[o]", slice("a", 7, "y", "")), 7);
	test("one that says something else is overtaken");
	takes(host, "y", json_pack("[o]", slice("a", 9, "z", "")), 10);
	takes(host, "y", json_pack("[o]", slice("a", 10, "y", "")), 10);
	test("so is one beside another, and slices of two generations");
	takes(host, "y", json_pack("[oo]", slice("a", 12, "y", ""), slice("b", 12, "q", "")), 13);
	takes(host, "y", json_pack("[oo]", slice("a", 14, "y", ""), slice("b", 15, "y", "")), 16);
	test("a state that is lost is learnt from the cluster");
	forget();
	takes(host, "y", json_pack("[o]", slice("a", 16, "y", "")), 16);
	takes(host, "y", NULL, 16);
	test("of something that is no generation nothing is learnt");
	takes(host, "y", json_pack("[{s:{s:{s:s}}}]", "spec", "pool", "generation", "x"), 16);
}

static void test_times(const struct host *host)
{
	static const char *const then = "2026-01-31T12:00:00Z";
	static const char *const later = "2026-02-01T00:00:00Z";
	json_t *slices;

	forget();
	test("a taint that the cluster knows has its time");
	slices = take(host, "x", "now", json_pack("[o]", slice("a", 3, "x", then)));
	eq(time_of(slices), then);
	json_decref(slices);
	test("what is remembered comes before what somebody has written there");
	slices = take(host, "x", "now", json_pack("[o]", slice("a", 3, "x", later)));
	eq(time_of(slices), then);
	json_decref(slices);
	test("another device's has not");
	slices = take(host, "y", "now", json_pack("[o]", slice("a", 3, "x", later)));
	ok(strcmp(time_of(slices), later) != 0);
	ok(strcmp(time_of(slices), then) != 0);
	json_decref(slices);
}

int main(void)
{
	auto_host struct host host = { .root = -1 };
	struct err e;
	char command[64];

	ok(mkdtemp(root) && host_open(root, &host, &e) == 0);
	host.set.state_dir = "/state";
	test_generation(&host);
	test_times(&host);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
	ok(system(command) == 0);
	return tap_end();
}
