/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_claim.c - ResourceClaims and ResourceClaimTemplates are read
 *
 * In v1 and v1beta2 what a request asks for is in `exactly`, in older versions in the request
 * itself; `firstAvailable` is the same in all.  What is wrong with a claim is told with it, and
 * then nothing is selected.
 */
#include "manager/dra/select_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/field.h"
#include "manager/dra/limits.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- a request -- */

/* As many as no claim gets, and those of all its requests together are a number. */
static const json_int_t count_max = PTRDIFF_MAX / SELECT_REQUESTS_MAX;

/*
 * A count of 0 and a mode of "" are as absent: the API server puts in what is usual.  It takes
 * each count, and a choice with too many gives way to the next.
 */
static int read_mode(const json_t *o, struct select_choice *ret, struct err *e)
{
	const char *mode = "";
	json_int_t count = 0;

	if (jx_string(o, "", "allocationMode", &mode, e) < 0 ||
	    jx_int(o, "", "count", 0, INT64_MAX, &count, e) < 0)
		return -1;
	ret->all = strcmp(mode, "All") == 0;
	if (!ret->all && *mode && strcmp(mode, "ExactCount") != 0)
		return err_set(e, ERR_NETCONF, 0, "allocationMode: '%.32s' is neither ExactCount "
			       "nor All", mode);
	if (ret->all && count > 0)
		return err_set(e, ERR_NETCONF, 0, "count: not with allocationMode All");
	ret->count = count > count_max ? (size_t)count_max : count > 0 ? (size_t)count : 1;
	return 0;
}

static int read_class_name(const json_t *o, const struct select_classes *classes,
			   struct select_choice *ret, struct err *e)
{
	const char *name = NULL;

	if (jx_string(o, "", "deviceClassName", &name, e) < 0)
		return -1;
	if (!name || !*name)
		return err_set(e, ERR_NETCONF, 0, "deviceClassName: missing");
	ret->class = select_class(classes, name);
	if (!ret->class)
		return err_set(e, ERR_NETCONF, 0, "deviceClassName: no DeviceClass '%.64s' is "
			       "among the files", name);
	return *ret->class->fault ? err_set(e, ERR_NETCONF, 0, "DeviceClass %s: %.180s", name,
					    ret->class->fault) : 0;
}

static int read_choice(const json_t *o, const struct select_classes *classes,
		       struct select_choice *ret, struct err *e)
{
	json_t *list = NULL, *tolerations = NULL, *capacity = NULL;

	if (read_class_name(o, classes, ret, e) < 0 || read_mode(o, ret, e) < 0 ||
	    jx_bool(o, "", "adminAccess", &ret->admin, e) < 0 ||
	    jx_array(o, "", "selectors", &list, e) < 0 ||
	    jx_array(o, "", "tolerations", &tolerations, e) < 0 ||
	    jx_object(o, "", "capacity", &capacity, e) < 0)
		return -1;
	ret->tolerations = tolerations;
	ret->capacity = capacity;
	if (selectors_read(list, &ret->selectors, e) < 0 || tolerations_check(tolerations, e) < 0)
		return -1;
	return capacity_check(capacity, e);
}

static const char *const choice_keys[] = {
	"adminAccess", "deviceClassName", "selectors", "allocationMode", "count", "tolerations",
	"capacity", "name", "firstAvailable",
};
enum { EXACT_KEYS = 7, FLAT_KEYS = 9, SUB_FIRST = 1, SUB_KEYS = 7 };

/* A subrequest has its name among the rest, and no adminAccess. */
static int read_sub(const json_t *o, const struct select_classes *classes,
		    const struct select_request *request, struct select_choice *ret, struct err *e)
{
	const char *name = "";

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(o));
	if (jx_only_exact_keys(o, "", choice_keys + SUB_FIRST, SUB_KEYS, e) < 0 ||
	    jx_string(o, "", "name", &name, e) < 0)
		return -1;
	if (!name_is_dns_label(name))
		return err_set(e, ERR_NETCONF, 0, "name: '%.64s' is no DNS label", name);
	ret->request = request->name;
	(void)snprintf(ret->name, sizeof(ret->name), "%s/%s", request->name, name);
	return read_choice(o, classes, ret, e);
}

static int read_subs(const json_t *list, const struct select_classes *classes,
		     struct select_request *ret, struct err *e)
{
	struct select_choice *choices = ret->choices;
	size_t n = json_array_size(list);

	if (n > SELECT_CHOICES_MAX)
		return err_set(e, ERR_NETCONF, 0, "firstAvailable: %zu of them, %d are allowed", n,
			       SELECT_CHOICES_MAX);
	for (size_t i = 0; i < n; i++) {
		ret->n++;
		if (read_sub(json_array_get(list, i), classes, ret, &choices[i], e) < 0)
			return err_wrap(e, "firstAvailable[%zu]", i);
		for (size_t k = 0; k < i; k++)
			if (strcmp(choices[k].name, choices[i].name) == 0)
				return err_set(e, ERR_NETCONF, 0, "firstAvailable[%zu]: a second "
					       "'%.130s'", i, choices[i].name);
	}
	return 0;
}

static int read_exact(const json_t *o, const struct select_classes *classes,
		      struct select_request *ret, struct err *e)
{
	struct select_choice *choice = &ret->choices[ret->n++];

	choice->request = ret->name;
	(void)snprintf(choice->name, sizeof(choice->name), "%s", ret->name);
	return read_choice(o, classes, choice, e);
}

/* What it has that a request with firstAvailable may not have; NULL: nothing. */
static const char *exact_key(const json_t *o, bool flat)
{
	static const char *const exactly[] = { "exactly" };
	const char *const *keys = flat ? choice_keys : exactly;
	size_t n = flat ? EXACT_KEYS : ARRAY_SIZE(exactly);

	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_object_get(o, keys[i]);

		if (v && !json_is_null(v))
			return keys[i];
	}
	return NULL;
}

/* The request itself, in the version's form.  An empty firstAvailable is none. */
static int read_form(const json_t *o, bool flat, const struct select_classes *classes,
		     struct select_request *ret, struct err *e)
{
	static const char *const keys[] = { "name", "exactly", "firstAvailable" };
	json_t *list = NULL, *exactly = NULL;

	if (!flat && json_object_get(o, "deviceClassName"))
		return err_set(e, ERR_NETCONF, 0, "deviceClassName: from v1beta2 on it is in "
			       "'exactly'");
	if ((flat ? jx_only_exact_keys(o, "", choice_keys, FLAT_KEYS, e) :
		    jx_only_exact_keys(o, "", keys, ARRAY_SIZE(keys), e)) < 0 ||
	    jx_array(o, "", "firstAvailable", &list, e) < 0 ||
	    jx_object(o, "", "exactly", &exactly, e) < 0)
		return -1;
	if (json_array_size(list) > 0)
		return exact_key(o, flat) ?
			       err_set(e, ERR_NETCONF, 0, "firstAvailable: not with %s",
				       exact_key(o, flat)) : read_subs(list, classes, ret, e);
	if (!flat && !exactly)
		return err_set(e, ERR_NETCONF, 0, "expected one of exactly and firstAvailable");
	if (!flat && jx_only_exact_keys(exactly, "exactly", choice_keys, EXACT_KEYS, e) < 0)
		return -1;
	return read_exact(flat ? o : exactly, classes, ret, e);
}

static int read_request(const json_t *o, bool flat, const struct select_classes *classes,
			struct select_request *ret, struct err *e)
{
	ret->name = "";
	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(o));
	if (jx_string(o, "", "name", &ret->name, e) < 0)
		return -1;
	if (!name_is_dns_label(ret->name))
		return err_set(e, ERR_NETCONF, 0, "name: '%.64s' is no DNS label", ret->name);
	return read_form(o, flat, classes, ret, e) < 0 ? err_wrap(e, "request %s", ret->name) : 0;
}

/* -- a claim -- */

static int read_requests(const json_t *list, bool flat, const struct select_classes *classes,
			 struct select_claim *ret, struct err *e)
{
	size_t n = json_array_size(list);

	if (n > SELECT_REQUESTS_MAX)
		return err_set(e, ERR_NETCONF, 0, "requests: %zu of them, %d are allowed", n,
			       SELECT_REQUESTS_MAX);
	for (size_t i = 0; i < n; i++) {
		ret->n++;
		if (read_request(json_array_get(list, i), flat, classes, &ret->requests[i], e) < 0)
			return err_wrap(e, "spec.devices.requests[%zu]", i);
		for (size_t k = 0; k < i; k++)
			if (strcmp(ret->requests[k].name, ret->requests[i].name) == 0)
				return err_set(e, ERR_NETCONF, 0, "spec.devices.requests[%zu]: a "
					       "second '%s'", i, ret->requests[i].name);
	}
	return 0;
}

/* Only a driver reads what it is told, but the API server looks at the form. */
static int check_config(const struct select_claim *claim, struct err *e)
{
	const json_t *config = json_object_get(claim->devices, "config"), *one;
	size_t i;

	if (dra_field_each(claim->devices, "config", DRA_CONFIG_MAX, dra_config_check, e) < 0)
		return -1;
	json_array_foreach(config, i, one) {
		json_t *requests = NULL;

		if (jx_strings(one, "", "requests", &requests, e) < 0 ||
		    requests_named_check(claim, requests, e) < 0)
			return err_wrap(e, "config[%zu]", i);
	}
	return 0;
}

static bool is_template(const struct manifest *m)
{
	return strcmp(m->kind, "ResourceClaimTemplate") == 0;
}

/* v1alpha2 and before were another API. */
static int read_version(const char *version, bool *flat, struct err *e)
{
	static const struct {
		const char *name;
		bool flat;
	} versions[] = {
		{ "resource.k8s.io/v1", false }, { "resource.k8s.io/v1beta2", false },
		{ "resource.k8s.io/v1beta1", true }, { "resource.k8s.io/v1alpha3", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (strcmp(version, versions[i].name) == 0) {
			*flat = versions[i].flat;
			return 0;
		}
	return err_set(e, ERR_NETCONF, 0, "apiVersion: '%.64s' is none of a claim: "
		       "resource.k8s.io/v1, v1beta2, v1beta1, v1alpha3", version);
}

static int read_spec(const struct manifest *m, const struct select_classes *classes,
		     struct select_claim *ret, struct err *e)
{
	static const char *const keys[] = { "requests", "constraints", "config" };
	json_t *spec = NULL, *inner = NULL, *devices = NULL, *requests = NULL, *constraints = NULL;
	bool flat = false;

	if (read_version(m->api_version, &flat, e) < 0 ||
	    jx_object(m->doc, "", "spec", &spec, e) < 0 ||
	    jx_object(spec, "spec", "spec", &inner, e) < 0 ||
	    jx_object(is_template(m) ? inner : spec, "spec", "devices", &devices, e) < 0 ||
	    jx_only_exact_keys(devices, "spec.devices", keys, ARRAY_SIZE(keys), e) < 0 ||
	    jx_array(devices, "spec.devices", "requests", &requests, e) < 0 ||
	    jx_array(devices, "spec.devices", "constraints", &constraints, e) < 0)
		return -1;
	ret->devices = devices;
	ret->constraints = constraints;
	if (read_requests(requests, flat, classes, ret, e) < 0)
		return -1;
	if (constraints_check(ret, e) < 0 || check_config(ret, e) < 0)
		return err_wrap(e, "spec.devices");
	ret->held = calloc(json_array_size(constraints) + 1, sizeof(*ret->held));
	return ret->held ? 0 : err_set(e, ERR_IO, ENOMEM, "constraints");
}

/* The API server makes a name of generateName. */
static void name_claim(const struct manifest *m, char ret[SELECT_CLAIM_NAME])
{
	const char *ns = json_string_value(
		json_object_get(json_object_get(m->doc, "metadata"), "namespace"));
	bool is_named = name_is_dns_subdomain(m->name), is_placed = ns && name_is_dns_label(ns);

	(void)snprintf(ret, SELECT_CLAIM_NAME, "%s%s%s", is_placed ? ns : "",
		       is_placed ? "/" : "", is_named ? m->name : "(no name)");
}

static const json_t *allocation_of(const struct manifest *m)
{
	return json_object_get(json_object_get(m->doc, "status"), "allocation");
}

/* -- all of them -- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* A device that is shared is not taken; so much of its capacity is. */
static void add_share(const char *key, const json_t *result, json_t *shares)
{
	json_t *consumed = json_object_get(result, "consumedCapacity");

	if (!json_object_get(shares, key))
		(void)json_object_set_new(shares, key, json_array());
	(void)json_array_append_new(json_object_get(shares, key),
				    consumed ? json_incref(consumed) : json_object());
}

/* With adminAccess a device is looked at, and not taken. */
static void add_taken(const struct manifest *m, struct select_claims *ret)
{
	const json_t *result;
	char key[SELECT_KEY], name[SELECT_CLAIM_NAME];
	size_t i;

	name_claim(m, name);
	json_array_foreach(json_object_get(json_object_get(allocation_of(m), "devices"), "results"),
			   i, result) {
		if (json_is_true(json_object_get(result, "adminAccess")))
			continue;
		(void)snprintf(key, sizeof(key), "%.63s/%.253s/%.63s", text_of(result, "driver"),
			       text_of(result, "pool"), text_of(result, "device"));
		if (*text_of(result, "shareID"))
			add_share(key, result, ret->taken.shares);
		else
			(void)json_object_set_new(ret->taken.devices, key,
						  json_sprintf("claim %s", name));
	}
}

static void add_claim(const struct manifest *m, const struct select_classes *classes,
		      struct select_claims *ret)
{
	struct select_claim *claim = &ret->list[ret->n++];
	struct err why = { 0 };

	claim->source = m->source;
	claim->doc = m->doc;
	name_claim(m, claim->name);
	if (read_spec(m, classes, claim, &why) < 0)
		(void)snprintf(claim->fault, sizeof(claim->fault), "%s%s%.500s", why.msg,
			       *why.details ? ": " : "", why.details);
}

int select_claims_read(const struct manifests *m, const struct select_classes *classes,
		       struct select_claims *ret, struct err *e)
{
	ret->list = calloc(SELECT_CLAIMS_MAX, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "claims");
	ret->taken = (struct select_taken){ json_object(), json_object() };
	ret->notes = json_array();
	for (size_t i = 0; i < m->n; i++) {
		if (strcmp(m->list[i].kind, "ResourceClaim") != 0 && !is_template(&m->list[i]))
			continue;
		if (json_is_object(allocation_of(&m->list[i]))) {
			add_taken(&m->list[i], ret);
			continue;
		}
		if (ret->n == SELECT_CLAIMS_MAX)
			return err_set(e, ERR_NETCONF, 0, "more than %d claims",
				       SELECT_CLAIMS_MAX);
		add_claim(&m->list[i], classes, ret);
	}
	return ret->n > 0 ? 0 : err_set(e, ERR_NETCONF, 0, "there is no ResourceClaim or "
					"ResourceClaimTemplate to select devices for");
}

void select_claims_done(struct select_claims *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct select_claim *claim = &c->list[i];

		free(claim->held);
		for (size_t k = 0; k < claim->n; k++)
			for (size_t j = 0; j < claim->requests[k].n; j++)
				selectors_done(&claim->requests[k].choices[j].selectors);
	}
	for (size_t i = 0; i < c->n_verdicts; i++)
		json_decref(c->verdicts[i].words);
	free(c->verdicts);
	free(c->list);
	json_decref(c->taken.devices);
	json_decref(c->taken.shares);
	json_decref(c->notes);
	*c = (struct select_claims){ .list = NULL };
}
