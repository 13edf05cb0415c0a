/* SPDX-License-Identifier: Apache-2.0 */
/* lint_part.h - what the checks of manifests share */
#ifndef MANAGER_NFD_LINT_PART_H
#define MANAGER_NFD_LINT_PART_H

#include "manager/nfd/lint.h"

#include <jansson.h>

struct nfd_lint {
	nfd_lint_say *say;
	void *arg;
	const char *where;		/* borrowed; NULL: the document */
	bool is_object;			/* of the API server's, by whose schema it is taken */
};

void nfd_lint_error(const struct nfd_lint *l, const struct err *why);
/* The same of what the schema takes, and NFD does not; or what else becomes of it. */
void nfd_lint_dropped(const struct nfd_lint *l, const struct err *why);
void nfd_lint_tell(const struct nfd_lint *l, bool is_error, const char *fmt, ...)
	printflike(3, 4);

/* An object of texts that become labels. */
void nfd_lint_labels(const struct nfd_lint *l, const json_t *labels);
/* The spec of a NodeFeature. */
void nfd_lint_feature_spec(const struct nfd_lint *l, const json_t *spec);
/* A list of rules: of a NodeFeatureRule, or nfd-worker's. */
void nfd_lint_rules(struct nfd_lint *l, const json_t *rules, bool is_workers);

#endif
