/* SPDX-License-Identifier: Apache-2.0 */
/* rule_read.c - a rule of Node Feature Discovery is read */
#include "manager/nfd/rule.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/nfd/feature_set.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TERMS_MAX = 256, MATCHERS_MAX = 256 };

const struct rule_kind rule_of_object = { .dialect = &expressions_of_rule };
const struct rule_kind rule_of_worker = { .dialect = &expressions_of_worker, .is_workers = true };

struct reading {
	const struct rule_kind *kind;
	rule_warn *warn;
	void *arg;
	struct rule *rule;
};

/* The worker takes keys in any case, the API server as they are. */
static int check_spelling(json_t *o, const struct reading *r, const char *const *keys, size_t n,
			  struct err *e)
{
	if (!r->kind->is_workers)
		return jx_only_exact_keys(o, "", keys, n, e);
	if (jx_only_keys(o, "", keys, n, e) < 0)
		return -1;
	jx_fold_keys(o, keys, n);
	return 0;
}

/* -- what it wants -- */

static void term_done(struct rule_term *t)
{
	free(t->feature);
	expressions_done(&t->expressions);
	expression_done(&t->name);
}

static void matcher_done(struct rule_matcher *m)
{
	for (size_t i = 0; i < m->n; i++)
		term_done(&m->terms[i]);
	free(m->terms);
}

static int by_name(const void *a, const void *b)
{
	const struct expression *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* "pci.device: {...}" in place of "feature: pci.device" is how legacy rules looked. */
static int check_term_keys(json_t *o, const struct reading *r, struct err *e)
{
	static const char *const keys[] = { "feature", "matchExpressions", "matchName" };

	if (check_spelling(o, r, keys, ARRAY_SIZE(keys), e) == 0)
		return 0;
	if (!json_object_get(o, "feature"))
		(void)err_detail(e, "a term is {feature: NAME, matchExpressions: {...}}");
	return -1;
}

static int read_feature(const json_t *o, struct rule_term *t, struct err *e)
{
	int r = jx_string(o, "", "feature", &t->written, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "feature: missing");
	t->feature = strdup(t->written);
	if (!t->feature)
		return err_set(e, ERR_IO, ENOMEM, "feature '%.64s'", t->written);
	for (char *p = t->feature; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return 0;
}

/* Sorted, for so NFD lists what matched. */
static int read_expressions(json_t *o, const struct reading *r, struct rule_term *t, struct err *e)
{
	json_t *v = json_object_get(o, "matchExpressions");

	if (!v || json_is_null(v))
		return 0;
	t->has_expressions = true;
	if (expressions_from_json(v, r->kind->dialect, &t->expressions, e) < 0)
		return err_wrap(e, "matchExpressions");
	if (t->expressions.n > 0)
		qsort(t->expressions.list, t->expressions.n, sizeof(*t->expressions.list), by_name);
	return 0;
}

static int read_match_name(json_t *o, const struct reading *r, struct rule_term *t, struct err *e)
{
	json_t *v = json_object_get(o, "matchName");

	if (!v || json_is_null(v))
		return 0;
	if (expression_from_json("", v, r->kind->dialect, &t->name, e) < 0)
		return err_wrap(e, "matchName");
	t->has_name = true;
	return 0;
}

static bool has_upper(const char *s)
{
	for (; *s; s++)
		if (isupper((unsigned char)*s))
			return true;
	return false;
}

/*
 * Somebody's NodeFeature may have a name without a dot, NFD's own features are all called so.  The
 * templates are read by now: for them the spelling of the rule counts.
 */
static void warn_of_feature(const char *name, const char *feature, const struct reading *r)
{
	char text[256];

	if (!strchr(name, '.')) {
		(void)snprintf(text, sizeof(text), "feature '%.64s' is no DOMAIN.FEATURE: NFD has "
			       "none of that name, and templates cannot use it", name);
		r->warn(text, r->arg);
	}
	if (has_upper(name) && (r->rule->labels_template || r->rule->vars_template)) {
		(void)snprintf(text, sizeof(text), "feature '%.64s': a template has it under this "
			       "spelling alone, not as %.64s", name, feature);
		r->warn(text, r->arg);
	}
}

static int read_term(json_t *o, const struct reading *r, struct rule_term *t, struct err *e)
{
	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(o));
	if (check_term_keys(o, r, e) < 0 || read_feature(o, t, e) < 0 ||
	    read_expressions(o, r, t, e) < 0 || read_match_name(o, r, t, e) < 0)
		return -1;
	warn_of_feature(t->written, t->feature, r);
	return 0;
}

static int read_matcher(const json_t *o, const struct reading *r, struct rule_matcher *m,
			struct err *e)
{
	json_t *list = NULL, *v;
	size_t i;

	if (jx_array(o, "", "matchFeatures", &list, e) < 0)
		return -1;
	if (json_array_size(list) > TERMS_MAX)
		return err_set(e, ERR_NETCONF, 0, "matchFeatures: more than %d terms", TERMS_MAX);
	m->terms = calloc(json_array_size(list) + 1, sizeof(*m->terms));
	if (!m->terms)
		return err_set(e, ERR_IO, ENOMEM, "matchFeatures");
	json_array_foreach(list, i, v) {
		m->n = i + 1;
		if (read_term(v, r, &m->terms[i], e) < 0)
			return err_wrap(e, "matchFeatures[%zu]", i);
	}
	return 0;
}

static int read_any_matcher(json_t *o, const struct reading *r, struct rule_matcher *m,
			    struct err *e)
{
	static const char *const keys[] = { "matchFeatures" };
	const json_t *v;

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(o));
	if (check_spelling(o, r, keys, ARRAY_SIZE(keys), e) < 0)
		return -1;
	v = json_object_get(o, "matchFeatures");
	if (!r->kind->is_workers && (!v || json_is_null(v)))
		return err_set(e, ERR_NETCONF, 0, "matchFeatures: missing");
	return read_matcher(o, r, m, e);
}

static int read_any(const json_t *o, const struct reading *r, struct err *e)
{
	struct rule *rule = r->rule;
	json_t *list = NULL, *v;
	size_t i;

	if (jx_array(o, "", "matchAny", &list, e) < 0)
		return -1;
	if (json_array_size(list) > MATCHERS_MAX)
		return err_set(e, ERR_NETCONF, 0, "matchAny: more than %d matchers", MATCHERS_MAX);
	rule->any = calloc(json_array_size(list) + 1, sizeof(*rule->any));
	if (!rule->any)
		return err_set(e, ERR_IO, ENOMEM, "matchAny");
	json_array_foreach(list, i, v) {
		rule->any_n = i + 1;
		if (read_any_matcher(v, r, &rule->any[i], e) < 0)
			return err_wrap(e, "matchAny[%zu]", i);
	}
	return 0;
}

/* -- what it gives -- */

static int read_texts(const json_t *o, const char *key, const json_t **ret, struct err *e)
{
	json_t *map = NULL;
	int r = feature_texts(o, key, &map, e);

	*ret = map;
	return r;
}

static int read_taints(const json_t *o, const json_t **ret, struct err *e)
{
	static const char *const keys[] = { "key", "value", "effect", "timeAdded" };
	const char *text = "";
	json_t *list = NULL;
	const json_t *v;
	size_t i;

	if (jx_array(o, "", "taints", &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v) {
		if (!json_is_object(v))
			return err_set(e, ERR_NETCONF, 0, "taints[%zu]: expected an object, got %s",
				       i, jx_type_name(v));
		if (jx_only_exact_keys(v, "", keys, ARRAY_SIZE(keys), e) < 0 ||
		    jx_string(v, "", "key", &text, e) < 0 ||
		    jx_string(v, "", "value", &text, e) < 0 ||
		    jx_string(v, "", "effect", &text, e) < 0)
			return err_wrap(e, "taints[%zu]", i);
	}
	*ret = list;
	return 0;
}

static int read_template(const json_t *o, const char *key, struct template **ret,
			 struct err *e)
{
	const char *text = "";

	if (jx_string(o, "", key, &text, e) < 0)
		return -1;
	if (!*text)
		return 0;
	*ret = template_parse(text, e);
	return *ret ? 0 : err_wrap(e, "%s", key);
}

static int read_outputs(const json_t *o, const struct reading *r, struct err *e)
{
	struct rule *rule = r->rule;

	if (read_texts(o, "labels", &rule->labels, e) < 0 ||
	    read_texts(o, "vars", &rule->vars, e) < 0 ||
	    read_template(o, "labelsTemplate", &rule->labels_template, e) < 0 ||
	    read_template(o, "varsTemplate", &rule->vars_template, e) < 0)
		return -1;
	if (r->kind->is_workers)
		return 0;
	if (read_texts(o, "annotations", &rule->annotations, e) < 0 ||
	    read_texts(o, "extendedResources", &rule->extended_resources, e) < 0)
		return -1;
	return read_taints(o, &rule->taints, e);
}

/* -- all of it -- */

static const char *const keys[] = {
	"name", "labels", "labelsTemplate", "annotations", "vars", "varsTemplate", "taints",
	"extendedResources", "matchFeatures", "matchAny",
};

static const char *const keys_of_objects[] = { "annotations", "taints", "extendedResources" };

static int check_keys(json_t *o, const struct reading *r, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
		if (strcasecmp(key, "matchOn") == 0)
			return err_set(e, ERR_NETCONF, 0, "matchOn: rules of that form were "
				       "removed in v0.15: write matchFeatures with feature and "
				       "matchExpressions");
	if (check_spelling(o, r, keys, ARRAY_SIZE(keys), e) < 0)
		return -1;
	for (size_t i = 0; r->kind->is_workers && i < ARRAY_SIZE(keys_of_objects); i++)
		if (json_object_get(o, keys_of_objects[i])) {
			char text[160];

			(void)snprintf(text, sizeof(text), "%s: passed over, for nfd-worker's "
				       "rules have none: a NodeFeatureRule has",
				       keys_of_objects[i]);
			r->warn(text, r->arg);
		}
	return 0;
}

static int read_rule(json_t *doc, const struct reading *r, struct err *e)
{
	struct rule *rule = r->rule;

	if (!json_is_object(doc))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(doc));
	if (check_keys(doc, r, e) < 0 || jx_string(doc, "", "name", &rule->name, e) < 0)
		return -1;
	if (!*rule->name)
		return err_set(e, ERR_NETCONF, 0, "name: missing");
	return read_outputs(doc, r, e) < 0 || read_matcher(doc, r, &rule->features, e) < 0 ||
			       read_any(doc, r, e) < 0 ?
		       -1 : 0;
}

const char *rule_name(const json_t *doc)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)doc, key, v) {
		if (strcasecmp(key, "name") == 0 && json_is_string(v))
			return json_string_value(v);
	}
	return NULL;
}

/* Of a copy, for keys get another spelling. */
int rule_read(const json_t *doc, const struct rule_kind *kind, struct rule *ret, rule_warn *warn,
	      void *arg, struct err *e)
{
	struct rule rule = { .kind = kind, .name = "", .doc = json_deep_copy(doc) };
	const struct reading r = { .kind = kind, .warn = warn, .arg = arg, .rule = &rule };

	if (read_rule(rule.doc, &r, e) < 0) {
		rule_done(&rule);
		return -1;
	}
	*ret = rule;
	return 0;
}

/* -- what it says, and NFD will not be able to ask -- */

struct telling {
	const struct rule_kind *kind;
	rule_warn *warn;
	void *arg;
};

static void tell_fault(const struct telling *t, const struct expression *x, const char *where,
		       size_t i)
{
	char text[400];

	if (!x->fault)
		return;
	(void)snprintf(text, sizeof(text), "%s[%zu]: %.64s: %.160s: %sNFD skips the rule where it "
		       "asks a node for it", where, i, *x->name ? x->name : "matchName", x->fault,
		       t->kind->is_workers ? "" : "the API server takes this, but ");
	t->warn(text, t->arg);
}

static void tell_faults_of(const struct telling *t, const struct rule_matcher *m,
			   const char *where)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct rule_term *term = &m->terms[i];

		for (size_t j = 0; j < term->expressions.n; j++)
			tell_fault(t, &term->expressions.list[j], where, i);
		if (term->has_name)
			tell_fault(t, &term->name, where, i);
	}
}

void rule_tell_faults(const struct rule *r, rule_warn *warn, void *arg)
{
	const struct telling t = { r->kind, warn, arg };
	char where[64];

	tell_faults_of(&t, &r->features, "matchFeatures");
	for (size_t i = 0; i < r->any_n; i++) {
		(void)snprintf(where, sizeof(where), "matchAny[%zu]: matchFeatures", i);
		tell_faults_of(&t, &r->any[i], where);
	}
}

void rule_done(struct rule *r)
{
	matcher_done(&r->features);
	for (size_t i = 0; i < r->any_n; i++)
		matcher_done(&r->any[i]);
	free(r->any);
	template_free(r->labels_template);
	template_free(r->vars_template);
	json_decref(r->doc);
	*r = (struct rule){ 0 };
}
