/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - check files for Node Feature Discovery as it would refuse them
 *
 * A feature file, or manifests: NodeFeatureRules, NodeFeatures, lists of custom rules and the
 * configuration of nfd-worker.
 */
#ifndef MANAGER_NFD_LINT_H
#define MANAGER_NFD_LINT_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"

#include <stdbool.h>
#include <stddef.h>

enum nfd_file {
	NFD_FILE_FEATURES,
	NFD_FILE_MANIFESTS,
	NFD_FILE_HOOK,		/* a program, which NFD ran once */
};

/* Get a file's kind from its first line that is no comment; a hook's also from its directory. */
enum nfd_file nfd_file_kind(const char *path, const char *text, size_t len);

/* `where` is a rule, an object or NULL. */
typedef void nfd_lint_say(const char *where, bool is_error, const char *text, void *arg);

/* Report all errors of one document. */
void nfd_lint_manifest(const struct manifest *m, nfd_lint_say *say, void *arg);

#endif
