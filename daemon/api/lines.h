/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - the lines of a stream, which comes in pieces of any size */
#ifndef DAEMON_API_LINES_H
#define DAEMON_API_LINES_H

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

/* The beginning of a line whose end has not come.  Zeroed but for max. */
struct lines {
	size_t max;			/* bytes that a line may have */
	char *text;			/* owned */
	size_t len, size;
};

/*
 * Called with a line that is not empty, without its end and followed by a NUL, and with its length.
 * -1 ends the feeding.
 */
typedef int lines_fn(char *line, size_t len, void *arg, struct err *e);

/* 0, or -1: a line is longer than max, there is no memory, or fn said so. */
int lines_feed(struct lines *l, const char *bytes, size_t n, lines_fn *fn, void *arg,
	       struct err *e) must_check;
void lines_done(struct lines *l);

#define auto_lines auto_with(lines_done)

#endif
