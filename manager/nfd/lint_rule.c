/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint_rule.c - would rules be read, and may a node have what they give?
 *
 * What templates make, and what '@' refers to, depends on a node: that is for `nfd eval`.
 */
#include "manager/nfd/lint_part.h"

#include "base/jx.h"
#include "manager/nfd/name.h"
#include "manager/nfd/rule.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void lint_annotations(const struct nfd_lint *l, const json_t *annotations)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)annotations, name, v) {
		char full[NFD_NAME_MAX + 1];
		struct err e = { 0 };

		nfd_name_full(name, full);
		if (nfd_check_annotation(full, json_string_value(v), &e) < 0)
			nfd_lint_dropped(l, &e);
	}
}

/* What NFD writes, and the API server refuses then. */
static void lint_refused(const struct nfd_lint *l, const struct err *why)
{
	nfd_lint_tell(l, true, "%s: NFD takes this, and the API server refuses the node with it",
		      why->msg);
}

static void lint_resources(const struct nfd_lint *l, const json_t *resources)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)resources, name, v) {
		const char *value = json_string_value(v);
		char full[NFD_NAME_MAX + 1];
		struct err e = { 0 };

		nfd_name_full(name, full);
		/* the quantity that '@' refers to is not known */
		value = *value == '@' ? "0" : value;
		if (nfd_check_extended_resource(full, value, &e) < 0)
			nfd_lint_dropped(l, &e);
		else if (nfd_admit_extended_resource(full, value, &e) < 0)
			lint_refused(l, &e);
	}
}

/* "@domain.feature.element" */
static void lint_references(const struct nfd_lint *l, const char *what, const json_t *texts)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)texts, name, v) {
		const char *value = json_string_value(v);
		const char *dot = value && *value == '@' ? strchr(value, '.') : NULL;
		struct err e = { 0 };

		if (value && *value == '@' && (!dot || !strchr(dot + 1, '.')))
			(void)err_set(&e, ERR_NETCONF, 0, "%s '%.64s': value '%.64s': expected "
				      "@DOMAIN.FEATURE.ELEMENT", what, name, value);
		if (e.code != ERR_OK)
			nfd_lint_dropped(l, &e);
	}
}

static void refuse_references(const struct nfd_lint *l, const json_t *labels)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)labels, name, v) {
		const char *value = json_string_value(v);

		if (value && *value == '@')
			nfd_lint_tell(l, true, "label '%.64s': value '%.64s': nfd-worker drops it, "
				      "only labels of a NodeFeatureRule have references", name,
				      value);
	}
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void lint_taints(const struct nfd_lint *l, const json_t *taints)
{
	const json_t *taint;
	size_t i;

	json_array_foreach(taints, i, taint) {
		struct err e = { 0 };

		if (nfd_check_taint(text_of(taint, "key"), text_of(taint, "effect"), &e) < 0)
			nfd_lint_dropped(l, &e);
		else if (nfd_admit_taint(text_of(taint, "key"), text_of(taint, "value"), &e) < 0)
			lint_refused(l, &e);
	}
}

static void lint_outputs(const struct nfd_lint *l, const struct rule *rule, bool is_workers)
{
	nfd_lint_labels(l, rule->labels);
	if (is_workers)
		refuse_references(l, rule->labels);
	else
		lint_references(l, "label", rule->labels);
	lint_annotations(l, rule->annotations);
	lint_resources(l, rule->extended_resources);
	lint_references(l, "extended resource", rule->extended_resources);
	lint_taints(l, rule->taints);
}

static void hear(const char *text, void *arg)
{
	nfd_lint_tell(arg, false, "%s", text);
}

static void hear_fault(const char *text, void *arg)
{
	nfd_lint_tell(arg, true, "%s", text);
}

/* The text of a template is any to the schema; of what we do not support NFD may know more. */
static void lint_unreadable(const struct nfd_lint *l, const struct err *why)
{
	if (strstr(why->msg, "sTemplate: ") && !strstr(why->msg, "not supported"))
		nfd_lint_dropped(l, why);
	else
		nfd_lint_error(l, why);
}

static void lint_rule(struct nfd_lint *l, json_t *doc, bool is_workers)
{
	const struct rule_kind *kind = is_workers ? &rule_of_worker : &rule_of_object;
	struct rule rule = { 0 };
	struct err e;

	if (rule_read(doc, kind, &rule, hear, l, &e) < 0) {
		lint_unreadable(l, &e);
		return;
	}
	rule_tell_faults(&rule, hear_fault, l);
	lint_outputs(l, &rule, is_workers);
	rule_done(&rule);
}

void nfd_lint_rules(struct nfd_lint *l, const json_t *rules, bool is_workers)
{
	json_t *one;
	size_t i;

	json_array_foreach(rules, i, one) {
		const char *name = rule_name(one);
		char where[128];

		if (name && *name)
			(void)snprintf(where, sizeof(where), "rule '%.96s'", name);
		else
			(void)snprintf(where, sizeof(where), "rule %zu", i + 1);
		l->where = where;
		lint_rule(l, one, is_workers);
		l->where = NULL;
	}
}
