/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_constraint.c - what the devices of a claim have to have in common, or must not
 *
 * matchAttribute: there is a value that all have.  distinctAttribute: no two have one.  An
 * attribute may be a list (KEP-5491), and then any of its values counts.  Without the attribute a
 * device meets neither.  A constraint that names no requests is for all of the claim.
 */
#include "manager/dra/select_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/name.h"

#include <stdio.h>
#include <string.h>

/* -- as they are written -- */

static bool is_choice(const struct select_claim *claim, const char *name)
{
	for (size_t i = 0; i < claim->n; i++) {
		if (strcmp(claim->requests[i].name, name) == 0)
			return true;
		for (size_t k = 0; k < claim->requests[i].n; k++)
			if (strcmp(claim->requests[i].choices[k].name, name) == 0)
				return true;
	}
	return false;
}

int requests_named_check(const struct select_claim *claim, const json_t *list, struct err *e)
{
	const json_t *name;
	size_t i;

	json_array_foreach(list, i, name) {
		if (!is_choice(claim, json_string_value(name)))
			return err_set(e, ERR_NETCONF, 0, "requests[%zu]: the claim has no request "
				       "'%.64s'", i, json_string_value(name));
		for (size_t k = 0; k < i; k++)
			if (json_equal(json_array_get(list, k), name))
				return err_set(e, ERR_NETCONF, 0, "requests[%zu]: a second '%.64s'",
					       i, json_string_value(name));
	}
	return 0;
}

static int check_constraint(const struct select_claim *claim, const json_t *o, struct err *e)
{
	static const char *const keys[] = { "requests", "matchAttribute", "distinctAttribute" };
	const char *match = NULL, *distinct = NULL, *name;
	json_t *requests = NULL;

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(o));
	if (jx_only_exact_keys(o, "", keys, ARRAY_SIZE(keys), e) < 0 ||
	    jx_strings(o, "", "requests", &requests, e) < 0 ||
	    jx_string(o, "", "matchAttribute", &match, e) < 0 ||
	    jx_string(o, "", "distinctAttribute", &distinct, e) < 0)
		return -1;
	if (!match && !distinct)
		return err_set(e, ERR_NETCONF, 0, "expected one of matchAttribute and "
			       "distinctAttribute");
	name = match ? match : distinct;	/* of both the scheduler goes by this one */
	if (!strchr(name, '/'))
		return err_set(e, ERR_NETCONF, 0, "%s: '%.64s' has no domain, as in domain/name",
			       match ? keys[1] : keys[2], name);
	if (!dra_name_is_attribute(name))
		return err_set(e, ERR_NETCONF, 0, "%s: '%.64s' can be no attribute's name",
			       match ? keys[1] : keys[2], name);
	return requests_named_check(claim, requests, e);
}

int constraints_check(const struct select_claim *claim, struct err *e)
{
	const json_t *o;
	size_t i;

	if (json_array_size(claim->constraints) > SELECT_CONSTRAINTS_MAX)
		return err_set(e, ERR_NETCONF, 0, "constraints: %zu of them, %d are allowed",
			       json_array_size(claim->constraints), SELECT_CONSTRAINTS_MAX);
	json_array_foreach(claim->constraints, i, o)
		if (check_constraint(claim, o, e) < 0)
			return err_wrap(e, "constraints[%zu]", i);
	return 0;
}

/* -- as they are met -- */

static bool is_about(const json_t *constraint, const struct select_choice *choice)
{
	const json_t *list = json_object_get(constraint, "requests"), *name;
	size_t i;

	json_array_foreach(list, i, name)
		if (strcmp(json_string_value(name), choice->request) == 0 ||
		    strcmp(json_string_value(name), choice->name) == 0)
			return true;
	return json_array_size(list) == 0;
}

/* A name without a domain is of the driver's. */
static const json_t *attribute_of(const struct dra_device *d, const char *name)
{
	const json_t *all = json_object_get(d->device, "attributes");
	const json_t *v = json_object_get(all, name);
	size_t n = strcspn(name, "/");

	if (v || strncmp(name, d->slice->driver, n) != 0 || d->slice->driver[n])
		return v;
	return json_object_get(all, name + n + 1);
}

struct value {
	char type;			/* 's'tring, 'i'nt, 'b'ool, 'v'ersion; 0: none of these */
	const json_t *v;		/* one, or a list of them */
};

static struct value value_of(const json_t *attribute)
{
	static const char *const types[] = { "string", "int", "bool", "version" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		char list[16];
		const json_t *v = json_object_get(attribute, types[i]);

		(void)snprintf(list, sizeof(list), "%ss", types[i]);
		v = v ? v : json_object_get(attribute, list);
		if (v && !json_is_null(v))
			return (struct value){ *types[i], v };
	}
	return (struct value){ 0, NULL };
}

static size_t value_count(const struct value *v)
{
	return json_is_array(v->v) ? json_array_size(v->v) : v->v != NULL;
}

static const json_t *value_at(const struct value *v, size_t i)
{
	return json_is_array(v->v) ? json_array_get(v->v, i) : v->v;
}

static bool has_value(const struct value *in, const struct value *of, size_t at)
{
	for (size_t i = 0; in->type == of->type && i < value_count(in); i++)
		if (json_equal(value_at(in, i), value_at(of, at)))
			return true;
	return false;
}

static bool overlap(const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < value_count(a); i++)
		if (has_value(b, a, i))
			return true;
	return false;
}

struct group {
	const struct dra_device *devices[SELECT_RESULTS_MAX];
	struct value values[SELECT_RESULTS_MAX];
	size_t n;
};

/* What a constraint goes by so far. */
static void gather(const struct select_held *held, const char *name, struct group *ret)
{
	for (ret->n = 0; ret->n < held->n; ret->n++) {
		ret->devices[ret->n] = held->list[ret->n].device;
		ret->values[ret->n] = value_of(attribute_of(ret->devices[ret->n], name));
	}
}

/* One of the values is every device's; the first device without it is against it. */
static const struct dra_device *unlike(const struct group *g, const struct value *v)
{
	const struct dra_device *against = NULL;

	for (size_t i = 0; i < value_count(v); i++) {
		size_t k = 0;

		while (k < g->n && has_value(&g->values[k], v, i))
			k++;
		if (k == g->n)
			return NULL;
		against = g->devices[k];
	}
	return against;
}

static const struct dra_device *alike(const struct group *g, const struct value *v)
{
	for (size_t i = 0; i < g->n; i++)
		if (overlap(&g->values[i], v))
			return g->devices[i];
	return NULL;
}

/* FAULT_LISTS: a list has no value that could be compared; only beside no other is it taken. */
static const struct dra_device *against_list(const struct group *g, const struct value *v,
					     bool is_match)
{
	if (g->n == 0)
		return NULL;
	if (json_is_array(v->v) || (is_match && json_is_array(g->values[0].v)))
		return g->devices[0];
	for (size_t i = 0; !is_match && i < g->n; i++)
		if (!json_is_array(g->values[i].v) && overlap(&g->values[i], v))
			return g->devices[i];
	return is_match ? unlike(g, v) : NULL;
}

static bool fits(const struct select_held *held, unsigned int faults, const json_t *constraint,
		 const struct dra_device *d, const char **other)
{
	const char *match = json_string_value(json_object_get(constraint, "matchAttribute"));
	const char *name = match ? match :
			   json_string_value(json_object_get(constraint, "distinctAttribute"));
	struct value v = value_of(attribute_of(d, name));
	const struct dra_device *against;
	struct group g;

	*other = NULL;
	if (value_count(&v) == 0)
		return false;
	gather(held, name, &g);
	against = faults & FAULT(LISTS) ? against_list(&g, &v, match != NULL) :
		  match ? unlike(&g, &v) : alike(&g, &v);
	if (against)
		*other = against->name;
	return !against;
}

const json_t *constraint_against(const struct select_claim *claim, unsigned int faults,
				 const struct select_choice *choice, const struct dra_device *d,
				 const char **other)
{
	const json_t *o;
	size_t i;

	json_array_foreach(claim->constraints, i, o)
		if (is_about(o, choice) && !fits(&claim->held[i], faults, o, d, other))
			return o;
	return NULL;
}

/* -- what they go by -- */

/* FAULT_ONE_VALUE: of distinctAttribute a request has one place, which the next device takes. */
static bool has_places(const json_t *constraint, unsigned int faults)
{
	return faults & FAULT(ONE_VALUE) && !json_object_get(constraint, "matchAttribute");
}

static void remove_place(struct select_held *held, const char *request)
{
	for (size_t i = held->n; i > 0; i--)
		if (strcmp(held->list[i - 1].choice->request, request) == 0) {
			memmove(&held->list[i - 1], &held->list[i],
				(held->n - i) * sizeof(*held->list));
			held->n--;
			return;
		}
}

void constraint_add(struct select_claim *claim, unsigned int faults,
		    const struct select_choice *choice, const struct dra_device *d)
{
	const json_t *o;
	size_t i;

	json_array_foreach(claim->constraints, i, o) {
		struct select_held *held = &claim->held[i];

		if (!is_about(o, choice))
			continue;
		if (has_places(o, faults))
			remove_place(held, choice->request);
		if (held->n == SELECT_RESULTS_MAX)	/* only what was not given back */
			continue;
		held->list[held->n].choice = choice;
		held->list[held->n++].device = d;
	}
}

void constraint_remove(struct select_claim *claim, unsigned int faults,
		       const struct select_choice *choice)
{
	const json_t *o;
	size_t i;

	json_array_foreach(claim->constraints, i, o) {
		if (!is_about(o, choice))
			continue;
		if (has_places(o, faults))
			remove_place(&claim->held[i], choice->request);
		else if (claim->held[i].n > 0)
			claim->held[i].n--;
	}
}
