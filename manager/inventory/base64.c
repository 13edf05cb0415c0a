/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - RFC 4648, section 4: how Go writes bytes in JSON */
#include "manager/inventory/base64.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int sextet(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The padding tells nothing. */
char *base64_decode(const char *text, size_t *len)
{
	size_t n = strcspn(text, "=");
	char *ret = malloc(n * 3 / 4 + 1);
	unsigned int bits = 0;
	size_t out = 0;

	for (size_t i = 0; ret && i < n; i++) {
		int six = sextet(text[i]);

		if (six < 0) {
			free(ret);
			return NULL;
		}
		bits = bits << 6 | (unsigned int)six;
		if (i % 4 > 0)
			ret[out++] = (char)(bits >> (6 - i % 4 * 2));
	}
	if (ret)
		ret[out] = '\0';
	*len = out;
	return ret;
}

char *base64_encode(const char *data, size_t len)
{
	char *ret = malloc((len + 2) / 3 * 4 + 1), *out = ret;

	for (size_t i = 0; ret && i < len; i += 3) {
		unsigned int left = (unsigned int)(len - i), bits = 0;

		for (unsigned int k = 0; k < 3; k++)
			bits = bits << 8 | (k < left ? (unsigned char)data[i + k] : 0);
		for (unsigned int k = 0; k < 4; k++)
			*out++ = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
	}
	if (ret)
		*out = '\0';
	return ret;
}
