/* SPDX-License-Identifier: Apache-2.0 */
/* guid.c - InfiniBand GUIDs and their text */
#include "base/guid.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint64_t digit(char c)
{
	int low = tolower((unsigned char)c);

	return (uint64_t)(isdigit(low) ? low - '0' : low - 'a' + 10);
}

bool guid_parse(const char *text, uint64_t *ret)
{
	uint64_t guid = 0;

	if (strlen(text) != GUID_TEXT - 1)
		return false;
	for (int i = 0; i < GUID_LEN; i++, text += 3) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    text[2] != (i < GUID_LEN - 1 ? ':' : '\0'))
			return false;
		guid = guid << 8 | digit(text[0]) << 4 | digit(text[1]);
	}
	*ret = guid;
	return true;
}

const char *guid_format(uint64_t guid, char ret[GUID_TEXT])
{
	for (int i = 0; i < GUID_LEN; i++)
		(void)snprintf(ret + 3 * i, 4, "%02x%s",
			       (unsigned int)(guid >> (56 - 8 * i) & 0xff),
			       i < GUID_LEN - 1 ? ":" : "");
	return ret;
}

bool guid_is_valid(uint64_t guid)
{
	return guid != GUID_NONE && guid != GUID_UNASSIGNED;
}

uint64_t guid_from_octets(const uint8_t octets[GUID_LEN])
{
	uint64_t guid = 0;

	for (int i = 0; i < GUID_LEN; i++)
		guid = guid << 8 | octets[i];
	return guid;
}
