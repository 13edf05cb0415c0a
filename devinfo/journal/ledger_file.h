/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_file.h - the entries of one pod in the ledger, and their file
 *
 * A file that is damaged, about another pod, or one that others than root may write counts as one
 * without entries.  So does one of another version, but that is left alone.  A file is replaced as
 * a whole, so a reader without its lock sees the entries before or after a change.
 */
#ifndef DEVINFO_JOURNAL_LEDGER_FILE_H
#define DEVINFO_JOURNAL_LEDGER_FILE_H

#include "devinfo/journal/ledger.h"

#include <jansson.h>

/*
 * A device and the attachment that was given it.  Texts are borrowed; those that were read, from
 * doc.
 */
struct entry {
	const char *device, *resource;		/* "" when of no resource */
	const char *network, *ifname, *container_id;
	const char *boot_id;			/* when it was given */
};

struct ledger {
	json_t *doc;				/* owned */
	const char *uid;			/* of the pod, as read; NULL: not known */
	struct entry *entries;			/* owned; the oldest first */
	size_t n;
	bool foreign;				/* of another version, or */
	bool anothers;				/* about another pod: not to be changed */
	char file[256];				/* that it was read from; "": there is none */
	char lost[128];				/* why the file's entries are not used */
};

void ledger_done(struct ledger *l);

#define auto_ledger auto_with(ledger_done)

bool entry_is_of(const struct entry *n, const char *resource, const char *id);
/* The same attachment, though maybe in another sandbox. */
bool entry_is_for(const struct entry *n, const struct owner *who);

/*
 * Open the directory of the files; create: make it (0700).  1, 0 absent, -1.  The caller closes
 * *ret.
 */
int ledger_open_dir(const struct host *h, bool create, int *ret, struct err *e) must_check;

/* Make the name of a pod's file, with a hash by this key. */
int ledger_file_name(const uint8_t key[SIPHASH_KEY], const struct pod *pod, char ret[256],
		     struct err *e) must_check;
bool ledger_is_file(const char *name);

int ledger_lock(const struct journal *j, const char *file, const struct deadline *d,
		struct err *e) must_check;
void ledger_unlock(const struct journal *j, const char *file);

/* Read a file: 1, 0 when there is none, -1.  pod NULL: accept any pod's. */
int ledger_read(int dir, const char *file, const struct pod *pod, struct ledger *ret,
		struct err *e) must_check;

/*
 * The same for a pod, whose file has this name (NULL: not known), or one with another hash, because
 * an earlier version made it, or the key was lost since.
 */
int ledger_look_for(int dir, const char *file, const struct pod *pod, struct ledger *ret,
		    struct err *e) must_check;

/*
 * Call fn for each entry of each pod's file, until it returns non-zero, which is then the result; 0
 * at the end, -1.  A file that cannot be used has none.  The entry is borrowed for the call.
 */
typedef int ledger_entry_fn(const struct entry *n, void *arg, struct err *e);
int ledger_each_entry(const struct host *h, ledger_entry_fn *fn, void *arg,
		      struct err *e) must_check;

/*
 * Set the entry of the attachment, and remove another one of the device: 1; 0 when nothing changes;
 * -1.  The texts of *new must outlive *l.
 */
int ledger_put(struct ledger *l, const struct entry *new, struct err *e) must_check;

/* Write the file durably and remove a file of another name that *l was read from.  0, or -1. */
int ledger_write(int dir, const char *file, const struct ledger *l, const struct pod *pod,
		 struct err *e) must_check;

#endif
