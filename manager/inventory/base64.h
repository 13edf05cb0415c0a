/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h - base64 of RFC 4648, section 4, as Go encodes bytes in JSON */
#ifndef MANAGER_INVENTORY_BASE64_H
#define MANAGER_INVENTORY_BASE64_H

#include "base/attr.h"

#include <stddef.h>

/*
 * Decode a text; the result is NUL-terminated and the caller frees it.  NULL when it is not valid.
 */
char *base64_decode(const char *text, size_t *len) must_check;
/* Encode len bytes; the caller frees the result.  NULL without memory. */
char *base64_encode(const char *data, size_t len) must_check;

#endif
