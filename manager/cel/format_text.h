/* SPDX-License-Identifier: Apache-2.0 */
/* format_text.h - "%s is %d".format(["a", 1]) */
#ifndef MANAGER_CEL_FORMAT_TEXT_H
#define MANAGER_CEL_FORMAT_TEXT_H

#include "manager/cel/run.h"

/* A row of the tables (function.h): v[0] is the text with its clauses, v[1] the list of values. */
struct cel_value cel_format_text(struct cel_run *r, const struct cel_value *v);

/* "%.2f" */
struct cel_clause {
	char letter;
	int precision;
};

/*
 * Reads the clause that *s begins with, and goes behind it.  NULL: it is one; else what is wrong,
 * for the text of an error.
 */
const char *cel_clause_read(const char **s, struct cel_clause *ret);

#endif
