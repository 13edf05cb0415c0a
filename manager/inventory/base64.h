/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h - RFC 4648, section 4: how Go writes bytes in JSON */
#ifndef MANAGER_INVENTORY_BASE64_H
#define MANAGER_INVENTORY_BASE64_H

#include "base/attr.h"

#include <stddef.h>

/* Owned by the caller and NUL-terminated, for a text; NULL when it is none. */
char *base64_decode(const char *text, size_t *len) must_check;
/* NULL without memory. */
char *base64_encode(const char *data, size_t len) must_check;

#endif
