/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.h - rules of Node Feature Discovery, evaluated as nfd-worker and nfd-master would
 *
 * First the worker's custom rules match its own features and make labels.  Then the node's
 * NodeFeatures are merged, and the master's NodeFeatureRules match them, in the order of their
 * names.  An invalid rule is reported, and the others are evaluated all the same.
 */
#ifndef MANAGER_NFD_EVAL_H
#define MANAGER_NFD_EVAL_H

#include "base/deadline.h"
#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "manager/nfd/rule_output.h"

#include <jansson.h>
#include <stdbool.h>

struct nfd_eval {
	const char *node_name;		/* borrowed; NodeFeatures of others do not count; NULL: that
					   of the first one */
	bool is_node_said;		/* node_name was given: others are skipped silently */
	bool wants_why;
	const struct deadline *until;	/* borrowed; no rule is begun behind it.  NULL: no limit */

	json_t *features;		/* of the worker, then of all; rule.matched among them */
	struct rule_outputs outputs;
	json_t *pending;		/* labels of no rule, until custom rules were: by object */

	json_t *rows;			/* what the node gets, see rule_outputs_finish() */
	json_t *problems;		/* {"object", "rule", "problem", "skipped"} */
	json_t *why;			/* {"object", "rule", "value", "terms"}; NULL: not wanted */
	size_t why_left;		/* terms that may still be added, and how long all are */
	size_t why_bytes;
	bool is_bad;			/* a problem is more than a warning */
};

void nfd_eval_init(struct nfd_eval *v, const char *node_name, bool wants_why);
void nfd_eval_done(struct nfd_eval *v);

#define auto_nfd_eval auto_with(nfd_eval_done)

/*
 * Add the worker's own features, in the form of features.h, and labels, an object of strings, which
 * replace those of custom rules; either may be NULL.
 */
int nfd_eval_add(struct nfd_eval *v, const json_t *features, const json_t *labels,
		 const char *what, struct err *e) must_check;
/*
 * The same for each NodeFeature of a file, in place of the worker's.  Other objects are an error,
 * and so are several nodes without node_name.  The manifests must live as long as v, which borrows
 * the node's name.
 */
int nfd_eval_add_manifests(struct nfd_eval *v, const struct manifests *m,
			   struct err *e) must_check;

/*
 * Evaluate NodeFeatures, NodeFeatureRules and lists of custom rules; fills rows, problems and why.
 */
void nfd_eval_run(struct nfd_eval *v, const struct manifests *m);

#endif
