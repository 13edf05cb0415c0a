/* SPDX-License-Identifier: Apache-2.0 */
/* select_allocation.c - what was selected, as status.allocation of resource.k8s.io/v1 */
#include "manager/dra/select_part.h"

#include "base/mem.h"
#include "base/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What has to be true of a device before a pod is bound, which nobody waits for here. */
static void copy_conditions(const struct dra_device *d, json_t *to)
{
	static const char *const keys[] = { "bindingConditions", "bindingFailureConditions" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *list = json_object_get(d->device, keys[i]);

		if (json_array_size(list) > 0)
			(void)json_object_set_new(to, keys[i], json_deep_copy(list));
	}
}

/* The API server puts in the operator. */
static json_t *tolerations_of(const json_t *list)
{
	json_t *ret = json_deep_copy(list), *one;
	size_t i;

	json_array_foreach(ret, i, one) {
		const char *op = json_string_value(json_object_get(one, "operator"));

		if (!op || !*op)
			(void)json_object_set_new(one, "operator", json_string("Equal"));
	}
	return ret;
}

/* The scheduler's is made of random numbers; this one is the same each time. */
static json_t *share_id(const struct select_claim *claim, size_t i,
			const struct select_candidate *c)
{
	char key[SELECT_KEY], text[SELECT_KEY + SELECT_CLAIM_NAME + 32];
	uint64_t a, b;

	(void)snprintf(text, sizeof(text), "%s %zu %s", claim->name, i,
		       candidate_key(c->device, key));
	a = name_hash(0, text);
	b = name_hash(a, text);
	return json_sprintf("%08" PRIx32 "-%04" PRIx32 "-8%03" PRIx32 "-a%03" PRIx32 "-%012" PRIx64,
			    (uint32_t)(a >> 32), (uint32_t)(a >> 16 & 0xffff),
			    (uint32_t)(a & 0xfff), (uint32_t)(b >> 48 & 0xfff),
			    b & UINT64_C(0xffffffffffff));
}

/* Who has a part of a device has so much of its capacity. */
static void put_share(const struct select_claim *claim, const struct select_search *s, size_t i,
		      json_t *to)
{
	const struct select_result *r = &claim->results[i];
	const struct select_candidate *c = &s->candidates->list[r->candidate];
	json_auto_t *consumed = capacity_consumed(c, r->choice->capacity, s->faults);

	(void)json_object_set_new(to, "shareID", share_id(claim, i, c));
	if (json_object_size(consumed) > 0)
		(void)json_object_set(to, "consumedCapacity", consumed);
}

static json_t *result_of(const struct select_claim *claim, const struct select_search *s, size_t i)
{
	const struct select_result *r = &claim->results[i];
	const struct dra_device *d = s->candidates->list[r->candidate].device;
	json_t *ret = json_pack("{s:s,s:s,s:s,s:s}", "request", r->choice->name, "driver",
				d->slice->driver, "pool", d->slice->pool, "device", d->name);

	if (r->choice->admin)
		(void)json_object_set_new(ret, "adminAccess", json_true());
	if (r->choice->tolerations)
		(void)json_object_set_new(ret, "tolerations",
					  tolerations_of(r->choice->tolerations));
	copy_conditions(d, ret);
	if (s->candidates->list[r->candidate].is_shared)
		put_share(claim, s, i, ret);
	return ret;
}

static const struct select_choice *chosen(const struct select_request *r)
{
	return &r->choices[r->chosen];
}

/* -- configuration of the class, then of the claim -- */

static json_t *config_entry(json_t *config, const char *source, const json_t *requests)
{
	json_t *ret = json_pack("{s:s}", "source", source);

	if (json_array_size(requests) > 0)
		(void)json_object_set_new(ret, "requests", json_deep_copy(requests));
	(void)json_object_update_missing(ret, config);
	return ret;
}

static bool is_first_of_class(const struct select_claim *claim, size_t request)
{
	for (size_t i = 0; i < request; i++)
		if (chosen(&claim->requests[i])->class == chosen(&claim->requests[request])->class)
			return false;
	return true;
}

static void add_class_config(const struct select_claim *claim, size_t request, json_t *to)
{
	const struct select_class *class = chosen(&claim->requests[request])->class;
	json_t *list = json_object_get(class->spec, "config"), *config;
	json_t *requests = json_array();
	size_t i;

	for (i = request; i < claim->n; i++)
		if (chosen(&claim->requests[i])->class == class)
			(void)json_array_append_new(requests,
						    json_string(chosen(&claim->requests[i])->name));
	json_array_foreach(list, i, config)
		(void)json_array_append_new(to, config_entry(config, "FromClass", requests));
	json_decref(requests);
}

static bool is_for(const json_t *requests, const struct select_claim *claim)
{
	const json_t *name;
	size_t i;

	json_array_foreach(requests, i, name)
		for (size_t k = 0; json_is_string(name) && k < claim->n; k++)
			if (strcmp(json_string_value(name), claim->requests[k].name) == 0 ||
			    strcmp(json_string_value(name), chosen(&claim->requests[k])->name) == 0)
				return true;
	return json_array_size(requests) == 0;
}

static void add_claim_config(const struct select_claim *claim, json_t *to)
{
	json_t *list = json_object_get(claim->devices, "config"), *config;
	size_t i;

	json_array_foreach(list, i, config) {
		const json_t *requests = json_object_get(config, "requests");

		if (is_for(requests, claim))
			(void)json_array_append_new(to, config_entry(config, "FromClaim",
								     requests));
	}
}

/* -- nodes that have the devices -- */

static json_t *this_node(const char *node)
{
	return json_pack("{s:[{s:[{s:s,s:s,s:[s]}]}]}", "nodeSelectorTerms", "matchFields", "key",
			 "metadata.name", "operator", "In", "values", node);
}

static bool has_requirement(const json_t *list, const json_t *requirement)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (json_equal(one, requirement))
			return true;
	return false;
}

/* Requirements of a term are all to be met: those of several slices become one term's. */
static void add_requirements(json_t *selector, const char *key, json_t *term)
{
	json_t *term_of_slice = json_array_get(json_object_get(selector, "nodeSelectorTerms"), 0);
	json_t *list = json_object_get(term, key), *requirement;
	size_t i;

	json_array_foreach(json_object_get(term_of_slice, key), i, requirement) {
		if (has_requirement(list, requirement))
			continue;
		if (!list) {
			list = json_array();
			(void)json_object_set_new(term, key, list);
		}
		(void)json_array_append_new(list, json_deep_copy(requirement));
	}
}

static const struct dra_device *device_at(const struct select_claim *claim,
					  const struct select_candidates *c, size_t result)
{
	return c->list[claim->results[result].candidate].device;
}

/* What says which nodes have it: the device, or its slice. */
static const json_t *nodes_of(const struct dra_device *d)
{
	const json_t *spec = json_object_get(d->slice->doc, "spec");

	return json_is_true(json_object_get(spec, "perDeviceNodeSelection")) ? d->device : spec;
}

static bool is_of_one_node(const struct dra_device *d)
{
	return json_is_string(json_object_get(nodes_of(d), "nodeName")) ||
	       json_is_true(json_object_get(d->device, "bindsToNode"));
}

int allocation_nodes_check(const struct select_claim *claim, const struct select_candidates *c,
			   struct err *e)
{
	for (size_t i = 0; i < claim->n_results; i++) {
		const struct dra_device *d = device_at(claim, c, i);
		const json_t *selector = json_object_get(nodes_of(d), "nodeSelector");
		size_t n = json_array_size(json_object_get(selector, "nodeSelectorTerms"));

		if (is_of_one_node(d))
			return 0;
		if (n > 1)
			return err_set(e, ERR_NETCONF, 0, "device %s of pool %.64s of driver %s "
				       "has a nodeSelector of %zu terms, and an allocation has "
				       "one", d->name, d->slice->pool, d->slice->driver, n);
	}
	return 0;
}

/* This node where any device is of one node or binds to one; NULL: all nodes. */
static json_t *node_selector(const struct select_claim *claim, const struct select_candidates *c,
			     const char *node)
{
	json_auto_t *term = json_object();

	for (size_t i = 0; i < claim->n_results; i++) {
		const struct dra_device *d = device_at(claim, c, i);
		json_t *selector = json_object_get(nodes_of(d), "nodeSelector");

		if (is_of_one_node(d))
			return this_node(node);
		add_requirements(selector, "matchExpressions", term);
		add_requirements(selector, "matchFields", term);
	}
	return json_object_size(term) == 0 ? NULL :
	       json_pack("{s:[O]}", "nodeSelectorTerms", term);
}

json_t *select_allocation(const struct select_claim *claim, const struct select_search *s,
			  const char *node)
{
	json_t *results = json_array(), *config = json_array(), *ret, *selector;

	for (size_t i = 0; i < claim->n_results; i++)
		(void)json_array_append_new(results, result_of(claim, s, i));
	for (size_t i = 0; i < claim->n; i++)
		if (is_first_of_class(claim, i))
			add_class_config(claim, i, config);
	add_claim_config(claim, config);
	ret = json_pack("{s:{s:o}}", "devices", "results", results);
	if (json_array_size(config) > 0)
		(void)json_object_set(json_object_get(ret, "devices"), "config", config);
	json_decref(config);
	selector = node_selector(claim, s->candidates, node);
	if (selector)
		(void)json_object_set_new(ret, "nodeSelector", selector);
	return ret;
}
