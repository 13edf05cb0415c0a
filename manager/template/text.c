/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - the bounds of a run: how it fails, which steps it counts, which texts it makes
 *
 * Every text that a run makes grows by template_put(), which counts steps and ends the run at
 * TEMPLATE_MAX bytes.
 */
#include "manager/template/part.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *template_fail(const struct template_run *r, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)err_set(r->e, ERR_NETCONF, 0, "line %u: %s", r->line, text);
	return NULL;
}

bool template_steps(struct template_run *r, size_t n)
{
	if (r->steps + n <= TEMPLATE_STEPS_MAX) {
		r->steps += n;
		return true;
	}
	(void)template_fail(r, "the template takes more than %d steps", TEMPLATE_STEPS_MAX);
	return false;
}

/* -- texts -- */

/* false: it would be longer than TEMPLATE_MAX. */
static bool text_add(struct template_text *t, const char *s, size_t len)
{
	if (len > TEMPLATE_MAX - t->len)
		return false;
	if (len > t->room - t->len) {
		size_t room = t->room + len < 256 ? 256 : 2 * (t->room + len);
		char *more = realloc(t->s, room);

		if (!more)
			return false;
		t->s = more;
		t->room = room;
	}
	if (len > 0)
		memcpy(t->s + t->len, s, len);
	t->len += len;
	return true;
}

void template_text_done(struct template_text *t)
{
	free(t->s);
	*t = (struct template_text){ 0 };
}

json_t *template_text_value(struct template_run *r, const struct template_text *text)
{
	json_t *v = json_stringn(text->len ? text->s : "", text->len);

	return v ? v : template_fail(r, "a text that is not UTF-8 was made");
}

bool template_put(struct template_run *r, struct template_text *to, const char *s, size_t len)
{
	if (!template_steps(r, 1 + len / 16))
		return false;
	if (text_add(to, s, len))
		return true;
	(void)template_fail(r, "the text that is made is longer than %d bytes", TEMPLATE_MAX);
	return false;
}
