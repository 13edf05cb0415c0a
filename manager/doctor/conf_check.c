/* SPDX-License-Identifier: Apache-2.0 */
/* conf_check.c - would the plugin take this configuration, and if not, why? */
#include "manager/doctor/conf_check.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/conf_policy.h"
#include "conf/netconf.h"
#include "conf/node.h"
#include "conf/selection.h"
#include "conf/settings.h"
#include "conf/unknown.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The plugin's own, and those that install.sh gives it for others' configurations. */
static const char *const types[] = { "devinfo", "sriov", "ib-sriov" };

static void report(struct conf_report *r, enum severity severity, const char *fmt, ...)
	printflike(3, 4);
static void report(struct conf_report *r, enum severity severity, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	r->told[severity]++;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->tell(text, severity, r->arg);
}

/* "spec.config: plugins[1]: ", where the words behind it are about all of that plugin. */
static const char *place(const struct conf_report *r, char ret[96])
{
	(void)snprintf(ret, 96, "%s%s%s", r->within, r->plugin, *r->plugin ? ": " : "");
	return ret;
}

static void tell_err(struct conf_report *r, const struct err *e)
{
	bool more = *e->details != '\0';
	char at[96];

	report(r, SEVERITY_ERROR, "%s%s%s%s%s", place(r, at), e->msg, more ? " (" : "", e->details,
	       more ? ")" : "");
}

/* An ADD passes over what is no key of ours, and logs what was most likely meant to be one. */
static enum severity severity_of(const struct unknown_key *u)
{
	if (u->kind == UNKNOWN_IGNORED)
		return *u->hint ? SEVERITY_WARNING : SEVERITY_INFO;
	return u->kind == UNKNOWN_OF_PLUGIN ? SEVERITY_WARNING : SEVERITY_ERROR;
}

static bool tell_unknown(const struct unknown_key *u, void *arg)
{
	struct conf_report *r = arg;
	enum severity severity = severity_of(u);
	char text[256];

	if (r->is_network && u->kind == UNKNOWN_OF_PLUGIN && strcmp(u->key, "resourceName") == 0)
		return true;
	unknown_text(u, text);
	report(r, severity, "%s%s%s%s%s", r->within, r->plugin, *r->plugin ? "." : "", text,
	       severity == SEVERITY_INFO ? " (ignored: may be another plugin's)" : "");
	if (severity != SEVERITY_INFO)
		(void)json_object_del(u->object, u->key);
	return true;
}

/* -- one configuration -- */

/* In the words of the plugin's log. */
static void tell_odd_log(struct conf_report *r, const struct settings *set)
{
	char at[96];

	if (set->odd_log_level)
		report(r, SEVERITY_WARNING, "%slogLevel is not known, and not used: '%.64s': must "
		       "be error, warning, info or debug", place(r, at), set->odd_log_level);
	if (set->odd_log_file)
		report(r, SEVERITY_WARNING, "%slogFile is not an absolute path, and not used: "
		       "'%.64s'", place(r, at), set->odd_log_file);
}

/* Where the node's directory is not known, any could be it. */
static void check_log_file(struct conf_report *r, const struct settings *set)
{
	const char *file = set->wanted_log_file, *slash = file ? strrchr(file, '/') : NULL;
	char dir[1024], at[96];
	struct err e;

	(void)snprintf(dir, sizeof(dir), "%s", set->log_dir);
	if (!r->node && slash && *file == '/' && slash > file)
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)(slash - file), file);
	if (file && log_check_below(dir, file, &e) < 0)
		report(r, SEVERITY_WARNING, "%sthe network's logFile is not used: %s", place(r, at),
		       e.msg);
}

/* The node's file, where it is not known, may let a pod override what the network says. */
static void check_as_add(struct conf_report *r, const json_t *conf)
{
	static const struct cni_call call = {
		.verb = VERB_ADD, .container_id = "container", .netns = "/run/netns/container",
		.ifname = "net1", .path = "", .pod_namespace = "default", .pod_name = "pod",
	};
	json_auto_t *overrides = json_pack("[ssss]", "mac", "mtu", "guid", "resourceName");
	struct host host = { .root = -1, .set = r->node ? *r->node : settings_default };
	auto_netconf struct netconf nc = { 0 };
	auto_free char *text = NULL;
	struct err e = { 0 };
	size_t len;

	text = jx_dump(conf, &len);
	if (netconf_parse(text, len, &nc, &e) < 0) {
		tell_err(r, &e);
		return;
	}
	/* those of the node's own file are told with that */
	host.set.odd_log_level = host.set.odd_log_file = NULL;
	if (!r->node)
		host.set.pod_may_override = overrides;
	if (netconf_settings(&nc, &host.set, &e) < 0)
		tell_err(r, &e);
	tell_odd_log(r, &host.set);
	check_log_file(r, &host.set);
	if (conf_policy_check(&host, &call, &nc, &e) < 0 && e.code != ERR_TRY_AGAIN)
		tell_err(r, &e);
}

static void tell_refused(const struct err *e, void *arg)
{
	tell_err(arg, e);
}

static bool is_ours(struct conf_report *r, const json_t *conf)
{
	const char *type = NULL;
	struct err e;

	if (jx_string(conf, "", "type", &type, &e) < 0) {
		tell_err(r, &e);
		return false;
	}
	if (!type || !*type) {
		report(r, SEVERITY_ERROR, "%s%s%stype: missing", r->within, r->plugin,
		       *r->plugin ? "." : "");
		return true;
	}
	for (size_t i = 0; i < (r->only_ours ? 1 : ARRAY_SIZE(types)); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	if (!nearest_word(type, types, 1))
		return false;
	report(r, SEVERITY_ERROR, "%s%s%stype: unknown plugin '%.64s', did you mean %s?", r->within,
	       r->plugin, *r->plugin ? "." : "", type, types[0]);
	return true;
}

/* What a call cannot know: where its configuration stands, and what the runtime was told of it. */
static void check_pod_networks(struct conf_report *r, const json_t *conf)
{
	const json_t *declared = json_object_get(json_object_get(conf, "capabilities"),
						 POD_ANNOTATIONS);
	char at[96];

	if (!json_is_true(json_object_get(conf, "podNetworks")))
		return;
	if (*r->within || r->is_network)
		report(r, SEVERITY_ERROR, "%spodNetworks: not in a definition, but in the "
		       "configuration that the runtime has", place(r, at));
	else if (!json_is_true(declared))
		report(r, SEVERITY_ERROR, "%spodNetworks: needs the capability %s, by which the "
		       "runtime tells which networks a pod asks for", place(r, at),
		       POD_ANNOTATIONS);
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
	check_pod_networks(r, conf);
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
		report(r, SEVERITY_ERROR, "%s%s: one devinfo per list, this is another", r->within,
		       r->plugin);
}

static void check_list(struct conf_report *r, json_t *list)
{
	json_t *plugins = NULL, *conf;
	unsigned int seen = 0;
	struct err e;
	size_t i;

	unknown_list_keys(list, &(struct unknown_visitor){ tell_unknown, r });
	if (jx_array(list, "", "plugins", &plugins, &e) < 0) {
		tell_err(r, &e);
		return;
	}
	if (json_array_size(plugins) == 0)
		report(r, SEVERITY_ERROR, "%splugins: no plugin in it", r->within);
	json_array_foreach(plugins, i, conf) {
		(void)snprintf(r->plugin, sizeof(r->plugin), "plugins[%zu]", i);
		if (json_is_object(conf)) {
			complete(conf, list, i);
			check_single(r, conf, &seen);
			check_plugin(r, conf);
		} else {
			report(r, SEVERITY_ERROR, "%s%s: expected an object, got %s", r->within,
			       r->plugin, jx_type_name(conf));
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
		tell_err(r, &e);
		return;
	}
	r->within = "spec.config: ";
	if (!json_is_object(doc)) {
		report(r, SEVERITY_ERROR, "%sexpected an object, got %s", r->within,
		       jx_type_name(doc));
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
			report(r, SEVERITY_WARNING, "spec.%.64s: unknown key%s", key, hint);
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
		tell_err(r, &e);
		return kind;
	}
	if (!have || strcmp(have, kind) != 0)
		report(r, SEVERITY_ERROR, "kind: '%.64s': expected %s", have ? have : "", kind);
	check_spec(r, spec);
	if (config && *config)
		check_config(r, config, json_object_get(metadata, "name"));
	else
		report(r, SEVERITY_INFO,
		       "spec.config: absent (the configuration is a file of the node)");
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
	    jx_string(one, "", "root", &root, &e) < 0 || keys_check_node(one, &e) < 0)
		tell_err(r, &e);
	tell_odd_log(r, &set);
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
		report(r, SEVERITY_ERROR, "%.64s: unknown key%s", key, hint);
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

bool conf_is_definition(const json_t *doc)
{
	static const char *const definition[] = { "kind", "spec", NULL };

	return has_any(doc, definition);
}

const char *conf_check(struct conf_report *r, json_t *doc)
{
	static const char *const network[] = { "plugins", "type", "cniVersion", "name", NULL };

	r->within = "";
	if (conf_is_definition(doc))
		return check_definition(r, doc);
	return has_any(doc, network) ? check_network(r, doc) : conf_check_node(r, doc);
}
