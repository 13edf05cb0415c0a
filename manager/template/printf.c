/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf.c - printf of templates: %v %s %d %x %q %t and %%, with a width
 *
 * Where Go would write what is wrong into the text ("%!d(string=x)"), here it is an error: no label
 * could have that.
 */
#include "manager/template/part.h"

#include "base/jx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH_MAX = 1024 };

struct verb {
	bool left, zero, plus;
	int width, precision;		/* -1: none */
	char c;
};

/* -- the format -- */

static int number_at(const char **p)
{
	int n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n > WIDTH_MAX ? n : n * 10 + (**p - '0');
	return n;
}

/* p is behind the '%', and moved behind the verb. */
static bool read_verb(struct template_run *r, const char **p, struct verb *v)
{
	*v = (struct verb){ .precision = -1 };
	for (; **p && strchr("-0+", **p); ++*p) {
		v->left = v->left || **p == '-';
		v->zero = v->zero || **p == '0';
		v->plus = v->plus || **p == '+';
	}
	v->width = number_at(p);
	if (**p == '.') {
		++*p;
		v->precision = number_at(p);
	}
	v->c = **p;
	if (!v->c || !strchr("vsdxqt%", v->c)) {
		(void)template_fail(r, "printf: '%%%.1s' is not supported, only %%v, %%s, %%d, "
				    "%%x, %%q, %%t and %%%%, with -, + or 0 and a width", *p);
		return false;
	}
	++*p;
	if (v->width > WIDTH_MAX || v->precision > WIDTH_MAX) {
		(void)template_fail(r, "printf: a width over %d", WIDTH_MAX);
		return false;
	}
	if ((v->precision >= 0 && v->c != 's') || ((v->zero || v->plus) && !strchr("dx", v->c)) ||
	    (v->plus && v->c != 'd')) {
		(void)template_fail(r, "printf: %%%c has a flag or precision that is not "
				    "supported", v->c);
		return false;
	}
	return true;
}

/* -- one value -- */

static bool fill(struct template_run *r, struct template_text *to, char c, int n)
{
	bool done = true;

	for (; done && n > 0; n--)
		done = template_put(r, to, &c, 1);
	return done;
}

/* How many characters of UTF-8. */
static int runes(const struct template_text *text)
{
	int n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += ((unsigned char)text->s[i] & 0xc0) != 0x80;
	return n;
}

static bool put_padded(struct template_run *r, struct template_text *to, const struct verb *v,
		       const struct template_text *text)
{
	int pad = v->width - runes(text);

	return (v->left || fill(r, to, ' ', pad)) &&
	       template_put(r, to, text->len ? text->s : "", text->len) &&
	       (!v->left || fill(r, to, ' ', pad));
}

/* Zeros are behind the sign. */
static bool put_number(struct template_run *r, struct template_text *to, const struct verb *v,
		       json_int_t i)
{
	auto_template_text struct template_text text = { 0 };
	unsigned long long size = i < 0 ? 0ULL - (unsigned long long)i : (unsigned long long)i;
	const char *sign = i < 0 ? "-" : v->plus ? "+" : "";
	char digits[32];
	int len = snprintf(digits, sizeof(digits), v->c == 'x' ? "%llx" : "%llu", size);

	return template_put(r, &text, sign, strlen(sign)) &&
	       (!v->zero || v->left ||
		fill(r, &text, '0', v->width - len - (int)strlen(sign))) &&
	       template_put(r, &text, digits, (size_t)len) && put_padded(r, to, v, &text);
}

static bool put_hex(struct template_run *r, struct template_text *to, const json_t *value)
{
	const char *s = json_string_value(value);
	bool done = true;
	char two[3];

	for (; done && *s; s++) {
		(void)snprintf(two, sizeof(two), "%02x", (unsigned char)*s);
		done = template_put(r, to, two, 2);
	}
	return done;
}

/* One byte of a quoted string; others than ASCII are left as they are. */
static bool put_quoted_byte(struct template_run *r, struct template_text *to, char c)
{
	static const char means[] = "\a\b\f\n\r\t\v\\\"", names[] = "abfnrtv\\\"";
	const char *at = strchr(means, c);
	char text[8];

	if (at)
		(void)snprintf(text, sizeof(text), "\\%c", names[at - means]);
	else
		(void)snprintf(text, sizeof(text), (unsigned char)c < ' ' || c == 0x7f ?
			       "\\x%02x" : "%c", c);
	return template_put(r, to, text, strlen(text));
}

static bool put_quoted(struct template_run *r, struct template_text *to, const json_t *value)
{
	const char *s = json_string_value(value);
	bool done = template_put(r, to, "\"", 1);

	for (; done && *s; s++)
		done = put_quoted_byte(r, to, *s);
	return done && template_put(r, to, "\"", 1);
}

/* The first `max` characters, or all of -1. */
static bool put_some(struct template_run *r, struct template_text *to, const json_t *value,
		     int max)
{
	const char *s = json_string_value(value);
	size_t n = 0;

	for (; s[n]; n++)
		if (max >= 0 && ((unsigned char)s[n] & 0xc0) != 0x80 && max-- == 0)
			break;
	return template_put(r, to, s, n);
}

static bool is_for(const struct verb *v, const json_t *value)
{
	switch (v->c) {
	case 'v':	/* Go would give each of a list the width */
		return v->width == 0 || !(json_is_array(value) || json_is_object(value));
	case 'd':
		return json_is_integer(value);
	case 'x':
		return json_is_integer(value) || json_is_string(value);
	case 't':
		return json_is_boolean(value);
	default:
		return json_is_string(value);
	}
}

static bool put_verb(struct template_run *r, struct template_text *to, const struct verb *v,
		     const json_t *value)
{
	auto_template_text struct template_text text = { 0 };
	bool done;

	if (!is_for(v, value)) {
		(void)template_fail(r, "printf: %%%s%c of %s", v->width ? "N" : "", v->c,
				    jx_type_name(value));
		return false;
	}
	if (json_is_integer(value) && v->c != 'v')
		return put_number(r, to, v, json_integer_value(value));
	if (v->c == 'x')
		done = put_hex(r, &text, value);
	else if (v->c == 'q')
		done = put_quoted(r, &text, value);
	else if (v->c == 's')
		done = put_some(r, &text, value, v->precision);
	else
		done = template_print(r, &text, value);
	return done && put_padded(r, to, v, &text);
}

/* -- all -- */

/* *used counts the values. */
static bool put_format(struct template_run *r, struct template_text *to, const char *format,
		       json_t *const *args, size_t n, size_t *used)
{
	struct verb v;

	while (*format) {
		size_t plain = strcspn(format, "%");

		if (!template_put(r, to, format, plain))
			return false;
		format += plain;
		if (!*format)
			return true;
		format++;
		if (!read_verb(r, &format, &v))
			return false;
		if (v.c != '%' && *used == n) {
			(void)template_fail(r, "printf: there is no value for %%%c", v.c);
			return false;
		}
		if (v.c == '%' ? !template_put(r, to, "%", 1) :
				 !put_verb(r, to, &v, args[(*used)++]))
			return false;
	}
	return true;
}

json_t *template_printf(struct template_run *r, json_t *const *args, size_t n)
{
	auto_template_text struct template_text text = { 0 };
	size_t used = 1;

	if (!json_is_string(*args))
		return template_fail(r, "printf: the format is %s", jx_type_name(*args));
	if (!put_format(r, &text, json_string_value(*args), args, n, &used))
		return NULL;
	if (used < n)
		return template_fail(r, "printf: %zu values for %zu verbs", n - 1, used - 1);
	return template_text_value(r, &text);
}
