/* SPDX-License-Identifier: Apache-2.0 */
/* mac.h - Ethernet addresses and their text, "02:00:00:00:00:01" */
#ifndef BASE_MAC_H
#define BASE_MAC_H

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAC_LEN = 6, MAC_TEXT = 18 };

/* Parse six pairs of hex digits (either case) with five colons, nothing else. */
bool mac_parse(const char *text, uint8_t ret[MAC_LEN]) must_check;
/* Lower case; returns ret. */
const char *mac_format(const uint8_t mac[MAC_LEN], char ret[MAC_TEXT]);
/* Is it neither multicast nor all zeros, so that an interface may have it? */
bool mac_is_unicast(const uint8_t mac[MAC_LEN]) must_check;

#endif
