/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h - is the container that an attachment belongs to still there? */
#ifndef DEVINFO_JOURNAL_OWNER_H
#define DEVINFO_JOURNAL_OWNER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/record.h"
#include "netlink/mnl.h"

#include <sys/stat.h>

/* Was the record written since the node started?  1, 0, -1. */
int owner_this_boot(const struct host *host, const struct record *rec, struct err *e) must_check;

/*
 * The namespace of a path, and what it is: 1 with a descriptor that the caller closes; 0 when there
 * is none, be it that something else is there; -1 when that cannot be told.
 */
int owner_open_path(const char *path, int *ret_fd, struct stat *st, struct err *e) must_check;

/*
 * A connection in the owner's namespace, while that is still the one of the record: 1, 0 gone, -1.
 * After a reboot the path may be a plain file: as good as gone.  The inode number of a namespace
 * may be a new one's by now, its cookie never is.
 */
int owner_open(const struct record *rec, struct nl *ret, struct err *e) must_check;

/* The same with the namespace itself as well, which the caller closes. */
int owner_open_netns(const struct record *rec, struct nl *ret, int *ret_fd, struct err *e)
	must_check;

/*
 * The owner's namespace is still the one of the record, in this boot: 1, 0, -1.  Who asks may be
 * another: the error names nobody.
 */
int owner_is_alive(const struct host *host, const struct record *rec, struct err *e) must_check;

/*
 * What other programs are told of the namespace: its path, the record's, only while owner_is_alive;
 * else *ret is "", for the path may be anybody's by now, the node's own among them.
 */
int owner_netns(const struct host *host, const struct record *rec, const char **ret, struct err *e)
	must_check;

/* For the log: whose it is that the error is about.  Always returns -1. */
int owner_tell(const struct owner *o, struct err *e);

#endif
