/* SPDX-License-Identifier: Apache-2.0 */
/* bytes_function.c - functions of bytes, and a string as it is written in an expression */
#include "manager/cel/function.h"

#include <string.h>

static struct cel_value same(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return *v;
}

static struct cel_value bytes_of_string(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return (struct cel_value){ .type = CEL_BYTES, .size = v->size, .text = v->text };
}

/* A string has no NUL here. */
static struct cel_value string_of_bytes(struct cel_run *r, const struct cel_value *v)
{
	json_auto_t *utf8 = json_stringn(v->text, v->size);

	if (!utf8 || memchr(v->text, '\0', v->size))
		return cel_fault(r, "the bytes are no string", NULL);
	return (struct cel_value){ .type = CEL_STRING, .size = v->size, .text = v->text };
}

static struct cel_value size(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->size);
}

static struct cel_value concatenate(struct cel_run *r, const struct cel_value *v)
{
	char *text = cel_new_text(r, (size_t)v[0].size + v[1].size);

	if (!text)
		return cel_failed(r);
	(void)mempcpy(mempcpy(text, v[0].text, v[0].size), v[1].text, v[1].size);
	return (struct cel_value){ .type = CEL_BYTES, .size = v[0].size + v[1].size, .text = text };
}

static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";

/* "a\nb" */
static struct cel_value quote(struct cel_run *r, const struct cel_value *v)
{
	char *text = cel_new_text(r, 2 * (size_t)v->size + 2), *at = text;

	if (!text)
		return cel_failed(r);
	*at++ = '"';
	for (uint32_t i = 0; i < v->size; i++) {
		const char *escape = v->text[i] ? strchr(from, v->text[i]) : NULL;

		if (escape)
			*at++ = '\\';
		*at++ = escape ? to[escape - from] : v->text[i];
	}
	*at++ = '"';
	return (struct cel_value){ .type = CEL_STRING, .size = (uint32_t)(at - text),
				   .text = text };
}

const struct cel_function cel_bytes_functions[] = {
	{ "bytes", CEL_FUNCTION, "y", "y", same, false },
	{ "bytes", CEL_FUNCTION, "s", "y", bytes_of_string, false },
	{ "string", CEL_FUNCTION, "y", "s", string_of_bytes, false },
	{ "size", CEL_BOTH, "y", "i", size, false },
	{ "+", CEL_OPERATOR, "yy", "y", concatenate, false },
	{ "strings.quote", CEL_FUNCTION, "s", "s", quote, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
