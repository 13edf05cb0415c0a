/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h - check whether the container of an attachment still exists */
#ifndef DEVINFO_JOURNAL_OWNER_H
#define DEVINFO_JOURNAL_OWNER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/record.h"
#include "netlink/nl.h"

#include <sys/stat.h>

/* Was the record written since the node started?  1, 0, -1. */
int owner_this_boot(const struct host *host, const struct record *rec, struct err *e) must_check;

/*
 * Open the namespace at a path: 1 with its *st and a descriptor that the caller closes; 0 when
 * there is none, or the path is something else; -1 when that is not known.
 */
int owner_open_path(const char *path, int *ret_fd, struct stat *st, struct err *e) must_check;

/*
 * Connect in the owner's namespace if that is still the one of the record: 1, 0 gone, -1.  After a
 * reboot the path may be a plain file, which counts as gone.  The inode number of a namespace can
 * be reused by a new one, its cookie never is.
 */
int owner_open(const struct record *rec, struct nl *ret, struct err *e) must_check;

/* The same, also with a descriptor of the namespace, which the caller closes. */
int owner_open_netns(const struct record *rec, struct nl *ret, int *ret_fd, struct err *e)
	must_check;

/*
 * Is the owner's namespace still the one of the record, in this boot?  1, 0, -1.  The caller may
 * serve another pod, so the error names nobody.
 */
int owner_is_alive(const struct host *host, const struct record *rec, struct err *e) must_check;

/*
 * Get the namespace's path for other programs: the record's while owner_is_alive(); else "",
 * because the path may be another namespace's by now, even the node's own.
 */
int owner_netns(const struct host *host, const struct record *rec, const char **ret, struct err *e)
	must_check;

/* Add the owner to the error, for the log alone.  Always returns -1. */
int owner_tell(const struct owner *o, struct err *e);

#endif
