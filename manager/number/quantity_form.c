/* SPDX-License-Identifier: Apache-2.0 */
/* quantity_form.c - how Kubernetes writes a quantity: its suffix */
#include "manager/number/quantity_form.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NANO = 1000000000, KILO = 1000, KIBI = 1024, NANO_EXPONENT = -9, STEP = 3 };

enum quantity_form quantity_form_of(const char *text)
{
	size_t len = strlen(text), exponent = strcspn(text, "eE");

	if (len > 0 && text[len - 1] == 'i')
		return QUANTITY_BINARY;
	return text[exponent] && text[exponent + 1] ? QUANTITY_EXPONENT : QUANTITY_DECIMAL;
}

/* A whole number may have more digits than printf() writes. */
static void write_whole(struct quantity q, const char *suffix, char ret[QUANTITY_TEXT])
{
	const bool negative = q.nano < 0;
	char digits[QUANTITY_TEXT] = "", *at = digits + sizeof(digits) - 1;

	q.nano = negative ? -q.nano : q.nano;
	do {
		*--at = (char)('0' + (int)(q.nano % 10));
		q.nano /= 10;
	} while (q.nano > 0);
	(void)snprintf(ret, QUANTITY_TEXT, "%s%.40s%.4s", negative ? "-" : "", at, suffix);
}

static const char *suffix_of(int exponent, enum quantity_form form, char ret[8])
{
	static const char *const suffixes[] = {
		"n", "u", "m", "", "k", "M", "G", "T", "P", "E",
	};

	if (form != QUANTITY_EXPONENT)
		return suffixes[(exponent - NANO_EXPONENT) / STEP];
	(void)snprintf(ret, 8, "e%d", exponent);
	return exponent == 0 ? "" : ret;
}

static void write_decimal(struct quantity q, enum quantity_form form, char ret[QUANTITY_TEXT])
{
	const int most = -NANO_EXPONENT * 2;
	int exponent = NANO_EXPONENT;
	char text[8];

	for (; exponent < most && q.nano % KILO == 0; exponent += STEP)
		q.nano /= KILO;
	write_whole(q, suffix_of(exponent, form, text), ret);
}

static bool is_binary(const struct quantity *q)
{
	__extension__ const __int128 least = (__int128)KIBI * NANO;

	return q->nano % NANO == 0 && (q->nano >= least || q->nano <= -least);
}

static void write_binary(struct quantity q, char ret[QUANTITY_TEXT])
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	size_t i = 0;

	for (q.nano /= NANO; i + 1 < ARRAY_SIZE(suffixes) && q.nano % KIBI == 0; i++)
		q.nano /= KIBI;
	write_whole(q, suffixes[i], ret);
}

void quantity_write_form(const struct quantity *q, enum quantity_form form,
			 char ret[QUANTITY_TEXT])
{
	if (q->nano == 0)
		(void)snprintf(ret, QUANTITY_TEXT, "0");
	else if (form == QUANTITY_BINARY && is_binary(q))
		write_binary(*q, ret);
	else
		write_decimal(*q, form == QUANTITY_EXPONENT ? form : QUANTITY_DECIMAL, ret);
}

/* -- as it was -- */

/* Its digits before and behind the point, and the power of ten that its suffix is, or is about. */
struct parts {
	size_t whole, fraction;
	int exponent;
	uint64_t digits;		/* together, as far as they fit */
};

static int exponent_of(const char *suffix, enum quantity_form form)
{
	const char *letters = form == QUANTITY_BINARY ? "KMGTPE" : "kMGTPE", *small = "mun";
	const char *at = *suffix ? strchr(small, *suffix) : NULL;

	if (form == QUANTITY_EXPONENT)
		return atoi(suffix + 1);
	if (at)
		return -STEP * (int)(at - small + 1);
	at = *suffix ? strchr(letters, *suffix) : NULL;
	return at ? STEP * (int)(at - letters + 1) : 0;
}

static struct parts parts_of(const char *text)
{
	struct parts ret = { 0 };
	const char *s = text + strspn(text, "+-");

	s += strspn(s, "0");
	ret.whole = strspn(s, "0123456789");
	if (s[ret.whole] == '.')
		ret.fraction = strspn(s + ret.whole + 1, "0123456789");
	for (; *s == '.' || (*s >= '0' && *s <= '9'); s++)
		if (*s != '.')
			ret.digits = ret.digits * 10 + (uint64_t)(*s - '0');
	ret.exponent = exponent_of(s, quantity_form_of(text));
	return ret;
}

/* With the largest suffix, and without one that would have to be found. */
static bool is_kept(const char *text)
{
	const int most = 18, most_binary = 14;	/* digits */
	struct parts p = parts_of(text);
	int scale = p.exponent - (int)p.fraction;

	if (p.whole == 0)
		return false;
	if (quantity_form_of(text) == QUANTITY_BINARY)
		return p.fraction == 0 && (int)p.whole + p.exponent <= most_binary &&
		       p.digits % KIBI != 0;
	return (int)(p.whole + p.fraction) <= most && scale >= NANO_EXPONENT &&
	       scale % STEP == 0 && p.digits % KILO != 0;
}

void quantity_write_again(const char *text, char ret[QUANTITY_TEXT])
{
	struct quantity q = { 0 };
	struct err ignored;	/* the caller has read it */

	if (is_kept(text) || quantity_parse(text, &q, &ignored) < 0)
		(void)snprintf(ret, QUANTITY_TEXT, "%s", text);
	else
		quantity_write_form(&q, quantity_form_of(text), ret);
}
