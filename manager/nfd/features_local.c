/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features_local.c - NFD's features of feature files: local.label and local.feature
 *
 * What of a file cannot be taken is passed over here, as NFD does; `nfd lint` tells it.
 */
#include "manager/nfd/features_part.h"

#include "base/mem.h"
#include "base/name.h"
#include "manager/nfd/feature_export.h"
#include "manager/nfd/feature_file.h"

#include <string.h>
#include <time.h>

static bool is_feature_file(const char *name)
{
	return *name != '.' && name_is_file(name);
}

static void hear_nothing(unsigned int line, bool is_error, const char *text, void *arg)
{
	(void)line, (void)is_error, (void)text, (void)arg;
}

void features_of_files(const struct host *host, json_t *features)
{
	auto_features_names struct features_names names = { .n = 0 };
	json_t *labels = features_attributes(features, "local.label");
	json_t *raw = features_attributes(features, "local.feature");
	time_t now = time(NULL);
	struct err ignored;

	features_list(host, FEATURE_EXPORT_DIR, is_feature_file, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *text = features_read(host, FEATURE_FILE_MAX,
						     FEATURE_EXPORT_DIR "/%s", names.list[i]);

		if (text)
			(void)!feature_file_read(text, strlen(text), now, labels, raw,
						 hear_nothing, NULL, &ignored);
	}
}
