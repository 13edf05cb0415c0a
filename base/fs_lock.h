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
 * The key of the hashes in a file of locks, which is made with the first one: nobody finds another
 * name that has the same hash.
 */
int fs_lock_key(int fd, uint8_t ret[SIPHASH_KEY], struct err *e) must_check;

/*
 * Open a file of locks, which is made when absent, in a directory that belongs to us, and read its
 * key.
 */
int fs_open_lock(int dir, const char *name, uint8_t key[SIPHASH_KEY], int *ret, struct err *e)
	must_check;

/*
 * Lock one byte of an open file until the file is closed or fs_unlock(): open-file-description
 * locks, so nothing has to be created or removed per name.  The byte is that of a hash of name, by
 * the key of that file.  A timeout is ERR_TRY_AGAIN.
 */
int fs_lock(int fd, const uint8_t key[SIPHASH_KEY], const char *name, const struct deadline *d,
	    struct err *e) must_check;
void fs_unlock(int fd, const uint8_t key[SIPHASH_KEY], const char *name);

/* Whether another open file holds this lock: 1, 0, -1.  Takes none, and leaves ours alone. */
int fs_is_locked(int fd, const uint8_t key[SIPHASH_KEY], const char *name, struct err *e)
	must_check;

#endif
