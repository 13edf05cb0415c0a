/* SPDX-License-Identifier: Apache-2.0 */
/* allocation_copy.c - another allocation with all that one has */
#include "devinfo/kubelet/allocation.h"

#include <string.h>

int allocation_copy(const struct allocation *from, struct allocation *ret, struct err *e)
{
	ret->source = from->source;
	memcpy(ret->tried, from->tried, sizeof(ret->tried));
	for (size_t i = 0; i < from->n_devices; i++)
		if (allocation_add_device(ret, from->devices[i].resource, from->devices[i].id,
					  e) < 0)
			return -1;
	ret->ended = ret->n_devices;
	for (size_t i = 0; i < from->n_claimed; i++)
		if (allocation_add_claimed(ret, &from->claimed[i], e) < 0)
			return -1;
	return 0;
}
