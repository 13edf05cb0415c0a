/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded_file.h - attributes of /sys whose reading or writing may wait, until a time
 *
 * The kernel unbinds a device when no program has it open any more, and holds the device's lock
 * meanwhile: who writes or reads then cannot be killed.  So a child does it (bounded.h).
 */
#ifndef BASE_BOUNDED_FILE_H
#define BASE_BOUNDED_FILE_H

#include "base/err.h"

#include <stddef.h>

/* What a signal leaves to a step that is better done than half done. */
enum { BOUNDED_GRACE_MS = 500 };

/*
 * Write a text to the file of this path below root.  ERR_IO: it cannot be opened; ERR_DEVICE: the
 * kernel refuses; ERR_TRY_AGAIN (ERR_INTERRUPTED) when it takes longer than ms, and then may be
 * done after all, later.
 */
int bounded_write(int root, const char *path, const char *text, unsigned int ms,
		  struct err *e) must_check;

/* Its first line, as fs_read_line(): 1, 0 absent, -1; ERR_TRY_AGAIN as above. */
int bounded_read_line(int root, const char *path, char *ret, size_t size, unsigned int ms,
		      struct err *e) must_check;

#endif
