/* SPDX-License-Identifier: Apache-2.0 */
/* lint.c - what would the API server say of these objects? */
#include "manager/dra/lint.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/field.h"
#include "manager/dra/limits.h"
#include "manager/dra/name.h"
#include "manager/dra/patch.h"
#include "manager/dra/schema.h"
#include "manager/dra/slice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GROUP "resource.k8s.io/"
#define ADMIN_LABEL "resource.kubernetes.io/admin-access"

struct linting {
	dra_lint_say *say;
	void *arg;
	const struct manifests *all;
	const struct manifest *m;
	const struct schema_kind *kind;
};

void dra_lint_tell(dra_lint_say *say, void *arg, bool is_error, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(is_error, text, arg);
}

static bool is_flat(const struct linting *l)
{
	return strcmp(l->kind->version, "v1beta1") == 0;
}

static void say_err(const struct linting *l, const struct err *why)
{
	char text[sizeof(why->msg) + sizeof(why->details) + 4];

	(void)snprintf(text, sizeof(text), "%s%s%s", why->msg, *why->details ? ": " : "",
		       why->details);
	l->say(true, text, l->arg);
}

#define note(l, ...) dra_lint_tell((l)->say, (l)->arg, false, __VA_ARGS__)

/* -- what is taken, and is not as it was meant -- */

static bool lacks_value(const json_t *v)
{
	const json_t *value = json_object_get(v, "value");

	return !value || json_is_null(value);
}

/* Each of a map without a value. */
static void note_values(const struct linting *l, const char *what, json_t *map)
{
	const char *name;
	json_t *v;

	json_object_foreach(map, name, v)
		if (lacks_value(v))
			note(l, "%s %.64s has no value, which counts as 0", what, name);
}

static void note_slice(const struct linting *l, const json_t *doc)
{
	const json_t *spec = json_object_get(doc, "spec"), *v, *consumed;
	size_t i, k;

	json_array_foreach(json_object_get(spec, "sharedCounters"), i, v) {
		note_values(l, "counter", json_object_get(v, "counters"));
	}
	json_array_foreach(json_object_get(spec, "devices"), i, v) {
		note_values(l, "capacity", json_object_get(v, "capacity"));
		json_array_foreach(json_object_get(v, "consumesCounters"), k, consumed) {
			note_values(l, "counter", json_object_get(consumed, "counters"));
		}
	}
}

/* What a request, or a choice of it, asks for; then: what comes of it where nobody has that. */
static void note_choice(const struct linting *l, const char *request, const char *then,
			const json_t *o)
{
	json_t *wanted = json_object_get(json_object_get(o, "capacity"), "requests");
	json_int_t count = json_integer_value(json_object_get(o, "count"));
	struct quantity q, zero = { 0 };
	struct err ignored;
	const char *name;
	json_t *v;

	if (count > DRA_RESULTS_MAX)
		note(l, "request %.130s: no claim gets more than %d devices, so %s", request,
		     DRA_RESULTS_MAX, then);
	json_object_foreach(wanted, name, v) {
		if (!dra_name_is_attribute(name))
			note(l, "request %.130s: capacity '%.64s': no device has one of that "
			     "name, so %s", request, name, then);
		if (dra_field_quantity(v, &q, &ignored) == 0 && quantity_compare(&q, &zero) < 0)
			note(l, "request %.130s: capacity '%.64s' is below 0", request, name);
	}
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* -- the namespace of a claim for administrators -- */

/* NULL: it is not among the files. */
static const json_t *find_namespace(const struct linting *l)
{
	const char *name = text_of(json_object_get(l->m->doc, "metadata"), "namespace");

	for (size_t i = 0; i < l->all->n; i++) {
		const struct manifest *m = &l->all->list[i];

		if (strcmp(m->kind, "Namespace") == 0 && strcmp(m->api_version, "v1") == 0 &&
		    strcmp(m->name, *name ? name : "default") == 0)
			return m->doc;
	}
	return NULL;
}

static void check_admin(const struct linting *l, const char *request)
{
	const json_t *doc = find_namespace(l);
	const json_t *labels = json_object_get(json_object_get(doc, "metadata"), "labels");
	char text[256];

	if (strcmp(text_of(labels, ADMIN_LABEL), "true") == 0)
		return;
	(void)snprintf(text, sizeof(text), "request %.64s: adminAccess: %s only in a namespace "
		       "with the label " ADMIN_LABEL "=true%s", request,
		       doc ? "it is taken" : "taken",
		       doc ? "" : ", and the Namespace is not among the files");
	l->say(doc != NULL, text, l->arg);
}

static void look_at_request(const struct linting *l, const json_t *request)
{
	const json_t *exactly = is_flat(l) ? request : json_object_get(request, "exactly"), *sub;
	const char *name = text_of(request, "name");
	char both[130];
	size_t i;

	note_choice(l, name, "it is never satisfied", exactly);
	json_array_foreach(json_object_get(request, "firstAvailable"), i, sub) {
		(void)snprintf(both, sizeof(both), "%.64s/%.64s", name, text_of(sub, "name"));
		note_choice(l, both, "this choice is never taken", sub);
	}
	if (json_is_true(json_object_get(exactly, "adminAccess")))
		check_admin(l, name);
}

/* -- each kind -- */

static void lint_slice(const struct linting *l)
{
	struct err why = { 0 };
	json_auto_t *doc = dra_slice_convert(l->m->doc, &why);

	if (!doc || dra_slice_check(doc, &why) < 0)
		say_err(l, &why);
	note_slice(l, doc);
}

static void lint_claim(const struct linting *l)
{
	const json_t *devices = dra_claim_devices(l->m->doc), *request, *one;
	struct err why = { 0 };
	size_t i;

	if (dra_claim_check(l->m->doc, is_flat(l), &why) < 0)
		say_err(l, &why);
	json_array_foreach(json_object_get(devices, "requests"), i, request) {
		look_at_request(l, request);
	}
	json_array_foreach(json_object_get(devices, "constraints"), i, one) {
		if (*text_of(one, "matchAttribute") && *text_of(one, "distinctAttribute"))
			note(l, "constraints[%zu]: it has both matchAttribute and "
			     "distinctAttribute", i);
	}
}

static void lint_class(const struct linting *l)
{
	struct err why = { 0 };

	if (dra_class_check(l->m->doc, &why) < 0)
		say_err(l, &why);
}

static void lint_rule(const struct linting *l)
{
	struct err why = { 0 };

	if (dra_rule_check(l->m->doc, &why) < 0)
		say_err(l, &why);
	else if (!json_is_object(json_object_get(json_object_get(l->m->doc, "spec"),
						 "deviceSelector")))
		note(l, "without spec.deviceSelector it is about no device");
}

/* Only programs that read files know it. */
static void lint_patch(const struct linting *l)
{
	auto_with(patch_done) struct patch patch = { .name = NULL };
	struct err why = { 0 };

	if (patch_read(l->m, &patch, &why) < 0)
		say_err(l, &why);
	note(l, "no API server up to Kubernetes 1.36 has ResourceSlicePatches: it is for who reads "
	     "this file");
}

static const struct {
	const char *kind;
	void (*lint)(const struct linting *l);
} kinds[] = {
	{ "ResourceSlice", lint_slice },
	{ "ResourceClaim", lint_claim },
	{ "ResourceClaimTemplate", lint_claim },
	{ "DeviceClass", lint_class },
	{ "DeviceTaintRule", lint_rule },
};

/* Another group may have kinds of the same name. */
bool dra_lint_is(const struct manifest *m)
{
	return strncmp(m->api_version, GROUP, strlen(GROUP)) == 0 ||
	       (!strchr(m->api_version, '/') && schema_has_kind(m->kind));
}

bool dra_lint_is_namesake(const struct manifest *m)
{
	return !dra_lint_is(m) && schema_has_kind(m->kind);
}

static void say_problem(const char *text, void *arg)
{
	const struct linting *l = arg;

	l->say(true, text, l->arg);
}

/* What cannot be decoded is not looked into. */
static void lint_known(struct linting *l)
{
	if (schema_check(l->kind, l->m->doc, say_problem, l) > 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(l->kind->kind, kinds[i].kind) == 0)
			kinds[i].lint(l);
	if (!l->kind->is_namespaced &&
	    *text_of(json_object_get(l->m->doc, "metadata"), "namespace"))
		note(l, "metadata.namespace has no effect: a %s is of the whole cluster",
		     l->kind->kind);
}

void dra_lint_manifest(const struct manifests *all, size_t i, dra_lint_say *say, void *arg)
{
	struct linting l = { .say = say, .arg = arg, .all = all, .m = &all->list[i] };
	struct err why = { 0 };

	if (!dra_lint_is(l.m))
		return;
	if (patch_is(l.m)) {
		lint_patch(&l);
		return;
	}
	l.kind = schema_find(l.m->api_version, l.m->kind, &why);
	if (l.kind)
		lint_known(&l);
	else
		say_err(&l, &why);
}

/* -- for who uses the objects -- */

static void hear_refusal(bool is_error, const char *text, void *arg)
{
	char *first = arg;

	if (is_error && !*first)
		(void)snprintf(first, DRA_LINT_REASON, "%s", text);
}

bool dra_lint_refusal(const struct manifests *all, size_t i, char ret[DRA_LINT_REASON])
{
	*ret = '\0';
	dra_lint_manifest(all, i, hear_refusal, ret);
	return *ret;
}
