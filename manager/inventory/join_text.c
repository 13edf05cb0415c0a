/* SPDX-License-Identifier: Apache-2.0 */
/* join_text.c - texts of others in an inventory, and what is found by them */
#include "manager/inventory/join_text.h"

#include <stdbool.h>
#include <string.h>

/* -- maps -- */

json_t *join_map(const void *list, size_t n, size_t size, size_t offset)
{
	json_t *map = json_object();

	for (size_t i = n; i-- > 0;) {
		const char *name = (const char *)list + i * size + offset;

		if (*name)
			(void)json_object_set_new(map, name, json_integer((json_int_t)i));
	}
	return map;
}

int join_place(const json_t *map, const char *name)
{
	const json_t *place = *name ? json_object_get(map, name) : NULL;

	return place ? (int)json_integer_value(place) : INV_NONE;
}

/* -- texts -- */

static bool is_utf8(const char *text, size_t len)
{
	json_auto_t *v = NULL;
	size_t i = 0;

	while (i < len && !(text[i] & 0x80))
		i++;
	if (i < len)
		v = json_stringn(text, len);
	return i == len || v;
}

void join_text(char *ret, size_t size, const char *text)
{
	size_t len = text ? strnlen(text, size - 1) : 0;
	size_t whole = len;

	while (whole > 0 && len - whole < 4 && text[len] && (text[whole] & 0xc0) == 0x80)
		whole--;	/* its end would be half a character */
	memcpy(ret, text ? text : "", whole);
	ret[whole] = '\0';
	if (!is_utf8(ret, whole))
		for (char *p = ret; *p; p++)
			*p = *p & 0x80 ? '?' : *p;
}

const char *join_behind_name(const char *wrong, const char *name)
{
	size_t len = strlen(name);

	return strncmp(wrong, name, len) == 0 && strncmp(wrong + len, ": ", 2) == 0 ?
		       wrong + len + 2 : wrong;
}
