/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar.h - write an archive: ustar, with pax headers where a name is too long for that
 *
 * All entries are root's.  A device node is written as 0:0, which nobody needs a privilege to
 * unpack and which leads to no device.  Errors of the stream are told once, by tar_end().
 */
#ifndef MANAGER_INVENTORY_TAR_H
#define MANAGER_INVENTORY_TAR_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/* Paths have no leading slash, which is left out. */
void tar_put_file(FILE *to, const char *path, mode_t mode, time_t modified, const void *data,
		  size_t len);
void tar_put_dir(FILE *to, const char *path, mode_t mode);
void tar_put_link(FILE *to, const char *path, const char *target);
void tar_put_node(FILE *to, const char *path, mode_t mode);

/* The end of the archive, flushed: 0, or -1 when something of it could not be written. */
int tar_end(FILE *to, struct err *e) must_check;

#endif
