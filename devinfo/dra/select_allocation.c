/* SPDX-License-Identifier: Apache-2.0 */
/* select_allocation.c - what was selected, as status.allocation of resource.k8s.io/v1 */
#include "devinfo/dra/select_part.h"

#include <string.h>

static json_t *result_of(const struct select_result *r, const struct select_candidates *c)
{
	const struct dra_device *d = c->list[r->candidate].device;
	json_t *ret = json_pack("{s:s,s:s,s:s,s:s}", "request", r->choice->name, "driver",
				d->slice->driver, "pool", d->slice->pool, "device", d->name);

	if (r->choice->admin)
		(void)json_object_set_new(ret, "adminAccess", json_true());
	if (r->choice->tolerations)
		(void)json_object_set_new(ret, "tolerations",
					  json_deep_copy(r->choice->tolerations));
	return ret;
}

static const struct select_choice *chosen(const struct select_request *r)
{
	return &r->choices[r->chosen];
}

/* -- configuration of the class, then of the claim -- */

static json_t *config_entry(json_t *config, const char *source, const json_t *requests, size_t all)
{
	json_t *ret = json_pack("{s:s}", "source", source);

	if (json_array_size(requests) > 0 && json_array_size(requests) < all)
		(void)json_object_set_new(ret, "requests", json_deep_copy(requests));
	(void)json_object_update_missing(ret, config);
	if (json_array_size(requests) >= all)
		(void)json_object_del(ret, "requests");
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
		(void)json_array_append_new(to, config_entry(config, "FromClass", requests,
							     claim->n));
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
			(void)json_array_append_new(to, config_entry(config, "FromClaim", requests,
								     claim->n));
	}
}

/* -- nodes that have the devices -- */

static json_t *node_selector(const struct select_claim *claim, const struct select_candidates *c,
			     const char *node)
{
	json_t *selector = NULL;

	for (size_t i = 0; i < claim->n_results; i++) {
		const struct dra_device *d = c->list[claim->results[i].candidate].device;
		const json_t *spec = json_object_get(d->slice->doc, "spec");
		const json_t *from = json_is_true(json_object_get(spec, "perDeviceNodeSelection")) ?
				     d->device : spec;

		if (json_is_string(json_object_get(from, "nodeName")))
			return json_pack("{s:[{s:[{s:s,s:s,s:[s]}]}]}", "nodeSelectorTerms",
					 "matchFields", "key", "metadata.name", "operator", "In",
					 "values", node);
		if (!selector)
			selector = json_object_get(from, "nodeSelector");
	}
	return json_is_object(selector) ? json_incref(selector) : NULL;
}

json_t *select_allocation(const struct select_claim *claim, const struct select_candidates *c,
			  const char *node)
{
	json_t *results = json_array(), *config = json_array(), *ret, *selector;

	for (size_t i = 0; i < claim->n_results; i++)
		(void)json_array_append_new(results, result_of(&claim->results[i], c));
	for (size_t i = 0; i < claim->n; i++)
		if (is_first_of_class(claim, i))
			add_class_config(claim, i, config);
	add_claim_config(claim, config);
	ret = json_pack("{s:{s:o}}", "devices", "results", results);
	if (json_array_size(config) > 0)
		(void)json_object_set(json_object_get(ret, "devices"), "config", config);
	json_decref(config);
	selector = node_selector(claim, c, node);
	if (selector)
		(void)json_object_set_new(ret, "nodeSelector", selector);
	return ret;
}
