/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - find the records that may contain a name, without reading all of them
 *
 * Beside <stateDir>/attachments/ there is <stateDir>/index/, with an empty file for each word by
 * which a record can be found:
 *
 *	<first two digits of the word's hash>/<its hash>.<name of the record's file>
 *
 * so that a look-up lists one of 256 small directories and reads the records that it leads to.  An
 * entry is only a hint: the reader always reads the record itself, and an entry without a record
 * means nothing.  But the index must be whole: every record must have its entries, even one that an
 * earlier version, a person, or a killed program wrote.  The mark of a whole index is the
 * modification time of attachments/ and of index/ themselves: which are then the same time in the
 * last century:
 *
 *  - every change in attachments/ sets its time to the present, so other writers of records need
 *    not know of the index.  A removal in index/ does the same to its own;
 *  - a change of ours writes the entries and then sets the time back or, while the index is whole,
 *    to the next mark, in both directories.  So a directory restored from a backup has a mark that
 *    the other no longer has.  These changes hold a lock, the innermost, for some microseconds;
 *  - a call that finds another time reads all records.  When the last change is QUIET_S old (or
 *    there is no record) it makes their entries, and then sets the mark.
 *
 * A foreign change in the microseconds between ours and the setting of the time would not be seen.
 * So foreign writers must be quiet for longer than one call lives before the index is trusted.
 *
 * The mark's second is derived from the boot and the directory, so a copy has another one.  So
 * nothing here has to be synced: after a power cut all records are read again.  The nanoseconds
 * count the changes, by two from an odd number: where the file system cannot store them, all
 * records are read.
 *
 * A call reads the time of index/ when it opens it, and at each change.  If somebody empties index/
 * while a call runs, that call may miss a record, but no later one.
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
	int records, lock;	/* descriptors of the journal, borrowed */
	uint8_t key[SIPHASH_KEY];	/* the key of its locks */
	time_t whole;		/* the second of the mark */
	bool agreed;		/* both directories had the same time when it was opened */
};

/*
 * The words of one record as hashes, which may collide, and a mark: a word with few values, of
 * which all have to be known, see index_has_other().
 */
enum { INDEX_KEYS = 80 };
struct index_keys {
	uint64_t key[INDEX_KEYS];
	unsigned int n;
	char mark[112];			/* "": none */
};

/* Add a word; kind, a letter, separates equal words of different kinds.  "" is not added. */
void index_keys_add(struct index_keys *k, char kind, const char *word);

/*
 * Open or make (make) the index in state, which is <stateDir>.  Where it cannot be made, or others
 * may write it, *ret stays without an index, which is no error.
 */
void index_open(int state, int records, int lock, const uint8_t key[SIPHASH_KEY],
		const char *boot_id, bool make, struct index *ret);
void index_done(struct index *x);

bool index_is_whole(const struct index *x);

/*
 * Find the records that have one of these keys: *ret is a new object with their file names as keys.
 */
int index_find(const struct index *x, const struct index_keys *k, json_t **ret, struct err *e)
	must_check;

/* Is there a record with another mark? 1, 0, -1. */
int index_has_other(const struct index *x, const char *mark, struct err *e) must_check;

/*
 * Every change of the records' directory is made between these two.  known: the index has its
 * entries.
 */
struct index_change {
	bool locked, was_whole;
	struct timespec before;
};
void index_change_begin(const struct index *x, struct index_change *ret);
void index_change_end(const struct index *x, const struct index_change *c, bool known);

/*
 * Called between the two; add before the record exists; false when the entries could not be made.
 */
bool index_add(const struct index *x, const struct index_keys *k, const char *name);
void index_drop(const struct index *x, const struct index_keys *k, const char *name);

/*
 * Make the index whole, if QUIET_S has passed, at most once after index_open(), as it reads all
 * records.  `keys` returns 1, 0 or -1, whether a file is a record, with the *name of its entries
 * and its keys.
 */
typedef int index_keys_fn(const char *file, void *arg, char name[256], struct index_keys *ret,
			  struct err *e);
typedef bool index_there_fn(const struct index *x, const char *name);
bool index_fill(const struct index *x, index_keys_fn *keys, index_there_fn *is_there, void *arg);

/* Remove all entries whose record does not exist. */
void index_sweep(const struct index *x, index_there_fn *is_there);
/* Count these entries. */
int index_count_left(const struct index *x, index_there_fn *is_there, size_t *ret, struct err *e)
	must_check;

#endif
