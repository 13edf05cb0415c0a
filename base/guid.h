/* SPDX-License-Identifier: Apache-2.0 */
/* guid.h - InfiniBand GUIDs and their text, "00:11:22:33:44:55:66:77" */
#ifndef BASE_GUID_H
#define BASE_GUID_H

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>

#define GUID_NONE       UINT64_C(0) /* nobody has given one */
#define GUID_UNASSIGNED UINT64_MAX  /* how one is taken away */

enum { GUID_LEN = 8, GUID_TEXT = 24 };

/*
 * Parse eight pairs of hex digits (either case) with seven colons, nothing else; most significant
 * first.
 */
bool guid_parse(const char *text, uint64_t *ret) must_check;
/* Lower case; returns ret. */
const char *guid_format(uint64_t guid, char ret[GUID_TEXT]);
/* Is it neither all zeros nor all ones, so that a port may have it? */
bool guid_is_valid(uint64_t guid) must_check;
/* Make one of its octets in the order of the text, as they are at the end of a hardware address. */
uint64_t guid_from_octets(const uint8_t octets[GUID_LEN]);

#endif
