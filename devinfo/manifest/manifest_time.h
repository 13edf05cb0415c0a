/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_time.h - the times in Kubernetes objects */
#ifndef DEVINFO_MANIFEST_TIME_H
#define DEVINFO_MANIFEST_TIME_H

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>

/* RFC 3339, to the second: "2026-01-31T12:00:00Z".  False, *ret unchanged, for any other text. */
bool manifest_time(const char *text, int64_t *ret) must_check;

#endif
