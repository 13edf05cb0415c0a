/* SPDX-License-Identifier: Apache-2.0 */
/*
 * networks.c - devinfoctl networks: what is in a directory of networks, and which of them a pod
 * asks for
 */
#include "manager/ctl/ctl.h"

#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/network/network_call.h"
#include "devinfo/network/network_definition.h"
#include "manager/ctl/lint.h"
#include "manager/ctl/table.h"
#include "manager/doctor/conf_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct view {
	const struct ctl_options *opt;
	const struct host *host;	/* NULL: a directory alone is looked at */
	const char *namespace;		/* of the pod */
	struct network_definitions d;
	json_t *rows;
	unsigned int errors;
};

/* -- problems -- */

static void hear(const char *text, enum severity severity, void *arg)
{
	ctl_lint_add(arg, 0, severity, text);
}

static const char *state_of(const struct ctl_lint *l)
{
	return l->told[SEVERITY_ERROR]	 ? "error" :
	       l->told[SEVERITY_WARNING] ? "warning" :
					   "ok";
}

/* People have a table, and what is wrong beside it. */
static void tell_problems(const struct ctl_lint *l)
{
	const json_t *p;
	size_t i;

	json_array_foreach(l->problems, i, p) {
		const char *level = json_string_value(json_object_get(p, "level"));

		if (strcmp(level, severity_name(SEVERITY_INFO)) != 0)
			ctl_put_line(stderr, "devinfoctl: %s: %s%s%s: %s", l->file,
				     l->object ? l->object : "", l->object ? ": " : "", level,
				     json_string_value(json_object_get(p, "text")));
	}
}

/* What keeps nothing from being attached, of whom it is about. */
static void tell_warning(const char *text, const char *whom)
{
	ctl_put_line(stderr, "devinfoctl: %s: warning: %s", whom, text);
}

static void tell_unknown(const char *text, void *arg)
{
	const struct view *v = arg;

	tell_warning(text, v->opt->pod_file);
}

/* Ends a row, and takes it. */
static void add_row(struct view *v, const struct ctl_lint *l, json_t *row)
{
	v->errors += l->told[SEVERITY_ERROR];
	(void)json_object_set_new(row, "source", json_string(l->file));
	(void)json_object_set_new(row, "state", json_string(state_of(l)));
	(void)json_object_set_new(row, "problems",
				  l->problems ? json_incref(l->problems) : json_array());
	(void)json_array_append_new(v->rows, row);
	if (!ctl_is_json(v->opt))
		tell_problems(l);
}

/* What has no network to be a row of; names are of networks alone. */
static void add_fault(struct view *v, const char *file, const struct err *e)
{
	auto_ctl_lint struct ctl_lint l = { .file = file };

	ctl_lint_add_err(&l, e);
	if (!ctl_is_name(v->opt)) {
		add_row(v, &l, json_object());
		return;
	}
	v->errors++;
	tell_problems(&l);
}

/* -- a network -- */

static const char *full_name(const char *namespace, const char *name, char ret[320])
{
	(void)snprintf(ret, 320, "%.63s%s%.253s", namespace ? namespace : "", namespace ? "/" : "",
		       name);
	return ret;
}

static json_t *types_of(const struct network *n)
{
	json_t *types = json_array(), *plugin;
	size_t i;

	json_array_foreach(n->plugins, i, plugin)
		(void)json_array_append(types, json_object_get(plugin, "type"));
	return types;
}

static void put_network(json_t *row, const struct network *n)
{
	(void)json_object_set_new(row, "plugins", types_of(n));
	(void)json_object_set_new(row, "version", json_string(cni_version_name(n->version)));
	(void)json_object_set_new(row, "name", json_string(n->name));
	(void)json_object_set_new(row, "config", json_string(n->source));
	if (n->resource)
		(void)json_object_set_new(row, "resource", json_string(n->resource));
}

/* Of a configuration alone the name is what a pod would have to say. */
static void check_name(const struct network_definition *by, struct ctl_lint *l)
{
	if (!by->namespace && !name_is_dns_subdomain(by->name))
		ctl_lint_add(l, 0, SEVERITY_WARNING, "name: no pod can name it: that is of "
			     "lower-case letters, digits, '-' and '.'");
}

static void check_definition(struct view *v, const struct network_definition *by)
{
	char name[320];
	auto_ctl_lint struct ctl_lint l = {
		.file = by->source, .object = full_name(by->namespace, by->name, name),
	};
	json_t *row = json_pack("{s:s}", "network", l.object);
	struct conf_report r = { .tell = hear, .arg = &l, .is_network = true };
	json_auto_t *doc = json_deep_copy(by->doc);
	auto_network struct network n = { 0 };
	struct err e = { 0 };

	(void)conf_check(&r, doc);
	check_name(by, &l);
	if (network_open(&v->d, by, &n, &e) == 0)
		put_network(row, &n);
	else if (!l.told[SEVERITY_ERROR])
		ctl_lint_add_err(&l, &e);
	add_row(v, &l, row);
}

static const struct ctl_column network_columns[] = {
	{ "NETWORK", "network", .wide = false },
	{ "PLUGINS", "plugins", .wide = false },
	{ "RESOURCE", "resource", .wide = false },
	{ "VERSION", "version", .wide = true },
	{ "NAME", "name", .wide = true },
	{ "CONFIG", "config", .wide = true },
	{ "SOURCE", "source", .wide = false },
	{ "STATE", "state", .coloured = true },
};

static void put_definitions(struct view *v)
{
	for (size_t i = 0; i < v->d.n; i++)
		check_definition(v, &v->d.list[i]);
	ctl_put_rows(v->opt, network_columns, ARRAY_SIZE(network_columns), v->rows,
		     "no networks");
}

/* -- those of a pod -- */

static void put_list(json_t *row, const char *key, const json_t *list)
{
	if (json_array_size(list) > 0)
		(void)json_object_set_new(row, key, json_deep_copy(list));
}

static json_t *row_of(const struct network_selection *s)
{
	char name[320];
	json_t *row = json_pack("{s:s, s:s, s:b}", "interface", s->ifname, "network",
				full_name(s->namespace, s->name, name), "default", s->is_default);

	jx_put_text(row, "mac", s->mac);
	jx_put_text(row, "guid", s->guid);
	jx_put_text(row, "device", s->device_id);
	put_list(row, "ips", s->ips);
	put_list(row, "gateways", s->default_route);
	return row;
}

static void check_selection(struct view *v, const struct network_selection *s)
{
	char name[320];
	auto_ctl_lint struct ctl_lint l = {
		.file = v->opt->pod_file, .object = full_name(s->namespace, s->name, name),
	};
	auto_network struct network n = { 0 };
	json_t *row = row_of(s);
	struct err e = { 0 };

	if ((v->host && network_check_namespace(&v->host->set, v->namespace, s, &e) < 0) ||
	    network_find(&v->d, s->namespace, s->name, &n, &e) < 0) {
		ctl_lint_add_err(&l, &e);
	} else {
		put_network(row, &n);
		l.file = n.by->source;
		if (network_check_request(&n, s, &e) < 0)
			ctl_lint_add_err(&l, &e);
		else
			(void)json_object_set_new(row, "calls", network_calls(&n, s, NULL));
	}
	add_row(v, &l, row);
}

static const struct ctl_column pod_columns[] = {
	{ "INTERFACE", "interface", .wide = false },
	{ "NETWORK", "network", .wide = false },
	{ "PLUGINS", "plugins", .wide = false },
	{ "RESOURCE", "resource", .wide = false },
	{ "MAC", "mac", .wide = true },
	{ "IPS", "ips", .wide = true },
	{ "DEVICE", "device", .wide = true },
	{ "SOURCE", "source", .wide = false },
	{ "STATE", "state", .coloured = true },
};

static int read_selections(struct view *v, const json_t *pod, struct network_selections *ret,
			   struct err *e)
{
	json_t *metadata = json_object_get(pod, "metadata"), *annotations = NULL;
	struct network_pod p = { .namespace = "default", .ifname = "eth0" };

	if (jx_object(metadata, "metadata", "annotations", &annotations, e) < 0 ||
	    jx_string(metadata, "metadata", "namespace", &p.namespace, e) < 0)
		return -1;
	p.annotations = annotations;
	v->namespace = p.namespace;
	return network_selections_read(&p, tell_unknown, v, ret, e);
}

static int read_pod(const char *file, struct manifests *ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (ctl_read_file(file, MANIFEST_BYTES_MAX, &text, &len, e) < 0 ||
	    manifests_read(text, len, file, ret, e) < 0)
		return -1;
	if (ret->n != 1)
		return err_set(e, ERR_NETCONF, 0, "%s: expected one Pod, got %zu objects", file,
			       ret->n);
	return strcmp(ret->list[0].kind, "Pod") == 0 ?
		       0 : err_set(e, ERR_NETCONF, 0, "%s: expected a Pod, got an object of kind "
				   "'%.64s'", file, ret->list[0].kind);
}

static int put_pod(struct view *v, struct err *e)
{
	auto_network_selections struct network_selections s = { .list = NULL };
	auto_manifests struct manifests m = { .list = NULL };
	struct err why = { 0 };

	if (read_pod(v->opt->pod_file, &m, e) < 0)
		return -1;
	if (read_selections(v, m.list[0].doc, &s, &why) < 0)
		add_fault(v, v->opt->pod_file, &why);
	for (size_t i = 0; i < s.n; i++)
		check_selection(v, &s.list[i]);
	ctl_put_rows(v->opt, pod_columns, ARRAY_SIZE(pod_columns), v->rows,
		     "the pod asks for no network");
	return 0;
}

/* -- the directory -- */

/*
 * "nets.yaml: what is wrong"; one that cannot be read, "open 'x'" or "'x' has owner 7 and mode
 * 0644: must be root's", is named by the words alone.  A pod's networks may be in other files: it
 * is attached all the same.
 */
static void hear_of_file(const struct err *why, void *arg)
{
	struct view *v = arg;
	const char *end = *why->msg == '\'' ? NULL : strstr(why->msg, ": ");
	char file[256];

	if (v->opt->pod_file) {
		tell_warning(why->msg, v->d.dir);
		return;
	}
	(void)snprintf(file, sizeof(file), "%.*s", end ? (int)(end - why->msg) : 0, why->msg);
	add_fault(v, end ? file : v->d.dir, why);
}

static int look_at(struct view *v, const char *path, struct err *e)
{
	auto_close int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return err_set(e, ERR_IO, errno, "open the directory '%s'", path);
	v->d.dir = path;
	return network_definitions_look(dir, ".", hear_of_file, v, &v->d, e) < 0 ?
		       err_wrap(e, "%s", path) : 0;
}

/* The node's own is read as by the plugin. */
static int read_directory(struct view *v, const char *path, struct err *e)
{
	if (path)
		return look_at(v, path, e);
	v->d.dir = v->host->set.networks_dir;
	if (!v->d.dir)
		return err_set(e, ERR_NETCONF, 0, "networks: expected a directory, for the node's "
			       "file does not have networksDir");
	return network_definitions_read(v->host->root, v->d.dir, hear_of_file, v, &v->d, e);
}

enum ctl_status ctl_networks(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	json_auto_t *rows = json_array();
	struct view v = { .opt = opt, .host = host, .rows = rows };
	enum ctl_status status = CTL_OK;
	struct err e = { 0 };

	if (read_directory(&v, operands[0], &e) < 0)
		status = ctl_wrong(&e);
	else if (!opt->pod_file)
		put_definitions(&v);
	else if (put_pod(&v, &e) < 0)
		status = ctl_wrong(&e);
	network_definitions_done(&v.d);
	return status != CTL_OK ? status : v.errors > 0 ? CTL_FAILED : CTL_OK;
}
