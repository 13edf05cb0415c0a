/* SPDX-License-Identifier: Apache-2.0 */
/* fs_lock.c - locks on bytes of a file, one for each name */
#include "base/fs_lock.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>

static struct flock byte_at(off_t at, short type)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1,
	};
}

/* Behind all bytes that are locked by a name's hash. */
#define KEY_BYTE	((off_t)INT64_MAX - 1)
#define KEY_MS		2000	/* to make a key, in a moment's work */

/* Wait for a lock, however often a signal other than one to end comes: 0, -1 with errno. */
static int lock_byte(int fd, const struct flock *want, const struct deadline *d)
{
	struct flock fl;

	while (fl = *want, fcntl(fd, F_OFD_SETLK, &fl) < 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (deadline_left_ms(d) == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		deadline_sleep(d, 5);
	}
	return 0;
}

/* 1: it is there, 0: none yet, or a part of one; -1 with errno: that is not known. */
static int read_key(int fd, uint8_t key[SIPHASH_KEY])
{
	ssize_t n = pread(fd, key, SIPHASH_KEY, 0);

	return n < 0 ? -1 : n == SIPHASH_KEY;
}

static int write_key(int fd, uint8_t key[SIPHASH_KEY])
{
	errno = ENOSPC;		/* if a part of it is written */
	return getrandom(key, SIPHASH_KEY, 0) == SIPHASH_KEY &&
	       pwrite(fd, key, SIPHASH_KEY, 0) == SIPHASH_KEY ? 1 : -1;
}

/* Once in the life of the file; who comes second finds it. */
static int make_key(int fd, uint8_t key[SIPHASH_KEY])
{
	const struct deadline d = deadline_in(KEY_MS);
	struct flock fl = byte_at(KEY_BYTE, F_WRLCK), unlock = byte_at(KEY_BYTE, F_UNLCK);
	int r;

	if (lock_byte(fd, &fl, &d) < 0)
		return -1;
	r = read_key(fd, key);
	if (r == 0)
		r = write_key(fd, key);
	(void)fcntl(fd, F_OFD_SETLK, &unlock);	/* cannot fail for a lock we hold */
	return r;
}

int fs_lock_key(int fd, uint8_t key[SIPHASH_KEY], struct err *e)
{
	int r = read_key(fd, key);

	if (r == 0)
		r = make_key(fd, key);
	if (r > 0)
		return 0;
	return errno == ETIMEDOUT ?
		       deadline_error(ERR_TRY_AGAIN, e, "wait for the key of the locks") :
		       err_set(e, ERR_IO, errno, "read the key of the locks");
}

static struct flock byte_of(const uint8_t key[SIPHASH_KEY], const char *name, short type)
{
	return byte_at((off_t)(siphash(key, name, strlen(name)) >> 2), type);
}

int fs_open_lock(int dir, const char *name, uint8_t key[SIPHASH_KEY], int *ret, struct err *e)
{
	auto_close int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
				   O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open '%s'", name);
	if (fs_check_own(fd, name, e) < 0 || fs_lock_key(fd, key, e) < 0)
		return -1;
	*ret = steal_fd(&fd);
	return 0;
}

int fs_lock(int fd, const uint8_t key[SIPHASH_KEY], const char *name, const struct deadline *d,
	    struct err *e)
{
	struct flock want = byte_of(key, name, F_WRLCK);

	if (lock_byte(fd, &want, d) == 0)
		return 0;
	if (errno != ETIMEDOUT)
		return err_set(e, ERR_IO, errno, "lock %s", name);
	return deadline_error(ERR_TRY_AGAIN, e, "lock %s: held by another call of this plugin",
			      name);
}

void fs_unlock(int fd, const uint8_t key[SIPHASH_KEY], const char *name)
{
	struct flock fl = byte_of(key, name, F_UNLCK);

	(void)fcntl(fd, F_OFD_SETLK, &fl);	/* cannot fail for a lock we hold */
}

int fs_is_locked(int fd, const uint8_t key[SIPHASH_KEY], const char *name, struct err *e)
{
	struct flock fl = byte_of(key, name, F_WRLCK);

	if (fcntl(fd, F_OFD_GETLK, &fl) < 0)
		return err_set(e, ERR_IO, errno, "look at the lock %s", name);
	return fl.l_type != F_UNLCK;
}
