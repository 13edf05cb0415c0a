/* SPDX-License-Identifier: Apache-2.0 */
/* record_key.h - the words that a record is looked for by */
#ifndef DEVINFO_JOURNAL_RECORD_KEY_H
#define DEVINFO_JOURNAL_RECORD_KEY_H

#include "devinfo/journal/index.h"
#include "devinfo/journal/record.h"

/* Looked for: who has the record, of which only the name of its file is known. */
void record_key_owner(const char *file, struct index_keys *ret);
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
void record_keys(const struct record *rec, const char *file, struct index_keys *ret);
void record_keys_of_file(const char *file, const char *device, bool good, struct index_keys *ret);

#endif
