/* SPDX-License-Identifier: Apache-2.0 */
/* confine.c - a call that will run no other program gives up what only such a program could need */
#include "cni/attach/confine.h"

#include "base/capability.h"
#include "base/fs.h"
#include "base/landlock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/root_open.h"
#include "base/seccomp.h"
#include "cni/attach/aspects.h"
#include "cni/call/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>

#ifdef COVERAGE
enum { FILES_ARE_OURS = 0 };	/* coverage is written at our end, beside the objects */
#else
enum { FILES_ARE_OURS = 1 };
#endif

enum { PATHS_MAX = 8 };

static void tell(const struct err *e)
{
	log_info("msg=\"not confined: %s\" details=\"%s\"", e->msg, e->details);
}

/* -- files -- */

/* Landlock hides other processes, and with them what is behind a link of /proc. */
static bool is_behind_proc(const char *path)
{
	auto_close int fd = root_openat2(AT_FDCWD, path, O_PATH, 0, RESOLVE_NO_MAGICLINKS);

	return fd < 0 && errno == ELOOP;
}

/* Those of the record may be other ones than today's. */
static size_t collect_paths(const struct host *host, const struct record *rec,
			    const char *ret[PATHS_MAX])
{
	const struct settings *set = &host->set;
	struct err ignored;
	size_t n = 0;

	ret[n++] = set->state_dir;
	ret[n++] = set->run_dir;
	ret[n++] = set->devinfo_dir;
	if (rec->run_dir && strcmp(rec->run_dir, set->run_dir) != 0)
		ret[n++] = rec->run_dir;
	if (rec->devinfo_dir && strcmp(rec->devinfo_dir, set->devinfo_dir) != 0)
		ret[n++] = rec->devinfo_dir;
	ret[n++] = "/sys";
	ret[n++] = "/dev/null";		/* of our children: base/bounded.c */
	if (rec->is_pci && fs_exists(host->root, &ignored, "/dev/vfio") > 0)
		ret[n++] = "/dev/vfio";		/* is a program using the function? */
	return n;
}

static bool give_up_files(const struct host *host, const struct record *rec)
{
	const char *paths[PATHS_MAX];
	struct err e;
	int r;

	if (!FILES_ARE_OURS || record_is_path(rec) || host->own ||
	    is_behind_proc(rec->owner.netns))
		return false;
	r = landlock_only_below(host->root, paths, collect_paths(host, rec, paths), &e);
	if (r < 0)
		tell(&e);
	return r > 0;
}

/* -- who -- */

static bool names_plugins(const struct netconf *nc)
{
	return nc->ipam_type || nc->delegates;
}

/* The request is in each record of an attachment with plugins. */
static bool runs_plugins(const struct record *rec)
{
	return rec->request || rec->ipam_type || rec->lease_of || rec->delegates_left;
}

/* Without a host it changes no files that it could give up. */
static void confine(const struct host *host, const struct record *rec)
{
	struct aspect_needs needs = { .capabilities = 0 };
	struct err e;

	if (rec)
		aspects_needs(rec, &needs);
	if (needs.programs)
		return;
	process_drop_capabilities(needs.capabilities);
	if (host && !needs.mounts && give_up_files(host, rec))
		return;
	if (seccomp_refuse(needs.mounts ? SECCOMP_MOUNTING : SECCOMP_CALL, &e) < 0)
		tell(&e);
}

int confine_add(struct attachment *a, struct err *e)
{
	(void)e;
	if (!names_plugins(a->conf))
		confine(a->host, &a->rec);
	return 0;
}

void confine_release(const struct host *host, const struct record *rec)
{
	if (!runs_plugins(rec))
		confine(host, rec);
}

void confine_look(const struct netconf *conf, const struct record *rec)
{
	if (!names_plugins(conf) && !(rec && runs_plugins(rec)))
		confine(NULL, rec);
}
