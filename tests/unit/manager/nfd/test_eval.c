/* SPDX-License-Identifier: Apache-2.0 */
/* test_eval.c - the bounds of all rules together; what rules give is tests/cli/nfd_eval.bats' */
#include "base/deadline.h"
#include "base/err.h"
#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/nfd/eval.h"
#include "tests/unit/tap.h"

#include <jansson.h>
#include <string.h>

enum { RULES = 1000, INSTANCES = 90, VALUE = 2000 };

static json_t *many_rules(size_t n)
{
	json_t *rules = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(rules, json_pack(
			"{s:o,s:{s:s},s:[{s:s,s:{s:{s:s,s:[s]}}}]}", "name",
			json_sprintf("r%zu", i), "labels", "a", "1", "matchFeatures", "feature",
			"pci.device", "matchExpressions", "n", "op", "NotIn", "value", "y"));
	return rules;
}

static json_t *many_instances(void)
{
	char value[VALUE + 1];
	json_t *elements = json_array();

	memset(value, 'x', VALUE);
	value[VALUE] = '\0';
	for (int i = 0; i < INSTANCES; i++)
		(void)json_array_append_new(elements,
					    json_pack("{s:{s:s}}", "attributes", "n", value));
	return json_pack("{s:{s:{s:o}}}", "instances", "pci.device", "elements", elements);
}

static void evaluate(struct nfd_eval *v, size_t rules, const struct deadline *until)
{
	json_auto_t *list = many_rules(rules), *features = many_instances();
	auto_free char *text = json_dumps(list, JSON_COMPACT);
	auto_manifests struct manifests m = { 0 };
	struct err e = { 0 };

	nfd_eval_init(v, "node", true);
	v->until = until;
	ok(manifests_read_with_lists(text, strlen(text), "rules.json", &m, &e) == 0);
	ok(nfd_eval_add(v, features, NULL, "node", &e) == 0);
	nfd_eval_run(v, &m);
}

static const char *problem(const struct nfd_eval *v, size_t i)
{
	const char *text = json_string_value(json_object_get(json_array_get(v->problems, i),
							     "problem"));

	return text ? text : "";
}

int main(void)
{
	struct deadline past = deadline_in(0), later = deadline_in(600000);
	auto_nfd_eval struct nfd_eval late = { 0 }, in_time = { 0 }, long_ones = { 0 };

	test("no rule is begun when the time for all is over, and the first one is told");
	evaluate(&late, 3, &past);
	eq(problem(&late, 0), "the rules of this object are not evaluated from this one on: the "
	   "time for all rules is over");
	eq(problem(&late, 1), "");
	ok(late.is_bad && json_array_size(late.rows) == 0);
	test("before that all are");
	evaluate(&in_time, 3, &later);
	eq(problem(&in_time, 0), "");
	ok(!in_time.is_bad && json_array_size(in_time.rows) == 1);
	test("what --why tells of all rules is bounded in bytes");
	evaluate(&long_ones, RULES, NULL);
	contains(problem(&long_ones, 0), "the limit is reached");
	ok(!long_ones.is_bad && json_array_size(long_ones.why) == RULES);
	ok(json_dumpb(long_ones.why, NULL, 0, JSON_COMPACT) < 24 << 20);
	return tap_end();
}
