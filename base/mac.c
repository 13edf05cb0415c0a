/* SPDX-License-Identifier: Apache-2.0 */
/* mac.c - Ethernet addresses and their text, "02:00:00:00:00:01" */
#include "base/mac.h"

#include "base/octets.h"

#include <string.h>

bool mac_parse(const char *text, uint8_t ret[MAC_LEN])
{
	return octets_parse(text, ':', ret, MAC_LEN);
}

const char *mac_format(const uint8_t mac[MAC_LEN], char ret[MAC_TEXT])
{
	octets_format(mac, MAC_LEN, ':', ret);
	return ret;
}

bool mac_is_unicast(const uint8_t mac[MAC_LEN])
{
	static const uint8_t zero[MAC_LEN];

	return !(mac[0] & 1) && memcmp(mac, zero, sizeof(zero)) != 0;
}
