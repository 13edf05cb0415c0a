/* SPDX-License-Identifier: Apache-2.0 */
/* record_key.h - the words in the index by which a record is found */
#ifndef DEVINFO_JOURNAL_RECORD_KEY_H
#define DEVINFO_JOURNAL_RECORD_KEY_H

#include "devinfo/journal/index.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/record.h"

/*
 * Add the word of an owner: the hash that earlier versions had in the file's name, so that their
 * records are found as well, and those with any other name.
 */
void record_key_owner(const struct owner *o, struct index_keys *ret);
/* The same for a bad record that does not say: the hash at the start of its file's name. */
void record_key_file(const char *file, struct index_keys *ret);
/* Add the word of a device, by any name that it can have: see device_ref.h. */
void record_key_device(const char *name, struct index_keys *ret);
/* Add the name of a device-info file. */
void record_key_info(const char *file, struct index_keys *ret);
/*
 * Add the word of the sockets that may share a directory with rec's, or contain it, below the same
 * root.  For other roots see record_key_mark().
 */
void record_key_path(const struct record *rec, struct index_keys *ret);
/*
 * Make the mark of a record, its path's root: a record with another one may have the same directory
 * by another name.
 */
void record_key_mark(const struct record *rec, char ret[112]);

/* Add all words of a record, or those of its file's name, which are all that a bad one has. */
void record_keys(const struct record *rec, struct index_keys *ret);
void record_keys_of_name(const char *device, bool good, struct index_keys *ret);
void record_keys_of_bad(const struct journal_bad *bad, struct index_keys *ret);

#endif
