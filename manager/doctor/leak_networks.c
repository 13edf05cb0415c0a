/* SPDX-License-Identifier: Apache-2.0 */
/* leak_networks.c - records of pods' networks whose containers are gone */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/name.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/pod_record.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct finding_kind dead = {
	"pod-networks", SEVERITY_WARNING, REMEDY_BY_HAND,
	"the runtime's DEL or GC of the container releases them; when it does not know the "
	"container any more, run the plugin by hand: CNI_COMMAND=DEL, see devinfo(8)",
};
static const struct finding_kind unused = {
	"pod-networks", SEVERITY_WARNING, REMEDY_BY_HAND,
	"what it tells of is not released by its DEL; its attachments have records of their own, "
	"see devinfoctl list; when none of them is left, remove the file",
};

struct walk {
	const struct host *host;
	const struct inventory *inv;
	struct findings *ret;
};

static int tell(const struct walk *w, const struct finding_kind *kind, const char *file,
		const char *what, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/networks/%s", w->host->set.state_dir, file);
	return finding_tell(w->ret, kind, path, e, "%s", what);
}

static int judge(const struct pod_record *r, void *arg, struct err *e)
{
	const struct walk *w = arg;
	char path[PATH_MAX], what[128];
	struct err why;
	int alive = pod_record_is_alive(w->host, r, &why);

	(void)snprintf(path, sizeof(path), "%s/networks/%s", w->host->set.state_dir, r->file);
	if (alive > 0 || !leak_is_settled(w->host, leak_now(w->host, w->inv), path))
		return 0;
	(void)snprintf(what, sizeof(what), alive < 0 ? "whether container %.64s is there is not "
		       "known" : "container %.64s is gone, and its networks are not released",
		       r->owner.container_id);
	return tell(w, &dead, r->file, what, e);
}

/* One that a DEL has not found so far, and that it would put aside. */
static int judge_bad(const char *file, const struct err *why, void *arg, struct err *e)
{
	return tell(arg, &unused, file, why->msg, e);
}

static int judge_aside(const char *name, void *arg, struct err *e)
{
	size_t len = strlen(name);

	if (len < 8 || strcmp(name + len - 8, ".damaged") != 0)
		return 0;
	return tell(arg, &unused, name, "it cannot be understood, and was put aside", e);
}

static int look_in(const struct walk *w, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/networks", w->host->set.state_dir);
	return pod_record_each(w->host, judge, judge_bad, (void *)(uintptr_t)w, e) < 0 ?
		       -1 : fs_each(w->host->root, path, judge_aside, (void *)(uintptr_t)w, e);
}

static int look_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct walk of = *(const struct walk *)arg;

	(void)j;
	of.host = there;
	return look_in(&of, e);
}

int leak_networks(const struct host *host, const struct inventory *inv, struct findings *ret,
		  struct err *e)
{
	struct walk w = { .host = host, .inv = inv, .ret = ret };

	if (host->facts)
		return finding_skip(ret, e, "records of pods' networks are not recorded");
	return look_in(&w, e) < 0 ? -1 : earlier_each(host, JOURNAL_READ, look_there, &w, e);
}
