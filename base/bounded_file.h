/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded_file.h - read or write an attribute of /sys that may block, until a deadline
 *
 * The kernel waits with unbinding a device until no program has it open, and holds the device's
 * lock meanwhile: a process that reads or writes then cannot be killed.  So a child does it
 * (bounded.h).
 */
#ifndef BASE_BOUNDED_FILE_H
#define BASE_BOUNDED_FILE_H

#include "base/err.h"

#include <stddef.h>

/* The time that a step still gets after a signal, where finishing is better than half a step. */
enum { BOUNDED_GRACE_MS = 500 };

/*
 * Write a text to the file of this path below root.  ERR_IO: it cannot be opened; ERR_DEVICE: the
 * kernel refuses; ERR_TRY_AGAIN (ERR_INTERRUPTED after a signal): it takes longer than ms, and the
 * write may still happen later.
 */
int bounded_write(int root, const char *path, const char *text, unsigned int ms,
		  struct err *e) must_check;

/*
 * Read the first line of such a file, as fs_read_line(): 1, 0 absent, -1; ERR_TRY_AGAIN as above.
 */
int bounded_read_line(int root, const char *path, char *ret, size_t size, unsigned int ms,
		      struct err *e) must_check;

#endif
