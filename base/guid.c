/* SPDX-License-Identifier: Apache-2.0 */
/* guid.c - InfiniBand GUIDs and their text */
#include "base/guid.h"

#include "base/octets.h"

#include <endian.h>

bool guid_parse(const char *text, uint64_t *ret)
{
	uint8_t octets[GUID_LEN];

	if (!octets_parse(text, ':', octets, sizeof(octets)))
		return false;
	*ret = guid_from_octets(octets);
	return true;
}

const char *guid_format(uint64_t guid, char ret[GUID_TEXT])
{
	uint64_t octets = htobe64(guid);

	octets_format(&octets, sizeof(octets), ':', ret);
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
