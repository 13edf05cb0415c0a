/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_files_upstream.c - feature files give what Node Feature Discovery's own code took from them
 *
 * tests/upstream/feature-files.json has texts, each with the raw features and the labels that
 * upstream read, in November 2026, before it looks whether a node may have them.
 */
#include "manager/nfd/feature_file.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

#define RECORDED	"tests/upstream/feature-files.json"

enum { NOW = 1795000000 };		/* 2026-11-18: no text has a time near it */

static void hear_nothing(unsigned int line, bool is_error, const char *text, void *arg)
{
	(void)line, (void)is_error, (void)text, (void)arg;
}

static json_t *taken(const char *text)
{
	json_t *labels = json_object(), *features = json_object();
	struct err e = { 0 };

	if (feature_file_read(text, strlen(text), NOW, labels, features, hear_nothing, NULL,
			      &e) < 0) {
		(void)printf("Bail out! %s\n", e.msg);
		exit(1);
	}
	return json_pack("{s:o,s:o}", "features", features, "labels", labels);
}

/* "T\t{...}" */
static json_t *recorded(const json_t *verdict)
{
	const char *text = json_string_value(verdict);
	json_t *ret = text && strncmp(text, "T\t", 2) == 0 ? json_loads(text + 2, 0, NULL) : NULL;

	if (!ret) {
		(void)printf("Bail out! %s\n", text ? text : "no verdict");
		exit(1);
	}
	return ret;
}

static void tell(const json_t *one, const json_t *have)
{
	auto_free char *c = json_dumps(one, JSON_COMPACT);
	auto_free char *is = json_dumps(have, JSON_COMPACT);

	(void)printf("#  %s\n#  have %s\n", c, is);
}

int main(void)
{
	json_auto_t *all = NULL;
	const json_t *one;
	size_t i;

	jx_init(NULL);
	all = json_load_file(RECORDED, 0, NULL);
	test("NFD's own code takes the same from each recorded feature file");
	eqi(json_array_size(all), 800);
	json_array_foreach(all, i, one) {
		json_auto_t *have = taken(json_string_value(json_array_get(one, 0)));
		json_auto_t *want = recorded(json_array_get(one, 1));

		if (!ok(json_equal(have, want)))
			tell(one, have);
	}
	return tap_end();
}
