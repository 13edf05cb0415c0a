/* SPDX-License-Identifier: Apache-2.0 */
/* octets.c - bytes as hexadecimal digits, two each, with or without a separator between */
#include "base/octets.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

void octets_format(const void *octets, size_t n, char sep, char *ret)
{
	const uint8_t *p = octets;

	for (size_t i = 0; i < n; i++) {
		if (sep && i > 0)
			*ret++ = sep;
		*ret++ = digits[p[i] >> 4];
		*ret++ = digits[p[i] & 15];
	}
	*ret = '\0';
}

static uint8_t digit(char c)
{
	return (uint8_t)(strchr(digits, tolower((unsigned char)c)) - digits);
}

static bool is_octets(const char *text, char sep, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sep && i > 0 && *text++ != sep)
			return false;
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
			return false;
		text += 2;
	}
	return !*text;
}

bool octets_parse(const char *text, char sep, void *ret, size_t n)
{
	uint8_t *p = ret;

	if (!is_octets(text, sep, n))
		return false;
	for (size_t i = 0; i < n; i++, text += sep ? 3 : 2)
		p[i] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return true;
}
