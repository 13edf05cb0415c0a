/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_output.h - what rules give a node: collected, and at the end resolved and checked
 *
 * As in nfd-master the last one of a name counts, and its value is looked at when all rules are
 * through: a label of an earlier rule does not come back when that of a later one is refused.
 */
#ifndef MANAGER_NFD_RULE_OUTPUT_H
#define MANAGER_NFD_RULE_OUTPUT_H

#include "base/err.h"
#include "manager/nfd/master.h"
#include "manager/nfd/rule.h"

#include <jansson.h>
#include <stdbool.h>

struct rule_outputs {
	json_t *by_kind;		/* owned: kind -> name -> row */
	struct nfd_master master;	/* how it was configured */
};

/* Who gives it: a rule of an object, or an object (or file) alone. */
struct rule_origin {
	const char *rule;		/* NULL: none */
	const char *object;
	bool is_workers;		/* a custom rule's, which has no references */
};

void rule_outputs_init(struct rule_outputs *o);
void rule_outputs_done(struct rule_outputs *o);

/* What a rule that matches gives besides its labels and vars, and these, templates expanded. */
void rule_outputs_add(struct rule_outputs *o, const struct rule *r, const json_t *labels,
		      const json_t *vars, const struct rule_origin *by);
/* Labels alone, an object of strings. */
void rule_outputs_add_labels(struct rule_outputs *o, const json_t *labels,
			     const struct rule_origin *by);

/*
 * The rows, new reference: {"name", "kind", "value", "rule", "object", "note"}, by kind and name.
 * "@domain.feature.element" has become the value of that attribute, but not of a custom rule: only
 * nfd-master resolves it.  One that the node may not have goes to `bad`.
 */
typedef void rule_output_bad(const struct rule_origin *by, const struct err *why, void *arg);
json_t *rule_outputs_finish(const struct rule_outputs *o, const json_t *features,
			    rule_output_bad *bad, void *arg);

#endif
