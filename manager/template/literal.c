/* SPDX-License-Identifier: Apache-2.0 */
/* literal.c - the numbers and strings of a template, as Go writes them */
#include "manager/template/part.h"

#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Go's: 12, -3, 0x1f, 017, 0o17, 0b11, 1.5, 1e3.  NULL: it is none. */
static json_t *number_literal(const struct template_token *token)
{
	char text[64], *end;
	const char *digits = text;
	int base = 0;
	json_int_t i;
	double real;

	if (token->len >= sizeof(text))
		return NULL;
	memcpy(text, token->at, token->len);
	text[token->len] = '\0';
	digits += *digits == '+' || *digits == '-';
	if (digits[0] == '0' && digits[1] && strchr("bBoO", digits[1])) {
		base = digits[1] == 'b' || digits[1] == 'B' ? 2 : 8;
		memmove(text + (digits - text), digits + 2, strlen(digits + 2) + 1);
	}
	if (*digits < '.' || *digits > '9')
		return NULL;
	errno = 0;
	i = strtoll(text, &end, base);
	if (!*end && errno == 0)
		return json_integer(i);
	if (base != 0 || strspn(digits, "0123456789.eE+-") < strlen(digits) ||
	    !strpbrk(digits, ".eE"))
		return NULL;
	real = strtod(text, &end);
	return *end ? NULL : json_real(real);
}

/* In UTF-8; its length. */
static size_t put_rune(unsigned long c, char *to)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | (c >> 6));
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | (c >> 12));
		to[1] = (char)(0x80 | ((c >> 6) & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18));
	to[1] = (char)(0x80 | ((c >> 12) & 0x3f));
	to[2] = (char)(0x80 | ((c >> 6) & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* n digits at p; they end before end.  ULONG_MAX: they do not. */
static unsigned long digits_at(const char *p, const char *end, size_t n, int base)
{
	char text[9] = "";

	if ((size_t)(end - p) < n)
		return ULONG_MAX;
	memcpy(text, p, n);
	if (strspn(text, base == 8 ? "01234567" : "0123456789abcdefABCDEF") != n)
		return ULONG_MAX;
	return strtoul(text, NULL, base);
}

/* p is behind the backslash: how many bytes of it there are, and what they mean.  0: nothing. */
static size_t escape(const char *p, const char *end, char *to, size_t *made)
{
	static const char names[] = "abfnrtv\\\"", means[] = "\a\b\f\n\r\t\v\\\"";
	static const struct {
		char c;
		unsigned char digits;
	} codes[] = { { 'x', 2 }, { 'u', 4 }, { 'U', 8 } };
	const char *name = strchr(names, *p);
	unsigned long c = ULONG_MAX;
	size_t n = 3;

	*made = 1;
	if (name && *name) {
		*to = means[name - names];
		return 1;
	}
	if (*p >= '0' && *p <= '7')
		c = digits_at(p, end, 3, 8);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (*p == codes[i].c) {
			c = digits_at(p + 1, end, codes[i].digits, 16);
			n = codes[i].digits + 1U;
		}
	if (c == 0 || c > 0x10ffff || (n == 3 && c > 0xff))
		return 0;
	if (n == 3)
		*to = (char)c;
	else
		*made = put_rune(c, to);
	return n;
}

/* Without its quotes; what it means takes no more room than it.  SIZE_MAX: an escape is none. */
static size_t unquote(const struct template_token *token, char *text)
{
	const char *p = token->at + 1, *end = token->at + token->len - 1;
	size_t len = 0;

	while (p < end) {
		size_t made = 1, n = 1;

		if (*p == '\\' && token->kind == TOKEN_STRING) {
			n = escape(p + 1, end, text + len, &made);
			if (n++ == 0)
				return SIZE_MAX;
		} else {
			text[len] = *p;
			made = token->kind == TOKEN_STRING || *p != '\r';
		}
		p += n;
		len += made;
	}
	return len;
}

static json_t *string_literal(const struct template_token *token, const char **wrong)
{
	auto_free char *text = malloc(token->len);
	size_t len;

	*wrong = "no memory";
	if (!text)
		return NULL;
	len = unquote(token, text);
	*wrong = len == SIZE_MAX ? "an escape that is not Go's" : "it is not UTF-8";
	return len == SIZE_MAX ? NULL : json_stringn(text, len);
}

json_t *template_literal(const struct template_token *token, const char **wrong)
{
	*wrong = "it is no number";
	return token->kind == TOKEN_NUMBER ? number_literal(token) : string_literal(token, wrong);
}
