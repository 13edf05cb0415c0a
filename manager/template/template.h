/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.h - Go's text/template, as far as rules of Node Feature Discovery use it
 *
 * The room manager/template/ parses a template once and runs it over any number of JSON values.
 * NodeFeatureRules make labels and variables by it (labelsTemplate, varsTemplate).
 *
 * What it follows: Go's packages text/template ("Actions", "Arguments", "Pipelines", "Variables",
 * "Functions") and fmt ("Printing": %v and the verbs of printf), by running Go 1.19; and
 * pkg/apis/nfd/template of Node Feature Discovery v0.18, which sets missingkey=error, so a key that
 * is absent is an error.
 *
 * What is there: range, if, with, else, break, continue, variables, pipelines, literals, and the
 * functions and, eq, ge, gt, index, le, len, lt, ne, not, or, print, printf, println.  What is not:
 * define, template, block, call, html, js, slice, urlquery, literals of characters and imaginary
 * numbers, Sprig's functions.  template_parse() refuses them by name.  NOTES.md has each
 * difference, and make upstream compares both.
 *
 * The room includes base/ alone.  It opens no file, keeps nothing between two calls, and changes no
 * data that it is given.  Values are jansson's; Go's nil is JSON's null.
 *
 * Bounds: a template, each text in it and what a run makes have TEMPLATE_MAX bytes, a run takes
 * TEMPLATE_STEPS_MAX steps, and 100 blocks, parentheses or lists stand in each other (part.h).
 *
 * To be read in this order: lex.c cuts the text into tokens, parse.c makes statements of them and
 * operand.c, with literal.c, their pipelines, in the tree of tree.c; run.c runs that, with the
 * values of value.c, the functions of function.c and printf.c, the printing of print.c and the
 * bounds of text.c.
 */
#ifndef MANAGER_TEMPLATE_TEMPLATE_H
#define MANAGER_TEMPLATE_TEMPLATE_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

enum {
	TEMPLATE_MAX = 64 * 1024,	/* bytes of a template, and of what it makes */
	TEMPLATE_STEPS_MAX = 1000000,
};

struct template;

/*
 * Parses a template, which the caller owns and frees by template_free().  NULL with ERR_NETCONF:
 * the message says what is wrong, and in which line.
 */
struct template *template_parse(const char *text, struct err *e) must_check;

/*
 * Runs a template over data, any JSON value: *ret becomes a text that the caller owns.  -1 with
 * ERR_NETCONF: what went wrong, and in which line.  Data of a rule is {"pci": {"device":
 * [{"vendor": "15b3"}...]}}: of each feature that the rule matched, a list of its elements.
 */
int template_run(const struct template *t, const json_t *data, char **ret,
		 struct err *e) must_check;

/*
 * Runs a template and reads what it makes as lines of "key=value": each becomes a member of the
 * object ret, a string.  ret is not touched on failure.
 */
int template_expand(const struct template *t, const json_t *data, json_t *ret,
		    struct err *e) must_check;

/* Frees a template; NULL is accepted. */
void template_free(struct template *t);
void template_free_at(struct template *const *t);

#define auto_template auto_with(template_free_at)

#endif
