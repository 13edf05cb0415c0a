/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - which records a name may be in, without reading them all
 *
 * Beside <stateDir>/attachments/ there is <stateDir>/index/, with an empty file for each word that
 * a record can be looked for by:
 *
 *	<first two digits of the word's hash>/<its hash>.<name of the record's file>
 *
 * so that a look-up lists one of 256 small directories and reads the records that it leads to.  It
 * says what may be, never what is: who follows an entry reads the record, and an entry without one
 * means nothing.  The one thing it has to be is whole: no record is without its entries, though
 * the version before, a person, or a program that was killed may have written one.  That it is
 * whole is said by the time of change of attachments/ and of index/ themselves, which is then one
 * and the same time in the last century:
 *
 *  - every change in attachments/ makes its time the present; who only writes records need not know
 *    of us.  So does the removal of what is in index/ with its own;
 *  - a change of ours, its entries being there, puts the time back to what it was, or, while it is
 *    whole, to the next one of these, of both directories.  So a directory that is restored, with
 *    its time, has one that the other no longer has.  These changes exclude each other, for some
 *    microseconds, by a lock (below all others);
 *  - who finds another time reads all records, as there is nothing else to go by, and when the last
 *    change is QUIET_S old (or there is no record) makes their entries, and then that time.
 *
 * A change by somebody else in the very microseconds between ours and the time that is put back
 * would not be seen.  Whoever writes beside us has therefore to be quiet for longer than one call
 * lives, before the index is trusted.
 *
 * The second is made of the boot and of the directory, so that a copy has another.  So nothing
 * here has to be synced: after a power cut it is all looked at again.  The nanoseconds count the
 * changes, by two from an odd number: where the file system cannot keep it, all records are read.
 *
 * A call looks at the time of index/ when it opens it, and at each change.  Whoever empties it
 * while a call runs may make that call miss a record, but none after it.
 */
#ifndef DEVINFO_JOURNAL_INDEX_H
#define DEVINFO_JOURNAL_INDEX_H

#include "base/err.h"
#include "base/siphash.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct index {
	int dir;		/* <stateDir>/index; 0: there is none */
	int records, lock;	/* the journal's, borrowed, and */
	uint8_t key[SIPHASH_KEY];	/* that of its locks */
	time_t whole;		/* the second that says so */
	bool agreed;		/* its own time was that of the records when it was opened */
};

/*
 * The words of one record, as hashes that may be another word's as well, and a mark: a word that
 * few are and all are to be known of, see index_has_other().
 */
enum { INDEX_KEYS = 80 };
struct index_keys {
	uint64_t key[INDEX_KEYS];
	unsigned int n;
	char mark[112];			/* "": none */
};

/* A word of a kind: a letter, for what is called alike may be of two kinds.  "" is no word. */
void index_keys_add(struct index_keys *k, char kind, const char *word);

/*
 * state: <stateDir>.  Where it cannot be made, or others may write it, there is none: *ret stays,
 * and that is no error.
 */
void index_open(int state, int records, int lock, const uint8_t key[SIPHASH_KEY],
		const char *boot_id, bool make, struct index *ret);
void index_done(struct index *x);

bool index_is_whole(const struct index *x);

/* The names of records that have one of these keys, as the keys of a new object. */
int index_find(const struct index *x, const struct index_keys *k, json_t **ret, struct err *e)
	must_check;

/* Is there a record with another mark? 1, 0, -1. */
int index_has_other(const struct index *x, const char *mark, struct err *e) must_check;

/* A change of the records' directory is between these two.  known: the index leads to all of it. */
struct index_change {
	bool locked, was_whole;
	struct timespec before;
};
void index_change_begin(const struct index *x, struct index_change *ret);
void index_change_end(const struct index *x, const struct index_change *c, bool known);

/* Between the two.  add: before the record is there; false: it cannot be found by them. */
bool index_add(const struct index *x, const struct index_keys *k, const char *name);
void index_drop(const struct index *x, const struct index_keys *k, const char *name);

/*
 * Make it whole, if it is time for that, but once after index_open(), for it may take a while:
 * reads all records, by `keys`, which says with 1, 0 or -1 whether a file of that name is one,
 * under which *name it is found, and by what.
 */
typedef int index_keys_fn(const char *file, void *arg, char name[256], struct index_keys *ret,
			  struct err *e);
typedef bool index_there_fn(const struct index *x, const char *name);
bool index_fill(const struct index *x, index_keys_fn *keys, index_there_fn *is_there, void *arg);

/* Take away all entries that lead to nothing: no record of that name is there. */
void index_sweep(const struct index *x, index_there_fn *is_there);
/* How many these are. */
int index_count_left(const struct index *x, index_there_fn *is_there, size_t *ret, struct err *e)
	must_check;

#endif
