/* SPDX-License-Identifier: Apache-2.0 */
/* lint.h - what is wrong with files: a line for each problem, or a row for each file */
#ifndef MANAGER_CTL_LINT_H
#define MANAGER_CTL_LINT_H

#include "base/err.h"
#include "manager/doctor/finding.h"

#include <jansson.h>

/* Of one file, or of one object in it. */
struct ctl_lint {
	const char *file;		/* what it is called; problems are of what this says then */
	const char *object;		/* "default/net"; NULL: the file itself */
	const char *kind;		/* "manifest": what it turned out to be */
	json_t *problems;		/* owned; {"file", "line", "level", "text"}, 0: no line */
	unsigned int told[SEVERITY_ERROR + 1];	/* how many problems of each severity */
};

/* line: 0: the whole. */
void ctl_lint_add(struct ctl_lint *l, unsigned int line, enum severity severity, const char *text);

/* An error that is about the file as a whole, whose name the message need not have once more. */
void ctl_lint_add_err(struct ctl_lint *l, const struct err *e);

/* All problems on standard output, a line each; then, without an error, that it is ok: (detail). */
void ctl_lint_put(const struct ctl_lint *l, const char *detail);

/* {"file", "object", "kind", "ok", "problems"}, without what it has not: new reference. */
json_t *ctl_lint_row(const struct ctl_lint *l);

void ctl_lint_done(struct ctl_lint *l);
#define auto_ctl_lint auto_with(ctl_lint_done)

#endif
