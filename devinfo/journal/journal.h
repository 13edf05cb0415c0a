/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h - attachment records on disk, and the locks
 *
 * The room devinfo/journal/ stores which attachment has which device: records, their locks and the
 * ledger, and finds a device by its id.  It writes below stateDir and nowhere else.  It opens
 * network namespaces to see whether an owner lives, and changes no device.
 *
 * One file a record in <stateDir>/attachments, named
 *
 *	<hash of network, container id, interface>@<device>.json
 *
 * The hash has the key of the locks, so that nobody can choose a network or an interface whose
 * record gets another one's file name.  Earlier versions had a hash without a key, and the key
 * changes when <stateDir>/lock is lost: so only the record's content gives its owner, and a record
 * keeps its file name.  The device is in the name so that one directory listing answers both
 * questions that matter, "what did this attachment change?" and "who owns this device?".  An index
 * (index.h) lists the records that may match, so that neither the directory nor all records are
 * read; only the records themselves decide.  A record is written durably before the first change,
 * and holds what undoing needs: the owner, the device's state before, the directories, and the
 * request (for the IPAM plugin's DEL).  There is no "step": undoing reads the kernel's state and is
 * the same after any step.
 *
 * It is written again in four cases.  Before a move, when the number that the device
 * is to be recognised by has been taken by another one.  When a network device or an RDMA
 * device has been made anew by its driver, and so has another number.  After a chain of
 * plugins that we ran, with its result and what we then found in the container.  And to set
 * `released`, when the device was given back while something else of the attachment (its
 * IPAM lease) could not be: the device may have a new owner then and is not touched again.
 *
 * Locks are bytes of <stateDir>/lock (base/fs.h), so there are no lock files to leave behind;
 * earlier.h has the locks of what several stateDirs share.  The order is: the attachment's, its
 * device-info file name's, the pod's (ledger.h), which is released before the next, the device's.
 * A call that removes a device-info file has the device's lock, and waits only shortly for the
 * name's (cni/attach/info_name.c).  The index's is the innermost, held for a change of the
 * directory alone.
 */
#ifndef DEVINFO_JOURNAL_H
#define DEVINFO_JOURNAL_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "base/siphash.h"
#include "devinfo/journal/index.h"
#include "devinfo/journal/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_RECORD_MAX      (32 * 1024 * 1024) /* bytes; the request is at most half of it */

struct journal {
	int dir;			/* <stateDir>/attachments */
	int lock;			/* <stateDir>/lock; -1: none, so no ADD can run */
	int look;			/* the same, read-only, to see who holds a lock; 0: none */
	int common;			/* the lock of the node's own journal, when this one is that
					   of an earlier stateDir; 0: none, or it is its own */
	uint8_t key[SIPHASH_KEY];	/* of the hashes, from the lock file; zeros: none */
	uint8_t common_key[SIPHASH_KEY];
	char boot_id[40];		/* of this boot, read by journal_open(); "": unknown */
	bool read_only;
	unsigned int damaged;		/* records that could not be read, see below */
	struct index index;
};

/*
 * A record that cannot be used.  One that is damaged (after a failure of the disk, say), that is no
 * regular file, or whose owner or mode let others write it, is put aside by the first call that may
 * change the journal: ".damaged" is appended to its name.  One that another version of this program
 * wrote stays as it is.  Neither affects other records, but their devices are refused until an
 * administrator has repaired or removed the file: see journal_check_device().  One that cannot be
 * read from the disk stays, too.  It is an error for its own attachment alone; others skip it, and
 * its device is refused likewise.
 */
#define JOURNAL_DAMAGED ".damaged"

struct journal_bad {
	char file[256];			/* its name now */
	char device[112];		/* from that; "" for none */
	char network[256], container_id[256], ifname[16];	/* "" when not known */
	int version;			/* another version's; 0: damaged, or */
	bool unread;			/* the disk returned an error */
	bool untrusted;			/* valid, but others may write it */
	char why[256];
};

/*
 * Call fn from now on for each record of any journal that is put aside or skipped as unread; NULL:
 * none.
 */
typedef void journal_aside_fn(const struct journal_bad *bad);
void journal_on_aside(journal_aside_fn *fn);

enum journal_mode {
	JOURNAL_CREATE,		/* directories are made (0700), absence is an error */
	JOURNAL_UPDATE,		/* the existing one; only the lock is made */
	JOURNAL_READ,		/* nothing is changed or locked */
};

/*
 * Open the journal below settings.state_dir: 1; 0 when there is none, -1.  ERR_PERMISSION when
 * others than root may write its directories or lock: their content is not trusted.
 */
int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
	must_check;
void journal_done(struct journal *j);

/*
 * Write a record durably, or remove it: 0, -1.  A record that was read keeps its file; a new one
 * replaces the file that this program named for the same owner and device.  Another owner's file is
 * never overwritten (ERR_BUSY) nor removed.  What JSON cannot hold (a path that is not UTF-8) is an
 * error.
 */
int journal_write(const struct journal *j, const struct record *r, struct err *e) must_check;
int journal_remove(const struct journal *j, const struct record *r, struct err *e) must_check;

/*
 * Find the record of an attachment: 1, 0, -1.  A damaged one counts in `damaged` and as absent.
 * ERR_TRY_AGAIN when another version wrote the attachment's record, because that version can read
 * it.
 */
int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
	must_check;
/*
 * Does the index lead to one file only, a good or a bad record, that may be this attachment's?  Who
 * has the lock of the attachment can go by it.  *device is what that file's name says: it is the
 * record's nearly always.
 */
bool journal_has_one(struct journal *j, const struct owner *o, char device[112]) must_check;
/*
 * Read the record of an owner and a device anew: 1, 0, -1.  `seen` is the record as read before
 * from this journal, or one filled in to name owner and device.  journal_find_device(): of a device
 * that is not released.
 */
int journal_get(struct journal *j, const struct record *seen, struct record *ret, struct err *e)
	must_check;
int journal_find_device(struct journal *j, const char *device, struct record *ret, struct err *e)
	must_check;
/* Read the record of this file name: 1, 0, -1; one that cannot be used is an error. */
int journal_read(struct journal *j, const char *file, struct record *ret, struct err *e)
	must_check;

/*
 * Call fn for every record; fn's non-zero result ends it and is returned.  fn may remove the
 * record.
 */
typedef int journal_fn(const struct record *r, void *arg, struct err *e);
int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e) must_check;
/*
 * The same for those of one device, which can have several vDPA devices; here and below others are
 * not read.
 */
int journal_each_of(struct journal *j, const char *device, journal_fn *fn, void *arg,
		    struct err *e) must_check;
/*
 * The same for those that may have one of these names: as their device, its id, its network device
 * at home, or that one's parent; fn may get others as well.  ERR_BUSY as journal_check_device()
 * when a bad record matches, by its device alone if no more is known.
 */
int journal_each_called(struct journal *j, const char *const names[], size_t n, journal_fn *fn,
			void *arg, struct err *e) must_check;
/* The same for those that may have this device-info file. */
int journal_each_info(struct journal *j, const char *file, journal_fn *fn, void *arg,
		      struct err *e) must_check;
/*
 * The same for those whose device begins with prefix, and whose path may share a directory with
 * this record's.
 */
int journal_each_near(struct journal *j, const char *prefix, const struct record *rec,
		      journal_fn *fn, void *arg, struct err *e) must_check;

/* Call fn for each bad record, which the functions above skip. */
typedef int journal_bad_fn(const struct journal_bad *bad, void *arg, struct err *e);
int journal_each_bad(struct journal *j, journal_bad_fn *fn, void *arg, struct err *e) must_check;
/* Call fn or bad for every record, reading each file once. */
int journal_each_any(struct journal *j, journal_fn *fn, journal_bad_fn *bad, void *arg,
		     struct err *e) must_check;
int journal_each_bad_near(struct journal *j, const char *prefix, const struct record *rec,
			  journal_bad_fn *fn, void *arg, struct err *e) must_check;

/* Count the records, bad ones included, by the names of the files alone. */
int journal_count(struct journal *j, size_t *ret, struct err *e) must_check;

/* Get the name of the file that a record was read from. */
void journal_file_name(const struct record *r, char ret[256]);

/* Remove, or count, the index's entries of records that are gone. */
void journal_tidy(struct journal *j);
int journal_count_left(struct journal *j, size_t *ret, struct err *e) must_check;

/* Refuse a device that a bad record has: 0, or -1 with ERR_BUSY. */
int journal_check_device(struct journal *j, const char *device, struct err *e) must_check;

bool owner_equal(const struct owner *a, const struct owner *b);

/* Read this boot's id from /proc. */
int journal_boot_id(const struct host *h, char ret[40], struct err *e) must_check;
/* The same, without another look where it was read as this journal was opened. */
int journal_boot_id_of(const struct journal *j, const struct host *h, char ret[40], struct err *e)
	must_check;

int journal_lock_attachment(const struct journal *j, const struct owner *o,
			    const struct deadline *d, struct err *e) must_check;
void journal_unlock_attachment(const struct journal *j, const struct owner *o);
/* Is another call, an ADD or a DEL, running for this attachment?  1, 0, -1. */
int journal_attachment_busy(const struct journal *j, const struct owner *o,
			    struct err *e) must_check;
int journal_lock_device(const struct journal *j, const char *device, const struct deadline *d,
			struct err *e) must_check;
void journal_unlock_device(const struct journal *j, const char *device);
/*
 * Lock something outside the journal that attachments of other stateDirs may share: a directory of
 * sockets, a status file.  The lock is in the lock file of the node's own journal, whichever one j
 * is.
 */
int journal_lock_common(const struct journal *j, const char *what, const struct deadline *d,
			struct err *e) must_check;
void journal_unlock_common(const struct journal *j, const char *what);

#define auto_journal auto_with(journal_done)

#endif
