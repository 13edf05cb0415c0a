/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fs.h - files below a root
 *
 * Two ways to name a file:
 *   (root, path)  a path of the node, resolved inside root with openat2's
 *		   RESOLVE_IN_ROOT: symbolic links are followed but cannot leave it.
 *		   For /sys, /dev and the directories of the settings.
 *   (dir, name)   one component in an open directory that belongs to us.  Links are
 *		   never followed, only regular files are read, names are checked.
 * Looking functions return 1 found, 0 absent, -1 error.
 */
#ifndef BASE_FS_H
#define BASE_FS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* -- (root, path): fs_open.c, fs.c, fs_dir.c -- */

/* Like open(2) inside root, always O_CLOEXEC; returns -1 with errno: the caller words the error. */
int fs_open(int root, const char *path, int flags, mode_t mode) must_check;
/* Open a file to read it by its whole path, where only the last component must be no link. */
int fs_open_path(const char *path) must_check;
/* As fs_open_path(), and the last component may be a link as well. */
int fs_open_linked_path(const char *path) must_check;

/*
 * From now on open no device node for reading: in a tree that somebody else has made any name may
 * be one, and some devices act when they are opened (a watchdog starts).
 */
void fs_refuse_devices(void);

/* First line of a sysfs or proc file without its newline; a path that is absent gives 0. */
int fs_read_line(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
	must_check printflike(5, 6);

/*
 * Write a text to an attribute of /sys.  ERR_IO: it cannot be opened; ERR_DEVICE: the kernel
 * refuses.
 */
int fs_write_attr(int root, const char *path, const char *text, struct err *e) must_check;
/*
 * Return the text as messages show it: "" for a newline alone, by which the kernel is asked for
 * none.
 */
const char *fs_shown(const char *text);

/* Read the target of a symbolic link; 0 when it is absent or no link. */
int fs_readlink(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
	must_check printflike(5, 6);

/* Read the last component of a symbolic link's target; 0 when it is absent. */
int fs_readlink_base(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
	must_check printflike(5, 6);

/* Return 1 when this path exists, 0 when not, -1 on an error. */
int fs_exists(int root, struct err *e, const char *fmt, ...) must_check printflike(3, 4);

/*
 * Call fn for each name in a directory ("." and ".." left out) until it returns non-zero, which is
 * then the result; 0 at the end or when the directory is absent; -1 with *e on an error (fn may
 * itself return -1 with *e filled).
 */
typedef int fs_name_fn(const char *name, void *arg, struct err *e);
int fs_each(int root, const char *path, fs_name_fn *fn, void *arg, struct err *e) must_check;

/* The same of one that is open, once; `what` names it in messages. */
int fs_each_in(int dir, const char *what, fs_name_fn *fn, void *arg, struct err *e) must_check;

/*
 * Open a directory to read it: 1 with a descriptor that the caller closes; 0 when it is absent, or
 * it or one above it is no directory; -1.
 */
int fs_find_dir(int root, const char *path, int *ret, struct err *e) must_check;

/* Open a directory, creating it with this mode and its parents 0755, whatever the umask; -1 on
 * error. */
int fs_open_dir(int root, const char *path, mode_t mode, struct err *e) must_check;

/*
 * After a call that failed with errno EACCES: give the owner of this directory, when that is us,
 * what it lacks.  Multus makes some with mode 0, which hinders who has no CAP_DAC_OVERRIDE.  0: the
 * call may be made again; -1.
 */
int fs_let_owner_write(int dir) must_check;

/* Open a directory, or the nearest existing one above it, for reading; -1 with errno. */
int fs_open_nearest(int root, const char *path) must_check;

/*
 * Could files be created in this directory, or where it would be made?  Creates nothing.  0, or -1
 * saying what stands in the way: no directory, a read-only or full file system, no permission.
 */
int fs_check_writable(int root, const char *path, struct err *e) must_check;

/* -- (dir, name): fs_open.c, fs_read.c, fs_write.c -- */

/* Like openat(2) of one component, never through a link, always O_CLOEXEC; -1 with errno. */
int fs_open_name(int dir, const char *name, int flags, mode_t mode) must_check;

/*
 * The same for any name that a directory can have, also with control characters.  EXDEV where
 * something is mounted, so what is opened is on the mount of dir.
 */
int fs_open_beside(int dir, const char *name, int flags) must_check;

/*
 * Read the whole of a regular file of at most max bytes; *ret is NUL-terminated and the caller
 * frees it.  A link, a directory, a FIFO or a larger file is an error.
 */
int fs_read_file(int dir, const char *name, size_t max, char **ret, size_t *len, struct err *e)
	must_check;

/*
 * Read a file, as fs_read_file() does, that an administrator has named by its whole path.  It must
 * be no link; directories above it may be.  0 also where one of these is absent.
 */
int fs_read_path(const char *path, size_t max, char **ret, size_t *len, struct err *e) must_check;
/* As fs_read_path(), but it may be a link: of a ConfigMap kubelet mounts nothing else. */
int fs_read_linked_path(const char *path, size_t max, char **ret, size_t *len, struct err *e)
	must_check;

/*
 * Check that an open file belongs to the effective user or root and nobody else may write it: 0, or
 * -1, ERR_PERMISSION, with its owner and mode.  `what` names it in messages.
 */
int fs_check_own(int fd, const char *what, struct err *e) must_check;
bool fs_is_own(const struct stat *st);

/*
 * As fs_find_dir(), for a directory that fs_check_own() accepts; make: create it (0700) when
 * absent.
 */
int fs_open_own_dir(int root, const char *path, bool make, int *ret, struct err *e) must_check;

/* As fs_read_file(), for a file that fs_check_own() accepts. */
int fs_read_own_file(int dir, const char *name, size_t max, char **ret, size_t *len,
		     struct err *e) must_check;

/*
 * Does this errno of fs_read_file() come from the file itself, so that another try fails as well?
 */
bool fs_is_unreadable(int sys);

/*
 * Replace or create a file: written aside, fsynced, then given its name in one step.  FS_SYNC_DIR
 * also fsyncs the directory, for what must outlive a power loss.  FS_THIS_BOOT leaves out both: for
 * what means nothing after the boot, and is read as nothing when it is torn.  Writers of one name
 * are serialised by the caller.
 */
enum fs_write_flags { FS_SYNC_DIR = 1, FS_THIS_BOOT = 2 };
int fs_write_file(int dir, const char *name, const void *data, size_t len, mode_t mode, int flags,
		  struct err *e) must_check;

/*
 * The same in two steps, for a caller that has something to do just before the file appears: after
 * the first step the content is on the disk without its name.  Release with fs_draft_done().
 */
struct fs_draft {
	int fd;				/* 0: there is none */
	bool unnamed;
	char temp[32];			/* the name it has for a moment */
};
int fs_draft_fill(int dir, const char *name, const void *data, size_t len, mode_t mode, int flags,
		  struct fs_draft *ret, struct err *e) must_check;
int fs_draft_publish(int dir, const char *name, const struct fs_draft *d, struct err *e) must_check;
/* The same without replacing: 1; 0 when the name exists already, and the draft is kept; -1. */
int fs_draft_publish_new(int dir, const char *name, const struct fs_draft *d, struct err *e)
	must_check;
void fs_draft_done(const struct fs_draft *d);

/* Remove a file that is no directory: 1, 0 when there was none, -1. */
int fs_remove(int dir, const char *name, struct err *e) must_check;

#endif
