/* SPDX-License-Identifier: Apache-2.0 */
/* allocation_file.c - who has a VF, as sriov-cni has written it down, and its lock of it */
#include "cni/sriovcni/allocation_file.h"

#include "base/mem.h"
#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static int open_pci(int dir, const char *bdf, int *ret, struct err *e)
{
	int r = name_is_bdf(bdf) ? fs_find_dir(dir, "pci", ret, e) : 0;

	return r < 0 ? err_wrap(e, "sriov-cni") : r;
}

/* -- the marker -- */

int allocation_file_read(int dir, const char *bdf, struct allocation_file *ret, struct err *e)
{
	auto_close int pci = -1;
	auto_free char *text = NULL;
	struct stat st;
	size_t len;
	int r = open_pci(dir, bdf, &pci, e);

	if (r > 0)
		r = fs_read_file(pci, bdf, sizeof(ret->netns) - 1, &text, &len, e);
	if (r < 0 && fs_is_unreadable(e->sys))
		e->code = ERR_DECODE;
	if (r > 0 && fstatat(pci, bdf, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "stat '%s'", bdf);
	if (r <= 0)
		return r < 0 ? err_wrap(e, "sriov-cni's owner of %s", bdf) : 0;
	if (len == 0)		/* it serves as a lock, or was torn: see allocation_file_lock() */
		return 0;
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	if (*text != '/' || strlen(text) != len)
		return err_set(e, ERR_DECODE, 0, "sriov-cni's owner of %s is not a path", bdf);
	memcpy(ret->netns, text, len + 1);
	ret->written = st.st_mtim;
	return 1;
}

int allocation_file_remove(int dir, const char *bdf, struct err *e)
{
	auto_close int pci = -1;
	int r = open_pci(dir, bdf, &pci, e);

	if (r > 0 && fs_remove(pci, bdf, e) < 0)
		r = err_wrap(e, "sriov-cni's owner of %s", bdf);
	return r < 0 ? -1 : 0;
}

struct walk {
	fs_name_fn *fn;
	void *arg;
};

static int visit_vf(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;

	return name_is_bdf(name) ? w->fn(name, w->arg, e) : 0;
}

int allocation_file_each(int dir, fs_name_fn *fn, void *arg, struct err *e)
{
	struct walk w = { fn, arg };

	return fs_each(dir, "pci", visit_vf, &w, e);
}

/* -- the lock -- */

static int await_lock(int fd, const char *bdf, const struct deadline *d, struct err *e)
{
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set(e, ERR_IO, errno, "lock %s as sriov-cni does", bdf);
		if (deadline_left_ms(d) == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "lock %s: held by sriov-cni", bdf);
		deadline_sleep(d, 5);
	}
	return 0;
}

/* An open file has still this name. */
static bool is_there(int dir, const char *name, int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Whoever waited for the lock of a marker may have that of one that was removed meanwhile. */
static int lock_file(int dir, const char *name, int flags, const char *bdf,
		     const struct deadline *d, int *ret, struct err *e)
{
	for (;;) {
		auto_close int fd = openat(
			dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);

		if (fd < 0)
			return errno == ENOENT ?
				       0 : err_set(e, ERR_IO, errno, "open sriov-cni's '%s'", name);
		if (await_lock(fd, bdf, d, e) < 0)
			return -1;
		if (is_there(dir, name, fd)) {
			*ret = steal_fd(&fd);
			return 1;
		}
	}
}

/* A marker that is not there is not made to be locked: who finds it empty takes it for an owner. */
int allocation_file_lock(int dir, const char *bdf, const struct deadline *d, int *ret,
			 struct err *e)
{
	auto_close int pci = -1, locks = -1;
	char name[32];
	int r = open_pci(dir, bdf, &pci, e);

	if (r > 0)
		r = fs_find_dir(pci, "vf_lock", &locks, e);
	if (r < 0 || pci < 0)
		return r;
	if (locks < 0)
		return lock_file(pci, bdf, 0, bdf, d, ret, e);
	(void)snprintf(name, sizeof(name), "%s.lock", bdf);
	return lock_file(locks, name, O_CREAT, bdf, d, ret, e);
}
