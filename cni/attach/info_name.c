/* SPDX-License-Identifier: Apache-2.0 */
/* info_name.c - the name of an attachment's device-info file, one attachment's at a time */
#include "cni/attach/info_name.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define REMOVE_MS	1000	/* whoever holds the name longer wants it for itself */

int info_name_make(const struct host *host, const char *given, const struct owner *o, char ret[256],
		   struct err *e)
{
	const char *name;

	if (!given)
		return store_cni_name(o->network, o->container_id, o->ifname, ret, e);
	if (store_check_path(host, given, ret, e) < 0)
		return -1;
	name = strrchr(given, '/') + 1;
	if (strcmp(name, ret) != 0)
		log_warning("msg=\"CNIDeviceInfoFile has a name of over 255 bytes: the file has a "
			    "shorter one, where its giver does not look\" bytes=%u file=%s",
			    (unsigned int)strlen(name), ret);
	return 0;
}

/*
 * Multus: NAMESPACE-DEFINITION-CONTAINER_INTERFACE, and a definition that is called as its network
 * is.  "a-b-net" may be net of a-b, or b-net of a: then the pod's own namespace decides, or nobody.
 */
void info_name_namespace(const char *name, const struct owner *o, const char *pod_namespace,
			 char ret[64])
{
	auto_free char *end = NULL;
	size_t len = strlen(name), n;

	*ret = '\0';
	if (asprintf(&end, "-%s-%s_%s", o->network, o->container_id, o->ifname) < 0) {
		end = NULL;	/* undefined after a failure */
		return;
	}
	n = strlen(end);
	if (len <= n || len - n >= 64 || strcmp(name + len - n, end) != 0)
		return;
	(void)snprintf(ret, 64, "%.*s", (int)(len - n), name);
	if (!name_is_dns_label(ret) ||
	    (strchr(ret, '-') && (!pod_namespace || strcmp(ret, pod_namespace) != 0)))
		*ret = '\0';
}

/* Others cannot have such a name but on purpose. */
static bool is_by_right(const struct owner *o, const char *name)
{
	char own[256], end[512];
	struct err ignored;
	size_t len = strlen(name), n;

	(void)snprintf(end, sizeof(end), "-%.256s_%.16s", o->container_id, o->ifname);
	n = strlen(end);
	return (len >= n && strcmp(name + len - n, end) == 0) ||
	       (store_cni_name(o->network, o->container_id, o->ifname, own, &ignored) == 0 &&
		strcmp(name, own) == 0);
}

struct search {
	const struct host *host;
	const struct owner *who;
	const char *name;
	bool recorded; /* some record has the name, that of the owner or of a dead one */
};

/* Found, and *e tells whose it is: 1. */
static int check_holder(const struct record *rec, void *arg, struct err *e)
{
	struct search *s = arg;
	int r;

	if (!rec->device_info_file || strcmp(rec->device_info_file, s->name) != 0 ||
	    strcmp(rec->devinfo_dir, s->host->set.devinfo_dir) != 0)
		return 0;
	s->recorded = true;
	if (owner_equal(&rec->owner, s->who))
		return 0;
	r = owner_is_alive(s->host, rec, e);
	if (r <= 0)
		return r;
	(void)err_set(e, ERR_BUSY, EEXIST,
		      "device-info file '%.200s' belongs to another attachment", s->name);
	(void)owner_tell(&rec->owner, e);
	return 1;
}

static bool ends_word(char c)
{
	return !c || strchr("-_.", c);
}

/* Between marks, as runtimes that make one of their own have it there. */
static bool has_container(const char *name, const char *id)
{
	size_t len = strlen(id);

	for (const char *p = name; (p = strstr(p, id)); p++)
		if ((p == name || ends_word(p[-1])) && ends_word(p[len]))
			return true;
	return false;
}

/*
 * Whoever runs us may have made the file for this container.  Any other that no record of ours has
 * is another plugin's: 1 with *e filled, 0, -1.
 */
static int find_foreign(const struct host *host, const struct owner *o, const char *name,
			struct err *e)
{
	int r = has_container(name, o->container_id) ?
			0 : fs_exists(host->root, e, "%s/cni/%s", host->set.devinfo_dir, name);

	if (r <= 0)
		return r;
	(void)err_set(e, ERR_BUSY, EEXIST, "device-info file '%.200s' is there, and no attachment "
		      "of ours has made it", name);
	(void)err_detail(e, "when no pod uses it any more, remove %s/cni/%s",
			 host->set.devinfo_dir, name);
	return 1;
}

static int find_holder_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct search *s = arg;

	(void)there;
	return journal_each_info(j, s->name, check_holder, arg, e);
}

/* 1 with *e filled when another one has it, 0, -1. */
static int find_other(const struct host *host, const struct journal *j, const struct owner *o,
		      const char *name, struct err *e)
{
	struct journal copy = *j;	/* counts damaged records, which others tell of */
	struct search s = { host, o, name, false };
	int r;

	if (is_by_right(o, name))
		return 0;
	r = j->dir < 0 ? 0 : journal_each_info(&copy, name, check_holder, &s, e);
	if (r == 0)
		r = earlier_each(host, JOURNAL_READ, find_holder_there, &s, e);
	return r == 0 && !s.recorded ? find_foreign(host, o, name, e) : r;
}

static void lock_name(const char *name, char ret[300])
{
	(void)snprintf(ret, 300, "device-info/%.255s", name);
}

static int lock(const struct journal *j, const char *name, unsigned int ms, struct err *e)
{
	struct deadline d = deadline_in(ms);
	char text[300];

	lock_name(name, text);
	return journal_lock_common(j, text, &d, e);
}

int info_name_take(const struct host *host, const struct journal *j, const struct owner *o,
		   const char *name, struct err *e)
{
	if (lock(j, name, host->set.lock_timeout_ms, e) < 0)
		return err_wrap(e, "CNIDeviceInfoFile");
	return find_other(host, j, o, name, e) == 0 ? 0 : err_wrap(e, "CNIDeviceInfoFile");
}

void info_name_unlock(const struct journal *j, const char *name)
{
	char text[300];

	lock_name(name, text);
	journal_unlock_common(j, text);
}

/* A name by right needs no lock, so that nobody else can hold a DEL up. */
bool info_name_lock(const struct host *host, const struct journal *j, const struct owner *o,
		    const char *name)
{
	struct err why;

	if (is_by_right(o, name) || (lock(j, name, REMOVE_MS, &why) == 0 &&
				     find_other(host, j, o, name, &why) == 0))
		return true;
	log_warning("msg=\"a device-info file is kept\" file=%s why=\"%s\" private=\"%s\"", name,
		    why.msg, why.private);
	return false;
}
