/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_file.h - the file of one record, for journal.c and journal_find.c alone
 *
 * Its name is "<hash of the owner>@<device>.json", followed by ".damaged" when put aside.  The hash
 * of the same owner differs when an earlier version, a person, or a lost key made it, so the name
 * alone does not exclude an owner.
 */
#ifndef DEVINFO_JOURNAL_RECORD_FILE_H
#define DEVINFO_JOURNAL_RECORD_FILE_H

#include "devinfo/journal/journal.h"

#include <limits.h>

uint64_t owner_hash(const struct journal *j, const struct owner *o);
/* The hash of earlier versions, which is still a word of the index. */
uint64_t owner_hash_before(const struct owner *o);
/* Make the name of a record's file: the one it was read from, or its new one. */
void record_file_name(const struct journal *j, const struct record *r, char ret[NAME_MAX + 1]);
/* Is the file of this name another owner's?  1, 0 also when it does not say, -1. */
int record_file_is_anothers(const struct journal *j, const struct record *r, const char *name,
			    struct err *e) must_check;
void record_file_aside_name(const char *name, char ret[NAME_MAX + 1]);

/* Is it the name of a record; of one that was put aside; of either, with this device? */
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

/* Read one that was put aside, for display only. */
int record_file_read_aside(const struct journal *j, const char *name, struct journal_bad *bad,
			   struct err *e) must_check;

/* Fill in what the file's name says of a bad record. */
void record_file_describe(const char *name, struct journal_bad *bad);

/* Can a bad record be this owner's?  by_name: the hash in its name matches. */
bool record_file_may_be(const struct journal_bad *bad, const struct owner *o, bool by_name);

/* For a look-up by owner: -1 with *e for a record that cannot be used, 0 for a damaged one. */
int record_file_refuse(const struct journal_bad *bad, struct err *e) must_check;

/* Call the function of journal_on_aside(). */
void record_file_tell_aside(const struct journal_bad *bad);

#endif
