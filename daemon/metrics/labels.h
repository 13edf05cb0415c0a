/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h - the labels of a sample, as they stand in an exposition */
#ifndef DAEMON_METRICS_LABELS_H
#define DAEMON_METRICS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

enum { LABELS_SIZE = 3072 };

struct labels {
	char text[LABELS_SIZE];		/* a="x",b="y" */
	size_t len;
	bool full;			/* something did not fit, and all of it is worth nothing */
};

/*
 * Add a label; one without a value ("", NULL) is left out, for it means the same.  Quotes,
 * backslashes and ends of lines are escaped, other control characters become '?', and so do bytes
 * beyond ASCII in a value that is no UTF-8.
 */
void labels_add(struct labels *l, const char *name, const char *value);
void labels_add_number(struct labels *l, const char *name, int value);

#endif
