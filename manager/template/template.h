/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.h - the part of Go's text/template that rules of NFD use
 *
 * range, if, with, else, break, continue, variables, pipelines, literals, and the functions and,
 * eq, ge, gt, index, le, len, lt, ne, not, or, print, printf, println.  The rest, Sprig's functions
 * too, is refused by its name when a template is parsed.  A key that is not there is an error
 * (missingkey=error).
 */
#ifndef MANAGER_TEMPLATE_TEMPLATE_H
#define MANAGER_TEMPLATE_TEMPLATE_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

enum {
	NFD_TEMPLATE_MAX = 64 * 1024,		/* bytes of a template, and of what it makes */
	NFD_TEMPLATE_STEPS_MAX = 1000000,
};

struct template;

/* NULL with ERR_NETCONF: what is wrong, and in which line.  Free by template_free(). */
struct template *template_parse(const char *text, struct err *e) must_check;

/*
 * From now on each run tells of what NFD would not take: a feature that is spelled in other case
 * than the template has it.
 */
typedef void template_say(unsigned int line, const char *text, void *arg);
void template_tell(struct template *t, template_say *say, void *arg);

/*
 * What it makes of data, any JSON value, owned by the caller.  Data of a rule is {"pci": {"device":
 * [{"vendor": "15b3"}...]}}: per matched feature a list of its elements.  -1 with what went wrong.
 */
int template_run(const struct template *t, const json_t *data, char **ret,
		 struct err *e) must_check;

/* Lines of "key=value" to an object of strings, as for labelsTemplate and varsTemplate. */
int template_expand(const struct template *t, const json_t *data, json_t *ret,
		    struct err *e) must_check;

/* NULL is accepted. */
void template_free(struct template *t);
void template_free_at(struct template *const *t);

#define auto_nfd_template auto_with(template_free_at)

#endif
