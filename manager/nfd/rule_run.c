/* SPDX-License-Identifier: Apache-2.0 */
/* rule_run.c - rules are run, one behind the other, and what is wrong with them is told */
#include "manager/nfd/rule_run.h"

#include "manager/nfd/feature_set.h"
#include "manager/nfd/rule_trace.h"

#include <stdint.h>
#include <stdio.h>

/* -- what is wrong -- */

static void put_problem(struct nfd_eval *v, const struct rule_origin *by, const char *text,
			bool skipped)
{
	(void)json_array_append_new(v->problems,
				    json_pack("{s:s,s:s?,s:o,s:b}", "object", by->object, "rule",
					      by->rule, "problem", trace_text(text), "skipped",
					      skipped));
}

void rule_run_fault(struct nfd_eval *v, const struct rule_origin *by, const struct err *why,
		    bool skipped)
{
	char text[sizeof(why->msg) + sizeof(why->details) + 4];

	(void)snprintf(text, sizeof(text), "%s%s%s%s", why->msg, *why->details ? " (" : "",
		       why->details, *why->details ? ")" : "");
	put_problem(v, by, text, skipped);
	v->is_bad = true;
}

void rule_run_warn(const char *text, void *arg)
{
	const struct rule_run *r = arg;

	put_problem(r->v, &r->by, text, false);
}

/* -- rules -- */

enum { WHY_BYTES_MAX = 16 << 20 };

/* What is left for the rules behind this one. */
static void count_why(struct nfd_eval *v, const struct rule_origin *by, const struct rule_match *m)
{
	size_t left = m->why_left;

	v->why_bytes += json_dumpb(m->why, NULL, 0, JSON_COMPACT);
	if (v->why_bytes > WHY_BYTES_MAX)
		left = 0;
	if (left == 0 && v->why_left > 0)
		put_problem(v, by, "--why shows no more terms from here on: the limit is reached",
			    false);
	v->why_left = left;
}

static void put_why(const struct rule_run *r, const struct rule_match *m, int result,
		    const struct err *why)
{
	json_t *row;

	if (!r->v->why)
		return;
	count_why(r->v, &r->by, m);
	row = json_pack("{s:s,s:s,s:O}", "object", r->by.object, "rule", r->by.rule, "terms",
			m->why);
	if (result < 0)
		(void)json_object_set_new(row, "error", trace_text(why->msg));
	else
		(void)json_object_set_new(row, "value", json_boolean(result));
	(void)json_array_append_new(r->v->why, row);
}

/* A term whose expressions are in no order, one of which is not met, and another fails. */
static void warn_of_chance(const struct rule_run *r, const struct err *fault)
{
	char text[sizeof(fault->msg) + 160];

	if (fault->code == ERR_OK)
		return;
	(void)snprintf(text, sizeof(text), "NFD takes the expressions of a term in another order "
		       "each time, so it is chance whether the rule fails by this: %s", fault->msg);
	put_problem(r->v, &r->by, text, false);
}

static int evaluate(const struct rule_run *r, const struct rule *rule, json_t *labels,
		    json_t *vars, struct err *e)
{
	struct rule_match m = {
		.data = rule->labels_template || rule->vars_template ? json_array() : NULL,
		.why = r->v->why ? json_array() : NULL,
		.why_left = r->v->why_left,
	};
	int result = rule_matches(rule, r->features, &m, e);

	if (result >= 0 && rule_expand(rule, &m, labels, vars, e) < 0)
		result = -1;
	warn_of_chance(r, &m.chance);
	put_why(r, &m, result, e);
	rule_match_done(&m);
	return result;
}

/* As there: also a rule that does not match makes rule.matched known. */
static void run_rule(const struct rule_run *r, const struct rule *rule)
{
	json_auto_t *labels = json_object(), *vars = json_object();
	struct err why = { 0 };
	int result = evaluate(r, rule, labels, vars, &why);

	if (result < 0) {
		rule_run_fault(r->v, &r->by, &why, true);
		return;
	}
	feature_set_put(r->features, "rule.matched", NULL);
	if (result == 0)
		return;
	feature_set_put(r->features, "rule.matched", labels);
	feature_set_put(r->features, "rule.matched", vars);
	rule_outputs_add(&r->v->outputs, rule, labels, vars, &r->by);
}

/* Each rule has its own bounds, and there may be many. */
static bool is_late(const struct rule_run *r)
{
	struct err e = { 0 };

	if (!r->v->until || deadline_left_ms(r->v->until) > 0)
		return false;
	(void)err_set(&e, ERR_LIMITED, 0, "the rules of this object are not evaluated from this "
		      "one on: the time for all rules is over");
	rule_run_fault(r->v, &r->by, &e, true);
	return true;
}

static void run_readable(const struct rule_run *r, const struct rule *rule)
{
	rule_tell_faults(rule, rule_run_warn, (void *)(uintptr_t)r);
	run_rule(r, rule);
}

void rule_run_list(struct rule_run *r, const json_t *rules)
{
	const json_t *doc;
	size_t i;

	json_array_foreach(rules, i, doc) {
		json_auto_t *number = json_sprintf("#%zu", i + 1);
		const char *name = rule_name(doc);
		struct rule rule = { 0 };
		struct err why = { 0 };

		r->by.rule = name ? name : json_string_value(number);
		if (is_late(r))
			return;
		if (rule_read(doc, r->kind, &rule, rule_run_warn, r, &why) < 0)
			rule_run_fault(r->v, &r->by, &why, true);
		else
			run_readable(r, &rule);
		rule_done(&rule);
	}
}
