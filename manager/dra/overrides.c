/* SPDX-License-Identifier: Apache-2.0 */
/* overrides.c - what administrators say of devices is read, put in order and compiled */
#include "manager/dra/overrides.h"

#include "base/mem.h"
#include "manager/dra/lint.h"
#include "manager/dra/schema.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- findings -- */

static void name_object(const struct override_rule *by, char *ret, size_t size)
{
	if (by && by->patch)
		(void)snprintf(ret, size, "ResourceSlicePatch %.64s of %.64s", by->patch->name,
			       by->patch->source);
	else if (by && by->taint)
		(void)snprintf(ret, size, "DeviceTaintRule %.64s of %.64s", by->taint->name,
			       by->taint->source);
	else
		*ret = '\0';
}

/* What a finding about devices is known by: a rule that was refused has no place of its own. */
static const void *identity_of(const struct override_rule *by)
{
	return !by ? NULL : by->patch ? (const void *)by->patch : by->taint;
}

static struct override_finding *find_finding(struct overrides *o, const void *by,
					     const void *detail)
{
	for (size_t i = 0; i < o->n_findings; i++)
		if (o->findings[i].devices > 0 && o->findings[i].about[0] == by &&
		    o->findings[i].about[1] == detail)
			return &o->findings[i];
	return NULL;
}

static struct override_finding *new_finding(struct overrides *o)
{
	if (o->n_findings == OVERRIDE_FINDINGS_MAX) {
		o->more_findings++;
		return NULL;
	}
	return &o->findings[o->n_findings++];
}

void override_tell(struct overrides *o, bool is_fault, const struct override_rule *by,
		   const void *detail, const struct dra_device *d, const char *fmt, ...)
{
	struct override_finding *f = d ? find_finding(o, identity_of(by), detail) : NULL;
	va_list ap;

	if (f) {
		f->devices++;
		return;
	}
	f = new_finding(o);
	if (!f)
		return;
	*f = (struct override_finding){ .is_fault = is_fault, .devices = d != NULL };
	f->about[0] = d ? identity_of(by) : NULL;
	f->about[1] = d ? detail : NULL;
	(void)snprintf(f->device, sizeof(f->device), "%s", d ? d->name : "");
	name_object(by, f->object, sizeof(f->object));
	va_start(ap, fmt);
	(void)vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

/* What a struct err says, in one text. */
static void tell_err(struct overrides *o, const struct override_rule *by, const struct err *why)
{
	override_tell(o, true, by, NULL, NULL, "%s%s%.140s%s", why->msg, *why->details ? " (" : "",
		      why->details, *why->details ? ")" : "");
}

void overrides_bad_file(const struct err *why, void *arg)
{
	struct overrides *o = arg;

	if (!o->findings)
		o->findings = calloc(OVERRIDE_FINDINGS_MAX, sizeof(*o->findings));
	if (o->findings)
		tell_err(o, NULL, why);
}

json_t *overrides_findings(const struct overrides *o)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < o->n_findings; i++) {
		const struct override_finding *f = &o->findings[i];

		(void)json_array_append_new(
			rows, json_pack("{s:s, s:s, s:s, s:I, s:s}", "severity",
					f->is_fault ? "error" : "warning", "object", f->object,
					"device", f->device, "devices", (json_int_t)f->devices,
					"text", f->text));
	}
	if (o->more_findings)
		(void)json_array_append_new(
			rows, json_pack("{s:s, s:s, s:s, s:i, s:o}", "severity", "warning",
					"object", "", "device", "", "devices", 0, "text",
					json_sprintf("%zu more findings", o->more_findings)));
	return rows;
}

/* -- the manifests -- */

static bool is_class(const struct manifest *m)
{
	static const char group[] = "resource.k8s.io/";

	return strcmp(m->kind, "DeviceClass") == 0 &&
	       strncmp(m->api_version, group, sizeof(group) - 1) == 0;
}

/*
 * Others of the same files may be for other commands, and a Pod stands beside its claims; a word
 * that is nearly ours is a mistake.
 */
static void tell_other(struct overrides *o, const struct manifest *m)
{
	static const char *const known[] = { "ResourceSlice", "ResourceClaim",
					     "ResourceClaimTemplate" };

	if (strcmp(m->kind, "Pod") == 0 && strcmp(m->api_version, "v1") == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(m->kind, known[i]) == 0)
			return;
	override_tell(o, false, NULL, NULL, NULL, "%.64s: apiVersion '%.64s', kind '%.64s' is no "
		      "override and has no effect", m->source, m->api_version, m->kind);
}

static void tell_unknown(struct overrides *o, const struct patch *p)
{
	const struct override_rule by = { .patch = p };

	for (size_t i = 0; i < p->n; i++)
		if (p->values[i].what == PATCH_UNKNOWN)
			override_tell(o, false, &by, NULL, NULL, "%s has no value of a type that "
				      "is known here (int, bool, string, version, null), and so no "
				      "effect", p->values[i].name);
}

static void read_patch(struct overrides *o, const struct manifest *m)
{
	struct err why = { 0 };

	if (patch_read(m, &o->patches[o->n_patches], &why) < 0) {
		tell_err(o, NULL, &why);
		return;
	}
	tell_unknown(o, &o->patches[o->n_patches++]);
}

/* It can be applied all the same; and a version that is not known may be a newer one. */
static void tell_refused(struct overrides *o, const struct manifest *m,
			 const struct override_rule *by)
{
	char reason[DRA_LINT_REASON];
	struct err ignored;

	if (schema_find(m->api_version, m->kind, &ignored) &&
	    dra_lint_refusal(&o->from, (size_t)(m - o->from.list), reason))
		override_tell(o, false, by, NULL, NULL, "the API server refuses it: %.340s",
			      reason);
}

static void read_taint(struct overrides *o, const struct manifest *m)
{
	struct taint_rule *rule = &o->taints[o->n_taints];
	const struct override_rule by = { .taint = rule };
	struct err why = { 0 };

	if (taint_rule_read(m, rule, &why) < 0) {
		tell_err(o, NULL, &why);
		return;
	}
	o->n_taints++;
	if (!device_filter_is_by_name(&rule->filter))
		override_tell(o, false, &by, NULL, NULL, "deviceClassName and selectors are no "
			      "part of a DeviceTaintRule since Kubernetes 1.35: the cluster "
			      "ignores them");
	if (rule->effect == TAINT_NONE &&
	    strcmp(json_string_value(json_object_get(rule->taint, "effect")), "None") != 0)
		override_tell(o, false, &by, NULL, NULL, "effect '%.64s' counts as None: expected "
			      "NoSchedule, NoExecute or None",
			      json_string_value(json_object_get(rule->taint, "effect")));
	else if (device_filter_is_by_name(&rule->filter))
		tell_refused(o, m, &by);
}

static void read_manifests(struct overrides *o)
{
	for (size_t i = 0; i < o->from.n; i++) {
		const struct manifest *m = &o->from.list[i];

		if (is_class(m))
			override_class_read(m, &o->classes);
		else if (patch_is(m))
			read_patch(o, m);
		else if (taint_rule_is(m))
			read_taint(o, m);
		else
			tell_other(o, m);
	}
}

/* -- in their order, and ready for devices -- */

static int by_weight(const void *a, const void *b)
{
	return patch_compare(a, b);
}

/* Different names get different numbers, so that who has said something of one is an index. */
static void number_keys(struct overrides *o)
{
	json_auto_t *attributes = json_object(), *capacities = json_object();

	for (size_t i = 0; i < o->n_patches; i++)
		for (size_t k = 0; k < o->patches[i].n; k++) {
			struct patch_value *v = &o->patches[i].values[k];
			json_t *of_kind = v->is_capacity ? capacities : attributes;
			const json_t *id = json_object_get(of_kind, v->name);

			v->id = id ? (size_t)json_integer_value(id) : o->n_keys++;
			if (!id)
				(void)json_object_set_new(of_kind, v->name,
							  json_integer((json_int_t)v->id));
		}
}

/* A rule that is about no device at all, or for which it cannot be told, is left out. */
static void add_rule(struct overrides *o, const struct patch *patch, const struct taint_rule *taint)
{
	struct override_rule *rule = &o->rules[o->n_rules];
	struct err why = { 0 };

	*rule = (struct override_rule){ .patch = patch, .taint = taint };
	if (override_condition_compile(patch ? &patch->filter : &taint->filter, &o->classes,
				       &rule->condition, &why) < 0) {
		tell_err(o, rule, &why);
		override_condition_done(&rule->condition);
		return;
	}
	o->n_rules++;
}

static int make_room(struct overrides *o, struct err *e)
{
	size_t n = o->from.n + 1;

	o->patches = calloc(n, sizeof(*o->patches));
	o->taints = calloc(n, sizeof(*o->taints));
	o->classes.list = calloc(n, sizeof(*o->classes.list));
	o->rules = calloc(n, sizeof(*o->rules));
	if (!o->findings)
		o->findings = calloc(OVERRIDE_FINDINGS_MAX, sizeof(*o->findings));
	if (!o->patches || !o->taints || !o->classes.list || !o->rules || !o->findings)
		return err_set(e, ERR_IO, ENOMEM, "overrides");
	return 0;
}

int overrides_compile(struct overrides *ret, struct err *e)
{
	if (make_room(ret, e) < 0)
		return -1;
	read_manifests(ret);
	qsort(ret->patches, ret->n_patches, sizeof(*ret->patches), by_weight);
	number_keys(ret);
	for (size_t i = 0; i < ret->n_patches; i++)
		add_rule(ret, &ret->patches[i], NULL);
	for (size_t i = 0; i < ret->n_taints; i++)
		if (ret->taints[i].filter.is_given)	/* without one: of no device */
			add_rule(ret, NULL, &ret->taints[i]);
	return 0;
}

void overrides_done(struct overrides *o)
{
	for (size_t i = 0; i < o->n_rules; i++)
		override_condition_done(&o->rules[i].condition);
	for (size_t i = 0; i < o->n_patches; i++)
		patch_done(&o->patches[i]);
	override_classes_done(&o->classes);
	free(o->patches);
	free(o->taints);
	free(o->rules);
	free(o->findings);
	manifests_done(&o->from);
	*o = (struct overrides){ .patches = NULL };
}
