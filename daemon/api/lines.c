/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - the lines of a stream, which comes in pieces of any size */
#include "daemon/api/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add(struct lines *l, const char *bytes, size_t n, struct err *e)
{
	size_t size = l->size;
	char *text;

	if (n > l->max || l->len > l->max - n)
		return err_set(e, ERR_DECODE, EFBIG, "a line has more than %zu bytes", l->max);
	while (size < l->len + n + 1)
		size = size ? 2 * size : 4096;
	text = size > l->size ? realloc(l->text, size) : l->text;
	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "a line");
	l->text = text;
	l->size = size;
	memcpy(l->text + l->len, bytes, n);
	l->len += n;
	l->text[l->len] = '\0';
	return 0;
}

/* The line is out of the way before it is told, whatever that says. */
static int tell(struct lines *l, lines_fn *fn, void *arg, struct err *e)
{
	size_t len = l->len;

	l->len = 0;
	if (len > 0 && l->text[len - 1] == '\r')
		l->text[--len] = '\0';
	return len > 0 ? fn(l->text, len, arg, e) : 0;
}

int lines_feed(struct lines *l, const char *bytes, size_t n, lines_fn *fn, void *arg,
	       struct err *e)
{
	while (n > 0) {
		const char *end = memchr(bytes, '\n', n);
		size_t len = end ? (size_t)(end - bytes) : n;

		if (add(l, bytes, len, e) < 0)
			return -1;
		bytes += len + (end ? 1 : 0);
		n -= len + (end ? 1 : 0);
		if (end && tell(l, fn, arg, e) < 0)
			return -1;
	}
	return 0;
}

void lines_done(struct lines *l)
{
	free(l->text);
	*l = (struct lines){ .max = l->max };
}
