/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fs_lock.h - locks on bytes of a file, one for each name
 *
 * A file of locks is in a directory that belongs to us.  It begins with the key of its hashes.
 */
#ifndef BASE_FS_LOCK_H
#define BASE_FS_LOCK_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/siphash.h"

#include <stdint.h>

/*
 * Read the key of the hashes from a lock file, or create it there.  With a secret key nobody can
 * choose a name that has the hash of another one.
 */
int fs_lock_key(int fd, uint8_t ret[SIPHASH_KEY], struct err *e) must_check;

/* Open a lock file in a directory that belongs to us, creating it when absent, and read its key. */
int fs_open_lock(int dir, const char *name, uint8_t key[SIPHASH_KEY], int *ret, struct err *e)
	must_check;

/*
 * Lock one byte of an open file until the file is closed or fs_unlock(): it is an
 * open-file-description lock, so nothing has to be created or removed per name.  The byte's offset
 * is the hash of name with the key of that file.  A timeout is ERR_TRY_AGAIN.
 */
int fs_lock(int fd, const uint8_t key[SIPHASH_KEY], const char *name, const struct deadline *d,
	    struct err *e) must_check;
void fs_unlock(int fd, const uint8_t key[SIPHASH_KEY], const char *name);

/* Does another open file description hold this lock?  1, 0, -1.  Neither takes nor releases one. */
int fs_is_locked(int fd, const uint8_t key[SIPHASH_KEY], const char *name, struct err *e)
	must_check;

#endif
