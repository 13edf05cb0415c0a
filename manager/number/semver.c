/* SPDX-License-Identifier: Apache-2.0 */
/* semver.c - versions as semver.org has them */
#include "manager/number/semver.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";
static const char identifier[] =
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";

/* How many bytes the number has, 0 when it is none: 64 bits. */
static size_t read_digits(const char *s, uint64_t *ret)
{
	size_t n = strspn(s, digits);
	uint64_t number;

	errno = 0;
	number = strtoull(s, NULL, 10);
	if (n == 0 || errno)
		return 0;
	*ret = number;
	return n;
}

/* The same, without leading zeros. */
static size_t read_number(const char *s, uint64_t *ret)
{
	size_t n = read_digits(s, ret);

	return n > 1 && *s == '0' ? 0 : n;
}

/* Which numbers may be identifiers. */
enum numbers { NUMBERS_ANY, NUMBERS_WITHOUT_ZEROS, NUMBERS_OF_64_BITS };

static bool is_identifier(const char *s, size_t n, enum numbers which)
{
	uint64_t unused;

	if (n == 0 || which == NUMBERS_ANY || strspn(s, digits) < n)
		return n > 0;
	return which == NUMBERS_OF_64_BITS ? read_number(s, &unused) == n : n == 1 || *s != '0';
}

/* "alpha.1": how many bytes, 0 when an identifier is empty or a number that may not be one. */
static size_t read_identifiers(const char *s, enum numbers which)
{
	const char *p = s;

	for (;; p++) {
		size_t n = strspn(p, identifier);

		if (!is_identifier(p, n, which))
			return 0;
		p += n;
		if (*p != '.')
			return (size_t)(p - s);
	}
}

static bool read_parts(const char **s, struct semver *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(ret->part); i++) {
		size_t n = read_number(*s, &ret->part[i]);

		if (n == 0 || (i < 2 && (*s)[n] != '.'))
			return false;
		*s += n + (i < 2);
	}
	return true;
}

static bool read_rest(const char *s, struct semver *ret)
{
	size_t build;

	if (*s == '-') {
		ret->pre = s + 1;
		ret->pre_length = read_identifiers(ret->pre, NUMBERS_OF_64_BITS);
		if (ret->pre_length == 0)
			return false;
		s += 1 + ret->pre_length;
	}
	if (*s == '+') {
		build = read_identifiers(s + 1, NUMBERS_ANY);
		s += build ? 1 + build : 0;
	}
	return !*s;
}

int semver_parse(const char *text, struct semver *ret, struct err *e)
{
	struct semver v = { .text = text, .pre = "" };
	const char *s = text;

	if (!read_parts(&s, &v) || !read_rest(s, &v))
		return err_set(e, ERR_NETCONF, 0,
			       "version '%.64s': expected MAJOR.MINOR.PATCH without leading zeros, "
			       "and perhaps -PRERELEASE and +BUILD",
			       text);
	*ret = v;
	return 0;
}

/* "v1.02": where the next byte is, 0 when there is no number. */
static size_t read_lenient_parts(const char *s, struct semver *ret)
{
	size_t at = *s == 'v', parts = 0;

	for (; parts < ARRAY_SIZE(ret->part); parts++) {
		size_t from = at + (parts > 0);
		size_t n = parts > 0 && s[at] != '.' ? 0 : read_digits(s + from, &ret->part[parts]);

		if (n == 0)
			break;
		at = from + n;
	}
	return parts > 0 ? at : 0;
}

size_t semver_read_lenient(const char *text, struct semver *ret)
{
	struct semver v = { .text = text, .pre = "" };
	size_t at = read_lenient_parts(text, &v), n;

	if (at > 0 && text[at] == '-') {
		n = read_identifiers(text + at + 1, NUMBERS_WITHOUT_ZEROS);
		v.pre = n ? text + at + 1 : "";
		v.pre_length = n;
		at += n ? 1 + n : 0;
	}
	if (at > 0 && text[at] == '+') {
		n = read_identifiers(text + at + 1, NUMBERS_ANY);
		at += n ? 1 + n : 0;
	}
	if (at > 0)
		*ret = v;
	return at;
}

/* One part of at most three, to the '.' or to the end, without its leading zeros. */
static const char *skip_zeros(const char *s, size_t n)
{
	size_t zeros = strspn(s, "0");

	if (n <= 1)
		return s;
	zeros = zeros > n ? n : zeros;
	if (zeros > 0 && !isdigit((unsigned char)s[zeros]))
		zeros--;
	return s + zeros;
}

int semver_normalize(const char *text, char ret[SEMVER_MAX], struct err *e)
{
	const char *s = text + (*text == 'v');
	size_t dots = 0, at = 0;
	bool more = true;

	if (strlen(s) + sizeof(".0.0") > SEMVER_MAX)
		return err_set(e, ERR_NETCONF, 0, "version '%.64s...': is too long", text);
	for (; more; dots++) {
		size_t n = dots < 2 ? strcspn(s, ".") : strlen(s);
		const char *from = skip_zeros(s, n);

		more = s[n] == '.';
		at += (size_t)snprintf(ret + at, SEMVER_MAX - at, "%s%.*s", dots ? "." : "",
				       (int)(s + n - from), from);
		s += n + more;
	}
	if (dots < 3 && strpbrk(ret, "+-"))
		return err_set(e, ERR_NETCONF, 0,
			       "version '%.64s': one with -PRERELEASE or +BUILD has three parts",
			       text);
	(void)snprintf(ret + at, SEMVER_MAX - at, "%s", &".0.0"[2 * (dots - 1)]);
	return 0;
}

static int compare_texts(const char *a, size_t a_length, const char *b, size_t b_length)
{
	int c = memcmp(a, b, a_length < b_length ? a_length : b_length);

	return c ? (c > 0) - (c < 0) : (a_length > b_length) - (a_length < b_length);
}

/* Numbers come before others, and are compared as such: they have no leading zeros. */
static int compare_identifiers(const char *a, size_t a_length, const char *b, size_t b_length)
{
	bool a_number = strspn(a, digits) >= a_length, b_number = strspn(b, digits) >= b_length;

	if (a_number != b_number)
		return a_number ? -1 : 1;
	if (a_number && a_length != b_length)
		return a_length > b_length ? 1 : -1;
	return compare_texts(a, a_length, b, b_length);
}

static int compare_prereleases(const struct semver *a, const struct semver *b)
{
	const char *p = a->pre, *q = b->pre, *p_end = p + a->pre_length, *q_end = q + b->pre_length;

	while (p < p_end && q < q_end) {
		size_t n = strspn(p, identifier), m = strspn(q, identifier);
		int c = compare_identifiers(p, n, q, m);

		if (c)
			return c;
		p += n + 1;
		q += m + 1;
	}
	return (p < p_end) - (q < q_end);
}

int semver_compare(const struct semver *a, const struct semver *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->part); i++)
		if (a->part[i] != b->part[i])
			return a->part[i] > b->part[i] ? 1 : -1;
	if (a->pre_length == 0 || b->pre_length == 0)
		return (a->pre_length == 0) - (b->pre_length == 0);
	return compare_prereleases(a, b);
}
