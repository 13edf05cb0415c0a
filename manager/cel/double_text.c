/* SPDX-License-Identifier: Apache-2.0 */
/* double_text.c - doubles as Go reads and writes them */
#include "manager/cel/double_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	DIGITS_MAX = 17,		/* of a double that is read back as the same */
	LARGE = 6,			/* 1e+06 has an exponent, */
	SMALL = -4,			/* and 1e-05 */
	PLAIN_MAX = CEL_DOUBLE_TEXT - 1,
};

/* -- reading -- */

static bool is_digit(char c, bool is_hex)
{
	return is_hex ? isxdigit((unsigned char)c) : isdigit((unsigned char)c);
}

/* A '_' is between two digits, or behind the 0x. */
static bool is_separator(const char *s, const char *from, bool is_hex)
{
	bool is_behind = s > from ? is_digit(s[-1], is_hex) : is_hex;

	return *s == '_' && is_behind && is_digit(s[1], is_hex);
}

/* Digits with their '.', without '_', to *to; *any: there are some. */
static const char *take_digits(const char *s, bool is_hex, char **to, bool *any)
{
	const char *from = s;
	bool has_point = false;

	for (;; s++) {
		if (is_separator(s, from, is_hex))
			continue;
		if (!is_digit(*s, is_hex) && (*s != '.' || has_point))
			return s;
		has_point = has_point || *s == '.';
		*any = *any || *s != '.';
		*(*to)++ = *s;
	}
}

/* "e-3", "p+3": the end of the text; NULL: it is none. */
static const char *take_exponent(const char *s, char letter, char **to)
{
	const char *from;

	if (tolower((unsigned char)*s) != letter)
		return NULL;
	*(*to)++ = *s++;
	if (*s == '+' || *s == '-')
		*(*to)++ = *s++;
	for (from = s; isdigit((unsigned char)*s) || is_separator(s, from, false); s++)
		if (*s != '_')
			*(*to)++ = *s;
	return s > from ? s : NULL;
}

/* Infinity may have a sign, NaN has none. */
static bool read_word(const char *text, double *ret)
{
	const char *word = text + (*text == '+' || *text == '-');

	if (strcasecmp(text, "nan") == 0)
		*ret = NAN;
	else if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0)
		*ret = *text == '-' ? (double)-INFINITY : (double)INFINITY;
	else
		return false;
	return true;
}

/* What strtod() reads, of what Go's syntax of literals allows. */
static bool take_number(const char *s, char *to)
{
	bool any = false, is_hex;
	const char *exponent;

	if (*s == '+' || *s == '-')
		*to++ = *s++;
	is_hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	if (is_hex) {
		*to++ = *s++;
		*to++ = *s++;
	}
	s = take_digits(s, is_hex, &to, &any);
	exponent = take_exponent(s, is_hex ? 'p' : 'e', &to);
	*to = '\0';
	/* a hexadecimal number has its exponent always */
	return any && (exponent ? !*exponent : !*s && !is_hex);
}

bool cel_double_read(const char *text, double *ret)
{
	char *number;
	double d;
	bool is_good;

	if (read_word(text, ret))
		return true;
	number = malloc(strlen(text) + 1);
	is_good = number && take_number(text, number);
	d = is_good ? strtod(number, NULL) : 0;
	free(number);
	if (!is_good || isinf(d))
		return false;
	*ret = d;
	return true;
}

/* -- writing -- */

/* "+Inf", "NaN"; 0: it has digits. */
static size_t write_word(double d, char *ret)
{
	const char *word = isnan(d) ? "NaN" : d > 0 ? "+Inf" : "-Inf";

	return isfinite(d) ? 0 : (size_t)snprintf(ret, CEL_DOUBLE_TEXT, "%s", word);
}

/* The fewest digits, and the power of ten of the first. */
static int find_digits(double d, int *exponent)
{
	char text[DIGITS_MAX + 16];
	int digits = 0;

	do {
		(void)snprintf(text, sizeof(text), "%.*e", digits, d);
		digits++;
	} while (strtod(text, NULL) != d && digits < DIGITS_MAX);
	*exponent = atoi(strchr(text, 'e') + 1);
	return digits;
}

size_t cel_double_write_plain(double d, char ret[CEL_DOUBLE_TEXT])
{
	size_t n = write_word(d, ret);
	int exponent, digits, fraction;

	if (n > 0)
		return n;
	digits = find_digits(d, &exponent);
	fraction = digits - 1 - exponent;
	if (fraction >= 0)
		return (size_t)snprintf(ret, CEL_DOUBLE_TEXT, "%.*f", fraction, d);
	/* the digits behind those that count are zeros, and not what the double is exactly */
	(void)snprintf(ret, CEL_DOUBLE_TEXT, "%.*e", digits - 1, d);
	n = strcspn(ret, "e");
	for (size_t i = 0, to = 0; i <= n; i++)
		if (ret[i] != '.')
			ret[to++] = i == n ? '\0' : ret[i];
	n = strlen(ret);
	memset(ret + n, '0', (size_t)-fraction);
	ret[n + (size_t)-fraction] = '\0';
	return n + (size_t)-fraction;
}

size_t cel_double_write(double d, char ret[CEL_DOUBLE_TEXT])
{
	size_t n = write_word(d, ret);
	int exponent, digits;

	if (n > 0)
		return n;
	digits = find_digits(d, &exponent);
	if (exponent >= SMALL && exponent < LARGE)
		return cel_double_write_plain(d, ret);
	return (size_t)snprintf(ret, CEL_DOUBLE_TEXT, "%.*e", digits - 1, d);
}
