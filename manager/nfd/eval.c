/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c - rules of Node Feature Discovery, evaluated as nfd-worker and nfd-master would */
#include "manager/nfd/eval.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/nfd/feature_set.h"
#include "manager/nfd/node_feature.h"
#include "manager/nfd/rule_run.h"
#include "manager/nfd/worker.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_MAX = 100000 };

void nfd_eval_init(struct nfd_eval *v, const char *node_name, bool wants_why)
{
	*v = (struct nfd_eval){
		.node_name = node_name,
		.is_node_said = node_name,
		.wants_why = wants_why,
		.features = json_object(),
		.pending = json_object(),
		.problems = json_array(),
		.why = wants_why ? json_array() : NULL,
		.why_left = WHY_MAX,
	};
	rule_outputs_init(&v->outputs);
}

void nfd_eval_done(struct nfd_eval *v)
{
	json_decref(v->features);
	json_decref(v->pending);
	json_decref(v->rows);
	json_decref(v->problems);
	json_decref(v->why);
	rule_outputs_done(&v->outputs);
	*v = (struct nfd_eval){ 0 };
}

static void skip(struct nfd_eval *v, const struct rule_origin *by, const struct err *why)
{
	rule_run_fault(v, by, why, true);
}

static void output_bad(const struct rule_origin *by, const struct err *why, void *arg)
{
	rule_run_fault(arg, by, why, false);
}

/* -- the worker's -- */

static const json_t *custom_rules(struct rule_run *r, const struct manifest *m)
{
	const json_t *rules = NULL;
	struct err why = { 0 };

	if (json_is_array(m->doc))
		return m->doc;
	if (nfd_worker_is(m) && nfd_worker_rules(m, &rules, rule_run_warn, r, &why) < 0)
		skip(r->v, &r->by, &why);
	return rules;
}

/* They see the worker's features, and what they match is for their own backreferences alone. */
static void run_custom(struct nfd_eval *v, const struct manifests *m)
{
	json_auto_t *features = json_deep_copy(v->features);

	for (size_t i = 0; i < m->n; i++) {
		const struct manifest *one = &m->list[i];
		struct rule_run r = {
			.v = v,
			.features = features,
			.kind = &rule_of_worker,
			.by = { .object = one->source, .is_workers = true },
		};

		rule_run_list(&r, custom_rules(&r, one));
	}
}

/* -- the master's -- */

static bool is_kind(const struct manifest *m, const char *kind)
{
	return strcmp(m->api_version, NFD_API_VERSION) == 0 && strcmp(m->kind, kind) == 0;
}

static const char *namespace_of(const struct manifest *m)
{
	const char *s = json_string_value(json_object_get(json_object_get(m->doc, "metadata"),
							  "namespace"));

	return s ? s : "";
}

static int by_object_name(const void *a, const void *b)
{
	const struct manifest *const *x = a, *const *y = b;
	int c = strcmp((*x)->name, (*y)->name);

	if (c == 0)
		c = strcmp(namespace_of(*x), namespace_of(*y));
	return c != 0 ? c : (*x > *y) - (*x < *y);
}

/* Those of a kind, in the order in which they count; owned. */
static const struct manifest **objects_of(const struct manifests *m, const char *kind, size_t *n)
{
	const struct manifest **list = calloc(m->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < m->n; i++)
		if (is_kind(&m->list[i], kind))
			list[(*n)++] = &m->list[i];
	if (list)
		qsort(list, *n, sizeof(*list), by_object_name);
	return list;
}

static int add_spec(struct nfd_eval *v, const json_t *doc, const char *what, struct err *e)
{
	json_t *spec = NULL, *features = NULL, *labels = NULL;

	if (jx_object(doc, "", "spec", &spec, e) < 0 ||
	    jx_object(spec, "spec", "features", &features, e) < 0 ||
	    feature_texts(spec, "labels", &labels, e) < 0)
		return -1;
	return nfd_eval_add(v, features, labels, what, e);
}

static const char *node_of(const struct manifest *m)
{
	const json_t *labels = json_object_get(json_object_get(m->doc, "metadata"), "labels");

	return json_string_value(json_object_get(labels, NFD_NODE_LABEL));
}

/* The node that the objects are about: they say so, when nobody else has. */
static int check_node(struct nfd_eval *v, const struct manifest *m, struct err *e)
{
	const char *node = node_of(m);

	if (!node || !*node)
		return err_set(e, ERR_NETCONF, 0, "has no label " NFD_NODE_LABEL
			       ", so it is of no node");
	if (!v->node_name)
		v->node_name = node;
	return strcmp(v->node_name, node) == 0;
}

static int other_node(const struct nfd_eval *v, const struct manifest *m, struct err *e)
{
	return err_set(e, ERR_NETCONF, 0, "is of node '%.64s', others are of '%.64s': say which by "
		       "--node-name", node_of(m), v->node_name);
}

static void join_features(struct nfd_eval *v, const struct manifests *m)
{
	size_t n;
	auto_free const struct manifest **list = objects_of(m, "NodeFeature", &n);

	for (size_t i = 0; i < n; i++) {
		const struct rule_origin by = { .object = list[i]->source };
		struct err why = { 0 };
		int r = check_node(v, list[i], &why);

		if (r == 0 && !v->is_node_said)
			r = other_node(v, list[i], &why);
		if (r < 0 || (r > 0 && add_spec(v, list[i]->doc, list[i]->source, &why) < 0))
			skip(v, &by, &why);
	}
}

/* The last configuration counts. */
static void read_master(struct nfd_eval *v, const struct manifests *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct rule_run r = { .v = v, .by = { .object = m->list[i].source } };
		struct err why = { 0 };

		if (nfd_master_is(&m->list[i]) && !nfd_worker_is(&m->list[i]) &&
		    nfd_master_read(&m->list[i], &v->outputs.master, rule_run_warn,
				    (void *)(uintptr_t)&r, &why) < 0)
			skip(v, &r.by, &why);
	}
}

static void run_objects(struct nfd_eval *v, const struct manifests *m)
{
	size_t n;
	auto_free const struct manifest **list = objects_of(m, "NodeFeatureRule", &n);

	for (size_t i = 0; i < n; i++) {
		struct rule_run r = {
			.v = v,
			.features = v->features,
			.kind = &rule_of_object,
			.by = { .object = *list[i]->name ? list[i]->name : list[i]->source },
		};
		json_t *spec = NULL, *rules = NULL;
		struct err why = { 0 };

		if (jx_object(list[i]->doc, "", "spec", &spec, &why) < 0 ||
		    jx_array(spec, "spec", "rules", &rules, &why) < 0)
			skip(v, &(struct rule_origin){ .object = list[i]->source }, &why);
		else
			rule_run_list(&r, rules);
	}
}

/* -- all of it -- */

static void check_kinds(struct nfd_eval *v, const struct manifests *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct manifest *one = &m->list[i];
		struct err why = { 0 };

		if (json_is_array(one->doc) || nfd_worker_is(one) || nfd_master_is(one) ||
		    is_kind(one, "NodeFeature") || is_kind(one, "NodeFeatureRule"))
			continue;
		(void)err_set(&why, ERR_NETCONF, 0, "kind '%.64s' of '%.64s' is not read: expected "
			      "NodeFeature or NodeFeatureRule of " NFD_API_VERSION ", or a list of "
			      "custom rules", one->kind, one->api_version);
		skip(v, &(struct rule_origin){ .object = one->source }, &why);
	}
}

int nfd_eval_add(struct nfd_eval *v, const json_t *features, const json_t *labels,
		 const char *what, struct err *e)
{
	if (features && feature_set_merge(v->features, features, e) < 0)
		return -1;
	if (labels)
		(void)json_object_set_new(v->pending, what, json_copy((json_t *)(uintptr_t)labels));
	return 0;
}

static void add_pending(struct nfd_eval *v)
{
	const char *what;
	json_t *labels;

	json_object_foreach(v->pending, what, labels) {
		const struct rule_origin by = { .object = what };

		rule_outputs_add_labels(&v->outputs, labels, &by);
	}
	(void)json_object_clear(v->pending);
}

static int check_given(struct nfd_eval *v, const struct manifest *m, struct err *e)
{
	const char *node = node_of(m);

	if (!is_kind(m, "NodeFeature"))
		return err_set(e, ERR_NETCONF, 0, "expected a NodeFeature of " NFD_API_VERSION
			       ", got kind '%.64s' of '%.64s'", m->kind, m->api_version);
	return node && *node ? check_node(v, m, e) : 1;
}

int nfd_eval_add_manifests(struct nfd_eval *v, const struct manifests *m, struct err *e)
{
	size_t added = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct manifest *one = &m->list[i];
		int r = check_given(v, one, e);

		if (r == 0 && !v->is_node_said)
			r = other_node(v, one, e);
		if (r < 0 || (r > 0 && add_spec(v, one->doc, one->source, e) < 0))
			return err_wrap(e, "%s", one->source);
		added += r > 0;
	}
	if (added == 0)
		return err_set(e, ERR_NETCONF, 0, "there is no NodeFeature of node '%.64s'",
			       v->node_name ? v->node_name : "");
	return 0;
}

void nfd_eval_run(struct nfd_eval *v, const struct manifests *m)
{
	check_kinds(v, m);
	read_master(v, m);
	run_custom(v, m);
	add_pending(v);
	join_features(v, m);
	add_pending(v);
	run_objects(v, m);
	v->rows = rule_outputs_finish(&v->outputs, v->features, output_bad, v);
}
