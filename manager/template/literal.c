/* SPDX-License-Identifier: Apache-2.0 */
/* literal.c - the numbers and strings of a template, as Go writes them */
#include "manager/template/part.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An underscore between digits, or a prefix and a digit, goes.  false: it is elsewhere. */
static bool drop_underscores(char *text, bool is_hex, bool has_prefix)
{
	const char *digits = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
	char *to = text;

	for (const char *p = text; *p; p++) {
		bool behind = p > text ? strchr(digits, p[-1]) != NULL : has_prefix;

		if (*p != '_')
			*to++ = *p;
		else if (!behind || !p[1] || !strchr(digits, p[1]))
			return false;
	}
	*to = '\0';
	return true;
}

/* Digits of a base behind its prefix, or an octal "017". */
static json_t *integer_literal(const char *digits, int base, bool is_negative)
{
	unsigned long long size;
	char *end;

	if (*digits == '\0' || strspn(digits, "0123456789abcdefABCDEF") < strlen(digits))
		return NULL;
	errno = 0;
	size = strtoull(digits, &end, base);
	if (*end || errno || size > (unsigned long long)INT64_MAX + is_negative)
		return NULL;
	return json_integer(is_negative ? (json_int_t)(0ULL - size) : (json_int_t)size);
}

/* What has a point or an exponent.  NULL: it is none, or too large. */
static json_t *real_literal(const char *digits, bool is_hex, bool is_negative)
{
	size_t hex = strspn(digits, "0123456789abcdefABCDEF.");
	char text[80], *end;
	double real;

	if (is_hex ? !strpbrk(digits, "pP") || hex == 0 :
		     !strpbrk(digits, ".eE") || strspn(digits, "0123456789.eE+-") < strlen(digits))
		return NULL;
	(void)snprintf(text, sizeof(text), "%s%s%s", is_negative ? "-" : "", is_hex ? "0x" : "",
		       digits);
	real = strtod(text, &end);
	return *end || isinf(real) ? NULL : json_real(real);
}

/* Does it fit into 64 bits without a sign?  Go refuses it only when it is used. */
static bool is_unsigned(const char *digits, int base)
{
	char *end;

	errno = 0;
	(void)strtoull(digits, &end, base);
	return isxdigit((unsigned char)*digits) && !*end && errno == 0;
}

/* Go's: 12, -3, 0x1f, 017, 0o17, 0b11, 1_000, 1.5, 1e3, 0x1p-2.  NULL: it is none. */
static json_t *number_literal(const struct template_token *token, bool *too_large)
{
	static const char letters[] = "xXoObB";
	static const int bases[] = { 16, 16, 8, 8, 2, 2 };
	char text[64], *digits = text;
	const char *letter;
	json_t *value;
	int base = 10;

	if (token->len >= sizeof(text))
		return NULL;
	memcpy(text, token->at, token->len);
	text[token->len] = '\0';
	digits += *digits == '+' || *digits == '-';
	letter = digits[0] == '0' && digits[1] ? strchr(letters, digits[1]) : NULL;
	if (letter) {
		base = bases[letter - letters];
		digits += 2;
	}
	if (!drop_underscores(digits, base == 16, letter != NULL))
		return NULL;
	if (!letter && digits[0] == '0' && digits[1])
		base = 8;
	value = integer_literal(digits, base, *text == '-');
	*too_large = !value && digits == text + (letter ? 2 : 0) && is_unsigned(digits, base);
	if (value || *too_large || base == 2 || (letter && base == 8))
		return value;
	return real_literal(digits, base == 16, *text == '-');
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
	bool too_large = false;
	json_t *value;

	if (token->kind != TOKEN_NUMBER)
		return string_literal(token, wrong);
	value = number_literal(token, &too_large);
	*wrong = too_large ? NULL : "it is no number";
	return value;
}
