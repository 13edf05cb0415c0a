/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earlier.h - the directories that the node's file has named before
 *
 * Theory of operation.  stateDir, runDir and devinfoDir are settings.  When stateDir is changed
 * while pods run, their records stay in the old one: a DEL would find nothing to release, and a
 * pod's device would be given to another pod.  So an ADD, before it writes its record, notes the
 * three directories in a file whose path does not depend on settings:
 *
 *	/var/lib/cni/devinfo.dirs/dirs.json	for the node's file at its usual place,
 *	$DEVINFO_CONF.dirs/dirs.json		for one that DEVINFO_CONF names, beside it:
 *						nodes that share a machine have one each.
 *
 *	{ "version": 1, "dirs": [ { "stateDir": ..., "runDir": ..., "devinfoDir": ...,
 *				    "fileSystem": ... }, ... ] }
 *
 * Each stateDir is in it once, with the other two directories last used with it; the last entry is
 * that of the latest ADD.  The default directories of the node's file at its usual place are always
 * searched and need not be noted.  So a node with the defaults has no such file, and looking for it
 * is one system call.
 *
 * Every search for a record looks into the node's journal and then into those of the other noted
 * directories, each with its own locks, ledger and files: earlier_each().  A call that works in one
 * of these treats the node's own journal as another one, noted or not (host.own).
 *
 * What attachments of several stateDirs share, a directory of sockets, a status file, the name of a
 * device-info file and the RDMA devices, must have one lock for all of them: it is in the lock file
 * of the node's own journal, whichever journal the call uses (journal_lock_common()).  Its place in
 * the locking order is that of a single journal, so there is no deadlock; a call that uses the
 * node's own journal has no extra cost.  devinfoctl with --state-dir of an earlier journal locks in
 * that one alone.
 *
 * A journal that is not mounted is not an empty one: fileSystem is the boot and the device number
 * of the file system that stateDir was on when the list was last written and its journal existed.
 * When the journal is absent, the file system of the nearest existing directory above decides.  If
 * it is the same one, the journal was removed; if it is another one, in the same boot, the file
 * system is not mounted, and earlier_each() fails.  After a reboot, or without fileSystem, the
 * journal counts as removed: no pod of another boot lives, and an administrator may remove an old
 * directory.
 *
 * An ADD that uses other directories than the one before it replaces the file atomically, with
 * fsync, under a lock next to it.  If that fails the ADD only warns: only a later change of
 * stateDir could then give a device twice, and doctor reports it until then.  A file that cannot be
 * read, or that others than root may write, is an error: the journals that it lists are unknown
 * then, so no device is given out, and none is reported as free.
 *
 * A directory without a record is removed from the list when the file is EARLIER_QUIET_S seconds
 * old: no call that read the node's file before the change lives that long.
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
	char place[PATH_MAX];		/* the directory of dirs.json */
	json_t *list;			/* "dirs", checked; owned; NULL: nothing is noted */
	bool has_default;		/* the default directories count as noted */
	bool old;			/* the file is EARLIER_QUIET_S old */
	struct err why;			/* why it cannot be read or trusted; code 0: it can */
};

/*
 * Read the list below h->root into *ret, for host.earlier.  conf: DEVINFO_CONF; NULL or "": the
 * node's file is at its usual place.
 */
void earlier_read(const struct host *h, const char *conf, struct earlier *ret);
void earlier_done(struct earlier *x);
#define auto_earlier auto_with(earlier_done)

/* Set the directories in *ret to those of the latest ADD, borrowed: false when none are noted. */
bool earlier_take_last(const struct earlier *x, struct settings *ret);
/* Is state_dir that of the latest ADD (the default, when nothing is noted)? */
bool earlier_is_last(const struct earlier *x, const char *state_dir);

/* Are the directories of the settings noted, or need not be? */
bool earlier_is_noted(const struct host *h);
/* Note them, if necessary, and remove those without a record. */
int earlier_note(const struct host *h, struct err *e) must_check;

/*
 * Call fn with the journal of each other stateDir that is noted, until it returns non-zero, which
 * is then the result.  there: the host with that one's directories.  0 when nothing is noted
 * (host.earlier is NULL) or no other has a journal.  A journal that cannot be read is an error;
 * ERR_TRY_AGAIN when its file system is not mounted.
 */
typedef int earlier_fn(const struct host *there, struct journal *j, void *arg, struct err *e);
int earlier_each(const struct host *h, enum journal_mode mode, earlier_fn *fn, void *arg,
		 struct err *e) must_check;

/* Count the records in the other journals; *where is the stateDir (borrowed) of the first. */
int earlier_count(const struct host *h, size_t *ret, const char **where, struct err *e) must_check;

#endif
