/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earlier.h - the directories that the node's file has named before
 *
 * Theory of operation.  stateDir, runDir and devinfoDir are settings, and who changes stateDir
 * while pods run leaves their records behind: nobody would find them there, a DEL would have
 * nothing to release, and a device that a pod has would be given to another one.  So an ADD, before
 * it writes its record, notes the three directories in a file whose place no setting moves:
 *
 *	/var/lib/cni/devinfo.dirs/dirs.json	for the node's file at its usual place,
 *	$DEVINFO_CONF.dirs/dirs.json		for one that DEVINFO_CONF names, beside it:
 *						nodes that share a machine have one each.
 *
 *	{ "version": 1, "dirs": [ { "stateDir": ..., "runDir": ..., "devinfoDir": ...,
 *				    "fileSystem": ... }, ... ] }
 *
 * Each stateDir is in it once, with what was used with it last; the last one is that of the latest
 * ADD.  The default directories of the node's file at its usual place need not be noted: they are
 * always looked at.  So a node that keeps the defaults has no such file, and asks for it with one
 * system call.
 *
 * All who look for a record look into the node's journal and then into those of the other
 * directories that are noted, each with its own locks, ledger and files: earlier_each().  Seen from
 * there the node's own journal is another one, be it noted or not (host.own).
 *
 * What attachments of several stateDirs share, a directory of sockets, a status file, the name of a
 * device-info file and the RDMA devices, must have one lock for all of them: it is in the lock file
 * of the node's own journal, whichever one the call goes by (journal_lock_common()).  Such a lock
 * has the same place in the order as where there is one journal, so the order stays free of
 * circles; a call that goes by the own one pays nothing for it.  Who names an earlier journal to
 * devinfoctl by --state-dir locks in that alone.
 *
 * Out of sight is not empty: fileSystem is the boot and the device number of the file system that
 * stateDir was on when the list was last written and its journal was there.  Where there is no
 * journal any more the nearest directory above that there is tells: on that file system, it was
 * removed, and is empty; on another one, in the same boot, that file system is not mounted, and
 * earlier_each() fails.  Of another boot no pod lives, and without such a note nothing is known: it
 * counts as removed, for who removes an old directory must not lose the node by that.
 *
 * It is written aside, synced and renamed, under a lock beside it, by an ADD that uses other
 * directories than the one before it.  Where that fails the ADD only warns: no device is given
 * twice by that, but by a later change of stateDir, and doctor tells of it until then.  One that
 * cannot be read, or that others than root may write, is an error: what is in the places that it
 * names is not known then, so nothing is given away, and nothing is said to be gone.
 *
 * A directory without a record is forgotten when the file is EARLIER_QUIET_S old, for longer than
 * that no call lives that has read the node's file as it was before.
 */
#ifndef DEVINFO_JOURNAL_EARLIER_H
#define DEVINFO_JOURNAL_EARLIER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

#define EARLIER_DIR	"/var/lib/cni/devinfo.dirs"	/* of the node's file at its usual place */
#define EARLIER_SUFFIX	".dirs"				/* of another one's */
#define EARLIER_FILE	"dirs.json"

enum { EARLIER_MAX = 32, EARLIER_QUIET_S = 300 };

struct earlier {
	char place[PATH_MAX];		/* the directory that it is in */
	json_t *list;			/* of "dirs", checked; owned; NULL: nothing is noted */
	bool has_default;		/* the default directories count as noted */
	bool old;			/* the file is EARLIER_QUIET_S old */
	struct err why;			/* it cannot be read or believed; code 0: it can */
};

/*
 * What is noted below h->root, for host.earlier.  conf: DEVINFO_CONF; NULL or "": the node's file
 * is at its usual place.
 */
void earlier_read(const struct host *h, const char *conf, struct earlier *ret);
void earlier_done(struct earlier *x);
#define auto_earlier auto_with(earlier_done)

/* The directories of the latest ADD, borrowed: false when none are noted. */
bool earlier_take_last(const struct earlier *x, struct settings *ret);
/* Is stateDir that of the latest ADD?  Where nothing is noted, the default. */
bool earlier_is_last(const struct earlier *x, const char *state_dir);

/* Are the directories of the settings noted, as far as they need to be? */
bool earlier_is_noted(const struct host *h);
/* Note them, if need be, and forget those without a record. */
int earlier_note(const struct host *h, struct err *e) must_check;

/*
 * Call fn with the journal of each other stateDir that is noted, until it returns non-zero, which
 * is then the result.  there: the host with the directories of that one, for which the others are
 * other ones, the node's own among them.  Nothing is noted (host.earlier is NULL) or no other has a
 * journal: 0.  One that cannot be looked at is an error; ERR_TRY_AGAIN when it is out of sight.
 */
typedef int earlier_fn(const struct host *there, struct journal *j, void *arg, struct err *e);
int earlier_each(const struct host *h, enum journal_mode mode, earlier_fn *fn, void *arg,
		 struct err *e) must_check;

/* How many records are left in the others, and in which stateDir (borrowed) the first of them. */
int earlier_count(const struct host *h, size_t *ret, const char **where, struct err *e) must_check;

#endif
