/* SPDX-License-Identifier: Apache-2.0 */
/* dead.c - release what a dead attachment has left, when nobody's call asks for it */
#include "manager/doctor/dead.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cni/attach/release.h"
#include "devinfo/journal/owner.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	return err_detail(e, "run this on the node itself, not in a container; on the node itself, "
			  "remove what is left at that path (ip netns del), or make its directory");
}

/*
 * Whose namespace cannot be looked at may be in it.  Not the node's first process; nor one that has
 * ended meanwhile, whose namespace the kernel refuses in the same way.
 */
static int check_unseen(const char *pid, int sys, struct err *e)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%.20s", pid);
	if (strcmp(pid, "1") == 0 || sys == ENOENT || sys == ESRCH || access(path, F_OK) < 0)
		return 0;
	(void)err_set(e, ERR_NETNS, sys, "look at the network namespace of process %s", pid);
	return err_detail(e, "run this with CAP_SYS_PTRACE, on the node itself; a profile of "
			  "AppArmor or SELinux may forbid it");
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
	if (!isdigit((unsigned char)*name))
		return 0;
	if (stat(path, &st) < 0)
		return check_unseen(name, errno, e);
	if (st.st_ino != there->owner.netns_ino)
		return 0;
	there->owner.netns = path;
	r = owner_open(there, &nl, e);
	if (r <= 0)
		return r;
	(void)err_set(e, ERR_NETNS, 0, "process %s lives in its network namespace", name);
	return err_detail(e, "end it, or run this on the node itself, not in a container");
}

/*
 * 0, or -1: it may well live.  A namespace of another boot is gone, wherever we are; one of a
 * recorded node was looked for there.
 */
static int check_dead(const struct host *host, const struct record *rec, struct err *e)
{
	struct record there = *rec;
	int r = owner_this_boot(host, rec, e);

	if (r <= 0 || host->facts)
		return r < 0 ? -1 : 0;
	if (check_path(host, rec->owner.netns, e) < 0)
		return -1;
	return fs_each(host->root, "/proc", check_process, &there, e);
}

int dead_release(const struct host *host, struct journal *j, const struct record *rec,
		 bool only_look, struct err *e)
{
	static const struct release_call no_call;
	int alive = owner_is_alive(host, rec, e);

	if (alive != 0)
		return alive < 0 ? -1 : 0;
	if (check_dead(host, rec, e) < 0)
		return -1;
	if (rec->lease_of)
		return err_set(e, ERR_NETCONF, 0, "the lease of IPAM plugin %.64s needs the "
			       "network's configuration: DEL or GC of network %.64s releases it",
			       rec->lease_of, rec->owner.network);
	return only_look ? 1 : release_if_dead(host, j, rec, &no_call, e);
}
