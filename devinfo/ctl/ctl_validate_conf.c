/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_validate_conf.c - devinfoctl validate-conf: would the plugin take these configurations?
 *
 * What a file holds is seen from its members.  First all unknown keys are told and taken out, then
 * all values that their rows refuse.  When there are none, it goes through the very parser of the
 * plugin, as for an ADD, which tells the first that is wrong with several keys together.  No node
 * is looked at.
 */
#include "devinfo/ctl/ctl.h"

#include "base/jx.h"
#include "base/mem.h"
#include "conf/netconf.h"
#include "conf/node.h"
#include "conf/settings.h"
#include "conf/unknown.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The plugin's own, and those that install.sh gives it for others' configurations. */
static const char *const types[] = { "devinfo", "sriov", "ib-sriov" };

struct report {
	const char *file;
	const char *within;		/* "spec.config: ", or "" */
	char plugin[32];		/* "plugins[1]", or "" */
	unsigned int findings, plugins, checked;
};

static void put_line(const struct report *r, const char *fmt, va_list ap) printflike(2, 0);
static void put_line(const struct report *r, const char *fmt, va_list ap)
{
	char text[2048];

	(void)vsnprintf(text, sizeof(text), fmt, ap);
	(void)printf("%s: ", r->file);
	ctl_put_text(stdout, text);
	(void)putchar('\n');
}

static void finding(struct report *r, const char *fmt, ...) printflike(2, 3);
static void finding(struct report *r, const char *fmt, ...)
{
	va_list ap;

	r->findings++;
	va_start(ap, fmt);
	put_line(r, fmt, ap);
	va_end(ap);
}

/* Of what may be meant so, and is no finding. */
static void note(struct report *r, const char *fmt, ...) printflike(2, 3);
static void note(struct report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(r, fmt, ap);
	va_end(ap);
}

static void finding_of_parser(struct report *r, const struct err *e)
{
	bool more = *e->details != '\0';

	finding(r, "%s%s%s%s%s%s%s", r->within, r->plugin, *r->plugin ? ": " : "", e->msg,
		more ? " (" : "", e->details, more ? ")" : "");
}

static bool tell_unknown(const struct unknown_key *u, void *arg)
{
	struct report *r = arg;
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
static void check_as_add(struct report *r, const json_t *conf)
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

static bool is_ours(struct report *r, const json_t *conf)
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
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	if (!nearest_word(type, types, 1))
		return false;
	finding(r, "%s%s%stype: unknown plugin '%.64s', did you mean %s?", r->within, r->plugin,
		*r->plugin ? "." : "", type, types[0]);
	return true;
}

/* Others' configurations are theirs to judge. */
static void check_plugin(struct report *r, json_t *conf)
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
static void check_single(struct report *r, const json_t *conf, unsigned int *seen)
{
	const char *type = json_string_value(json_object_get(conf, "type"));

	if (type && strcmp(type, types[0]) == 0 && (*seen)++)
		finding(r, "%s%s: one devinfo per list, this is another", r->within, r->plugin);
}

static void check_list(struct report *r, json_t *list)
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

static const char *check_network(struct report *r, json_t *doc)
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
static void check_config(struct report *r, const char *text, json_t *name)
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

static void check_spec(struct report *r, const json_t *spec)
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

static const char *check_definition(struct report *r, json_t *doc)
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

static void check_setting(struct report *r, const char *key, json_t *v)
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

static const char *check_node_file(struct report *r, json_t *doc)
{
	char hint[NEAREST_HINT];
	const char *key;
	json_t *v;

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

/* Check it as what it is; what that is. */
static const char *check_document(struct report *r, json_t *doc)
{
	static const char *const definition[] = { "kind", "spec", NULL };
	static const char *const network[] = { "plugins", "type", "cniVersion", "name", NULL };

	if (has_any(doc, definition))
		return check_definition(r, doc);
	return has_any(doc, network) ? check_network(r, doc) : check_node_file(r, doc);
}

static int read_stdin(char **ret, size_t *len, struct err *e)
{
	auto_free char *text = malloc(NETCONF_MAX + 1);

	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "read standard input");
	*len = fread(text, 1, NETCONF_MAX + 1, stdin);
	if (ferror(stdin))
		return err_set(e, ERR_IO, errno, "read standard input");
	if (*len > NETCONF_MAX)
		return err_set(e, ERR_IO, EFBIG, "standard input is over %d bytes", NETCONF_MAX);
	*ret = steal_ptr(&text);
	return 0;
}

/* An object; new reference. */
static json_t *read_document(const char *file, struct err *e)
{
	bool is_stdin = strcmp(file, "-") == 0;
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	size_t len = 0;

	if ((is_stdin ? read_stdin(&text, &len, e) :
			ctl_read_file(file, NETCONF_MAX, &text, &len, e)) < 0)
		return NULL;
	doc = jx_parse(text, len, ERR_DECODE, file, e);
	if (doc && !json_is_object(doc)) {
		(void)err_set(e, ERR_DECODE, 0, "%s: expected an object, got %s", file,
			      jx_type_name(doc));
		return NULL;
	}
	return steal_ptr(&doc);
}

static enum ctl_status validate_one(const char *file)
{
	struct report r = { .file = file, .within = "" };
	json_auto_t *doc = NULL;
	const char *what;
	struct err e;

	doc = read_document(file, &e);
	if (!doc) {
		ctl_put_err(stdout, &e);
		return CTL_FAILED;
	}
	what = check_document(&r, doc);
	if (r.findings > 0)
		return CTL_FAILED;
	if (r.plugins > 0)
		(void)printf("%s: ok (%s, %u of %u plugins checked)\n", file, what, r.checked,
			     r.plugins);
	else
		(void)printf("%s: ok (%s)\n", file, what);
	return CTL_OK;
}

enum ctl_status ctl_validate_conf(const struct host *host, const struct ctl_options *opt,
				  char *const *operands)
{
	enum ctl_status status = CTL_OK;

	(void)host;
	(void)opt;
	for (; *operands; operands++)
		if (validate_one(*operands) != CTL_OK)
			status = CTL_FAILED;
	return status;
}
