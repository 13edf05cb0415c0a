/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.h - one rule of Node Feature Discovery: what it wants of features, and what it gives
 *
 * A rule is of one of two kinds, which differ in what they may say and how (struct rule_kind):
 * those of NodeFeatureRule objects, which nfd-master evaluates, and the custom rules of
 * nfd-worker's configuration.
 */
#ifndef MANAGER_NFD_RULE_H
#define MANAGER_NFD_RULE_H

#include "base/err.h"
#include "manager/expression/expression.h"
#include "manager/template/template.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What a rule wants of one feature. */
struct rule_term {
	char *feature;			/* owned; "pci.device", as features have it: lower case */
	const char *written;		/* borrowed from the rule's text: templates go by it */
	struct expressions expressions;
	struct expression name;		/* of the name of an element */
	bool has_expressions, has_name;
};

/* All of them have to match. */
struct rule_matcher {
	struct rule_term *terms;	/* owned */
	size_t n;
};

struct rule {
	const struct rule_kind *kind;
	const char *name;		/* this and the next are borrowed from doc */
	const json_t *labels, *annotations, *vars, *extended_resources;	/* of strings; or NULL */
	const json_t *taints;		/* of objects; or NULL */
	json_t *doc;			/* owned */
	struct template *labels_template, *vars_template;	/* owned; NULL: none */
	struct rule_matcher features;	/* n 0: there is none */
	struct rule_matcher *any;	/* owned: one of them has to match */
	size_t any_n;
};

struct rule_kind {
	const struct expression_dialect *dialect;
	bool is_workers;
};

extern const struct rule_kind rule_of_object, rule_of_worker;

/*
 * -1 with ERR_NETCONF: which key is wrong, and what is allowed.  `warn` is told what is read, but
 * is probably not meant.
 */
typedef void rule_warn(const char *text, void *arg);
int rule_read(const json_t *doc, const struct rule_kind *kind, struct rule *ret, rule_warn *warn,
	      void *arg, struct err *e) must_check;
void rule_done(struct rule *r);

/* Tells each fault of its expressions: where a node has the attribute, NFD skips the rule. */
void rule_tell_faults(const struct rule *r, rule_warn *warn, void *arg);

/* Also of a rule that cannot be read; of a custom one the key may have any case.  NULL: none. */
const char *rule_name(const json_t *doc);

/* What became of a rule; what is in it is owned. */
struct rule_match {
	json_t *data;	/* for templates: a list, what each matcher matched; NULL: not wanted */
	json_t *why;	/* a list of terms, see rule_trace.h; NULL: not wanted */
	size_t why_left;	/* terms that may be told; 0: not all were */
	struct err chance;	/* by which NFD fails, or not (NOTES.md); ERR_OK: there is none */
};

/*
 * 1 it matches these features (features.h), 0, -1: an expression fails, so the rule is skipped.
 * ret->data and ret->why are filled when they are not NULL at first: data also with what matchAny
 * matched when the rule does not match, for NFD expands templates before it looks further.
 */
int rule_matches(const struct rule *r, const json_t *features, struct rule_match *ret,
		 struct err *e) must_check;
void rule_match_done(struct rule_match *m);

/*
 * Makes the labels and vars of a rule, templates and all: objects to which they are added.  Of one
 * that does not match they do not count, but that a template fails.
 */
int rule_expand(const struct rule *r, const struct rule_match *m, json_t *labels, json_t *vars,
		struct err *e) must_check;

#endif
