/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_feature_file.c - feature files of NFD that others wrote: labels they give are proper */
#include "manager/nfd/feature_file.h"
#include "manager/nfd/name.h"
#include "tests/fuzz/fuzz.h"

enum { NOW = 1800000000 };

static void heard(unsigned int line, bool is_error, const char *text, void *arg)
{
	(void)is_error, (void)arg;
	must(line <= FEATURE_FILE_MAX + 1 && *text);
}

static void must_be_proper(const json_t *local)
{
	json_auto_t *labels = feature_file_labels(local);
	struct err e = { 0 };
	const char *name;
	json_t *value;

	json_object_foreach(labels, name, value) {
		char full[NFD_NAME_MAX + 1];

		nfd_name_full(name, full);
		must(nfd_check_label_form(full, json_string_value(value), &e) == 0);
	}
}

static void fuzz_one(const char *text, size_t len)
{
	json_auto_t *labels = json_object(), *features = json_object(), *before = NULL;
	struct err e = { 0 };
	int rc = feature_file_read(text, len, NOW, labels, features, heard, NULL, &e);

	must_agree(rc, &e);
	must((rc == 0) == (len <= FEATURE_FILE_MAX));
	must_be_proper(labels);
	if (json_object_size(labels) == 0)
		return;
	before = json_deep_copy(labels);
	must(feature_file_read(text, len, NOW, labels, features, heard, NULL, &e) == 0);
	must(json_equal(labels, before));
	accepted();
}
