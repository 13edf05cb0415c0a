/* SPDX-License-Identifier: Apache-2.0 */
/* conf_check.c - would the plugin take this configuration, and if not, why? */
#include "devinfo/doctor/conf_check.h"

#include "base/jx.h"
#include "base/mem.h"
#include "conf/netconf.h"
#include "conf/node.h"
#include "conf/settings.h"
#include "conf/unknown.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The plugin's own, and those that install.sh gives it for others' configurations. */
static const char *const types[] = { "devinfo", "sriov", "ib-sriov" };

static void tell(const struct conf_report *r, bool is_note, const char *fmt, va_list ap)
	printflike(3, 0);
static void tell(const struct conf_report *r, bool is_note, const char *fmt, va_list ap)
{
	char text[2048];

	(void)vsnprintf(text, sizeof(text), fmt, ap);
	r->tell(text, is_note, r->arg);
}

static void finding(struct conf_report *r, const char *fmt, ...) printflike(2, 3);
static void finding(struct conf_report *r, const char *fmt, ...)
{
	va_list ap;

	r->findings++;
	va_start(ap, fmt);
	tell(r, false, fmt, ap);
	va_end(ap);
}

/* Of what may be meant so, and is no finding. */
static void note(struct conf_report *r, const char *fmt, ...) printflike(2, 3);
static void note(struct conf_report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(r, true, fmt, ap);
	va_end(ap);
}

static void finding_of_parser(struct conf_report *r, const struct err *e)
{
	bool more = *e->details != '\0';

	finding(r, "%s%s%s%s%s%s%s", r->within, r->plugin, *r->plugin ? ": " : "", e->msg,
		more ? " (" : "", e->details, more ? ")" : "");
}

static bool tell_unknown(const struct unknown_key *u, void *arg)
{
	struct conf_report *r = arg;
	const char *dot = *r->plugin ? "." : "";
	char text[256];

	unknown_text(u, text);
	if (u->kind == UNKNOWN_IGNORED && !*u->hint) {
		note(r, "%s%s%s%s (ignored: may be another plugin's)", r->within, r->plugin, dot,
		     text);
		return true;
	}
	finding(r, "%s%s%s%s", r->within, r->plugin, dot, text);
	(void)json_object_del(u->object, u->key);
	return true;
}

/* -- one configuration -- */

/* The node's file may let a pod override what the network says. */
static void check_as_add(struct conf_report *r, const json_t *conf)
{
	json_auto_t *overrides = json_pack("[ssss]", "mac", "mtu", "guid", "resourceName");
	struct settings set = settings_default;
	auto_netconf struct netconf nc = { 0 };
	auto_free char *text = NULL;
	struct err e = { 0 };
	size_t len;

	text = jx_dump(conf, &len);
	if (netconf_parse(text, len, &nc, &e) < 0) {
		finding_of_parser(r, &e);
		return;
	}
	set.pod_may_override = overrides;
	if (netconf_settings(&nc, &set, &e) < 0)
		finding_of_parser(r, &e);
	if (netconf_attachment(&nc, &e) < 0 && e.code != ERR_TRY_AGAIN)
		finding_of_parser(r, &e);
}

static void tell_refused(const struct err *e, void *arg)
{
	finding_of_parser(arg, e);
}

static bool is_ours(struct conf_report *r, const json_t *conf)
{
	const char *type = NULL;
	struct err e;

	if (jx_string(conf, "", "type", &type, &e) < 0) {
		finding_of_parser(r, &e);
		return false;
	}
	if (!type || !*type) {
		finding(r, "%s%s%stype: missing", r->within, r->plugin, *r->plugin ? "." : "");
		return true;
	}
	for (size_t i = 0; i < (r->only_ours ? 1 : ARRAY_SIZE(types)); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	if (!nearest_word(type, types, 1))
		return false;
	finding(r, "%s%s%stype: unknown plugin '%.64s', did you mean %s?", r->within, r->plugin,
		*r->plugin ? "." : "", type, types[0]);
	return true;
}

/* Others' configurations are theirs to judge. */
static void check_plugin(struct conf_report *r, json_t *conf)
{
	r->plugins++;
	if (!is_ours(r, conf))
		return;
	r->checked++;
	keys_fold(conf, "");
	unknown_keys(conf, &(struct unknown_visitor){ tell_unknown, r });
	if (keys_check_values(conf, tell_refused, r) == 0)
		check_as_add(r, conf);
}

/* -- a list of them -- */

/* What a runtime makes of one of them. */
static void complete(json_t *conf, const json_t *list, size_t i)
{
	static const char *const keys[] = { "cniVersion", "name" };

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		json_t *v = json_object_get(list, keys[k]);

		if (v)
			(void)json_object_set(conf, keys[k], v);
	}
	if (i > 0 && !json_object_get(conf, "prevResult"))
		(void)json_object_set_new(conf, "prevResult", json_object());
}

/* A record is of one network, container and interface: the second would find that of the first. */
static void check_single(struct conf_report *r, const json_t *conf, unsigned int *seen)
{
	const char *type = json_string_value(json_object_get(conf, "type"));

	if (type && strcmp(type, types[0]) == 0 && (*seen)++)
		finding(r, "%s%s: one devinfo per list, this is another", r->within, r->plugin);
}

static void check_list(struct conf_report *r, json_t *list)
{
	json_t *plugins = NULL, *conf;
	unsigned int seen = 0;
	struct err e;
	size_t i;

	unknown_list_keys(list, &(struct unknown_visitor){ tell_unknown, r });
	if (jx_array(list, "", "plugins", &plugins, &e) < 0) {
		finding_of_parser(r, &e);
		return;
	}
	if (json_array_size(plugins) == 0)
		finding(r, "%splugins: no plugin in it", r->within);
	json_array_foreach(plugins, i, conf) {
		(void)snprintf(r->plugin, sizeof(r->plugin), "plugins[%zu]", i);
		if (json_is_object(conf)) {
			complete(conf, list, i);
			check_single(r, conf, &seen);
			check_plugin(r, conf);
		} else {
			finding(r, "%s%s: expected an object, got %s", r->within, r->plugin,
				jx_type_name(conf));
		}
	}
	*r->plugin = '\0';
}

static const char *check_network(struct conf_report *r, json_t *doc)
{
	bool list = json_object_get(doc, "plugins") != NULL;

	if (list)
		check_list(r, doc);
	else
		check_plugin(r, doc);
	return list ? "conflist" : "configuration";
}

/* -- a NetworkAttachmentDefinition -- */

/* The name is that of the definition where the configuration has none. */
static void check_config(struct conf_report *r, const char *text, json_t *name)
{
	json_auto_t *doc = NULL;
	struct err e;

	doc = jx_parse(text, strlen(text), ERR_DECODE, "spec.config", &e);
	if (!doc) {
		finding_of_parser(r, &e);
		return;
	}
	r->within = "spec.config: ";
	if (!json_is_object(doc)) {
		finding(r, "%sexpected an object, got %s", r->within, jx_type_name(doc));
		return;
	}
	if (name && !json_object_get(doc, "name"))
		(void)json_object_set(doc, "name", name);
	(void)check_network(r, doc);
}

static void check_spec(struct conf_report *r, const json_t *spec)
{
	static const char *const names[] = { "config" };
	char hint[NEAREST_HINT];
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)spec, key, v) {
		nearest_hint(key, names, ARRAY_SIZE(names), hint);
		if (strcmp(key, names[0]) != 0)
			finding(r, "spec.%.64s: unknown key%s", key, hint);
	}
}

static const char *check_definition(struct conf_report *r, json_t *doc)
{
	static const char kind[] = "NetworkAttachmentDefinition";
	const char *have = NULL, *config = NULL;
	json_t *spec = NULL, *metadata = NULL;
	struct err e;

	if (jx_string(doc, "", "kind", &have, &e) < 0 ||
	    jx_object(doc, "", "spec", &spec, &e) < 0 ||
	    jx_object(doc, "", "metadata", &metadata, &e) < 0 ||
	    jx_string(spec, "spec", "config", &config, &e) < 0) {
		finding_of_parser(r, &e);
		return kind;
	}
	if (!have || strcmp(have, kind) != 0)
		finding(r, "kind: '%.64s': expected %s", have ? have : "", kind);
	check_spec(r, spec);
	if (config && *config)
		check_config(r, config, json_object_get(metadata, "name"));
	else
		note(r, "spec.config: absent (the configuration is a file of the node)");
	return kind;
}

/* -- the node's file -- */

static void check_setting(struct conf_report *r, const char *key, json_t *v)
{
	json_auto_t *one = json_pack("{sO}", key, v);
	struct settings set = settings_default;
	const char *root;
	struct err e;

	if (settings_take(one, IN_NODE_FILE, &set, &e) < 0 ||
	    jx_string(one, "", "root", &root, &e) < 0)
		finding_of_parser(r, &e);
	if (set.odd_log_level || set.odd_log_file)
		finding(r, "%s: invalid value '%.64s': %s", key,
			set.odd_log_level ? set.odd_log_level : set.odd_log_file,
			set.odd_log_level ? "must be error, warning, info or debug" :
					    "must be an absolute path");
}

const char *conf_check_node(struct conf_report *r, json_t *doc)
{
	char hint[NEAREST_HINT];
	const char *key;
	json_t *v;

	r->within = "";
	json_object_foreach(doc, key, v) {
		if (key_find(IN_NODE_FILE, key)) {
			check_setting(r, key, v);
			continue;
		}
		keys_hint(IN_NODE_FILE, "", key, hint);
		finding(r, "%.64s: unknown key%s", key, hint);
	}
	return "the node's file";
}

/* -- any of them -- */

static bool has_any(const json_t *doc, const char *const *keys)
{
	for (; *keys; keys++)
		if (json_object_get(doc, *keys))
			return true;
	return false;
}

const char *conf_check(struct conf_report *r, json_t *doc)
{
	static const char *const definition[] = { "kind", "spec", NULL };
	static const char *const network[] = { "plugins", "type", "cniVersion", "name", NULL };

	r->within = "";
	if (has_any(doc, definition))
		return check_definition(r, doc);
	return has_any(doc, network) ? check_network(r, doc) : conf_check_node(r, doc);
}
