/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_dir.c - the plugin's directories: what they are, who may write to them and to the files in
 * them, how long they last
 *
 * One that is missing is made by the ADD that needs it.
 */
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "base/mem.h"
#include "conf/node.h"
#include "devinfo/node/socket_mount.h"
#include "manager/doctor/net_d.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what they are -- */

struct place {
	const char *of, *below;		/* "": of itself */
};

enum { OURS = 10, MOUNTS_MAX = 16 << 20 };

static void our_places(const struct host *host, struct place ret[OURS])
{
	const struct settings *s = &host->set;
	const struct place all[OURS] = {
		{ s->state_dir, "" }, { s->state_dir, "/attachments" }, { s->state_dir, "/index" },
		{ s->state_dir, "/pods" }, { s->run_dir, "" }, { s->run_dir, "/status" },
		{ s->run_dir, "/links" }, { s->socket_dir, "" }, { s->devinfo_dir, "" },
		{ s->devinfo_dir, "/cni" },
	};

	memcpy(ret, all, sizeof(all));
}

static const char *place_path(const struct place *p, char ret[PATH_MAX])
{
	(void)snprintf(ret, PATH_MAX, "%s%s", p->of, p->below);
	return ret;
}

static bool is_full(const struct err *why)
{
	return why->sys == ENOSPC || why->sys == EDQUOT;
}

/* Of a recorded node all can be written to, but for what is no directory. */
int node_dir(const struct host *host, const struct inventory *inv, struct findings *ret,
	     struct err *e)
{
	static const struct finding_kind kind = {
		"dir", SEVERITY_ERROR, REMEDY_BY_HAND,
		"let root have a directory there to write to, or name another in the node's file",
	};
	static const struct finding_kind full = {
		"dir", SEVERITY_ERROR, REMEDY_BY_HAND,
		"make room on its file system: an ADD is refused until then",
	};
	struct place places[OURS];
	const char *failed = NULL;	/* what is below it fails as well */
	char path[PATH_MAX];

	if (geteuid() != 0 && !inv->node.is_recorded)	/* not ours to write to */
		return finding_skip(ret, e, "root alone can tell");
	our_places(host, places);
	for (size_t i = 0; i < OURS; i++) {
		struct err why = { 0 };

		if (places[i].of == failed ||
		    fs_check_writable(host->root, place_path(&places[i], path), &why) == 0)
			continue;
		failed = places[i].of;
		if (finding_tell(ret, is_full(&why) ? &full : &kind, path, e, "%s%s%.200s", why.msg,
				 *why.details ? ": " : "", why.details) < 0)
			return -1;
	}
	return 0;
}

/* -- who may write to them -- */

static bool find_mode(const struct host *host, const char *path, int flags, struct stat *ret)
{
	auto_close int fd = fs_open(host->root, path, O_PATH | flags, 0);

	return fd >= 0 && fstat(fd, ret) == 0;
}

/* What is ours alone, and others may write to (mode), or have (owner). */
struct ours {
	struct finding_kind mode, owner;
};

static int tell_others(const struct ours *of, const char *path, const struct stat *st,
		       struct findings *ret, struct err *e)
{
	if (fs_is_own(st))
		return 0;
	if (st->st_uid == 0 || st->st_uid == geteuid())
		return finding_tell(ret, &of->mode, path, e, "others may write to it (mode %04o)",
				    st->st_mode & 07777U);
	return finding_tell(ret, &of->owner, path, e, "it is user %u's, who may write to it",
			    st->st_uid);
}

/* The plugin refuses a journal that others may write to. */
static int check_ours(const struct host *host, const char *path, struct findings *ret,
		      struct err *e)
{
	static const struct ours dirs = {
		{ "dir-mode", SEVERITY_ERROR, REMEDY_MODE,
		  "repair takes that from them (chmod go-w); see what they have put there" },
		{ "dir-mode", SEVERITY_ERROR, REMEDY_BY_HAND,
		  "chown root, and see what its owner has put there" },
	};
	struct stat st;

	return find_mode(host, path, O_DIRECTORY, &st) ? tell_others(&dirs, path, &st, ret, e) : 0;
}

/* Whoever can put a program or a configuration there is root at the next pod. */
static int check_others(const struct host *host, const char *path, struct findings *ret,
			struct err *e)
{
	static const struct finding_kind kind = {
		"dir-mode", SEVERITY_ERROR, REMEDY_BY_HAND, "chmod o-w, and see what is in it",
	};
	struct stat st;

	if (!find_mode(host, path, O_DIRECTORY, &st) || !(st.st_mode & S_IWOTH))
		return 0;
	return finding_tell(ret, &kind, path, e, "everybody may write to it (mode %04o)",
			    st.st_mode & 07777U);
}

/* A list of directories as in PATH. */
static int check_cni_path(const struct host *host, struct findings *ret, struct err *e)
{
	const char *p = host->set.cni_path;
	char path[PATH_MAX];

	for (; *p; p += strspn(p, ":")) {
		size_t len = strcspn(p, ":");

		(void)snprintf(path, sizeof(path), "%.*s", (int)len, p);
		if (*path == '/' && check_others(host, path, ret, e) < 0)
			return -1;
		p += len;
	}
	return 0;
}

int node_dir_mode(const struct host *host, const struct inventory *inv, struct findings *ret,
		  struct err *e)
{
	struct place places[OURS];
	char path[PATH_MAX];

	(void)inv;
	our_places(host, places);
	for (size_t i = 0; i < OURS; i++)
		if (check_ours(host, place_path(&places[i], path), ret, e) < 0)
			return -1;
	(void)snprintf(path, sizeof(path), "%s/dp", host->set.devinfo_dir);
	if (check_others(host, path, ret, e) < 0 || check_others(host, NET_D, ret, e) < 0 ||
	    check_others(host, NET_D "/devinfo.d", ret, e) < 0)
		return -1;
	return check_cni_path(host, ret, e);
}

/* -- the files in them that pods and others go by -- */

struct status_walk {
	const struct host *host;
	struct findings *ret;
};

/* What is no regular file is told as damaged. */
static int check_file(const struct host *host, const char *path, struct findings *ret,
		      struct err *e)
{
	static const struct ours files = {
		{ "file-mode", SEVERITY_ERROR, REMEDY_MODE,
		  "repair takes that from them (chmod go-w); see what they have written there" },
		{ "file-mode", SEVERITY_ERROR, REMEDY_BY_HAND,
		  "chown root, and see what its owner has written there" },
	};
	struct stat st;

	return find_mode(host, path, O_NOFOLLOW, &st) && S_ISREG(st.st_mode) ?
		       tell_others(&files, path, &st, ret, e) : 0;
}

static int check_status(const char *name, void *arg, struct err *e)
{
	const struct status_walk *w = arg;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/status/%s", w->host->set.run_dir, name);
	return check_file(w->host, path, w->ret, e);
}

/* In cni/ other plugins have files, too: of these nothing is said. */
int node_file_mode(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	struct status_walk w = { host, ret };
	char path[PATH_MAX];

	for (size_t i = 0; i < inv->n_files; i++) {
		const struct inv_file *f = &inv->files[i];

		(void)snprintf(path, sizeof(path), "%s/cni/%s", host->set.devinfo_dir, f->name);
		if (!f->is_dp && f->attachment != INV_NONE && check_file(host, path, ret, e) < 0)
			return -1;
	}
	(void)snprintf(path, sizeof(path), "%s/status", host->set.run_dir);
	return fs_each(host->root, path, check_status, &w, e);
}

/* -- how long they last -- */

/* Where a directory is when all links have been followed, below the root; false: nowhere. */
static bool resolve_path(const struct host *host, const char *path, char ret[PATH_MAX])
{
	auto_close int fd = fs_open(host->root, path, O_PATH | O_DIRECTORY, 0);
	char of_fd[32], root[PATH_MAX] = "", full[PATH_MAX] = "";
	size_t len;

	if (fd < 0)
		return false;
	(void)snprintf(of_fd, sizeof(of_fd), "/proc/self/fd/%d", fd);
	if (readlink(of_fd, full, sizeof(full) - 1) < 0)
		return false;
	(void)snprintf(of_fd, sizeof(of_fd), "/proc/self/fd/%d", host->root);
	if (readlink(of_fd, root, sizeof(root) - 1) < 0)
		return false;
	len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	(void)snprintf(ret, PATH_MAX, "%s", strncmp(full, root, len) == 0 ? full + len : full);
	return true;
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	return strncmp(path, dir, len) == 0 && (path[len] == '/' || !path[len]);
}

/*
 * The node's mounts, into a buffer that is the caller's to free, for a recorded node has any file
 * there: one of no end, or none at all.  NULL: not known.
 */
static FILE *open_mounts(const struct host *host, char **ret)
{
	auto_close int fd = fs_open(host->root, "/proc/mounts", O_RDONLY | O_NONBLOCK, 0);
	char *text = fd < 0 ? NULL : malloc(MOUNTS_MAX);
	size_t len = 0;
	ssize_t n = 0;

	*ret = text;
	while (text && len < MOUNTS_MAX && (n = read(fd, text + len, MOUNTS_MAX - len)) > 0)
		len += (size_t)n;
	return n == 0 && len > 0 ? fmemopen(text, len, "r") : NULL;
}

/* The type of the file system that a path is on, by the node's mounts; 1, 0: not known. */
static int find_file_system(const struct host *host, const char *path, char type[64])
{
	auto_free char *text = NULL;
	FILE *mounts = open_mounts(host, &text);
	char line[2 * PATH_MAX];
	struct mntent m;
	size_t best = 0;

	if (!mounts)
		return 0;
	while (getmntent_r(mounts, &m, line, sizeof(line)))
		if (is_below(path, m.mnt_dir) && strlen(m.mnt_dir) >= best) {
			best = strlen(m.mnt_dir);
			(void)snprintf(type, 64, "%s", m.mnt_type);
		}
	(void)fclose(mounts);
	return best > 0;
}

enum lasting { LASTS_UNKNOWN, LASTS_BOOT, LASTS };

/* Of a node whose own root is in memory nothing lasts, as was wished. */
static enum lasting lasts(const struct host *host, const char *dir)
{
	static const char *const memory[] = { "tmpfs", "ramfs", "rootfs" };
	char path[PATH_MAX], type[64];

	if (!resolve_path(host, dir, path) || !find_file_system(host, path, type))
		return LASTS_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(memory); i++)
		if (strcmp(type, memory[i]) == 0)
			return LASTS_BOOT;
	return LASTS;
}

#define UNKNOWN_FS "on which file system the directories lie cannot be told"

int node_dir_memory(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	static const struct finding_kind kind = {
		"dir-memory", SEVERITY_WARNING, REMEDY_BY_HAND,
		"name a directory on a disk: stateDir in the node's file",
	};

	(void)inv;
	if (lasts(host, "/") != LASTS || lasts(host, host->set.state_dir) == LASTS_UNKNOWN)
		return finding_skip(ret, e, lasts(host, "/") == LASTS_BOOT ?
				    "the node's own root is in memory" : UNKNOWN_FS);
	return lasts(host, host->set.state_dir) == LASTS ? 0 :
		finding_tell(ret, &kind, host->set.state_dir, e, "it is in memory: after a boot "
			     "nobody knows which addresses and ports are to be released");
}

int node_dir_disk(const struct host *host, const struct inventory *inv, struct findings *ret,
		  struct err *e)
{
	static const struct finding_kind kind = {
		"dir-disk", SEVERITY_WARNING, REMEDY_BY_HAND,
		"name one below /run, or mount a tmpfs there",
	};
	const char *const dirs[] = { host->set.run_dir, host->set.devinfo_dir };
	bool any = false;

	(void)inv;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		enum lasting how = lasts(host, dirs[i]);

		any |= how != LASTS_UNKNOWN;
		if (how == LASTS && finding_tell(ret, &kind, dirs[i], e, "it is on a disk, so what "
						 "is told of pods is still there after a boot") < 0)
			return -1;
	}
	return any ? 0 : finding_skip(ret, e, UNKNOWN_FS);
}

/* Asked by flags of the mount, which a recorded tree does not have. */
int node_socket_dir(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	static const struct finding_kind kind = {
		"socket-dir", SEVERITY_WARNING, REMEDY_BY_HAND,
		"mount a file system there: install/run-devinfo-sockets.mount does",
	};
	bool any = false;
	char weak[512];

	for (size_t i = 0; i < inv->n_attachments; i++)
		any |= strcmp(inv->attachments[i].kind, "socket") == 0 &&
		       !inv->attachments[i].from_plugin;
	if (!any)
		return finding_skip(ret, e, "no attachment has a socket that the plugin made");
	if (inv->node.is_recorded)
		return finding_skip(ret, e, "flags of mounts are not recorded");
	return socket_mount_is_weak(host, weak) ?
		       finding_tell(ret, &kind, host->set.socket_dir, e, "%s", weak) : 0;
}
