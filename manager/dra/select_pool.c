/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_pool.c - the pools of devices, whether they are whole, and what of them a node can have
 *
 * In the scheduler's order: drivers, pools and slices by name, devices as they are in the slice;
 * pools with bindingConditions last.  Of a pool that is not whole (a slice is missing, or two
 * devices have one name) nothing is allocated.
 */
#include "manager/dra/select_part.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *spec_of(const struct dra_slice *s)
{
	return json_object_get(s->doc, "spec");
}

const char *candidate_key(const struct dra_device *d, char ret[SELECT_KEY])
{
	(void)snprintf(ret, SELECT_KEY, "%.63s/%.253s/%.63s", d->slice->driver, d->slice->pool,
		       d->name);
	return ret;
}

/* -- of this node -- */

/* A term of a nodeSelector may name the node itself: In or NotIn. */
static bool is_of_another(const json_t *term, const char *node)
{
	const json_t *field, *name;
	size_t i, k;

	json_array_foreach(json_object_get(term, "matchFields"), i, field) {
		const char *key = json_string_value(json_object_get(field, "key"));
		const char *op = json_string_value(json_object_get(field, "operator"));
		bool named = false;

		if (!key || !op || strcmp(key, "metadata.name") != 0)
			continue;
		json_array_foreach(json_object_get(field, "values"), k, name)
			named |= json_is_string(name) && strcmp(json_string_value(name), node) == 0;
		if (named ? strcmp(op, "NotIn") == 0 : strcmp(op, "In") == 0)
			return true;
	}
	return false;
}

/* By labels it may be: they are not known, which is told.  A term of nothing selects no node. */
static bool selects(const json_t *selector, const char *node, bool *by_label)
{
	const json_t *terms = json_object_get(selector, "nodeSelectorTerms"), *term;
	size_t i;

	json_array_foreach(terms, i, term) {
		size_t labels = json_array_size(json_object_get(term, "matchExpressions"));
		size_t fields = json_array_size(json_object_get(term, "matchFields"));

		if (labels + fields == 0 || is_of_another(term, node))
			continue;
		*by_label |= labels > 0;
		return true;
	}
	return false;
}

/* Of a slice, or of a device of one with perDeviceNodeSelection. */
static bool is_of_node(const json_t *o, const char *node, bool *by_label)
{
	const char *name = json_string_value(json_object_get(o, "nodeName"));

	if (name && *name)
		return strcmp(name, node) == 0;
	return json_is_true(json_object_get(o, "allNodes")) ||
	       selects(json_object_get(o, "nodeSelector"), node, by_label);
}

static bool is_per_device(const struct dra_slice *s)
{
	return json_is_true(json_object_get(spec_of(s), "perDeviceNodeSelection"));
}

/* One of other nodes may still have counters, and devices that consume them. */
static bool is_slice_of_node(const struct dra_slice *s, const char *node)
{
	const json_t *device;
	bool ignored = false;
	size_t i;

	if (!is_per_device(s))
		return is_of_node(spec_of(s), node, &ignored);
	json_array_foreach(json_object_get(spec_of(s), "devices"), i, device)
		if (is_of_node(device, node, &ignored))
			return true;
	return false;
}

static bool node_has(const struct dra_device *d, const char *node, bool *by_label)
{
	return is_of_node(is_per_device(d->slice) ? d->device : spec_of(d->slice), node, by_label);
}

/* -- pools -- */

/* A driver has no '/'. */
static const char *pool_name(const struct dra_slice *s, char ret[SELECT_KEY])
{
	(void)snprintf(ret, SELECT_KEY, "%.63s/%.253s", s->driver, s->pool);
	return ret;
}

/* That of a slice which has been added. */
static struct select_pool *pool_of(const struct select_candidates *c, const struct dra_slice *s)
{
	char name[SELECT_KEY];

	return &c->pools[json_integer_value(json_object_get(c->by_name, pool_name(s, name)))];
}

static struct select_pool *add_pool(struct select_candidates *c, const struct dra_slice *s)
{
	struct select_pool *p;
	char name[SELECT_KEY];

	if (json_object_get(c->by_name, pool_name(s, name)))
		return pool_of(c, s);
	(void)json_object_set_new(c->by_name, name, json_integer((json_int_t)c->n_pools));
	p = &c->pools[c->n_pools++];
	p->driver = s->driver;
	p->name = s->pool;
	p->counters = json_object();
	p->groups = json_object();
	return p;
}

static void add_counters(struct select_pool *p, const json_t *spec)
{
	const json_t *set;
	size_t i;

	json_array_foreach(json_object_get(spec, "sharedCounters"), i, set) {
		const char *name = json_string_value(json_object_get(set, "name"));

		if (!name || !json_is_object(json_object_get(set, "counters")))
			continue;
		if (json_object_get(p->counters, name))
			(void)snprintf(p->fault, sizeof(p->fault),
				       "it has two counter sets '%.63s'", name);
		(void)json_object_set_new(p->counters, name,
					  json_deep_copy(json_object_get(set, "counters")));
	}
}

static void add_slice(struct select_candidates *c, const struct dra_slice *s, const char *node)
{
	struct select_pool *p = add_pool(c, s);
	bool is_here = is_slice_of_node(s, node);
	const json_t *device;
	size_t i;

	p->n_slices++;
	p->is_here |= is_here || json_array_size(json_object_get(spec_of(s), "sharedCounters")) > 0;
	add_counters(p, spec_of(s));
	json_array_foreach(json_object_get(spec_of(s), "devices"), i, device) {
		p->binds |= is_here &&
			    json_array_size(json_object_get(device, "bindingConditions")) > 0;
		p->is_grouped |= groups_named(device);
	}
}

static int gather_pools(const struct dra_devices *d, const char *node,
			struct select_candidates *ret, struct err *e)
{
	ret->pools = calloc(d->n_slices + 1, sizeof(*ret->pools));
	if (!ret->pools)
		return err_set(e, ERR_IO, ENOMEM, "pools of devices");
	ret->by_name = json_object();
	for (size_t i = 0; i < d->n_slices; i++)
		add_slice(ret, &d->slices[i], node);
	return 0;
}

/* -- what is wrong with them -- */

static void check_whole(struct select_candidates *c, const struct dra_devices *d)
{
	for (size_t i = 0; i < d->n_slices; i++) {
		struct select_pool *p = pool_of(c, &d->slices[i]);
		json_int_t want = json_integer_value(json_object_get(
			json_object_get(spec_of(&d->slices[i]), "pool"), "resourceSliceCount"));

		if ((json_int_t)p->n_slices != want)
			(void)snprintf(p->fault, sizeof(p->fault), "of its slices %zu are here, "
				       "of %" JSON_INTEGER_FORMAT, p->n_slices, want);
	}
}

static void check_names(struct select_candidates *c, const struct dra_devices *d)
{
	json_auto_t *seen = json_object();
	char key[SELECT_KEY];

	for (size_t i = 0; i < d->n; i++) {
		struct select_pool *p = pool_of(c, d->list[i].slice);

		if (json_object_get(seen, candidate_key(&d->list[i], key)))
			(void)snprintf(p->fault, sizeof(p->fault), "it has two devices '%.63s'",
				       d->list[i].name);
		(void)json_object_set_new(seen, key, json_true());
	}
}

/* What a device consumes has to be there to be consumed. */
static void check_consumption(struct select_pool *p, const struct dra_device *d)
{
	const json_t *entry;
	const char *name;
	json_t *v;
	size_t i;

	json_array_foreach(json_object_get(d->device, "consumesCounters"), i, entry) {
		const char *set = json_string_value(json_object_get(entry, "counterSet"));
		const json_t *counters = set ? json_object_get(p->counters, set) : NULL;

		if (!counters)
			(void)snprintf(p->fault, sizeof(p->fault), "device %.63s: it has no "
				       "counter set '%.63s'", d->name, set ? set : "");
		json_object_foreach(json_object_get(entry, "counters"), name, v)
			if (counters && !json_object_get(counters, name))
				(void)snprintf(p->fault, sizeof(p->fault), "device %.63s: counter "
					       "set '%.63s' has no '%.63s'", d->name, set, name);
	}
}

static void check_pools(struct select_candidates *c, const struct dra_devices *d)
{
	check_names(c, d);
	for (size_t i = 0; i < d->n; i++)
		check_consumption(pool_of(c, d->list[i].slice), &d->list[i]);
	check_whole(c, d);
}

/*
 * Also by devices that only other nodes can have.  FAULT_SHARED_COUNTERS: those of a device of
 * which somebody has a part do not count.
 */
static void take_counters(struct select_candidates *c, const struct dra_devices *d,
			  const struct select_taken *taken, unsigned int faults)
{
	char key[SELECT_KEY];

	for (size_t i = 0; i < d->n; i++) {
		struct select_pool *p = pool_of(c, d->list[i].slice);
		bool is_had = json_object_get(taken->devices, candidate_key(&d->list[i], key));
		bool is_part = json_object_get(taken->shares, key) &&
			       !(faults & FAULT(SHARED_COUNTERS));

		if (!is_had && !is_part)
			continue;
		counters_take(p, &d->list[i]);
		groups_take(p, &d->list[i]);
	}
}

/* -- what a node can have -- */

static int compare_candidates(const void *a, const void *b)
{
	const struct select_candidate *x = a, *y = b;
	const struct dra_slice *s = x->device->slice, *t = y->device->slice;
	int r = x->pool->binds - y->pool->binds;

	r = r ? r : strcmp(s->driver, t->driver);
	r = r ? r : strcmp(s->pool, t->pool);
	r = r ? r : strcmp(s->name, t->name);
	return r ? r : x->device < y->device ? -1 : x->device > y->device;
}

bool device_is_shared(const struct dra_device *d)
{
	return json_is_true(json_object_get(d->device, "allowMultipleAllocations"));
}

static int add_candidate(struct select_candidates *c, const struct dra_device *d, const char *node,
			 const struct select_taken *taken, struct err *e)
{
	struct select_candidate *ret = &c->list[c->n++];
	char key[SELECT_KEY];

	*ret = (struct select_candidate){ .device = d, .pool = pool_of(c, d->slice) };
	ret->is_here = node_has(d, node, &c->selected_nodes);
	c->n_here += ret->is_here;
	ret->is_shared = device_is_shared(d);
	ret->taken_by = json_string_value(json_object_get(taken->devices, candidate_key(d, key)));
	return capacity_read(ret, json_object_get(taken->shares, key), e);
}

/* A slice whose devices have nodes of their own has devices of others, too: they are asked. */
static int add_candidates(const struct dra_devices *d, const char *node,
			  const struct select_taken *taken, struct select_candidates *ret,
			  struct err *e)
{
	const struct dra_slice *last = NULL;
	bool is_here = false;

	ret->list = calloc(d->n + 1, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "devices");
	for (size_t i = 0; i < d->n; i++) {
		const struct dra_slice *s = d->list[i].slice;

		is_here = s == last ? is_here : is_slice_of_node(s, node);
		last = s;
		if (is_here && add_candidate(ret, &d->list[i], node, taken, e) < 0)
			return -1;
	}
	qsort(ret->list, ret->n, sizeof(*ret->list), compare_candidates);
	return 0;
}

int select_candidates_find(const struct dra_devices *d, const char *node,
			   const struct select_taken *taken, unsigned int faults,
			   struct select_candidates *ret, struct err *e)
{
	if (gather_pools(d, node, ret, e) < 0)
		return -1;
	check_pools(ret, d);
	take_counters(ret, d, taken, faults);
	return ledgers_open(ret, faults, e) < 0 ? -1 : add_candidates(d, node, taken, ret, e);
}

const struct select_pool *select_faulty_pool(const struct select_candidates *c)
{
	for (size_t i = 0; i < c->n_pools; i++)
		if (c->pools[i].is_here && *c->pools[i].fault)
			return &c->pools[i];
	return NULL;
}

void select_candidates_done(struct select_candidates *c)
{
	for (size_t i = 0; i < c->n_pools; i++) {
		json_decref(c->pools[i].counters);
		json_decref(c->pools[i].groups);
		free(c->pools[i].own.list);
	}
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].capacity);
	json_decref(c->by_name);
	free(c->pools);
	free(c->list);
	*c = (struct select_candidates){ .pools = NULL };
}
