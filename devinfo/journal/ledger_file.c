/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_file.c - the entries of one pod in the ledger, and their file */
#include "devinfo/journal/ledger_file.h"

#include "base/field.h"
#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/siphash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LEDGER_VERSION	1
#define LEDGER_MAX	(8 * 1024 * 1024)	/* bytes of a file */
#define ENTRIES_MAX	ALLOCATION_MAX_DEVICES

void ledger_done(struct ledger *l)
{
	json_decref(l->doc);
	free(l->entries);
	*l = (struct ledger){ 0 };
}

bool entry_is_of(const struct entry *n, const char *resource, const char *id)
{
	return strcmp(n->device, id) == 0 && strcmp(n->resource, resource) == 0;
}

bool entry_is_for(const struct entry *n, const struct owner *who)
{
	return strcmp(n->network, who->network) == 0 && strcmp(n->ifname, who->ifname) == 0;
}

/* -- files -- */

int ledger_open_dir(const struct host *h, bool create, int *ret, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/pods", h->set.state_dir);
	return fs_open_own_dir(h->root, path, create, ret, e);
}

static int head_of(const struct pod *pod, char ret[256], struct err *e)
{
	char text[512], file[256];

	if (!name_is_file(pod->name_space) || !name_is_file(pod->name) ||
	    (pod->uid && !name_is_file(pod->uid)))
		return err_set(e, ERR_ENV, 0, "'%.64s/%.64s' (%.64s) cannot be a pod",
			       pod->name_space, pod->name, pod->uid ? pod->uid : "");
	(void)snprintf(text, sizeof(text), "%s_%s", pod->name_space, pod->name);
	name_to_file(text, file);
	(void)snprintf(ret, 256, "%.200s@", file);
	return 0;
}

/*
 * By the pod's name, for not everyone who asks knows its UID: that is in the file.  What can be
 * read of the file's name is for people; the hash tells pods apart whose names are cut or alike.
 */
int ledger_file_name(const uint8_t key[SIPHASH_KEY], const struct pod *pod, char ret[256],
		     struct err *e)
{
	const char *const texts[] = { pod->name_space, pod->name };
	char head[256];

	if (head_of(pod, head, e) < 0)
		return -1;
	(void)snprintf(ret, 256, "%.201s%016" PRIx64 ".json", head,
		       siphash_texts(key, texts, ARRAY_SIZE(texts)));
	return 0;
}

bool ledger_is_file(const char *name)
{
	size_t len = strlen(name);

	return len >= 23 && name[len - 22] == '@' && strcmp(name + len - 5, ".json") == 0;
}

static void lock_name(const char *file, char ret[300])
{
	(void)snprintf(ret, 300, "pod/%s", file);
}

int ledger_lock(const struct journal *j, const char *file, const struct deadline *d,
		struct err *e)
{
	char lock[300];

	lock_name(file, lock);
	return j->lock >= 0 ? fs_lock(j->lock, j->key, lock, d, e) : 0;
}

void ledger_unlock(const struct journal *j, const char *file)
{
	char lock[300];

	lock_name(file, lock);
	if (j->lock >= 0)
		fs_unlock(j->lock, j->key, lock);
}

/* -- what stands in them -- */

static bool entry_is_valid(const struct entry *n)
{
	return name_is_device_id(n->device) && name_is_cni_id(n->network) &&
	       name_is_ifname(n->ifname) && name_is_cni_id(n->container_id) &&
	       (!*n->resource || name_is_resource(n->resource));
}

static const char *wrong_entry(const void *s)
{
	return entry_is_valid(s) ? NULL : "bad name";
}

#define ENTRY(member)	FIELD(struct entry, member), .required = true

static const struct field entry_field[] = {
	{ "device", ENTRY(device) },
	{ "resource", ENTRY(resource) },
	{ "network", ENTRY(network) },
	{ "ifname", ENTRY(ifname) },
	{ "containerID", ENTRY(container_id) },
	{ "bootID", ENTRY(boot_id) },
};
static const struct fields entry_fields = FIELDS(entry_field, wrong_entry);

#define POD(member)	FIELD(struct pod, member)

static const struct field pod_field[] = {
	{ "namespace", POD(name_space), .required = true },
	{ "name", POD(name), .required = true },
	{ "uid", POD(uid), .optional = true },
};
static const struct fields pod_fields = FIELDS(pod_field, NULL);

/* -- reading -- */

static int lose(struct ledger *l, const char *why)
{
	(void)snprintf(l->lost, sizeof(l->lost), "%.127s", why);
	return 0;
}

/* All of them or none. */
static int take_entries(struct ledger *l, const json_t *list, struct err *e)
{
	auto_free struct entry *entries = NULL;
	size_t i, n = json_array_size(list);
	struct err bad;
	const json_t *o;

	if (!json_is_array(list) || n > ENTRIES_MAX)
		return lose(l, "ledger.assignments: must be a list, and not too long");
	entries = calloc(n + 1, sizeof(*entries));
	if (!entries)
		return err_set(e, ERR_IO, ENOMEM, "%zu entries", n);
	json_array_foreach(list, i, o)
		if (field_read(&entry_fields, o, "ledger.assignments", &entries[i], &bad) < 0)
			return lose(l, bad.msg);
	l->entries = steal_ptr(&entries);
	l->n = n;
	return 0;
}

/* A pod that was made anew under the same name has been given nothing so far. */
static int take_document(struct ledger *l, const struct pod *pod, struct err *e)
{
	struct pod of = { .uid = NULL };
	struct err bad;

	if (field_read(&pod_fields, json_object_get(l->doc, "pod"), "ledger.pod", &of, &bad) < 0)
		return lose(l, bad.msg);
	if (pod && (strcmp(of.name_space, pod->name_space) != 0 || strcmp(of.name, pod->name) != 0))
		l->anothers = true;
	if (l->anothers)
		return lose(l, "it is about another pod");
	if (pod && pod->uid && of.uid && strcmp(of.uid, pod->uid) != 0)
		return 0;
	l->uid = of.uid;
	return take_entries(l, json_object_get(l->doc, "assignments"), e);
}

static int leave_alone(struct ledger *l, const char *name, int version)
{
	l->foreign = true;
	(void)snprintf(l->lost, sizeof(l->lost), "'%.64s' is of version %d, this program writes %d",
		       name, version, LEDGER_VERSION);
	return 0;
}

/* What is no good leaves no entries, and a word in l->lost. */
static int parse(struct ledger *l, const char *name, const struct pod *pod, const char *text,
		 size_t len, struct err *e)
{
	json_int_t version = 0;
	struct err bad;

	l->doc = jx_parse(text, len, ERR_DECODE, "ledger", &bad);
	if (!l->doc)
		return lose(l, bad.msg);
	if (jx_int(l->doc, "ledger", "version", 1, INT_MAX, &version, &bad) <= 0)
		return lose(l, "ledger.version: missing or not valid");
	if (version != LEDGER_VERSION)
		return leave_alone(l, name, (int)version);
	return take_document(l, pod, e);
}

/* Is it what stands there that cannot be read, rather than that reading did not work this time? */
static bool is_bad_file(int sys)
{
	return sys == ELOOP || sys == EISDIR || sys == EINVAL || sys == EFBIG || sys == EAGAIN ||
	       sys == ENXIO || sys == EIO || sys == EBADMSG || sys == EUCLEAN;
}

int ledger_read(int dir, const char *name, const struct pod *pod, struct ledger *l,
		struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_own_file(dir, name, LEDGER_MAX, &text, &len, e);

	if (r < 0 && (e->code == ERR_PERMISSION || is_bad_file(e->sys))) {
		(void)lose(l, e->msg);
		return 1;
	}
	if (r <= 0)
		return r;
	(void)snprintf(l->file, sizeof(l->file), "%s", name);
	return parse(l, name, pod, text, len, e) < 0 ? -1 : 1;
}

struct look {
	int dir;
	const struct pod *pod;
	char head[256];
	struct ledger *ret;
};

/* Other pods' names may be cut to the same text. */
static int take_its(const char *name, void *arg, struct err *e)
{
	const struct look *k = arg;
	auto_ledger struct ledger l = { 0 };
	size_t len = strlen(k->head);
	int r;

	if (!ledger_is_file(name) || strlen(name) != len + 21 || strncmp(name, k->head, len) != 0)
		return 0;
	r = ledger_read(k->dir, name, k->pod, &l, e);
	if (r <= 0 || l.anothers)
		return r < 0 ? -1 : 0;
	*k->ret = l;
	l = (struct ledger){ 0 };
	return 1;
}

int ledger_look_for(int dir, const char *file, const struct pod *pod, struct ledger *ret,
		    struct err *e)
{
	struct look k = { .dir = dir, .pod = pod, .ret = ret };
	int r = file ? ledger_read(dir, file, pod, ret, e) : 0;

	if (r == 0)
		r = head_of(pod, k.head, e);
	return r != 0 ? r : fs_each(dir, ".", take_its, &k, e);
}

/* -- writing -- */

/* New reference; NULL when a text is not UTF-8. */
static json_t *ledger_to_json(const struct ledger *l, const struct pod *pod)
{
	struct pod of = { pod->name_space, pod->name, pod->uid ? pod->uid : l->uid };
	json_auto_t *ids = field_write(&pod_fields, &of, json_object());
	json_auto_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		if (json_array_append_new(list, field_write(&entry_fields, &l->entries[i],
							    json_object())) < 0)
			return NULL;
	return ids ? json_pack("{s:i, s:O, s:O}", "version", LEDGER_VERSION, "pod", ids,
			       "assignments", list) :
		     NULL;
}

int ledger_write(int dir, const char *name, const struct ledger *l, const struct pod *pod,
		 struct err *e)
{
	json_auto_t *o = ledger_to_json(l, pod);
	auto_free char *text = NULL;
	size_t len;

	if (!o)
		return err_set(e, ERR_IO, EILSEQ, "write '%s'", name);
	text = jx_dump(o, &len);
	if (len > LEDGER_MAX)
		return err_set(e, ERR_IO, EFBIG, "write '%s'", name);
	if (fs_write_file(dir, name, text, len, 0600, FS_SYNC_DIR, e) < 0)
		return -1;
	return *l->file && strcmp(l->file, name) != 0 && fs_remove(dir, l->file, e) < 0 ? -1 : 0;
}

static bool entry_equal(const struct entry *a, const struct entry *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->resource, b->resource) == 0 &&
	       strcmp(a->network, b->network) == 0 && strcmp(a->ifname, b->ifname) == 0 &&
	       strcmp(a->container_id, b->container_id) == 0 && strcmp(a->boot_id, b->boot_id) == 0;
}

int ledger_put(struct ledger *l, const struct entry *new, struct err *e)
{
	auto_free struct entry *kept = calloc(l->n + 1, sizeof(*kept));
	struct owner who = { .network = new->network, .ifname = new->ifname };
	size_t n = 0;

	if (!entry_is_valid(new))	/* we could not read it */
		return err_set(e, ERR_DEVICE, EINVAL, "'%.64s' of resource '%.64s'", new->device,
			       new->resource);
	if (!kept)
		return err_set(e, ERR_IO, ENOMEM, "%zu entries", l->n);
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *old = &l->entries[i];

		if (entry_equal(old, new))
			return 0;
		if (!entry_is_for(old, &who) && !entry_is_of(old, new->resource, new->device))
			kept[n++] = *old;
	}
	if (n == ENTRIES_MAX)
		memmove(kept, kept + 1, --n * sizeof(*kept));
	kept[n++] = *new;
	free(l->entries);
	l->entries = steal_ptr(&kept);
	l->n = n;
	return 1;
}
