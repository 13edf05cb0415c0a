/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - memory with a ceiling, for decoding a message that others wrote */
#include "devinfo/grpc/arena.h"

#include <stdlib.h>

static void *arena_alloc(void *data, size_t size)
{
	struct arena *a = data;
	void *p = NULL;

	if (size <= a->left)
		p = malloc(size ? size : 1);
	if (!p) {
		a->exhausted = true;
		return NULL;
	}
	a->left -= size;
	return p;
}

static void arena_free(void *data, void *p)
{
	(void)data;
	free(p);
}

void arena_init(struct arena *a, size_t size)
{
	*a = (struct arena){ .left = size };
	a->allocator = (ProtobufCAllocator){ arena_alloc, arena_free, a };
}
