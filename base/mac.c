/* SPDX-License-Identifier: Apache-2.0 */
/* mac.c - Ethernet addresses and their text, "02:00:00:00:00:01" */
#include "base/mac.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint8_t hex(char c)
{
	int low = tolower((unsigned char)c);

	return (uint8_t)(isdigit(low) ? low - '0' : low - 'a' + 10);
}

bool mac_parse(const char *text, uint8_t ret[MAC_LEN])
{
	uint8_t mac[MAC_LEN];

	if (strlen(text) != MAC_TEXT - 1)
		return false;
	for (int i = 0; i < MAC_LEN; i++, text += 3) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    text[2] != (i < MAC_LEN - 1 ? ':' : '\0'))
			return false;
		mac[i] = (uint8_t)(hex(text[0]) << 4 | hex(text[1]));
	}
	memcpy(ret, mac, sizeof(mac));
	return true;
}

const char *mac_format(const uint8_t mac[MAC_LEN], char ret[MAC_TEXT])
{
	(void)snprintf(ret, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		       mac[3], mac[4], mac[5]);
	return ret;
}

bool mac_is_unicast(const uint8_t mac[MAC_LEN])
{
	static const uint8_t zero[MAC_LEN];

	return !(mac[0] & 1) && memcmp(mac, zero, sizeof(zero)) != 0;
}
