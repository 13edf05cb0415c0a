/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rules_upstream.c - rules give what Node Feature Discovery's own code gave for them
 *
 * tests/upstream/nfd.json has rules, the features of a node, and what upstream made of them in
 * eight runs: it goes by the order of Go's maps, so one of the verdicts has to be ours.
 */
#include "manager/nfd/eval.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/nfd/node_feature.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

#define RECORDED	"tests/upstream/nfd.json"

/*
 * A verdict: objects of labels, annotations, resources; taints ("key=value:effect") and the rules
 * in error are sets, of which "Perhaps" has those that we say fail by chance.
 */
static json_t *empty_verdict(void)
{
	return json_pack("{s:{},s:{},s:{},s:{},s:{},s:{}}", "Labels", "Annotations", "Resources",
			 "Taints", "Errors", "Perhaps");
}

/* -- what we give -- */

static void put_output(const json_t *row, json_t *to)
{
	static const char *const kinds[][2] = {
		{ "label", "Labels" }, { "annotation", "Annotations" },
		{ "extended-resource", "Resources" }, { "taint", "Taints" },
	};
	const char *kind = json_string_value(json_object_get(row, "kind"));
	const char *name = json_string_value(json_object_get(row, "name"));
	json_t *value = json_object_get(row, "value");
	json_auto_t *taint = json_sprintf("%s=%s%s", name, strchr(json_string_value(value), ':') ?
					  "" : ":", json_string_value(value));

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		json_t *set = json_object_get(to, kinds[i][1]);

		if (strcmp(kind, "taint") == 0 && strcmp(kind, kinds[i][0]) == 0)
			(void)json_object_set_new(set, json_string_value(taint), json_true());
		else if (strcmp(kind, kinds[i][0]) == 0)
			(void)json_object_set(set, name, value);
	}
}

static void put_problem(const json_t *problem, json_t *to)
{
	const char *rule = json_string_value(json_object_get(problem, "rule"));
	const char *text = json_string_value(json_object_get(problem, "problem"));

	if (strstr(text, "it is chance whether the rule fails"))
		(void)json_object_set_new(json_object_get(to, "Perhaps"), rule, json_true());
	else if (json_is_true(json_object_get(problem, "skipped")))
		(void)json_object_set_new(json_object_get(to, "Errors"), rule, json_true());
}

static json_t *verdict_of(const struct nfd_eval *v)
{
	json_t *ret = empty_verdict();
	const json_t *one;
	size_t i;

	json_array_foreach(v->rows, i, one) {
		put_output(one, ret);
	}
	json_array_foreach(v->problems, i, one) {
		put_problem(one, ret);
	}
	return ret;
}

static json_t *decide(const json_t *c)
{
	json_t *rules = json_object_get(c, "rules"), *features = json_object_get(c, "features");
	json_auto_t *object = json_pack("{s:s,s:s,s:{s:s},s:{s:O}}", "apiVersion",
					NFD_API_VERSION, "kind", "NodeFeatureRule", "metadata",
					"name", "recorded", "spec", "rules", rules);
	auto_free char *text = json_dumps(object, JSON_COMPACT);
	auto_manifests struct manifests m = { 0 };
	auto_nfd_eval struct nfd_eval v = { 0 };
	struct err e = { 0 };

	nfd_eval_init(&v, "node", false);
	v.outputs.master.enables_taints = true;
	if (manifests_read(text, strlen(text), "recorded", &m, &e) < 0 ||
	    nfd_eval_add(&v, features, NULL, "recorded", &e) < 0) {
		(void)printf("Bail out! %s\n", e.msg);
		exit(1);
	}
	nfd_eval_run(&v, &m);
	return verdict_of(&v);
}

/* -- what upstream gave -- */

static void put_taints(const json_t *list, json_t *to)
{
	const json_t *t;
	size_t i;

	json_array_foreach(list, i, t) {
		const char *value = json_string_value(json_object_get(t, "value"));
		json_auto_t *text = json_sprintf("%s=%s:%s",
						 json_string_value(json_object_get(t, "key")),
						 value ? value : "",
						 json_string_value(json_object_get(t, "effect")));

		(void)json_object_set_new(to, json_string_value(text), json_true());
	}
}

static void put_errors(const json_t *errors, json_t *to)
{
	const json_t *error;
	size_t i;

	json_array_foreach(errors, i, error) {
		const char *text = json_string_value(error);

		(void)json_object_setn_new(to, text, strcspn(text, ":"), json_true());
	}
}

/* "T\t{...}" */
static json_t *recorded(const char *text)
{
	static const char *const outputs[] = { "Labels", "Annotations", "Resources" };
	json_auto_t *doc = json_loads(text + strlen("T\t"), 0, NULL);
	json_t *ret = empty_verdict();

	if (strncmp(text, "T\t", 2) != 0 || !doc) {
		(void)printf("Bail out! %s\n", text);
		exit(1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		(void)json_object_update(json_object_get(ret, outputs[i]),
					 json_object_get(doc, outputs[i]));
	put_taints(json_object_get(doc, "Taints"), json_object_get(ret, "Taints"));
	put_errors(json_object_get(doc, "Errors"), json_object_get(ret, "Errors"));
	return ret;
}

/* -- both -- */

/* A rule that fails by chance is in error, or not, there as here. */
static bool errors_agree(const json_t *have, const json_t *want)
{
	json_auto_t *is = json_copy(json_object_get(have, "Errors"));
	json_auto_t *was = json_copy(json_object_get(want, "Errors"));

	(void)json_object_update(is, json_object_get(have, "Perhaps"));
	(void)json_object_update(was, json_object_get(have, "Perhaps"));
	return json_equal(is, was);
}

static bool agrees_with(const json_t *have, const json_t *want)
{
	static const char *const outputs[] = { "Labels", "Annotations", "Resources", "Taints" };

	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		if (!json_equal(json_object_get(have, outputs[i]),
				json_object_get(want, outputs[i])))
			return false;
	return errors_agree(have, want);
}

static bool agrees(const json_t *have, const json_t *verdicts)
{
	const json_t *one;
	bool ret = false;
	size_t i;

	json_array_foreach(verdicts, i, one) {
		json_auto_t *want = recorded(json_string_value(one));

		ret = ret || agrees_with(have, want);
	}
	return ret;
}

static void tell(const json_t *one, const json_t *have)
{
	auto_free char *c = json_dumps(json_object_get(one, "case"), JSON_COMPACT);
	auto_free char *is = json_dumps(have, JSON_COMPACT);
	auto_free char *were = json_dumps(json_object_get(one, "verdicts"), JSON_COMPACT);

	(void)printf("#  %s\n#  have %s\n#  want %s\n", c, is, were);
}

int main(void)
{
	json_auto_t *all = NULL;
	const json_t *one;
	size_t i;

	jx_init(NULL);
	all = json_load_file(RECORDED, 0, NULL);
	test("NFD's own code decides the same of each recorded set of rules");
	eqi(json_array_size(all), 195);
	json_array_foreach(all, i, one) {
		json_auto_t *have = decide(json_object_get(one, "case"));

		if (!ok(agrees(have, json_object_get(one, "verdicts"))))
			tell(one, have);
	}
	return tap_end();
}
