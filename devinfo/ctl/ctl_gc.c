/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_gc.c - devinfoctl gc: release what dead attachments have left
 *
 * For a node whose runtime has no GC: of all networks, by the plugin's own undo and from the
 * records alone.  There is no runtime's list: an attachment is dead when the very namespace of its
 * ADD is gone, as for an ADD that finds its device taken.  But it is not the runtime that starts
 * gc: where it cannot see the node's namespaces, as in a container, one that lives looks dead.  So
 * what would tell of that is looked for first.
 */
#include "devinfo/ctl/ctl.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/release.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/owner.h"

#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct collecting {
	const struct host *host;
	struct journal *journal;
	bool only_look, failed;
	unsigned int damaged;
};

/* Something else lies at its path, or the directory is missing: so that of the node is not seen. */
static int check_path(const struct host *host, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	auto_close int fd = -1;
	struct stat st;
	int r = owner_open_path(path, &fd, &st, e);

	if (r != 0)		/* another one by now */
		return r < 0 ? -1 : 0;
	r = fs_exists(host->root, e, "%s", path);
	if (r == 0 && slash && strncmp(path, "/proc/", 6) != 0) {
		r = fs_exists(host->root, e, "%.*s", (int)(slash + 1 - path), path);
		r = r < 0 ? -1 : !r;
	}
	if (r <= 0)
		return r;
	(void)err_set(e, ERR_NETNS, 0, "network namespace '%s' is not to be seen from here", path);
	return err_detail(e, "run gc on the node itself, not in a container");
}

/* Few have the number, so few are opened. */
static int check_process(const char *name, void *arg, struct err *e)
{
	struct record *there = arg;
	auto_nl struct nl nl = { 0 };
	char path[64];
	struct stat st;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/ns/net", name);
	if (!isdigit((unsigned char)*name) || stat(path, &st) < 0 ||
	    st.st_ino != there->owner.netns_ino)
		return 0;
	there->owner.netns = path;
	r = owner_open(there, &nl, e);
	if (r <= 0)
		return r;
	(void)err_set(e, ERR_NETNS, 0, "process %s lives in its network namespace", name);
	return err_detail(e, "end it, or run gc on the node itself, not in a container");
}

/* 0, or -1: it may well live.  A namespace of another boot is gone, wherever we are. */
static int check_dead(const struct host *host, const struct record *rec, struct err *e)
{
	struct record there = *rec;
	int r = owner_this_boot(host, rec, e);

	if (r <= 0)
		return r;
	if (check_path(host, rec->owner.netns, e) < 0)
		return -1;
	return fs_each(host->root, "/proc", check_process, &there, e);
}

/* 1 when it is, or would be, released; 0 when its container lives, or it has gone; -1. */
static int collect(const struct collecting *c, const struct record *rec, struct err *e)
{
	static const struct release_call no_call;
	int alive = owner_is_alive(c->host, rec, e);

	if (alive != 0)
		return alive < 0 ? -1 : 0;
	if (check_dead(c->host, rec, e) < 0)
		return -1;
	if (rec->lease_of)
		return err_set(e, ERR_NETCONF, 0, "the lease of IPAM plugin %.64s needs the "
			       "network's configuration: DEL or GC of network %.64s releases it",
			       rec->lease_of, rec->owner.network);
	return c->only_look ? 1 : release_if_dead(c->host, c->journal, rec, &no_call, e);
}

static int visit(const struct record *rec, void *arg, struct err *e)
{
	struct collecting *c = arg;
	const struct owner *o = &rec->owner;
	int r;

	log_context(o->container_id, o->ifname);
	r = collect(c, rec, e);
	if (r < 0) {
		c->failed = true;
		(void)err_wrap(e, "%s of container %.64s", o->ifname, o->container_id);
		(void)ctl_error(e);
	}
	if (r > 0 && !c->only_look)
		log_info("msg=\"released by devinfoctl\" network=%s device=%s", o->network,
			 record_device_name(rec));
	if (r > 0)
		(void)printf("%s %s of container %s, network %s: device %s\n",
			     c->only_look ? "would release" : "released", o->ifname,
			     o->container_id, o->network,
			     *rec->device ? record_device_name(rec) : "none");
	log_context(NULL, NULL);
	return deadline_interrupted() ? deadline_error(ERR_INTERRUPTED, e, "gc") : 0;
}

/* Also those that another call has put aside. */
static int count_damaged(const struct journal_bad *bad, void *arg, struct err *e)
{
	struct collecting *c = arg;

	(void)e;
	c->damaged += !bad->version;
	return 0;
}

/* As the plugin: what we run may not hear us out, and a signal ends each wait. */
static void set_up(const struct host *host)
{
	struct err e;

	(void)signal(SIGPIPE, SIG_IGN);
	deadline_catch_signals();
	log_set_level(host->set.log_level);
	if (host->set.log_file && log_open(host->root, host->set.log_file, &e) < 0)
		(void)ctl_error(&e);
}

enum ctl_status ctl_gc(const struct host *host, const struct ctl_options *opt,
		       char *const *operands)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct collecting c = { .host = host, .journal = &j, .only_look = opt->dry_run };
	struct err e = { 0 };
	int r;

	(void)operands;
	set_up(host);
	r = journal_open(host, c.only_look ? JOURNAL_READ : JOURNAL_UPDATE, &j, &e);
	if (r > 0)
		r = journal_each(&j, visit, &c, &e) < 0 ?
			    -1 : journal_each_bad(&j, count_damaged, &c, &e);
	if (r == 0 && !c.only_look)
		r = ledger_sweep(host, &j, LEDGER_SWEEP_S, &e);
	if (r == 0 && !c.only_look)
		journal_tidy(&j);
	if (c.damaged)
		(void)fprintf(stderr, "devinfoctl: %u damaged records, which gc cannot release: "
				      "see devinfo(8)\n", c.damaged);
	if (r < 0)
		return ctl_error(&e);
	return c.failed || c.damaged ? CTL_FAILED : CTL_OK;
}
