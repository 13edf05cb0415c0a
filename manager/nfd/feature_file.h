/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feature_file.h - the feature files of NFD's local source, read and written
 *
 * Guide, "Feature files": lines of NAME or NAME=VALUE, comments, and the directives
 * "# +expiry-time=", "# +no-feature" and "# +no-label".
 */
#ifndef MANAGER_NFD_FEATURE_FILE_H
#define MANAGER_NFD_FEATURE_FILE_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { FEATURE_FILE_MAX = 65536 };	/* bytes; NFD ignores a larger file */

/* Called for each problem; line 0: of the whole file. */
typedef void feature_file_say(unsigned int line, bool is_error, const char *text, void *arg);

/*
 * What NFD would take from a file at that time: labels (those of "local.label") and raw features
 * (of "local.feature"), by the names that the file has: objects of strings, to which it is added (a
 * later file overrides).  `say` is called for each line that NFD would ignore or misread. -1: NFD
 * ignores the whole file.
 */
int feature_file_read(const char *text, size_t len, time_t now, json_t *labels, json_t *features,
		      feature_file_say *say, void *arg, struct err *e) must_check;

/*
 * Of "local.label" what nfd-worker makes labels of, a new reference: those of a name and a value
 * that a node may have.
 */
json_t *feature_file_labels(const json_t *labels);

#endif
