/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_rule.c - NodeFeatureRules, NodeFeatures and custom rules: what they give a node is fit for
 * one, and does not depend on whether somebody asks why
 */
#include "manager/nfd/eval.h"
#include "manager/nfd/name.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char node[] =
	"{\"flags\":{\"k.f\":{\"elements\":{\"a\":{},\"b\":{}}},\"m.f\":{\"elements\":{\"a\":{}}}},"
	"\"attributes\":{\"v.f\":{\"elements\":{\"n\":\"5\",\"t\":\"text\",\"v\":\"1.2.3\","
	"\"yes\":\"true\"}},\"m.f\":{\"elements\":{\"a\":\"1\"}}},"
	"\"instances\":{\"pci.device\":{\"elements\":[{\"attributes\":{\"class\":\"0200\","
	"\"vendor\":\"8086\",\"device\":\"1572\"}},{\"attributes\":{\"class\":\"0300\","
	"\"vendor\":\"0fff\"}}]},\"m.f\":{\"elements\":[{\"attributes\":{\"a\":\"x\"}}]}}}";

static void evaluate(const struct manifests *m, bool wants_why, struct nfd_eval *v)
{
	static json_t *features;
	struct err e = { 0 };

	if (!features)
		features = json_loads(node, 0, NULL);
	nfd_eval_init(v, NULL, wants_why);
	must(nfd_eval_add(v, features, NULL, "node", &e) == 0);
	nfd_eval_run(v, m);
	must(v->rows && v->problems && !v->why == !wants_why);
}

static void check_row(const json_t *row)
{
	const char *kind = json_string_value(json_object_get(row, "kind"));
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *value = json_string_value(json_object_get(row, "value"));
	struct err e = { 0 };

	must(kind && name && value && json_string_value(json_object_get(row, "object")));
	if (strcmp(kind, "label") == 0)
		must(nfd_check_label(name, value, &e) == 0);
	else if (strcmp(kind, "annotation") == 0)
		must(nfd_check_annotation(name, value, &e) == 0);
	else if (strcmp(kind, "extended-resource") == 0)
		must(nfd_check_extended_resource(name, value, &e) == 0);
}

static void fuzz_one(const char *text, size_t len)
{
	auto_manifests struct manifests m = { 0 };
	auto_nfd_eval struct nfd_eval plain = { 0 }, traced = { 0 };
	struct err e = { 0 };
	const json_t *row;
	size_t i;

	must_agree(manifests_read_with_lists(text, len, "file", &m, &e), &e);
	if (m.n == 0)
		return;
	evaluate(&m, false, &plain);
	evaluate(&m, true, &traced);
	must(json_equal(plain.rows, traced.rows) && json_equal(plain.problems, traced.problems));
	must(plain.is_bad == traced.is_bad);
	json_array_foreach(plain.rows, i, row) {
		check_row(row);
	}
	if (json_array_size(plain.rows) > 0)
		accepted();
}
