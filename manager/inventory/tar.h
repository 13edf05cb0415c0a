/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar.h - write an archive in ustar format, with pax headers for longer names
 *
 * All entries are root's.  A device node is written as 0:0, which can be unpacked without
 * privileges and is no device.  tar_end() reports errors of the stream.
 */
#ifndef MANAGER_INVENTORY_TAR_H
#define MANAGER_INVENTORY_TAR_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/* Append an entry; a leading slash of its path is left out. */
void tar_put_file(FILE *to, const char *path, mode_t mode, time_t modified, const void *data,
		  size_t len);
void tar_put_dir(FILE *to, const char *path, mode_t mode);
void tar_put_link(FILE *to, const char *path, const char *target);
void tar_put_node(FILE *to, const char *path, mode_t mode);

/* End the archive and flush it: 0, or -1 when a write failed. */
int tar_end(FILE *to, struct err *e) must_check;

#endif
