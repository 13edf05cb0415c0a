/* SPDX-License-Identifier: Apache-2.0 */
/* overrides.c - what administrators say of devices: --overrides, and --why of scan and show */
#include "manager/ctl/overrides.h"

#include "base/mem.h"
#include "manager/ctl/table.h"
#include "manager/dra/node_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the manifests -- */

/* A directory's, where a file that is wrong is told; or a file's, which has to be right. */
static int read_path(const char *path, struct overrides *o, struct err *e)
{
	auto_close int dir = strcmp(path, "-") == 0 ?
				     -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *text = NULL;
	size_t len = 0;

	if (dir >= 0)
		return manifests_read_dir(dir, "/", &o->from, overrides_bad_file, o, e);
	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, e) < 0)
		return -1;
	return manifests_read(text, len, strcmp(path, "-") == 0 ? "standard input" : path, &o->from,
			      e);
}

int ctl_read_overrides(const struct host *host, const struct ctl_options *opt,
		       struct overrides *ret, struct err *e)
{
	if (overrides_read_dir(host, ret, e) < 0)
		return -1;
	if (!opt->overrides)
		return 0;
	if (host->set.overrides)
		return read_path(opt->overrides, ret, e);
	ctl_put_line(stderr, "devinfoctl: --overrides has no effect: the node's file turns "
		     "overrides off");
	return 0;
}

static void tell_override(const struct override_finding *f)
{
	char more[32] = "";

	if (f->devices > 1)
		(void)snprintf(more, sizeof(more), " and %zu more", f->devices - 1);
	ctl_put_line(stderr, "devinfoctl: %s: %s%s%s%s%s%s%s",
		     f->is_fault ? "not applied" : "warning", f->object, *f->object ? ": " : "",
		     *f->device ? "device " : "", f->device, more, *f->device ? ": " : "", f->text);
}

void ctl_tell_overrides(const struct overrides *o)
{
	for (size_t i = 0; i < o->n_findings; i++)
		tell_override(&o->findings[i]);
	if (o->more_findings)
		ctl_put_line(stderr, "devinfoctl: %zu more findings", o->more_findings);
}

/* -- where values are from -- */

static const struct ctl_column columns[] = {
	{ "DEVICE", "device", .wide = false },
	{ "KIND", "kind", .wide = false },
	{ "NAME", "name", .wide = false },
	{ "VALUE", "value", .wide = false },
	{ "ORIGIN", "origin", .wide = false },
	{ "SOURCE", "source", .wide = false },
	{ "REPLACES", "replaces", .wide = false },
	{ "PRIORITY", "priority", .wide = true },
	{ "BEATS", "beats", .wide = true },
};

/* A table has no word for false. */
static void word_for(json_t *row, const char *key)
{
	const json_t *v = json_object_get(row, key);

	if (json_is_boolean(v))
		(void)json_object_set_new(row, key,
					  json_string(json_is_true(v) ? "true" : "false"));
}

static void add_rows(const json_t *explained, const char *member, const char *kind, bool for_people,
		     json_t *rows)
{
	json_t *value;
	size_t i;

	json_array_foreach(json_object_get(explained, member), i, value) {
		json_t *row = json_pack("{s:O, s:s}", "device", json_object_get(explained, "name"),
					"kind", kind);

		(void)json_object_update(row, value);
		if (for_people) {
			word_for(row, "value");
			word_for(row, "replaces");
		}
		(void)json_array_append_new(rows, row);
	}
}

/* Faults are rows, too, for programs; people have them on standard error. */
static void add_findings(const struct overrides *o, json_t *rows)
{
	json_auto_t *findings = overrides_findings(o);
	json_t *f;
	size_t i;

	json_array_foreach(findings, i, f) {
		(void)json_object_set_new(f, "kind", json_string("finding"));
		(void)json_array_append(rows, f);
	}
}

/* Its id, by what was published of it: an override may say another, or none. */
static const char *id_of(const struct dra_device *d)
{
	const json_t *id = json_object_get(json_object_get(d->published, "attributes"),
					   "k8s.cni.cncf.io/deviceID");
	const char *text = json_string_value(json_object_get(id, "string"));

	return text ? text : "";
}

static json_t *rows_of(const struct node_view *v, bool for_people,
		       bool (*has_device)(const char *id, const void *arg), const void *arg)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < v->devices.n; i++) {
		json_auto_t *explained = NULL;

		if (!has_device(id_of(&v->devices.list[i]), arg))
			continue;
		explained = overrides_explain(&v->devices.list[i], &v->changes.devices[i]);
		add_rows(explained, "attributes", "attribute", for_people, rows);
		add_rows(explained, "capacity", "capacity", for_people, rows);
		add_rows(explained, "taints", "taint", for_people, rows);
		add_rows(explained, "removed", "removed", for_people, rows);
	}
	return rows;
}

/* NULL: a recorded node has no name. */
static const char *node_of(const struct host *host, const struct ctl_options *opt,
			   char buf[NODE_NAME_SIZE])
{
	struct err why;

	return opt->node_name ? opt->node_name : host_node_name(host, buf, &why) == 0 ? buf : NULL;
}

static void say_nameless(const struct overrides *o)
{
	for (size_t i = 0; i < o->n_rules; i++)
		if (o->rules[i].condition.filter->pool) {
			ctl_put_line(stderr, "devinfoctl: the node's name is not known, so no "
				     "override of a pool is about it: --node-name says it");
			return;
		}
}

enum ctl_status ctl_check_why(const struct ctl_options *opt, const char *command)
{
	if (opt->why || (!opt->overrides && !opt->node_name))
		return CTL_OK;
	return ctl_usage("--%s of %s has no effect without --why",
			 opt->overrides ? "overrides" : "node-name", command);
}

enum ctl_status ctl_put_origins(const struct host *host, const struct ctl_options *opt,
				const struct inventory *inv,
				bool (*has_device)(const char *id, const void *arg),
				const void *arg, const char *none)
{
	auto_node_view struct node_view v = { .o = { .patches = NULL } };
	auto_pools struct pools pools = { .n = 0 };
	struct node_slices_wish wish = {
		.driver = NODE_SLICES_DRIVER, .pools = &pools, .host = host,
	};
	char buf[NODE_NAME_SIZE];
	const char *node = node_of(host, opt, buf);
	json_auto_t *rows = NULL;
	struct err e = { 0 };

	if (opt->pool && ctl_read_pools(opt->pool, &pools, &e) < 0)
		return ctl_wrong(&e);
	wish.node = node ? node : "localhost";
	if (ctl_read_overrides(host, opt, &v.o, &e) < 0 || node_view_make(inv, &wish, &v, &e) < 0)
		return ctl_error(&e);
	if (!node)
		say_nameless(&v.o);
	rows = rows_of(&v, !ctl_is_json(opt), has_device, arg);
	if (ctl_is_json(opt))
		add_findings(&v.o, rows);
	else
		ctl_tell_overrides(&v.o);
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, none);
	return CTL_OK;
}
