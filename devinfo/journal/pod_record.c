/* SPDX-License-Identifier: Apache-2.0 */
/* pod_record.c - which networks one call has attached a pod to, and with which configurations */
#include "devinfo/journal/pod_record.h"

#include "base/field.h"
#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/siphash.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define RECORD_MAX	(32 * 1024 * 1024)	/* bytes of a file */
#define DAMAGED		".damaged"

void pod_record_done(struct pod_record *r)
{
	json_decref(r->doc);
	free(r->list);
	*r = (struct pod_record){ .n = 0 };
}

static int open_dir(const struct host *h, bool make, int *ret, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/networks", h->set.state_dir);
	return fs_open_own_dir(h->root, path, make, ret, e);
}

static void file_name(const struct journal *j, const struct owner *o, char ret[32])
{
	const char *const texts[] = { o->network, o->container_id, o->ifname };

	(void)snprintf(ret, 32, "%016" PRIx64 ".json",
		       siphash_texts(j->key, texts, ARRAY_SIZE(texts)));
}

static bool is_record(const char *name)
{
	return strlen(name) == 21 && strcmp(name + 16, ".json") == 0;
}

static void lock_name(const struct owner *o, char ret[512])
{
	(void)snprintf(ret, 512, "networks %s %.256s", o->ifname, o->container_id);
}

int pod_record_lock(const struct journal *j, const struct owner *o, const struct deadline *d,
		    struct err *e)
{
	char text[512];

	lock_name(o, text);
	return fs_lock(j->lock, j->key, text, d, e) == 0 ?
		       0 : err_wrap(e, "the networks of container %.64s", o->container_id);
}

void pod_record_unlock(const struct journal *j, const struct owner *o)
{
	char text[512];

	lock_name(o, text);
	fs_unlock(j->lock, j->key, text);
}

/* -- what is in it -- */

#define OF(member)	FIELD(struct pod_record, member)

static const struct field head[] = {
	{ "network", OF(owner.network), .required = true, .fits = name_is_cni_id },
	{ "containerID", OF(owner.container_id), .required = true, .fits = name_is_cni_id },
	{ "ifname", OF(owner.ifname), .required = true, .fits = name_is_ifname },
	{ "netns", OF(owner.netns), .required = true },
	{ "netnsDev", OF(owner.netns_dev) },
	{ "netnsIno", OF(owner.netns_ino) },
	{ "netnsOwn", OF(owner.netns_own), .optional = true },
	{ "netnsCookie", OF(owner.netns_cookie) },
	{ "bootID", OF(boot_id), .required = true },
};
static const struct fields head_fields = FIELDS(head, NULL);

static json_t *attachment_to_json(const struct pod_attachment *a)
{
	json_t *o = json_pack("{s:s, s:s, s:O}", "definition", a->definition, "ifname", a->ifname,
			      "calls", a->calls);

	if (o && a->result)
		(void)json_object_set(o, "result", (json_t *)(uintptr_t)a->result);
	return o;
}

static json_t *to_json(const struct pod_record *r)
{
	json_auto_t *list = json_array();

	for (size_t i = 0; i < r->n; i++)
		if (json_array_append_new(list, attachment_to_json(&r->list[i])) < 0)
			return NULL;
	return field_write(&head_fields, r, json_pack("{s:i, s:O}", "version", POD_RECORD_VERSION,
						      "attachments", list));
}

/* NAMESPACE/NAME; "" is the default network's. */
static bool is_definition(const char *s)
{
	const char *slash = strchr(s, '/');

	return !*s || (slash && slash != s && slash[1]);
}

/* They are run as root: only their form is looked at, for the file is ours alone. */
static bool are_calls(const json_t *calls)
{
	const json_t *call;
	size_t i;

	json_array_foreach(calls, i, call)
		if (!json_is_string(json_object_get(call, "type")))
			return false;
	return json_array_size(calls) > 0;
}

static int take_attachment(const json_t *o, struct pod_attachment *ret, struct err *e)
{
	struct pod_attachment a = {
		.definition = json_string_value(json_object_get(o, "definition")),
		.ifname = json_string_value(json_object_get(o, "ifname")),
		.calls = json_object_get(o, "calls"),
		.result = json_object_get(o, "result"),
	};

	if (!a.definition || !is_definition(a.definition) || !a.ifname ||
	    !name_is_ifname(a.ifname) || !are_calls(a.calls))
		return err_set(e, ERR_DECODE, 0, "an attachment without definition, ifname or "
			       "calls");
	*ret = a;
	return 0;
}

static int take_attachments(struct pod_record *r, struct err *e)
{
	const json_t *list = json_object_get(r->doc, "attachments"), *o;
	size_t i;

	if (!json_array_size(list) || json_array_size(list) > POD_ATTACHMENTS_MAX)
		return err_set(e, ERR_DECODE, 0, "attachments: expected a list of 1 to %d",
			       POD_ATTACHMENTS_MAX);
	r->list = calloc(json_array_size(list), sizeof(*r->list));
	if (!r->list)
		return err_set(e, ERR_IO, ENOMEM, "%zu attachments", json_array_size(list));
	json_array_foreach(list, i, o)
		if (take_attachment(o, &r->list[r->n++], e) < 0)
			return -1;
	return 0;
}

/* -1 with ERR_TRY_AGAIN for one of another version. */
static int parse(const char *name, const char *text, size_t len, struct pod_record *r,
		 struct err *e)
{
	json_int_t version = 0;

	r->doc = jx_parse(text, len, ERR_DECODE, name, e);
	if (!r->doc || jx_int(r->doc, name, "version", 1, INT_MAX, &version, e) < 0)
		return -1;
	if (version > POD_RECORD_VERSION)
		return err_set(e, ERR_TRY_AGAIN, 0, "'%s' is of version %d, this program writes %d",
			       name, (int)version, POD_RECORD_VERSION);
	(void)snprintf(r->file, sizeof(r->file), "%s", name);
	return field_read(&head_fields, r->doc, name, r, e) < 0 ? -1 : take_attachments(r, e);
}

/* -- files -- */

bool pod_record_is_any(const struct host *h)
{
	struct err ignored;

	return fs_exists(h->root, &ignored, "%s/networks", h->set.state_dir) != 0;
}

/* What a DEL could not read, for its depth say, would be put aside, and its networks stay. */
static int check_readable(const char *text, size_t len, struct err *e)
{
	auto_pod_record struct pod_record r = { .n = 0 };

	if (parse("record", text, len, &r, e) == 0)
		return 0;
	if (e->sys != ENOMEM)
		e->code = ERR_NETCONF;
	return err_wrap(e, "the networks of the pod cannot be recorded");
}

/* One that fails may have left the file.  A second one leaves what was there, or replaces it. */
int pod_record_write(const struct host *h, const struct journal *j, struct pod_record *r,
		     struct err *e)
{
	json_auto_t *o = to_json(r);
	auto_free char *text = NULL;
	auto_close int dir = -1;
	int flags = *r->file ? 0 : FS_SYNC_DIR;
	size_t len;

	if (!o)
		return err_set(e, ERR_IO, EILSEQ, "write the record of the pod's networks");
	text = jx_dump(o, &len);
	if (len > RECORD_MAX)
		return err_set(e, ERR_NETCONF, EFBIG, "the networks of the pod have %zu bytes: "
			       "expected at most %d", len, RECORD_MAX);
	if (check_readable(text, len, e) < 0)
		return -1;
	if (!*r->file)
		file_name(j, &r->owner, r->file);
	if (open_dir(h, true, &dir, e) < 0)
		return -1;
	return fs_write_file(dir, r->file, text, len, 0600, flags, e);
}

int pod_record_remove(const struct host *h, const struct pod_record *r, struct err *e)
{
	auto_close int dir = -1;
	int found = *r->file ? open_dir(h, false, &dir, e) : 0;	/* it was not written */

	return found <= 0 ? found : fs_remove(dir, r->file, e) < 0 ? -1 : 0;
}

static void put_aside(int dir, const char *name, const struct err *why)
{
	char aside[64];

	(void)snprintf(aside, sizeof(aside), "%s" DAMAGED, name);
	log_error("msg=\"the record of a pod's networks is damaged, and put aside: what of these "
		  "is left, devinfoctl gc releases\" file=%s why=\"%s\"", name, why->msg);
	if (renameat(dir, name, dir, aside) < 0)
		log_warning("msg=\"it cannot be renamed\" file=%s why=\"%s\"", name,
			    strerror(errno));
}

/* 1, 0 when there is none, -1: *damaged says that another try fails as well. */
static int read_one(int dir, const char *name, struct pod_record *ret, bool *damaged,
		    struct err *e)
{
	auto_pod_record struct pod_record r = { .n = 0 };
	auto_free char *text = NULL;
	size_t len = 0;
	int found = fs_read_own_file(dir, name, RECORD_MAX, &text, &len, e);

	*damaged = false;
	if (found == 0)
		return 0;
	if (found > 0 && parse(name, text, len, &r, e) == 0) {
		*ret = r;
		r = (struct pod_record){ .n = 0 };
		return 1;
	}
	*damaged = e->code != ERR_TRY_AGAIN && e->sys != ENOMEM &&
		   (found > 0 || e->code == ERR_PERMISSION || fs_is_unreadable(e->sys));
	return -1;
}

static bool is_of(const struct pod_record *r, const struct owner *o)
{
	return strcmp(r->owner.network, o->network) == 0 &&
	       strcmp(r->owner.container_id, o->container_id) == 0 &&
	       strcmp(r->owner.ifname, o->ifname) == 0;
}

struct walk {
	int dir;
	pod_record_fn *fn;
	pod_record_bad_fn *bad;
	void *arg;
};

static int log_bad(const char *file, const struct err *why, void *arg, struct err *e)
{
	(void)arg;
	(void)e;
	log_warning("msg=\"the record of a pod's networks is passed over\" file=%s why=\"%s\"",
		    file, why->msg);
	return 0;
}

static int visit(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_pod_record struct pod_record r = { .n = 0 };
	struct err why;
	bool damaged;
	int found = is_record(name) ? read_one(w->dir, name, &r, &damaged, &why) : 0;

	if (found < 0)
		return (w->bad ? w->bad : log_bad)(name, &why, w->arg, e);
	return found > 0 ? w->fn(&r, w->arg, e) : 0;
}

int pod_record_each(const struct host *h, pod_record_fn *fn, pod_record_bad_fn *bad, void *arg,
		    struct err *e)
{
	auto_close int dir = -1;
	struct walk w = { .fn = fn, .bad = bad, .arg = arg };
	int found = open_dir(h, false, &dir, e);

	w.dir = dir;
	return found <= 0 ? found : fs_each(dir, ".", visit, &w, e);
}

struct search {
	const struct owner *owner;
	struct pod_record *ret;
};

static int take_its(const struct pod_record *r, void *arg, struct err *e)
{
	const struct search *s = arg;

	(void)e;
	if (!is_of(r, s->owner))
		return 0;
	*s->ret = *r;
	json_incref(r->doc);
	s->ret->list = calloc(r->n, sizeof(*r->list));
	if (!s->ret->list)
		return err_set(e, ERR_IO, ENOMEM, "%zu attachments", r->n);
	memcpy(s->ret->list, r->list, r->n * sizeof(*r->list));
	return 1;
}

/* By its name; where the key of the names was lost since, by what is in it. */
int pod_record_find(const struct host *h, const struct journal *j, const struct owner *o,
		    struct pod_record *ret, struct err *e)
{
	struct search s = { o, ret };
	auto_close int dir = -1;
	bool damaged;
	char name[32];
	int found = open_dir(h, false, &dir, e);

	if (found <= 0)
		return found;
	file_name(j, o, name);
	found = read_one(dir, name, ret, &damaged, e);
	if (found > 0 && is_of(ret, o))
		return 1;
	if (found > 0)
		pod_record_done(ret);
	if (found < 0 && !damaged)
		return -1;
	if (found < 0 && !j->read_only)
		put_aside(dir, name, e);
	return pod_record_each(h, take_its, NULL, &s, e);
}

int pod_record_is_alive(const struct host *h, const struct pod_record *r, struct err *e)
{
	struct record rec = { .owner = r->owner };

	(void)snprintf(rec.boot_id, sizeof(rec.boot_id), "%s", r->boot_id);
	return owner_is_alive(h, &rec, e);
}
