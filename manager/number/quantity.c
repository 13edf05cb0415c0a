/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.c - Kubernetes' quantities, in billionths */
#include "manager/number/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NANO_DIGITS = 9,
	EXPONENT_MAX = 10000,	/* what is beyond it makes no other number */
	BINARY_STEP = 10,	/* Ki is two to the power of 10, Mi of 20 */
	INT_DIGITS = 18,	/* what has so many is kept as an int64 */
	BINARY_DIGITS = 14,	/* with a binary suffix, */
	BINARY_DIGITS_STEP = 3,	/* and so many less for each step of it */
};

#define NANO 1000000000

__extension__ static const __int128 largest = (__int128)(~(unsigned __int128)0 >> 1);

static const struct suffix {
	const char *text;
	int decimal, binary;	/* powers of ten, of two */
} suffixes[] = {
	{ "", 0, 0 },	 { "n", -9, 0 },  { "u", -6, 0 },  { "m", -3, 0 },  { "k", 3, 0 },
	{ "M", 6, 0 },	 { "G", 9, 0 },	  { "T", 12, 0 },  { "P", 15, 0 },  { "E", 18, 0 },
	{ "Ki", 0, 1 },	 { "Mi", 0, 2 },  { "Gi", 0, 3 },  { "Ti", 0, 4 },  { "Pi", 0, 5 },
	{ "Ei", 0, 6 },
};

/* As it is read: digits * 10^decimal * 1024^binary. */
struct reading {
	__extension__ __int128 digits;
	int decimal, binary;
	int whole, fraction;	/* digits as they are written, without leading zeros */
	bool negative;
	bool is_cut;		/* of more digits than 128 bits hold: they count in decimal */
	bool rest;		/* one of those is not 0 */
};

static bool multiply(struct reading *r, int by)
{
	struct reading n = *r;

	if (__builtin_mul_overflow(r->digits, by, &n.digits))
		return false;
	r->digits = n.digits;
	return true;
}

static void add_digit(struct reading *r, int digit, bool fraction)
{
	struct reading n = *r;

	r->fraction += fraction;
	r->whole += !fraction && (r->digits != 0 || digit != 0);
	if (r->is_cut || !multiply(&n, 10) ||
	    __builtin_add_overflow(n.digits, digit, &n.digits)) {
		r->is_cut = true;
		r->rest = r->rest || digit != 0;
		r->decimal += !fraction;
		return;
	}
	r->digits = n.digits;
	r->decimal -= fraction;
}

/* "12.5"; *s is moved behind it. */
static void read_digits(const char **s, struct reading *r, bool *any)
{
	bool fraction = false;

	for (; isdigit((unsigned char)**s) || (**s == '.' && !fraction); (*s)++) {
		if (**s == '.') {
			fraction = true;
			continue;
		}
		add_digit(r, **s - '0', fraction);
		*any = true;
	}
}

/* "e3", "E-3": false when it is none.  "E" alone is a suffix. */
static bool read_exponent(const char *s, struct reading *r)
{
	size_t sign, n;
	long long by;

	if (*s != 'e' && *s != 'E')
		return false;
	sign = s[1] == '-' || s[1] == '+';
	n = strspn(s + 1 + sign, "0123456789");
	if (n == 0 || s[1 + sign + n])
		return false;
	errno = 0;
	by = (int32_t)strtoll(s + 1, NULL, 10);	/* as Kubernetes keeps it */
	if (errno)
		return false;
	r->decimal += (int)(by > EXPONENT_MAX ? EXPONENT_MAX :
			    by < -EXPONENT_MAX ? -EXPONENT_MAX : by);
	return true;
}

static bool read_suffix(const char *s, struct reading *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (strcmp(suffixes[i].text, s) == 0) {
			r->decimal += suffixes[i].decimal;
			r->binary = suffixes[i].binary;
			return true;
		}
	return read_exponent(s, r);
}

/* Up, away from zero: who asks for a little gets a little. */
static bool divide(struct reading *r, int digits)
{
	bool rest = r->rest;

	for (; digits > 0 && r->digits > 0; digits--) {
		rest = rest || r->digits % 10 != 0;
		r->digits /= 10;
	}
	return !__builtin_add_overflow(r->digits, (int)rest, &r->digits);
}

/* By 1024 for each step.  Of many digits behind the point those go that cannot count. */
static bool scale_binary(struct reading *r)
{
	for (int i = 0; i < r->binary; i++)
		while (!multiply(r, 1 << BINARY_STEP)) {
			if (r->decimal >= 0)
				return false;
			r->rest = r->rest || r->digits % 10 != 0;
			r->digits /= 10;
			r->decimal++;
		}
	return true;
}

static bool scale(struct reading *r)
{
	int decimal;

	if (!scale_binary(r))
		return false;
	decimal = r->decimal + NANO_DIGITS;
	if (r->is_cut && decimal > 0)
		return false;
	for (; decimal > 0 && r->digits > 0; decimal--)
		if (!multiply(r, 10))
			return false;
	return divide(r, -decimal);
}

/* Kubernetes caps what has a binary suffix at 2^63-1, be it as large as it may. */
static bool scale_capped(struct reading *r)
{
	__extension__ const __int128 most = (__int128)INT64_MAX * NANO;
	bool scaled = scale(r);

	if (r->binary > 0 && (!scaled || r->digits > most))
		r->digits = most;
	return scaled || r->binary > 0;
}

/* Does Kubernetes keep it as an int64 times a power of ten? */
static bool is_kept_as_int(const struct reading *r)
{
	int whole = r->whole > 0 ? r->whole : 1;

	if (r->binary > 0)
		return r->fraction == 0 &&
		       whole <= BINARY_DIGITS - BINARY_DIGITS_STEP * r->binary;
	return whole + r->fraction <= INT_DIGITS && r->decimal >= -NANO_DIGITS;
}

static int refuse_text(const char *text, const char *what, struct err *e)
{
	return err_set(e, ERR_NETCONF, 0, "quantity '%.64s': %s", text, what);
}

int quantity_parse(const char *text, struct quantity *ret, struct err *e)
{
	struct reading r = { .negative = *text == '-' };
	const char *s = text + (*text == '-' || *text == '+');
	struct quantity q = { 0 };
	bool any = false;

	read_digits(&s, &r, &any);
	if (!*text || (!any && *s && !isalpha((unsigned char)*s)))
		return refuse_text(text, "expected a number with an optional suffix, such as 10, "
					 "1.5Gi or 500m", e);
	if (!read_suffix(s, &r))
		return refuse_text(text, "the suffix is none of n, u, m, k, M, G, T, P, E, Ki, Mi, "
					 "Gi, Ti, Pi, Ei, and no exponent such as e3", e);
	q.is_decimal = !is_kept_as_int(&r);
	if (!any && q.is_decimal)	/* without digits it is 0 where it is kept as an int64 */
		return refuse_text(text, "has no digits", e);
	q.scale = (int16_t)(r.binary > 0 ? 0 : r.decimal);
	if (!scale_capped(&r))
		return refuse_text(text, "is too large", e);
	q.nano = r.negative ? -r.digits : r.digits;
	*ret = q;
	return 0;
}

void quantity_set(int64_t whole, struct quantity *ret)
{
	*ret = (struct quantity){ .nano = whole };
	ret->nano *= NANO;
}

/* Is it an int64 times this power of ten? */
static bool fits_int(const struct quantity *q, int scale)
{
	struct quantity n = *q;

	for (int i = -NANO_DIGITS; i < scale && n.nano != 0; i++)
		n.nano /= 10;
	return n.nano >= INT64_MIN && n.nano <= INT64_MAX;
}

/* How Kubernetes keeps the sum: at the smaller power, as a decimal number where that overflows. */
static void keep_sum(const struct quantity *a, const struct quantity *b, struct quantity *sum)
{
	sum->is_decimal = a->is_decimal || b->is_decimal;
	sum->scale = a->scale;
	if (sum->is_decimal || b->nano == 0)
		return;
	if (a->nano == 0 || b->scale < a->scale)
		sum->scale = b->scale;
	sum->is_decimal = a->nano != 0 && !(fits_int(a, sum->scale) && fits_int(b, sum->scale) &&
					    fits_int(sum, sum->scale));
}

static int refuse_sum(struct err *e)
{
	return err_set(e, ERR_NETCONF, 0, "quantities: the result is too large");
}

int quantity_add(const struct quantity *a, const struct quantity *b,
		 struct quantity *ret, struct err *e)
{
	struct quantity sum = { 0 };
	bool overflow = __builtin_add_overflow(a->nano, b->nano, &sum.nano);

	/* -largest - 1 is left out, so that each has its negative */
	if (overflow || sum.nano < -largest)
		return refuse_sum(e);
	keep_sum(a, b, &sum);
	*ret = sum;
	return 0;
}

int quantity_sub(const struct quantity *a, const struct quantity *b,
		 struct quantity *ret, struct err *e)
{
	struct quantity negative = *b;

	negative.nano = -b->nano;
	return quantity_add(a, &negative, ret, e);
}

int quantity_compare(const struct quantity *a, const struct quantity *b)
{
	return (a->nano > b->nano) - (a->nano < b->nano);
}

int quantity_integer(const struct quantity *q, int64_t *ret)
{
	__extension__ const __int128 whole = q->nano / NANO;

	if (q->is_decimal || q->scale < 0 || whole > INT64_MAX || whole < INT64_MIN)
		return 0;
	*ret = (int64_t)whole;
	return 1;
}

quantity_int quantity_whole(const struct quantity *q)
{
	quantity_int rest = q->nano % NANO;

	return q->nano / NANO + (rest > 0) - (rest < 0);
}

int quantity_from_whole(quantity_int whole, struct quantity *ret, struct err *e)
{
	struct quantity q = { 0 };

	if (__builtin_mul_overflow(whole, NANO, &q.nano))
		return refuse_sum(e);
	*ret = q;
	return 0;
}

double quantity_double(const struct quantity *q)
{
	return (double)((long double)q->nano / NANO);
}

/* The whole part has up to 30 digits, more than printf() writes. */
static char *write_whole(struct quantity q, char *end)
{
	q.nano /= NANO;
	do {
		*--end = (char)('0' + (int)(q.nano % 10));
		q.nano /= 10;
	} while (q.nano > 0);
	return end;
}

void quantity_write(const struct quantity *q, char ret[QUANTITY_TEXT])
{
	const struct quantity n = { .nano = q->nano < 0 ? -q->nano : q->nano };
	char whole[QUANTITY_TEXT] = "", *end = whole + sizeof(whole) - 1;
	int fraction = (int)(n.nano % NANO), digits = NANO_DIGITS;

	(void)snprintf(ret, QUANTITY_TEXT, "%s%s", q->nano < 0 ? "-" : "",
		       write_whole(n, end));
	if (fraction == 0)
		return;
	for (; fraction % 10 == 0; digits--)
		fraction /= 10;
	(void)snprintf(ret + strlen(ret), QUANTITY_TEXT - strlen(ret), ".%0*d", digits,
		       fraction);
}
