/* SPDX-License-Identifier: Apache-2.0 */
/* network_call.c - the calls of plugins by which a pod is attached to a network */
#include "devinfo/network/network_call.h"

#include "base/jx.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

bool network_call_is_ours(const json_t *plugin)
{
	return strcmp(json_string_value(json_object_get(plugin, "type")), "devinfo") == 0;
}

json_t *network_call_own(const json_t *conf)
{
	json_t *own = json_copy((json_t *)(uintptr_t)conf);

	(void)json_object_set_new(own, "type", json_string("devinfo"));
	return own;
}

static bool has_ours(const struct network *n)
{
	const json_t *plugin;
	size_t i;

	json_array_foreach(n->plugins, i, plugin)
		if (network_call_is_ours(plugin))
			return true;
	return false;
}

/* -- what was asked -- */

static void put_copy(json_t *o, const char *key, const json_t *v)
{
	if (v && (!json_is_array(v) || json_array_size(v) > 0))
		(void)json_object_set_new(o, key, json_deep_copy(v));
}

static json_t *runtime_config(const struct network_selection *s, const char *info_file)
{
	json_t *rc = json_object();

	jx_put_text(rc, "mac", s->mac);
	jx_put_text(rc, "infinibandGUID", s->guid);
	jx_put_text(rc, "deviceID", s->device_id);
	jx_put_text(rc, "CNIDeviceInfoFile", info_file);
	put_copy(rc, "ips", s->ips);
	put_copy(rc, "portMappings", s->port_mappings);
	put_copy(rc, "bandwidth", s->bandwidth);
	return rc;
}

static void put_runtime(json_t *conf, const json_t *rc)
{
	if (json_object_size(rc) > 0)
		(void)json_object_set_new(conf, "runtimeConfig", json_deep_copy(rc));
}

/* Only what the plugin declares. */
static void put_declared(json_t *conf, const json_t *rc)
{
	const json_t *capabilities = json_object_get(conf, "capabilities");
	json_auto_t *declared = json_object();
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)rc, key, v)
		if (json_is_true(json_object_get(capabilities, key)))
			(void)json_object_set(declared, key, v);
	put_runtime(conf, declared);
	(void)json_object_del(conf, "capabilities");	/* CNI specification, section 3 */
}

/* The member that is an object, made where there is none. */
static json_t *inner(json_t *o, const char *key)
{
	if (!json_is_object(json_object_get(o, key)))
		(void)json_object_set_new(o, key, json_object());
	return json_object_get(o, key);
}

/* What the pod says goes before what the definition does; podMayOverride is ours to judge. */
static void put_args(json_t *conf, const json_t *args)
{
	if (json_object_size(args) == 0)
		return;
	(void)json_object_update(inner(inner(conf, "args"), "cni"), (json_t *)(uintptr_t)args);
}

/* -- the calls -- */

static void put_head(json_t *conf, const struct network *n)
{
	(void)json_object_set_new(conf, "cniVersion", json_string(cni_version_name(n->version)));
	(void)json_object_set_new(conf, "name", json_string(n->name));
}

/* The definition's resource, where the plugin does not say itself what device it takes. */
static void put_resource(json_t *conf, const struct network *n)
{
	static const char *const devices[] = { "deviceID", "pciBusID", "device",   "resourceName",
					       "claim",	   "delegate", "delegates" };

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (json_object_get(conf, devices[i]))
			return;
	jx_put_text(conf, "resourceName", n->resource);
}

/* What this program takes, declared or not: an attachment has a file, and may ask for a device. */
static void put_own(json_t *conf, const json_t *rc)
{
	static const char *const own[] = { "CNIDeviceInfoFile", "deviceID" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		json_t *v = json_object_get(rc, own[i]);

		if (v)
			(void)json_object_set(inner(conf, "runtimeConfig"), own[i], v);
	}
}

static json_t *call_of(const struct network *n, const struct network_selection *s,
		       const json_t *plugin, const json_t *rc)
{
	json_t *conf = json_deep_copy(plugin);

	put_head(conf, n);
	put_declared(conf, rc);
	put_args(conf, s->cni_args);
	if (network_call_is_ours(conf)) {
		put_resource(conf, n);
		put_own(conf, rc);
	}
	return conf;
}

/* This program hands on to each of its delegates what that declares. */
static json_t *call_around(const struct network *n, const struct network_selection *s,
			   const json_t *rc)
{
	json_t *conf = json_pack("{s:s}", "type", "devinfo"), *list = json_array(), *plugin;
	size_t i;

	put_head(conf, n);
	jx_put_text(conf, "resourceName", n->resource);
	put_runtime(conf, rc);
	json_array_foreach(n->plugins, i, plugin) {
		json_t *copy = json_deep_copy(plugin);

		put_args(copy, s->cni_args);
		(void)json_array_append_new(list, copy);
	}
	(void)json_object_set_new(conf, "delegates", list);
	return conf;
}

json_t *network_calls(const struct network *n, const struct network_selection *s,
		      const char *info_file)
{
	json_auto_t *rc = runtime_config(s, info_file);
	json_t *calls = json_array(), *plugin;
	size_t i;

	if (!has_ours(n)) {
		(void)json_array_append_new(calls, call_around(n, s, rc));
		return calls;
	}
	json_array_foreach(n->plugins, i, plugin)
		(void)json_array_append_new(calls, call_of(n, s, plugin, rc));
	return calls;
}
