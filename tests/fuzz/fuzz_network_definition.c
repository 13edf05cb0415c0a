/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_network_definition.c - a network that can be opened has plugins that can be run */
#include "devinfo/network/network_call.h"
#include "base/name.h"
#include "devinfo/manifest/manifest_word.h"
#include "tests/fuzz/fuzz.h"

static void ignore(const struct err *why, void *arg)
{
	(void)arg;
	must(why->code != ERR_OK && *why->msg);
}

/* Each call is one that a plugin can be given. */
static void check_calls(const struct network *n)
{
	static const struct network_selection asked = {
		.name = "x", .namespace = "y", .mac = "02:00:00:00:00:01", .device_id = "z",
	};
	json_auto_t *calls = network_calls(n, &asked, NULL);
	const json_t *call;
	size_t i;

	must(json_array_size(calls) == 1 || json_array_size(calls) == json_array_size(n->plugins));
	json_array_foreach(calls, i, call) {
		must(json_is_string(json_object_get(call, "type")));
		must(strcmp(json_string_value(json_object_get(call, "name")), n->name) == 0);
		must(json_is_string(json_object_get(call, "cniVersion")));
	}
}

static void check(const struct network *n)
{
	json_t *plugin;
	size_t i;

	must(name_is_cni_id(n->name) && *n->source);
	must(!n->resource || name_is_resource(n->resource));
	must(json_array_size(n->plugins) > 0 && json_array_size(n->plugins) <= NETWORK_PLUGINS_MAX);
	json_array_foreach(n->plugins, i, plugin)
		must(name_is_file(json_string_value(json_object_get(plugin, "type"))));
	check_calls(n);
	accepted();
}

static void check_definition(const struct network_definitions *d,
			     const struct network_definition *by)
{
	auto_network struct network opened = { .plugins = NULL }, found = { .plugins = NULL };
	struct err e = { 0 }, why = { 0 };
	int rc = network_open(d, by, &opened, &e), r;

	must_agree(rc, &e);
	if (rc == 0)
		check(&opened);
	if (!by->namespace)
		return;
	r = network_find(d, by->namespace, by->name, &found, &why);
	must(r == rc && (r < 0 || found.by == by));
}

static void fuzz_one(const char *text, size_t len)
{
	auto_network_definitions struct network_definitions d = { .dir = "nets" };
	struct err e = { 0 };
	int rc = manifests_read(text, len, "fuzz", &d.from, &e);

	must_agree(rc, &e);
	if (rc < 0)
		return;
	must(network_definitions_index(ignore, NULL, &d, &e) == 0);
	must(d.n + d.bad <= d.from.n);
	for (size_t i = 0; i < d.n; i++) {
		/* a call that asks for the network reads this text */
		must(manifest_may_have(text, len,
				       (const char *const[]){ d.list[i].name, NULL }));
		check_definition(&d, &d.list[i]);
	}
}
