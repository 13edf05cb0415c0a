/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h - attachment records on disk, and the locks
 *
 * The room devinfo/journal/ remembers who has what: records, their locks, the ledger, and which
 * device an id means by them.  It writes below stateDir and nowhere else.  It opens network
 * namespaces to see whether an owner lives, and changes no device.
 *
 * One file a record in <stateDir>/attachments, named
 *
 *	<hash of network, container id, interface>@<device>.json
 *
 * The hash has a key, that of the locks, so that nobody can choose a network or an interface whose
 * record has the name of another one's.  Versions before had a hash without a key, and who loses
 * <stateDir>/lock gets another key: of which owner a record is, only the record says, and it keeps
 * the name that it has.  The device is in the name so
 * that one directory listing answers both questions that matter, "what did
 * this attachment change?" and "who owns this device?".  That the listing need not be read, nor
 * the records, an index beside it says which records may be meant (index.h); what is, only they
 * say.  A record is written durably before the first
 * change, and holds what undoing needs: the owner, the device's state before, the
 * directories, and the request (for the IPAM plugin's DEL).  There is no "step":
 * undoing looks at the kernel and is the same after any step.
 *
 * It is written again in four cases.  Before a move, when the number that the device
 * is to be recognised by has been taken by another one.  When a network device or an RDMA
 * device has been made anew by its driver, and so has another number.  After a chain of
 * plugins that we ran, with its result and what we then found in the container.  And to set
 * `released`, when the device was given back while something else of the attachment (its
 * IPAM lease) could not be: the device may have a new owner then and is not touched again.
 *
 * Locks are bytes of <stateDir>/lock (base/fs.h), so there are no lock files to
 * leave behind; of those of what several stateDirs share see earlier.h.  Order: the attachment's,
 * that of its device-info file's name, the pod's (ledger.h), which is given up before the next, the
 * device's.  Who removes such a file has the
 * device's, and does not wait long for the name's (cni/attach/info_name.c).  That of the index is
 * below all others, and taken for a change of the directory alone.
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
	int look;			/* the same where nothing can be locked, only looked at who
					   has; 0: none */
	int common;			/* the lock of the node's own journal, when this one is that
					   of an earlier stateDir; 0: none, or it is its own */
	uint8_t key[SIPHASH_KEY];	/* of the hashes, from there; zeros where there is none */
	uint8_t common_key[SIPHASH_KEY];
	bool read_only;
	unsigned int damaged;		/* records that could not be read, see below */
	struct index index;
};

/*
 * A record that cannot be used.  One that is damaged (after a failure of the disk, say), that is
 * no regular file, or whose owner or mode let others write it, is put aside by the first call that
 * may change the journal: it gets ".damaged" behind its name.  One that another version of this
 * program wrote stays as it is.  Neither is in the way of other records, but their devices are
 * given to nobody until somebody has repaired or removed the file: see journal_check_device().
 * One that the disk does not give stays, too.  It is an error for its own attachment alone; others
 * pass it over, and its device is refused likewise.
 */
#define JOURNAL_DAMAGED ".damaged"

struct journal_bad {
	char file[256];			/* its name now */
	char device[112];		/* from that; "" for none */
	char network[256], container_id[256], ifname[16];	/* "" when not known */
	int version;			/* of another program's; 0: damaged, or */
	bool unread;			/* an error of the disk */
	bool untrusted;			/* whole, for all that is known; but others may write it */
	char why[256];
};

/*
 * Called with each record that is put aside, or passed over as unread, from now on, in any journal;
 * NULL for nobody.
 */
typedef void journal_aside_fn(const struct journal_bad *bad);
void journal_on_aside(journal_aside_fn *fn);

enum journal_mode {
	JOURNAL_CREATE,		/* directories are made (0700), absence is an error */
	JOURNAL_UPDATE,		/* what is there; nothing is made but the lock */
	JOURNAL_READ,		/* nothing is changed at all, nothing can be locked */
};

/*
 * Open the journal below settings.state_dir: 1; 0 when there is none, -1.  Directories and lock
 * that others than root may write are ERR_PERMISSION: what they hold is not believed.
 */
int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
	must_check;
void journal_done(struct journal *j);

/*
 * Durable when it returns 0.  A record that was read keeps its file; another one replaces that of
 * the same owner and device of which this program has made the name.  What another owner's record
 * has is neither written over, which is ERR_BUSY, nor removed.  What JSON cannot hold (a path that
 * is not UTF-8) is an error.
 */
int journal_write(const struct journal *j, const struct record *r, struct err *e) must_check;
int journal_remove(const struct journal *j, const struct record *r, struct err *e) must_check;

/*
 * The record of an attachment, or of a device that is not released: 1, 0, -1.  A damaged one counts
 * in `damaged` and is as good as absent.  The attachment's own of another version is an error,
 * ERR_TRY_AGAIN, for that version can read it.
 */
int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
	must_check;
/*
 * That of an owner and a device, as it is now: 1, 0, -1.  `seen` is it as it was read before, in
 * this journal, or one that was not read and only says which is meant.
 */
int journal_get(struct journal *j, const struct record *seen, struct record *ret, struct err *e)
	must_check;
int journal_find_device(struct journal *j, const char *device, struct record *ret, struct err *e)
	must_check;
/* That of a file of this name; one that cannot be used is an error. */
int journal_read(struct journal *j, const char *file, struct record *ret, struct err *e)
	must_check;

/* Every record in turn; fn's non-zero result ends it.  fn may remove the record. */
typedef int journal_fn(const struct record *r, void *arg, struct err *e);
int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e) must_check;
/* Those of one device, which can have several vDPA devices; here and below others are not read. */
int journal_each_of(struct journal *j, const char *device, journal_fn *fn, void *arg,
		    struct err *e) must_check;
/*
 * Those that may have one of these names: as their device, the id it was given under, its network
 * device at home, or what that is on; and others.  ERR_BUSY as journal_check_device() where one of
 * these is bad, of which less may be known: then it goes by its device alone.
 */
int journal_each_called(struct journal *j, const char *const names[], size_t n, journal_fn *fn,
			void *arg, struct err *e) must_check;
/* Those that may have this device-info file. */
int journal_each_info(struct journal *j, const char *file, journal_fn *fn, void *arg,
		      struct err *e) must_check;
/*
 * Those of the devices whose names begin so, and whose path may have to do with the directory of
 * this record's.
 */
int journal_each_near(struct journal *j, const char *prefix, const struct record *rec,
		      journal_fn *fn, void *arg, struct err *e) must_check;

/* The bad ones, which the others do not tell of. */
typedef int journal_bad_fn(const struct journal_bad *bad, void *arg, struct err *e);
int journal_each_bad(struct journal *j, journal_bad_fn *fn, void *arg, struct err *e) must_check;
/* Both, each file read once. */
int journal_each_any(struct journal *j, journal_fn *fn, journal_bad_fn *bad, void *arg,
		     struct err *e) must_check;
int journal_each_bad_near(struct journal *j, const char *prefix, const struct record *rec,
			  journal_bad_fn *fn, void *arg, struct err *e) must_check;

/* How many there are, be they bad ones: by the names of the files alone. */
int journal_count(struct journal *j, size_t *ret, struct err *e) must_check;

/* The name of the file that a record was read from. */
void journal_file_name(const struct record *r, char ret[256]);

/* What is left in the index of records that are gone, and how many entries that is. */
void journal_tidy(struct journal *j);
int journal_count_left(struct journal *j, size_t *ret, struct err *e) must_check;

/* 0, or -1, ERR_BUSY, when a bad record is of this device. */
int journal_check_device(struct journal *j, const char *device, struct err *e) must_check;

bool owner_equal(const struct owner *a, const struct owner *b);

/* This boot's id, from /proc. */
int journal_boot_id(const struct host *h, char ret[40], struct err *e) must_check;

int journal_lock_attachment(const struct journal *j, const struct owner *o,
			    const struct deadline *d, struct err *e) must_check;
void journal_unlock_attachment(const struct journal *j, const struct owner *o);
/* Whether another call is at work on this attachment, an ADD or a DEL: 1, 0, -1. */
int journal_attachment_busy(const struct journal *j, const struct owner *o,
			    struct err *e) must_check;
int journal_lock_device(const struct journal *j, const char *device, const struct deadline *d,
			struct err *e) must_check;
void journal_unlock_device(const struct journal *j, const char *device);
/*
 * The lock of something outside the journal that attachments of other stateDirs may have, too: a
 * directory of sockets, a status file.  Whatever journal a call goes by, it is in the lock file of
 * the node's own one.
 */
int journal_lock_common(const struct journal *j, const char *what, const struct deadline *d,
			struct err *e) must_check;
void journal_unlock_common(const struct journal *j, const char *what);

#define auto_journal auto_with(journal_done)

#endif
