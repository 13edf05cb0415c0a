/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - release at scope exit, and the transfer of what must outlive it
 *
 * Variables with these attributes are initialised at declaration.  A value
 * leaves its scope only through steal_ptr() or steal_fd().
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/attr.h"

#include <stdlib.h>
#include <unistd.h>

static inline void mem_free_ptr(void *p)
{
	free(*(void **)p);
}

static inline void mem_close_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);	/* nothing was promised to be on disk; those paths fsync */
}

static inline int steal_fd(int *fd)
{
	int ret = *fd;

	*fd = -1;
	return ret;
}

#define auto_free	auto_with(mem_free_ptr)
#define auto_close	auto_with(mem_close_fd)

/* Type-safe: the value of *pp, leaving NULL behind. */
#define steal_ptr(pp)					\
	__extension__({					\
		__typeof__(*(pp)) steal_ = *(pp);	\
		*(pp) = NULL;				\
		steal_;					\
	})

#endif
