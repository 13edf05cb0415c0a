/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_file.h - the file of one record, for journal.c and journal_find.c alone
 *
 * Its name is "<hash of the owner>@<device>.json", with ".damaged" behind that when put aside.  The
 * hash is of another owner, for all that the name tells, when it was made by a version before, by
 * hand, or by a key that was lost.
 */
#ifndef DEVINFO_JOURNAL_RECORD_FILE_H
#define DEVINFO_JOURNAL_RECORD_FILE_H

#include "devinfo/journal/journal.h"

#include <limits.h>

uint64_t owner_hash(const struct journal *j, const struct owner *o);
/* That of versions before, which is a word of the index still. */
uint64_t owner_hash_before(const struct owner *o);
/* The name of its file: that it has, or is to get. */
void record_file_name(const struct journal *j, const struct record *r, char ret[NAME_MAX + 1]);
/* Is what has this name another owner's?  1, 0 also for what does not tell, -1. */
int record_file_is_anothers(const struct journal *j, const struct record *r, const char *name,
			    struct err *e) must_check;
void record_file_aside_name(const char *name, char ret[NAME_MAX + 1]);

/* Is it the name of a record, of one that was put aside, or of either that is this device's? */
bool record_file_is(const char *name);
bool record_file_is_aside(const char *name);
bool record_file_is_of(const char *name, const char *device);

enum { RECORD_GONE, RECORD_GOOD, RECORD_BAD };

/* RECORD_GOOD with *ret, RECORD_BAD with *bad, RECORD_GONE, or -1 where reading failed. */
int record_file_read(const struct journal *j, const char *name, struct record *ret,
		     struct journal_bad *bad, struct err *e) must_check;

/* The same, with its file in *bad; a damaged one is counted and put aside. */
int record_file_take(struct journal *j, const char *name, struct record *ret,
		     struct journal_bad *bad, struct err *e) must_check;

/* One that was put aside, for what it says, though nobody goes by it. */
int record_file_read_aside(const struct journal *j, const char *name, struct journal_bad *bad,
			   struct err *e) must_check;

/* What the name of its file says of a bad one. */
void record_file_describe(const char *name, struct journal_bad *bad);

/* May it be this owner's?  by_name: the hash in its name is. */
bool record_file_may_be(const struct journal_bad *bad, const struct owner *o, bool by_name);

/* For who asks for a record by its owner: -1 for one that cannot be used, 0 for a damaged one. */
int record_file_refuse(const struct journal_bad *bad, struct err *e) must_check;

/* Whom journal_on_aside() has named. */
void record_file_tell_aside(const struct journal_bad *bad);

#endif
