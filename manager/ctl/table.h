/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - rows as a table for people, or as JSON for machines */
#ifndef MANAGER_CTL_TABLE_H
#define MANAGER_CTL_TABLE_H

#include "manager/ctl/ctl.h"

#include <jansson.h>
#include <stdbool.h>

struct ctl_column {
	const char *title;		/* "DEVICE" */
	const char *key;		/* of the row */
	bool wide;			/* only with --output=wide */
	const char *below;	/* but with that, on a line of its own, behind this; NULL: no */
	bool coloured;			/* its word has a colour on a terminal: see table.c */
};

/*
 * Print rows, a list of objects.  With --json it is the list as it is, one document; with
 * --output=name of each the first column that is no state.  Else a line each below the titles, as
 * wide as the widest but no wider than a terminal, and one for each of its texts that are long; a
 * list is joined with ',', true is "yes", and what is absent, empty or false is "-".  Of what
 * others wrote nothing but printable ASCII reaches the terminal.  `none` is printed in place of a
 * table without rows, and told on standard error in place of names; what comes below the rows for
 * people is not for --output=name.
 */
void ctl_put_rows(const struct ctl_options *opt, const struct ctl_column *columns, size_t n,
		  const json_t *rows, const char *none);

/* One object as JSON, one line. */
void ctl_put_json(const json_t *o);

/* Standard output is a terminal, and --color does not say otherwise. */
bool ctl_has_colour(const struct ctl_options *opt);

/*
 * For what takes longer than a second, on standard error and only where that is a terminal:
 * "devinfoctl: reading PCI functions... 120".  Begin, step, and end, which takes the line away.
 */
void ctl_progress(const char *what, size_t done);
void ctl_progress_end(void);

#endif
