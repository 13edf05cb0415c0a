/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_run.h - rules are run, one behind the other, and what is wrong with them is told
 *
 * What they give, what is wrong and why they match goes to one struct nfd_eval.
 */
#ifndef MANAGER_NFD_RULE_RUN_H
#define MANAGER_NFD_RULE_RUN_H

#include "base/err.h"
#include "manager/nfd/eval.h"
#include "manager/nfd/rule.h"

#include <jansson.h>
#include <stdbool.h>

/* The rules of one object. */
struct rule_run {
	struct nfd_eval *v;
	json_t *features;		/* that they see, and add their rule.matched to */
	const struct rule_kind *kind;
	struct rule_origin by;
};

/* A list of them; one that is wrong is told and skipped. */
void rule_run_list(struct rule_run *r, const json_t *rules);

/* What is read, but is probably not meant; arg is the run. */
void rule_run_warn(const char *text, void *arg);

/* An error of a rule or object: `skipped` as a whole, or in one of its outputs. */
void rule_run_fault(struct nfd_eval *v, const struct rule_origin *by, const struct err *why,
		    bool skipped);

#endif
