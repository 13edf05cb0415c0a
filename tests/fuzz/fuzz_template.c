/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_template.c - templates of rules, and what they make of features: bounded, the same twice */
#include "manager/template/template.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char features[] =
	"{\"pci\":{\"device\":[{\"vendor\":\"15b3\",\"class\":\"0200\",\"device\":\"101e\"},"
	"{\"vendor\":\"8086\",\"class\":\"0300\",\"device\":\"154c\"}]},"
	"\"cpu\":{\"cpuid\":[{\"Name\":\"AVX\"}],\"none\":[]},"
	"\"system\":{\"osRelease\":[{\"Name\":\"ID\",\"Value\":\"debian\"}]},"
	"\"n\":7,\"r\":1.5,\"yes\":true,\"nil\":null}";

static void run_twice(const struct template *t, const json_t *data)
{
	char *text = NULL, *again = NULL;
	struct err e = { 0 };
	int rc = template_run(t, data, &text, &e);

	must_agree(rc, &e);
	must((rc == 0) == !!text);
	must(!text || strlen(text) <= TEMPLATE_MAX);
	must(template_run(t, data, &again, &e) == rc);
	must(!text || strcmp(text, again) == 0);
	free(text);
	free(again);
}

static void expand(const struct template *t, const json_t *data)
{
	json_auto_t *ret = json_object();
	struct err e = { 0 };
	int rc = template_expand(t, data, ret, &e);

	must_agree(rc, &e);
	must(rc == 0 || json_object_size(ret) == 0);
	if (json_object_size(ret) > 0)
		accepted();
}

static void fuzz_one(const char *text, size_t len)
{
	static json_t *data, *before;		/* made once, for nothing changes them */
	auto_free char *string = strndup(text, len);	/* which it is, in a rule */
	struct err e = { 0 };
	auto_template struct template *t = template_parse(string, &e);

	must(!t == (e.code == ERR_NETCONF));
	if (!t)
		return;
	if (!data) {
		data = json_loads(features, 0, NULL);
		before = json_deep_copy(data);
	}
	run_twice(t, data);
	expand(t, data);
	must(json_equal(data, before));
}
