/* SPDX-License-Identifier: Apache-2.0 */
/* node_earlier.c - records in directories that the node's file does not name any more */
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/earlier.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct look {
	const struct host *host;
	struct findings *ret;
};

static int judge(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	static const struct finding_kind kind = {
		"dir-earlier", SEVERITY_ERROR, REMEDY_BY_HAND,
		"end their pods, whose DELs find them there, or set stateDir as it was; see "
		"\"Changing directories\" in devinfo.conf(5)",
	};
	const struct look *l = arg;
	size_t n;

	if (journal_count(j, &n, e) < 0)
		return -1;
	return n == 0 ? 0 : finding_tell(l->ret, &kind, there->set.state_dir, e, "stateDir was "
					 "this before, and is %.128s now: %zu records are left "
					 "here, whose devices no ADD is given",
					 l->host->set.state_dir, n);
}

static bool has_bad_mode(const struct host *host, const char *place)
{
	auto_close int fd = fs_open(host->root, place, O_PATH | O_DIRECTORY, 0);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && !fs_is_own(&st) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

static int tell_unreadable(const struct host *host, struct findings *ret, struct err *e)
{
	static const struct finding_kind mode = {
		"dir-earlier", SEVERITY_ERROR, REMEDY_MODE,
		"repair takes that from them (chmod go-w); see what they have put there",
	};
	static const struct finding_kind kind = {
		"dir-earlier", SEVERITY_ERROR, REMEDY_BY_HAND,
		"correct it; when no pod has a device by an earlier stateDir, remove the "
		"directory; until then each ADD is refused",
	};
	const struct earlier *x = host->earlier;

	return finding_tell(ret, has_bad_mode(host, x->place) ? &mode : &kind, x->place, e,
			    "%s%s%.200s", x->why.msg, *x->why.details ? ": " : "",
			    x->why.details);
}

/* Of a recorded node it is not known what could be written there. */
static int tell_not_noted(const struct host *host, const struct inventory *inv,
			  struct findings *ret, struct err *e)
{
	static const struct finding_kind kind = {
		"dir-earlier", SEVERITY_WARNING, REMEDY_BY_HAND,
		"let root have a directory there to write to; until then do not change stateDir "
		"while pods have devices",
	};
	struct err why;

	if (inv->node.is_recorded || inv->n_attachments == 0 || earlier_is_noted(host) ||
	    fs_check_writable(host->root, host->earlier->place, &why) == 0)
		return 0;
	return finding_tell(ret, &kind, host->earlier->place, e, "stateDir cannot be noted there, "
			    "so nobody would look for its records after a change: %s", why.msg);
}

/* It cannot be read, or its file system is not mounted. */
static int tell_out_of_sight(const struct host *host, const struct err *why, struct findings *ret,
			     struct err *e)
{
	static const struct finding_kind kind = {
		"dir-earlier", SEVERITY_ERROR, REMEDY_BY_HAND,
		"make it readable or mount its file system; when no pod has a device by it, remove "
		"its element from dirs.json there; until then each ADD is refused",
	};

	return finding_tell(ret, &kind, host->earlier->place, e, "%s%s%.200s", why->msg,
			    *why->details ? ": " : "", why->details);
}

int node_earlier(const struct host *host, const struct inventory *inv, struct findings *ret,
		 struct err *e)
{
	struct look l = { host, ret };
	struct err why;

	if (!host->earlier)
		return finding_skip(ret, e, "--state-dir names another journal than the node's");
	if (!host->earlier->list && earlier_is_noted(host))
		return finding_skip(ret, e, "stateDir, runDir and devinfoDir were never changed");
	if (host->earlier->why.code != ERR_OK)
		return tell_unreadable(host, ret, e);
	if (earlier_each(host, JOURNAL_READ, judge, &l, &why) < 0)
		return tell_out_of_sight(host, &why, ret, e);
	return tell_not_noted(host, inv, ret, e);
}
