/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - the pod's network-status, one file a sandbox */
#include "cni/call/status.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/status_list.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define STATUS_MAX	(8 * 1024 * 1024)	/* bytes of a status file we read */

/* The directory, 1; or 0 when it is absent and not to be made. */
static int open_dir(const struct host *h, bool create, int *ret, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/status", h->set.run_dir);
	if (!create)
		return fs_find_dir(h->root, path, ret, e);
	*ret = fs_open_dir(h->root, path, 0755, e);
	return *ret < 0 ? -1 : 1;
}

static void file_name(const struct owner *o, char ret[256])
{
	char name[300];

	/* a longer id is cut by name_to_file() anyway; the hash of all of it keeps it unique */
	if (strlen(o->container_id) <= 250)
		(void)snprintf(name, sizeof(name), "%s.json", o->container_id);
	else
		(void)snprintf(name, sizeof(name), "%.200s-%016llx.json", o->container_id,
			       (unsigned long long)name_hash(0, o->container_id));
	name_to_file(name, ret);
}

enum { LIST_ABSENT, LIST_READ, LIST_DAMAGED };

/*
 * The list: LIST_READ; else it is empty, LIST_DAMAGED of a file that is none (after a crash of the
 * machine), or too large.
 */
static int look_at_list(int dir, const char *name, json_t **ret, struct err *e)
{
	auto_free char *text = NULL;
	struct err ignored;
	json_t *list = NULL;
	size_t len;
	int found = fs_read_file(dir, name, STATUS_MAX, &text, &len, e);

	if (found < 0 && !fs_is_unreadable(e->sys))
		return -1;
	if (found > 0)
		list = jx_parse(text, len, ERR_IO, name, &ignored);
	if (json_is_array(list)) {
		*ret = list;
		return LIST_READ;
	}
	json_decref(list);
	*ret = json_array();
	return found == 0 ? LIST_ABSENT : LIST_DAMAGED;
}

static int read_list(int dir, const char *name, json_t **ret, struct err *e)
{
	return look_at_list(dir, name, ret, e) < 0 ? -1 : 0;
}

static int write_list(int dir, const char *name, const json_t *list, struct err *e)
{
	auto_free char *text = NULL;
	size_t len;

	if (json_array_size(list) == 0)
		return fs_remove(dir, name, e) < 0 ? -1 : 0;
	text = jx_dump(list, &len);
	if (len > STATUS_MAX)	/* nobody could read it again */
		return err_set(e, ERR_NETCONF, EFBIG, "the result is too large: the pod's "
			       "network-status has at most %d bytes", STATUS_MAX);
	/* containers end with the boot, so after a crash of the machine nobody asks for it */
	return fs_write_file(dir, name, text, len, 0644, FS_THIS_BOOT, e);
}

static bool is_full(int sys)
{
	return sys == ENOSPC || sys == EDQUOT || sys == ENOMEM;
}

/*
 * For a DEL, which nothing that others have filled may keep from its end.  What is written aside
 * first needs room, which the old file may have: it goes, and with it, if it must be, the entries
 * of the sandbox's other attachments.
 */
static int shrink_list(int dir, const char *name, const json_t *list, struct err *e)
{
	if (write_list(dir, name, list, e) == 0)
		return 0;
	if (!is_full(e->sys) || fs_remove(dir, name, e) < 0)
		return -1;
	if (write_list(dir, name, list, e) < 0)
		log_warning("msg=\"no room for a shorter network-status: removed\" file=%s "
			    "entries=%u error=\"%s\"", name, (unsigned int)json_array_size(list),
			    e->details);
	return 0;
}

/* Locks are told apart by text; no device that a network names has a '/'. */
static void lock_name(const char *file, char ret[300])
{
	(void)snprintf(ret, 300, "status/%s", file);
}

static void unlock_file(const struct journal *j, const char *file)
{
	char lock[300];

	lock_name(file, lock);
	journal_unlock_common(j, lock);
}

/* Two attachments of one sandbox may come at once: containerd starts them in parallel. */
static int lock_file(const struct host *h, const struct journal *j, const char *name, struct err *e)
{
	struct deadline d = deadline_in(h->set.lock_timeout_ms);
	char lock[300];

	lock_name(name, lock);
	return journal_lock_common(j, lock, &d, e);
}

int status_add(const struct host *h, const struct journal *j, const struct owner *o,
	       const json_t *entries, struct err *e)
{
	json_auto_t *list = NULL;
	auto_close int dir = -1;
	char name[256];
	int r;

	file_name(o, name);
	if (open_dir(h, true, &dir, e) < 0 || lock_file(h, j, name, e) < 0)
		return err_wrap(e, "network-status of container %.64s", o->container_id);
	r = read_list(dir, name, &list, e);
	if (r == 0) {
		(void)status_list_take_out(list, o);
		status_list_put_in(list, entries);
		r = write_list(dir, name, list, e);
	}
	unlock_file(j, name);
	return r < 0 ? err_wrap(e, "network-status of container %.64s", o->container_id) : 0;
}

int status_remove(const struct host *h, const struct journal *j, const struct owner *o,
		  struct err *e)
{
	json_auto_t *list = NULL;
	auto_close int dir = -1;
	char name[256];
	int r = open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	file_name(o, name);
	if (lock_file(h, j, name, e) < 0)
		return -1;
	r = read_list(dir, name, &list, e);
	if (r == 0) {
		r = status_list_take_out(list, o) > 0;
		/* an empty list is written, that is removed, in any case: a killed ADD may have
		 * left one */
		if ((r || json_array_size(list) == 0) && shrink_list(dir, name, list, e) < 0)
			r = -1;
	}
	unlock_file(j, name);
	return r < 0 ? err_wrap(e, "network-status of container %.64s", o->container_id) : r;
}

static int write_in_order(int dir, const char *name, const json_t *ifnames, struct err *e)
{
	json_auto_t *list = NULL;

	if (read_list(dir, name, &list, e) < 0)
		return -1;
	status_list_order(list, ifnames);
	return write_list(dir, name, list, e);
}

int status_order(const struct host *h, const struct journal *j, const char *container_id,
		 const json_t *ifnames, struct err *e)
{
	const struct owner o = { .container_id = container_id };
	auto_close int dir = -1;
	char name[256];
	int r = open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	file_name(&o, name);
	if (lock_file(h, j, name, e) < 0)
		return -1;
	r = write_in_order(dir, name, ifnames, e);
	unlock_file(j, name);
	return r < 0 ? err_wrap(e, "network-status of container %.64s", container_id) : 0;
}

int status_get(const struct host *h, const struct owner *o, json_t **ret, struct err *e)
{
	json_auto_t *list = NULL;
	auto_close int dir = -1;
	char name[256];
	json_t *entry;
	int r = open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	file_name(o, name);
	if (read_list(dir, name, &list, e) < 0)
		return -1;
	entry = json_array_get(list, status_list_place(list, o));
	if (entry && ret)
		*ret = json_incref(entry);
	return entry != NULL;
}

int status_all(const struct host *h, const char *container_id, json_t **ret, struct err *e)
{
	const struct owner o = { .container_id = container_id };
	auto_close int dir = -1;
	char name[256];
	int r = open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	file_name(&o, name);
	if (read_list(dir, name, ret, e) < 0)
		return -1;
	return json_array_size(*ret) > 0;
}

bool status_is_damaged(const struct host *h, const struct owner *o)
{
	json_auto_t *list = NULL;
	auto_close int dir = -1;
	struct err ignored;	/* who asks for an entry is told */
	char name[256];

	if (open_dir(h, false, &dir, &ignored) <= 0)
		return false;
	file_name(o, name);
	return look_at_list(dir, name, &list, &ignored) == LIST_DAMAGED;
}

struct prune {
	const struct host *host;
	const struct journal *journal;
	const char *network;
	status_keep_fn *keep;
	const void *arg;
};

/* An entry of the network that nobody has any more, as an owner to be removed; 1, 0, -1. */
static int find_dead(const struct prune *p, const struct owner *file, struct owner *ret,
		     json_t **list, struct err *e)
{
	auto_close int dir = -1;
	char name[256];
	const json_t *entry;
	size_t i;
	int r = open_dir(p->host, false, &dir, e);

	if (r <= 0)
		return r;
	file_name(file, name);
	if (read_list(dir, name, list, e) < 0)
		return -1;
	json_array_foreach(*list, i, entry) {
		const char *ifname = status_list_attachment(entry);

		if (ifname && status_list_is_of_network(entry, p->network) &&
		    !p->keep(file->container_id, ifname, p->arg)) {
			*ret = (struct owner){ .network = p->network,
					       .container_id = file->container_id,
					       .ifname = ifname };
			return 1;
		}
	}
	return 0;
}

/* The container's id; false of a longer name, which may be one that file_name() has cut. */
static bool is_file_of(const char *name, char ret[256])
{
	size_t len = strlen(name);

	if (len < 6 || len > 200 + 5 || strcmp(name + len - 5, ".json") != 0)
		return false;
	(void)snprintf(ret, 256, "%.*s", (int)(len - 5), name);
	return true;
}

static int prune_file(const char *name, void *arg, struct err *e)
{
	const struct prune *p = arg;
	char id[256];
	int r = 1;

	if (!is_file_of(name, id))
		return 0;
	while (r > 0) {
		const struct owner file = { .container_id = id };
		json_auto_t *list = NULL;
		struct owner dead;

		r = find_dead(p, &file, &dead, &list, e);
		if (r > 0)
			r = status_remove(p->host, p->journal, &dead, e);
	}
	return r;
}

static int each_file(const struct host *h, fs_name_fn *fn, void *arg, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/status", h->set.run_dir);
	return fs_each(h->root, path, fn, arg, e);
}

int status_prune(const struct host *h, const struct journal *j, const char *network,
		 status_keep_fn *keep, const void *arg, struct err *e)
{
	struct prune p = {
		.host = h, .journal = j, .network = network, .keep = keep, .arg = arg,
	};

	return each_file(h, prune_file, &p, e);
}

/* -- looking -- */

int status_each_of(const struct host *h, const char *container_id, status_fn *fn, void *arg,
		   struct err *e)
{
	struct owner o = { .network = "", .container_id = container_id, .ifname = "" };
	json_auto_t *list = NULL;
	auto_close int dir = -1;
	char name[256];
	const json_t *entry;
	size_t i;
	int r = open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	file_name(&o, name);
	if (read_list(dir, name, &list, e) < 0)
		return -1;
	if (json_array_size(list) == 0)
		return fs_exists(dir, e, "%s", name) > 0 ? fn(&o, arg, e) : 0;
	json_array_foreach(list, i, entry) {
		o.network = status_list_network(entry);
		o.ifname = status_list_attachment(entry);
		if (!o.network || !o.ifname)
			continue;
		if (status_list_is_other(entry) &&
		    status_list_place(list, &o) < json_array_size(list))
			continue;	/* told by its own interface's */
		r = fn(&o, arg, e);
		if (r != 0)
			return r;
	}
	return 0;
}

struct looking {
	const struct host *host;
	status_fn *fn;
	void *arg;
};

static int look_into(const char *name, void *arg, struct err *e)
{
	const struct looking *l = arg;
	char id[256];

	return is_file_of(name, id) ? status_each_of(l->host, id, l->fn, l->arg, e) : 0;
}

int status_each(const struct host *h, status_fn *fn, void *arg, struct err *e)
{
	struct looking l = { h, fn, arg };

	return each_file(h, look_into, &l, e);
}
