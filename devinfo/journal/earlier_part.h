/* SPDX-License-Identifier: Apache-2.0 */
/* earlier_part.h - what the files of earlier.h have between them */
#ifndef DEVINFO_JOURNAL_EARLIER_PART_H
#define DEVINFO_JOURNAL_EARLIER_PART_H

#include "devinfo/journal/earlier.h"

#define EARLIER_FILE_SYSTEM	"fileSystem"	/* "<boot id> <device number>" */

/* -- earlier.c: the file; dir is the place, open -- */

/* The list in it, checked, a new reference: 1, 0 absent, -1. */
int earlier_read_list(int dir, json_t **ret, struct err *e) must_check;
int earlier_write_list(int dir, json_t *list, struct err *e) must_check;
/* Is it EARLIER_QUIET_S old? */
bool earlier_is_old(int dir);

/* An element of the list: its stateDir; its directories, borrowed; is it of these settings? */
const char *earlier_state_dir(const json_t *o);
void earlier_take(const json_t *o, struct settings *ret);
bool earlier_is_entry(const json_t *o, const struct settings *set);
/* A new one, of these settings. */
json_t *earlier_entry(const struct settings *set);
/* The last, of the latest ADD; NULL: there is none. */
const json_t *earlier_last(const json_t *list);

/* -- earlier_each.c: the journals -- */

/* The file system that the path is on, or would be: of the nearest directory that is there. */
void earlier_tell_file_system(const struct host *h, const char *path, char ret[80]);
/*
 * Has nobody a record in the stateDir of an element?  What cannot be looked at may have records;
 * what a DEL there had to keep of sockets are some.
 */
bool earlier_is_empty(const struct host *h, const json_t *o);

#endif
