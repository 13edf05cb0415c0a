/* SPDX-License-Identifier: Apache-2.0 */
/* rule_output.c - what rules give a node: collected, and at the end resolved and checked */
#include "manager/nfd/rule_output.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/nfd/feature_set.h"
#include "manager/nfd/name.h"
#include "manager/nfd/rule_trace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a row, while it is collected. */
#define WORKERS		"is_workers"
#define TAINTS_OFF	"needs nfd-master's --enable-taints"

typedef int judge(const char *name, const char *value, struct err *e);

static int check_nothing(const char *name, const char *value, struct err *e)
{
	(void)name, (void)value, (void)e;
	return 0;
}

static const struct kind {
	const char *name;
	judge *check;			/* NFD drops it; or of its own */
	judge *admit;			/* the API server refuses the node for it; NULL: never */
	bool gets_prefix, is_dynamic;
} label = { .name = "label", .gets_prefix = true, .is_dynamic = true },
  annotation = { "annotation", .check = nfd_check_annotation, .gets_prefix = true },
  resource = { "extended-resource", .check = nfd_check_extended_resource,
	       .admit = nfd_admit_extended_resource, .gets_prefix = true, .is_dynamic = true },
  taint = { .name = "taint", .admit = nfd_admit_taint },
  var = { "var", .check = check_nothing };

static const struct kind *const kinds[] = { &label, &annotation, &resource, &taint, &var };

void rule_outputs_init(struct rule_outputs *o)
{
	o->by_kind = json_object();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		(void)json_object_set_new(o->by_kind, kinds[i]->name, json_object());
}

void rule_outputs_done(struct rule_outputs *o)
{
	json_decref(o->by_kind);
	o->by_kind = NULL;
}

/* -- collected -- */

static json_t *make_row(const struct kind *k, const char *name, const char *value,
			const struct rule_origin *by)
{
	json_t *row = json_pack("{s:s,s:s,s:s,s:s?,s:s}", "name", name, "kind", k->name, "value",
				value, "rule", by->rule, "object", by->object);

	if (by->is_workers)
		(void)json_object_set_new(row, WORKERS, json_true());
	return row;
}

/* Of any length: a check refuses it later. */
static json_t *full_name(const struct kind *k, const char *name)
{
	return json_sprintf("%s%s", k->gets_prefix && !strchr(name, '/') ? NFD_LABEL_NS "/" : "",
			    name);
}

/* The name with a prefix counts when a rule has both. */
static void put_all(struct rule_outputs *o, const struct kind *k, const json_t *set,
		    const struct rule_origin *by)
{
	json_t *rows = json_object_get(o->by_kind, k->name), *v;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)set, name, v) {
		json_auto_t *full = full_name(k, name);
		const char *key = json_string_value(full);

		if (strcmp(key, name) == 0 || !json_object_get(set, key))
			(void)json_object_set_new(rows, key,
						  make_row(k, key, json_string_value(v), by));
	}
}

static const char *text_in(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* A taint is known by its key and its effect. */
static void put_taint(struct rule_outputs *o, const json_t *t, const struct rule_origin *by)
{
	json_auto_t *id = json_sprintf("%s:%s", text_in(t, "key"), text_in(t, "effect"));
	json_t *row = make_row(&taint, text_in(t, "key"), text_in(t, "value"), by);

	(void)json_object_set_new(row, "effect", json_string(text_in(t, "effect")));
	if (!o->master.enables_taints)
		(void)json_object_set_new(row, "note", json_string(TAINTS_OFF));
	(void)json_object_set_new(json_object_get(o->by_kind, taint.name), json_string_value(id),
				  row);
}

void rule_outputs_add(struct rule_outputs *o, const struct rule *r, const json_t *labels,
		      const json_t *vars, const struct rule_origin *by)
{
	const json_t *t;
	size_t i;

	put_all(o, &label, labels, by);
	put_all(o, &annotation, r->annotations, by);
	put_all(o, &resource, r->extended_resources, by);
	put_all(o, &var, vars, by);
	json_array_foreach(r->taints, i, t) {
		put_taint(o, t, by);
	}
}

void rule_outputs_add_labels(struct rule_outputs *o, const json_t *labels,
			     const struct rule_origin *by)
{
	put_all(o, &label, labels, by);
}

/* -- resolved and checked -- */

/* "@kernel.config.LSM": NFD takes the first two parts as they are written. */
static int resolve(const json_t *features, const char *value, const char **ret, struct err *e)
{
	const char *first = strchr(value, '.'), *second = first ? strchr(first + 1, '.') : NULL;
	auto_free char *feature = second ? strndup(value + 1, (size_t)(second - value - 1)) : NULL;
	const json_t *v;

	if (!feature)
		return err_set(e, ERR_NETCONF, 0, "value '%.96s': expected "
			       "'@DOMAIN.FEATURE.ELEMENT'", value);
	if (!json_object_get(json_object_get(features, "attributes"), feature))
		return err_set(e, ERR_NETCONF, 0, "value '%.96s': there are no attributes '%.64s'",
			       value, feature);
	v = json_object_get(feature_elements(features, "attributes", feature), second + 1);
	if (!v)
		return err_set(e, ERR_NETCONF, 0, "value '%.96s': '%.64s' has no element '%.64s'",
			       value, feature, second + 1);
	*ret = json_string_value(v);
	return 0;
}

/* What the rows are made with. */
struct finishing {
	const struct rule_outputs *outputs;
	const json_t *features;
	json_t *rows;
	rule_output_bad *bad;
	void *arg;
};

/* NFD gives it all the same. */
static void note_refusal(const struct kind *k, json_t *row)
{
	const char *note = text_in(row, "note");
	struct err why = { 0 };
	char text[sizeof(why.msg) + 128];

	if (!k->admit || k->admit(text_in(row, "name"), text_in(row, "value"), &why) == 0)
		return;
	(void)snprintf(text, sizeof(text), "%s%sthe API server refuses the node with it: %s", note,
		       *note ? "; " : "", why.msg);
	(void)json_object_set_new(row, "note", trace_text(text));
}

static int finish_value(const struct finishing *f, const struct kind *k, json_t *row,
			bool is_workers, struct err *e)
{
	const char *name = text_in(row, "name"), *value = text_in(row, "value");

	if (k->is_dynamic && *value == '@' && is_workers)
		return err_set(e, ERR_NETCONF, 0, "%s '%.96s': value '%.96s': nfd-worker drops it, "
			       "only labels of a NodeFeatureRule have references", k->name, name,
			       value);
	if (k->is_dynamic && *value == '@') {
		if (resolve(f->features, value, &value, e) < 0)
			return err_wrap(e, "%s '%.96s'", k->name, name);
		(void)json_object_set_new(row, "value", json_string(value));
		value = text_in(row, "value");
	}
	if ((k == &label ? nfd_check_label_of(&f->outputs->master.namespaces, name, value, e) :
			   k->check(name, value, e)) < 0)
		return -1;
	note_refusal(k, row);
	return 0;
}

/* "value:Effect", as kubectl shows it. */
static int finish_taint(json_t *row, struct err *e)
{
	const char *value = text_in(row, "value"), *effect = text_in(row, "effect");

	if (nfd_check_taint(text_in(row, "name"), effect, e) < 0)
		return -1;
	note_refusal(&taint, row);
	(void)json_object_set_new(row, "value", json_sprintf("%s%s%s", value, *value ? ":" : "",
							     effect));
	return 0;
}

static void finish_kind(const struct finishing *f, const struct kind *k)
{
	const json_t *set = json_object_get(f->outputs->by_kind, k->name);
	struct feature_names names = feature_names_of(set);

	for (size_t i = 0; i < names.n; i++) {
		json_auto_t *row = json_copy(json_object_get(set, names.list[i]));
		const struct rule_origin by = {
			.rule = json_string_value(json_object_get(row, "rule")),
			.object = text_in(row, "object"),
		};
		bool is_workers = json_object_get(row, WORKERS);
		struct err why = { 0 };

		(void)json_object_del(row, WORKERS);
		if ((k == &taint ? finish_taint(row, &why) :
				   finish_value(f, k, row, is_workers, &why)) < 0)
			f->bad(&by, &why, f->arg);
		else
			(void)json_array_append(f->rows, row);
	}
	feature_names_done(&names);
}

json_t *rule_outputs_finish(const struct rule_outputs *o, const json_t *features,
			    rule_output_bad *bad, void *arg)
{
	const struct finishing f = { o, features, json_array(), bad, arg };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		finish_kind(&f, kinds[i]);
	return f.rows;
}
