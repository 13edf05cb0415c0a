/* SPDX-License-Identifier: Apache-2.0 */
/* err.c - one error, carried by value */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_code code, int sys, const char *fmt, ...)
{
	struct err new = { .code = code, .sys = sys };	/* the arguments may point into *e */
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(new.msg, sizeof(new.msg), fmt, ap);
	va_end(ap);
	if (sys)
		(void)snprintf(new.details, sizeof(new.details), "%s", strerror(sys));
	*e = new;
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char inner[sizeof(e->msg)];
	size_t used;
	va_list ap;

	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	used = strlen(e->msg);
	(void)snprintf(e->msg + used, sizeof(e->msg) - used, ": %s", inner);
	return -1;
}

/* Append to a list of words, "; " being between two. */
static void printflike(3, 0) append(char *text, size_t size, const char *fmt, va_list ap)
{
	size_t used = strlen(text);

	if (used > 0 && used + 3 < size) {
		memcpy(text + used, "; ", 3);
		used += 2;
	}
	(void)vsnprintf(text + used, size - used, fmt, ap);
}

int err_detail(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append(e->details, sizeof(e->details), fmt, ap);
	va_end(ap);
	return -1;
}

int err_private(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append(e->private, sizeof(e->private), fmt, ap);
	va_end(ap);
	return -1;
}

int err_hide(struct err *e, const char *fmt, ...)
{
	struct err was = *e;
	va_list ap;

	(void)err_set(e, was.code, was.sys, "%s", "");
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	(void)err_private(e, "%s%s%s", was.msg, *was.details ? ": " : "", was.details);
	return *was.private ? err_private(e, "%s", was.private) : -1;
}

void err_join(struct err *all, const struct err *e)
{
	if (all->code == ERR_OK) {
		*all = *e;
		return;
	}
	(void)err_detail(all, "and %s%s%s", e->msg, *e->details ? ": " : "", e->details);
	if (*e->private)
		(void)err_private(all, "%s", e->private);
}

int err_joined(const struct err *all, struct err *e)
{
	if (all->code == ERR_OK)
		return 0;
	*e = *all;
	return -1;
}
