/* SPDX-License-Identifier: Apache-2.0 */
/* lint.h - report the problems of files: a line for each problem, or a row for each file */
#ifndef MANAGER_CTL_LINT_H
#define MANAGER_CTL_LINT_H

#include "base/err.h"
#include "manager/doctor/finding.h"

#include <jansson.h>

/* The problems of one file, or of one object in it. */
struct ctl_lint {
	const char *file;		/* its name; each problem gets the one of then */
	const char *object;		/* "default/net"; NULL: the file itself */
	const char *kind;		/* the kind that was recognised: "manifest" */
	json_t *problems;		/* owned; {"file", "line", "level", "text"}, 0: no line */
	unsigned int told[SEVERITY_ERROR + 1];	/* how many problems of each severity */
};

/* Add a problem; line 0: of the whole. */
void ctl_lint_add(struct ctl_lint *l, unsigned int line, enum severity severity, const char *text);

/* Add an error about the whole file, whose name is removed from the message. */
void ctl_lint_add_err(struct ctl_lint *l, const struct err *e);

/* Print all problems, a line each; then, when none is an error, "ok" with detail. */
void ctl_lint_put(const struct ctl_lint *l, const char *detail);

/* Make {"file", "object", "kind", "ok", "problems"}, without absent ones: a new reference. */
json_t *ctl_lint_row(const struct ctl_lint *l);

void ctl_lint_done(struct ctl_lint *l);
#define auto_ctl_lint auto_with(ctl_lint_done)

#endif
