/* SPDX-License-Identifier: Apache-2.0 */
/* record_key.h - the words that a record is looked for by */
#ifndef DEVINFO_JOURNAL_RECORD_KEY_H
#define DEVINFO_JOURNAL_RECORD_KEY_H

#include "devinfo/journal/index.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/record.h"

/*
 * Looked for: who has the record.  The word is the hash that versions before had in the name of its
 * file, so that theirs are found by it, and whatever name one has.
 */
void record_key_owner(const struct owner *o, struct index_keys *ret);
/* The same of a bad one that does not tell: the hash in the name of its file, of which this begins.
 */
void record_key_file(const char *file, struct index_keys *ret);
/* A device, by any name that one can have: see device_ref.h. */
void record_key_device(const char *name, struct index_keys *ret);
/* The name of a device-info file. */
void record_key_info(const char *file, struct index_keys *ret);
/*
 * A path that may be in the directory of rec's, have it in its own, or share one with it below the
 * same root.  Others are to be looked for by record_key_mark().
 */
void record_key_path(const struct record *rec, struct index_keys *ret);
/* The root of its path, as a mark: who has another one may have the same directory by another name.
 */
void record_key_mark(const struct record *rec, char ret[112]);

/* All those of a record, and those of its file's name, which are all that a bad one has. */
void record_keys(const struct record *rec, struct index_keys *ret);
void record_keys_of_name(const char *device, bool good, struct index_keys *ret);
void record_keys_of_bad(const struct journal_bad *bad, struct index_keys *ret);

#endif
