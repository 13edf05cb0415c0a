/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_text.c - "%s is %d".format(["a", 1])
 *
 * Clauses: %s any value, %d whole numbers, %f doubles with thousands apart ("1,234.500000"), %b,
 * %o, %x and %X, %%.  %e is not supported: its digits and signs are those of a language.
 */
#include "manager/cel/format_text.h"

#include "base/mem.h"
#include "manager/cel/device.h"
#include "manager/cel/double_text.h"
#include "manager/cel/moment.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PRECISION = 6,
	PRECISION_MAX = 1000,
	FIXED_TEXT = PRECISION_MAX + 512,
};

struct text {
	struct cel_run *r;
	FILE *to;
};

/* NULL: it is written.  Else what is wrong, with the type that it is wrong with. */
static const char *put_value(const struct text *t, const struct cel_value *v);
static const char *put_literal(const struct text *t, const struct cel_value *v);

static const char no_clause[] = "a clause of format() is not for this type";

/* -- as in an expression -- */

static void put_quoted(FILE *to, const char *s, size_t n)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"";

	(void)fputc('"', to);
	for (size_t i = 0; i < n; i++) {
		const char *escape = s[i] ? strchr(from, s[i]) : NULL;

		if (escape)
			(void)fprintf(to, "\\%c", letters[escape - from]);
		else if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			(void)fprintf(to, "\\x%02x", (unsigned char)s[i]);
		else
			(void)fputc(s[i], to);
	}
	(void)fputc('"', to);
}

static const char *put_list(const struct text *t, const struct cel_value *v)
{
	const char *wrong = NULL;

	(void)fputc('[', t->to);
	for (uint32_t i = 0; i < v->size && !wrong; i++) {
		if (i > 0)
			(void)fputs(", ", t->to);
		wrong = put_literal(t, &v->elements[i]);
	}
	(void)fputc(']', t->to);
	return wrong;
}

struct pair {
	char *key;
	const struct cel_value *value;
};

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

static char *key_text(const struct text *t, const struct cel_value *key)
{
	char *ret = NULL;
	size_t size = 0;
	struct text of = { .r = t->r, .to = open_memstream(&ret, &size) };
	bool is_key = strchr("sbiu", key->type);

	if (!of.to)
		return NULL;
	if (is_key)
		(void)put_literal(&of, key);
	(void)fclose(of.to);
	if (is_key)
		return ret;
	free(ret);
	return NULL;
}

static const char *put_pairs(const struct text *t, const struct pair *pairs, size_t n)
{
	const char *wrong = NULL;

	(void)fputc('{', t->to);
	for (size_t i = 0; i < n && !wrong; i++) {
		(void)fprintf(t->to, "%s%s:", i > 0 ? ", " : "", pairs[i].key);
		wrong = put_literal(t, pairs[i].value);
	}
	(void)fputc('}', t->to);
	return wrong;
}

static const char *put_map(const struct text *t, const struct cel_value *v)
{
	const struct cel_map *all = cel_map_list(t->r, v->map);
	struct pair *pairs = all ? cel_new(t->r, (all->count + 1) * sizeof(*pairs)) : NULL;
	const char *wrong = pairs ? NULL : no_clause;
	size_t n = 0;

	for (; pairs && n < all->count && !wrong; n++) {
		pairs[n] = (struct pair){ key_text(t, &all->entries[n].key),
					  &all->entries[n].value };
		if (!pairs[n].key)
			wrong = no_clause;
	}
	if (pairs && !wrong) {
		qsort(pairs, n, sizeof(*pairs), by_key);
		wrong = put_pairs(t, pairs, n);
	}
	while (n > 0)
		free(pairs[--n].key);
	return wrong;
}

static const char *put_double(const struct text *t, double d)
{
	const char *word = isnan(d) ? "\"NaN\"" : d > 0 ? "\"+Inf\"" : "\"-Inf\"";

	if (isfinite(d))
		(void)fprintf(t->to, "%.*f", PRECISION, d);
	else
		(void)fputs(word, t->to);
	return NULL;
}

static const char *put_time(const struct text *t, const struct cel_value *v)
{
	bool is_duration = v->type == CEL_DURATION;
	char text[CEL_DOUBLE_TEXT];

	if (is_duration)
		(void)cel_duration_write(v->integer, text);
	else
		cel_moment_write(v->moment, text);
	(void)fprintf(t->to, "%s(\"%s\")", is_duration ? "duration" : "timestamp", text);
	return NULL;
}

/* As it would be written in an expression. */
static const char *put_literal(const struct text *t, const struct cel_value *v)
{
	switch (v->type) {
	case CEL_STRING:
	case CEL_BYTES:
		if (v->type == CEL_BYTES)
			(void)fputc('b', t->to);
		put_quoted(t->to, v->text, v->size);
		return NULL;
	case CEL_DOUBLE:
		return put_double(t, v->real);
	case CEL_DURATION:
	case CEL_TIMESTAMP:
		return put_time(t, v);
	default:
		return put_value(t, v);
	}
}

/* -- clauses -- */

static const char *put_plain(const struct text *t, const struct cel_value *v)
{
	char text[CEL_DOUBLE_TEXT];

	switch (v->type) {
	case CEL_NULL:
		(void)fputs("null", t->to);
		return NULL;
	case CEL_BOOL:
		(void)fputs(v->truth ? "true" : "false", t->to);
		return NULL;
	case CEL_INT:
		(void)fprintf(t->to, "%" PRId64, v->integer);
		return NULL;
	case CEL_UINT:
		(void)fprintf(t->to, "%" PRIu64, v->natural);
		return NULL;
	case CEL_DOUBLE:
		(void)cel_double_write(v->real, text);
		break;
	case CEL_DURATION:
		(void)cel_duration_write(v->integer, text);
		break;
	case CEL_TIMESTAMP:
		cel_moment_write(v->moment, text);
		break;
	default:
		return no_clause;
	}
	(void)fputs(text, t->to);
	return NULL;
}

static const char *put_value(const struct text *t, const struct cel_value *v)
{
	if (cel_charge_value(t->r, v) < 0 || ftell(t->to) > CEL_TEXT_MAX)
		return no_clause;
	switch (v->type) {
	case CEL_STRING:
	case CEL_BYTES:
		(void)fwrite(v->text, 1, v->size, t->to);
		return memchr(v->text, '\0', v->size) ? "bytes that are no string" : NULL;
	case CEL_LIST:
		return put_list(t, v);
	case CEL_MAP:
		return put_map(t, v);
	default:
		return put_plain(t, v);
	}
}

static const char *put_decimal(const struct text *t, const struct cel_value *v)
{
	return v->type == CEL_INT || v->type == CEL_UINT ? put_plain(t, v) : no_clause;
}

/* With a sign before the digits of a negative int. */
static const char *put_based(const struct text *t, const struct cel_value *v, unsigned base,
			     const char *digits)
{
	bool is_negative = v->type == CEL_INT && v->integer < 0;
	uint64_t n = is_negative ? -v->natural : v->natural;
	char text[72], *at = text + sizeof(text) - 1;

	if (v->type == CEL_BOOL && base == 2)
		n = v->truth;
	else if (v->type != CEL_INT && v->type != CEL_UINT)
		return no_clause;
	*at = '\0';
	do
		*--at = digits[n % base];
	while (n /= base);
	(void)fprintf(t->to, "%s%s", is_negative ? "-" : "", at);
	return NULL;
}

static const char *put_hex(const struct text *t, const struct cel_value *v, const char *digits)
{
	if (v->type != CEL_STRING && v->type != CEL_BYTES)
		return put_based(t, v, 16, digits);
	for (uint32_t i = 0; i < v->size; i++)
		(void)fprintf(t->to, "%c%c", digits[(unsigned char)v->text[i] >> 4],
			      digits[v->text[i] & 15]);
	return NULL;
}

/* Strings that name them are doubles, too. */
static bool find_double(const struct cel_value *v, double *ret)
{
	static const char *const names[] = { "NaN", "Infinity", "-Infinity" };

	*ret = v->real;
	for (size_t i = 0; v->type == CEL_STRING && i < ARRAY_SIZE(names); i++)
		if (strcmp(v->text, names[i]) == 0)
			return cel_double_read(v->text, ret);
	return v->type == CEL_DOUBLE;
}

/* "1,234.50" */
static const char *put_fixed(const struct text *t, const struct cel_value *v, int precision)
{
	char text[FIXED_TEXT];
	size_t n;
	double d;

	if (!find_double(v, &d))
		return no_clause;
	if (!isfinite(d)) {
		(void)fputs(isnan(d) ? "NaN" : d > 0 ? "\u221e" : "-\u221e", t->to);
		return NULL;
	}
	(void)snprintf(text, sizeof(text), "%.*f", precision, fabs(d));
	if (signbit(d))
		(void)fputc('-', t->to);
	n = strcspn(text, ".");
	for (size_t i = 0; text[i]; i++) {
		if (i > 0 && i < n && (n - i) % 3 == 0)
			(void)fputc(',', t->to);
		(void)fputc(text[i], t->to);
	}
	return NULL;
}

static const char *put_clause(const struct text *t, char letter, int precision,
			      const struct cel_value *v)
{
	static const char small[] = "0123456789abcdef", large[] = "0123456789ABCDEF";

	switch (letter) {
	case 's':
		return put_value(t, v);
	case 'd':
		return put_decimal(t, v);
	case 'f':
		return put_fixed(t, v, precision);
	case 'b':
		return put_based(t, v, 2, small);
	case 'o':
		return put_based(t, v, 8, small);
	case 'x':
		return put_hex(t, v, small);
	case 'X':
		return put_hex(t, v, large);
	default:
		return "the clause %e of format() is not supported";
	}
}

const char *cel_clause_read(const char **s, struct cel_clause *ret)
{
	size_t digits;

	*ret = (struct cel_clause){ .precision = PRECISION };
	(*s)++;
	if (**s == '.') {
		digits = strspn(++*s, "0123456789");
		if (digits == 0)
			return "format() has no such precision";
		ret->precision = digits > 4 ? INT_MAX : atoi(*s);
		*s += digits;
	}
	if (!**s)
		return "a clause of format() without its letter";
	ret->letter = *(*s)++;
	return strchr("sdfeboxX", ret->letter) ? NULL : "format() has no such clause";
}

static const char *put_next(const struct text *t, const char **s, const struct cel_value *v)
{
	struct cel_clause clause;
	const char *wrong = cel_clause_read(s, &clause);

	if (!wrong && clause.precision > PRECISION_MAX)
		wrong = "format() has no such precision";
	return wrong ? wrong : put_clause(t, clause.letter, clause.precision, v);
}

static const char *put_all(const struct text *t, const char *s, const struct cel_value *list)
{
	const char *wrong = NULL;
	uint32_t used = 0;

	while (*s && !wrong) {
		if (*s != '%') {
			(void)fputc(*s++, t->to);
		} else if (s[1] == '%') {
			(void)fputc('%', t->to);
			s += 2;
		} else if (used >= list->size) {
			wrong = "format() has more clauses than values";
		} else {
			wrong = put_next(t, &s, &list->elements[used++]);
		}
		if (ftell(t->to) > CEL_TEXT_MAX)
			cel_abort(t->r, "makes a string of more than 65536 bytes");
		if (t->r->fatal)
			break;
	}
	return wrong;
}

struct cel_value cel_format_text(struct cel_run *r, const struct cel_value *v)
{
	auto_free char *text = NULL;
	size_t size = 0;
	struct text t = { .r = r, .to = open_memstream(&text, &size) };
	const char *wrong = "there is no more memory";

	if (t.to) {
		wrong = put_all(&t, v[0].text, &v[1]);
		if (fclose(t.to) != 0)
			wrong = "there is no more memory";
	}
	if (r->fatal)
		return cel_failed(r);
	return wrong ? cel_fault(r, wrong, NULL) : cel_copy(r, text, size);
}
