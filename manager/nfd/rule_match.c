/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_match.c - does a rule match the features of a node, by what, and why not?
 *
 * NFD stops at the first term or expression that is not met.  Where the reason is wanted, the
 * others are evaluated, too, but do not count: an expression that fails behind the first that is
 * not met makes no rule faulty.
 */
#include "manager/nfd/rule.h"

#include "manager/nfd/feature_set.h"
#include "manager/nfd/rule_trace.h"

#include <stdint.h>
#include <string.h>

/*
 * Of several that have to hold: what they come to in this order, and the first fault.  Expressions
 * have no order in NFD, so when one is not met and another fails, chance says what comes of them.
 */
struct all {
	int result;
	struct err *e, *chance;		/* the fault that NFD may come upon, or not */
};

static void all_add(struct all *a, int r, const struct err *why)
{
	if (a->result == 1 && r < 0)
		*a->e = *why;
	if (a->result == 1)
		a->result = r;
}

static void all_add_unordered(struct all *a, int r, const struct err *why)
{
	if (a->result != 1 && r != 1 && (a->result < 0) != (r < 0) && a->chance->code == ERR_OK)
		*a->chance = r < 0 ? *why : *a->e;
	all_add(a, r, why);
}

/* The features of a term's name; NULL: of this type there are none. */
struct found {
	const json_t *flags, *attributes, *instances;
};

/* Where what is found goes; NULL: not wanted. */
struct search {
	json_t *elements, *why;
	size_t *why_left;
	struct err *chance;		/* see struct all */
};

/* Where it is told with its expressions, or NULL: it is not, or so much was that no more is. */
static json_t *told(json_t *terms, const struct rule_term *t, size_t *left)
{
	size_t n = 1 + t->expressions.n;

	if (terms)
		*left = *left > n ? *left - n : 0;
	return terms && *left > 0 ? terms : NULL;
}

/* -- flags and attributes -- */

static void take(const struct search *s, const char *name, const json_t *value, bool has_values)
{
	json_t *element;

	if (!s->elements)
		return;
	element = json_pack("{s:s}", "Name", name);
	if (has_values)
		(void)json_object_set_new(element, "Value",
					  value ? json_incref((json_t *)(uintptr_t)value) :
						  json_string(""));
	(void)json_array_append_new(s->elements, element);
}

static int meets_element(const struct expression *x, const struct search *s, const json_t *set,
			 bool has_values, struct err *e)
{
	const json_t *v = json_object_get(set, x->name);
	int r = expression_meets_value(x, v, has_values ? json_string_value(v) : NULL, e);

	if (r > 0)
		take(s, x->name, v, has_values);
	return r;
}

/* One of the two is enough; absence has to be in both. */
static int meets_either(const struct expression *x, const struct search *s, const struct found *f,
			struct err *e)
{
	int flag = 0, attribute = 0;

	if (f->flags)
		flag = meets_element(x, s, f->flags, false, e);
	if (flag < 0 || (f->flags && flag == 0 && expression_wants_absence(x)))
		return flag;
	if (f->attributes)
		attribute = meets_element(x, s, f->attributes, true, e);
	if (attribute < 0 || (f->attributes && attribute == 0 && expression_wants_absence(x)))
		return attribute;
	return flag || attribute;
}

static int match_elements(const struct rule_term *t, const struct search *s, const struct found *f,
			  struct err *e)
{
	struct all all = { .result = 1, .e = e, .chance = s->chance };

	if (!f->flags && !f->attributes)
		return 0;
	for (size_t i = 0; i < t->expressions.n; i++) {
		const struct expression *x = &t->expressions.list[i];
		struct err why = { 0 };
		int r = meets_either(x, s, f, &why);

		trace_expression(s->why, x, f->attributes, f->flags, r, &why);
		all_add_unordered(&all, r, &why);
	}
	if (all.result != 1 && s->elements)
		(void)json_array_clear(s->elements);
	return all.result;
}

/* -- instances -- */

static int match_instance(const struct rule_term *t, const json_t *attributes, json_t *terms,
			  struct err *chance, struct err *e)
{
	struct all all = { .result = 1, .e = e, .chance = chance };

	for (size_t i = 0; i < t->expressions.n; i++) {
		const struct expression *x = &t->expressions.list[i];
		const char *value = json_string_value(json_object_get(attributes, x->name));
		struct err why = { 0 };
		int r = expression_meets_value(x, value != NULL, value, &why);

		trace_expression(terms, x, attributes, NULL, r, &why);
		all_add_unordered(&all, r, &why);
	}
	return all.result;
}

/* All are looked at, for one may fail. */
static int match_instances(const struct rule_term *t, const struct search *s,
			   const json_t *instances, struct err *e)
{
	const json_t *instance;
	int result = 0;
	size_t i;

	json_array_foreach(instances, i, instance) {
		json_t *attributes = json_object_get(instance, "attributes");
		json_t *why = told(s->why, t, s->why_left);
		int r = match_instance(t, attributes, trace_add_instance(why, i), s->chance, e);

		trace_set(why, r, e);
		if (r < 0)
			return -1;
		if (r > 0 && s->elements)
			(void)json_array_append(s->elements, attributes);
		result |= r;
	}
	return result;
}

static int match_expressions(const struct rule_term *t, const struct search *s,
			     const struct found *f, struct err *e)
{
	int elements = match_elements(t, s, f, e), instances;

	if (elements < 0)
		return -1;
	instances = match_instances(t, s, f->instances, e);
	return instances < 0 ? -1 : elements || instances;
}

/* -- names -- */

static int match_names_of(const struct rule_term *t, const struct search *s, const json_t *set,
			  bool has_values, struct err *e)
{
	struct feature_names names = feature_names_of(set);
	int result = 0;

	for (size_t i = 0; i < names.n && result >= 0; i++) {
		int r = expression_meets_value(&t->name, true, names.list[i], e);

		if (r > 0)
			take(s, names.list[i], json_object_get(set, names.list[i]), has_values);
		result = r < 0 ? -1 : result || r;
	}
	feature_names_done(&names);
	return result;
}

/* Of an instance, one of the names of its attributes. */
static int match_names_of_instances(const struct rule_term *t, const struct search *s,
				    const json_t *instances, struct err *e)
{
	const struct search inside = { .elements = NULL };
	const json_t *instance;
	int result = 0;
	size_t i;

	json_array_foreach(instances, i, instance) {
		json_t *attributes = json_object_get(instance, "attributes");
		int r = match_names_of(t, &inside, attributes, true, e);

		if (r < 0)
			return -1;
		if (r > 0 && s->elements)
			(void)json_array_append(s->elements, attributes);
		result |= r;
	}
	return result;
}

static int match_names(const struct rule_term *t, const struct search *s, const struct found *f,
		       struct err *e)
{
	int flags = match_names_of(t, s, f->flags, false, e), attributes, instances;

	if (flags < 0)
		return -1;
	attributes = match_names_of(t, s, f->attributes, true, e);
	if (attributes < 0)
		return -1;
	instances = match_names_of_instances(t, s, f->instances, e);
	return instances < 0 ? -1 : flags || attributes || instances;
}

/* -- terms -- */

/* Expressions first; of names none is asked when these are not met. */
static int match_found(const struct rule_term *t, const struct search *s, const struct found *f,
		       struct err *e)
{
	struct err why = { 0 };
	int r = t->has_expressions ? match_expressions(t, s, f, e) : 1, of_name;

	if (!t->has_name || (r != 1 && !s->why))
		return r;
	of_name = match_names(t, s, f, &why);
	trace_name(s->why, &t->name, of_name, &why);
	if (r == 1 && of_name < 0)
		*e = why;
	return r == 1 ? of_name : r;
}

static int match_term(const struct rule_term *t, const json_t *features, const struct search *s,
		      struct err *e)
{
	const struct found f = {
		.flags = feature_elements(features, "flags", t->feature),
		.attributes = feature_elements(features, "attributes", t->feature),
		.instances = feature_elements(features, "instances", t->feature),
	};

	if (feature_is_known(features, t->feature))
		return match_found(t, s, &f, e);
	(void)trace_add(s->why, "the node has this feature");
	trace_set(s->why, 0, e);
	return 0;
}

/* {"pci": {"device": [...]}}, under the name as it is written; one without a dot is a domain. */
static void add_data(json_t *data, const struct rule_term *t, json_t *elements)
{
	const char *dot = strchr(t->written, '.'), *name = dot ? t->written : t->feature;
	size_t len = dot ? (size_t)(dot - name) : strlen(name);
	json_t *domain = json_object_getn(data, name, len), *list;

	if (!domain) {
		domain = json_object();
		(void)json_object_setn_new(data, name, len, domain);
	}
	list = json_object_get(domain, dot ? dot + 1 : "");
	if (!list) {
		list = json_array();
		(void)json_object_set_new(domain, dot ? dot + 1 : "", list);
	}
	(void)json_array_extend(list, elements);
}

static int match_all(const struct rule_matcher *m, const json_t *features, struct rule_match *ret,
		     json_t *data, json_t *terms, struct err *e)
{
	struct all all = { .result = 1, .e = e };

	for (size_t i = 0; i < m->n && (all.result == 1 || terms); i++) {
		const struct rule_term *t = &m->terms[i];
		json_auto_t *elements = data ? json_array() : NULL;
		json_t *list = told(terms, t, &ret->why_left);
		struct err why = { 0 }, chance = ret->chance;
		const struct search s = {
			.elements = elements,
			.why = trace_add(list, t->written),
			.why_left = &ret->why_left,
			.chance = all.result == 1 ? &ret->chance : &chance,
		};
		int r = match_term(t, features, &s, &why);

		trace_set(list, r, &why);
		all_add(&all, r, &why);
		if (data)
			add_data(data, t, elements);
	}
	return all.result;
}

/* -- matchers -- */

/* What it matched is added to data, for the templates; one that does not count is but told. */
static int match_matcher(const struct rule_matcher *m, const json_t *features,
			 struct rule_match *ret, bool counts, json_t *terms, struct err *e)
{
	json_auto_t *data = ret->data && counts ? json_object() : NULL;
	json_t *inside = trace_add(terms, "matchFeatures");
	struct err chance = ret->chance;
	int r = match_all(m, features, ret, data, inside, e);

	trace_set(terms, r, e);
	if (!counts)
		ret->chance = chance;
	if (r == 1 && data)
		(void)json_array_append(ret->data, data);
	return r;
}

/* With templates each matcher has to be looked at: they run for each that matches. */
static int match_any(const struct rule *r, const json_t *features, struct rule_match *ret,
		     struct err *e)
{
	json_t *terms = trace_add(ret->why, "matchAny");
	bool needs_all = ret->data || ret->why;
	int result = 0;

	for (size_t i = 0; i < r->any_n && (result == 0 || needs_all); i++) {
		bool counts = result == 0 || (result > 0 && ret->data);
		struct err why = { 0 };
		int one = match_matcher(&r->any[i], features, ret, counts, terms, &why);

		if (!counts)
			continue;
		if (one < 0)
			*e = why;
		result = one < 0 ? -1 : result || one;
	}
	trace_set(ret->why, result, e);
	return result;
}

int rule_matches(const struct rule *r, const json_t *features, struct rule_match *ret,
		 struct err *e)
{
	struct all all = { .result = 1, .e = e };
	struct err why = { 0 };

	if (r->any_n > 0)
		all_add(&all, match_any(r, features, ret, &why), &why);
	if (r->features.n > 0 && (all.result == 1 || ret->why))
		all_add(&all, match_matcher(&r->features, features, ret, all.result == 1, ret->why,
					    &why), &why);
	return all.result;
}

void rule_match_done(struct rule_match *m)
{
	json_decref(m->data);
	json_decref(m->why);
	*m = (struct rule_match){ 0 };
}

/* -- what a match gives -- */

int rule_expand(const struct rule *r, const struct rule_match *m, json_t *labels, json_t *vars,
		struct err *e)
{
	const json_t *data;
	size_t i;

	json_array_foreach(m->data, i, data) {
		if (r->labels_template &&
		    template_expand(r->labels_template, data, labels, e) < 0)
			return err_wrap(e, "labelsTemplate");
		if (r->vars_template && template_expand(r->vars_template, data, vars, e) < 0)
			return err_wrap(e, "varsTemplate");
	}
	if (r->labels)
		(void)json_object_update(labels, (json_t *)(uintptr_t)r->labels);
	if (r->vars)
		(void)json_object_update(vars, (json_t *)(uintptr_t)r->vars);
	return 0;
}
