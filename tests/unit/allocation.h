/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.h - what a test says of an allocation in one line */
#ifndef TESTS_UNIT_ALLOCATION_H
#define TESTS_UNIT_ALLOCATION_H

#include "devinfo/kubelet/allocation.h"

#include <stdio.h>
#include <string.h>

/* The ids of a resource (NULL: of all) in their order, blanks between; good until the next call. */
static inline const char *allocation_ids(const struct allocation *a, const char *resource)
{
	static char text[1024];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < a->n_devices && used < sizeof(text); i++)
		if (!resource || strcmp(a->devices[i].resource, resource) == 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? " " : "", a->devices[i].id);
	return text;
}

#endif
