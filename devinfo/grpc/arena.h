/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory with a ceiling, for decoding a message that others wrote
 *
 * Two bytes on the wire can take a hundred in memory: the size of a message alone bounds nothing.
 */
#ifndef DEVINFO_GRPC_ARENA_H
#define DEVINFO_GRPC_ARENA_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The allocator is protobuf-c's for unpack and free_unpacked.  What is freed while decoding is not
 * given back: the ceiling is on the sum.  exhausted: that was the reason for a NULL.
 */
struct arena {
	ProtobufCAllocator allocator;
	size_t left;
	bool exhausted;
};

/* The struct is not to be moved from then on. */
void arena_init(struct arena *a, size_t size);

#endif
