/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.c - the attachments of the journal, and whether their containers live
 *
 * Each record is read once.  Whether a container lives is asked of its network namespace; of a
 * recorded tree its facts say that, for its namespaces are not here.
 */
#include "manager/inventory/join.h"
#include "manager/inventory/join_text.h"

#include "base/field.h"
#include "base/mem.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/sysfs.h"
#include "manager/inventory/facts.h"
#include "manager/inventory/health.h"
#include "manager/inventory/read.h"

#include <stdio.h>
#include <string.h>

struct joining {
	const struct host *host;
	struct inventory *inv;
	const char *state_dir;		/* an earlier one; NULL: the node's own */
	char boot_id[40];		/* "": not known */
	bool is_live;			/* this machine, whose namespaces can be looked at */
	json_t *said;			/* of a recorded tree, by file; NULL: nothing */
};

static void put_error(char *ret, size_t size, const struct err *e)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "%s%s%.400s%s%.300s", e->msg, *e->details ? ": " : "",
		       e->details, *e->private ? "; " : "", e->private);
	join_text(ret, size, text);
}

/* -- does it live? -- */

static void put_state(struct inv_attachment *a, const char *state, const char *why)
{
	JOIN_TEXT(a->state, state);
	JOIN_TEXT(a->why, why);
}

/* All that the facts say of it, and nothing that its record does. */
static void take_said(struct inv_attachment *a, const struct inv_attachment *said)
{
	const struct fields *t = &inv_attachment_said;

	for (const struct field *f = t->field; f < t->field + t->n; f++)
		memcpy((char *)a + f->offset, (const char *)said + f->offset, f->size);
}

static void ask_facts(const struct joining *j, struct inv_attachment *a)
{
	const json_t *o = json_object_get(j->said, a->file);
	struct inv_attachment said = { 0 };
	struct err why;

	if (!o)
		put_state(a, "unknown", "it is of a recorded node, whose facts do not tell it");
	else if (field_read(&inv_attachment_said, o, "attachments", &said, &why) < 0)
		put_state(a, "unknown", why.msg);
	else
		take_said(a, &said);
}

static void ask_kernel(const struct record *rec, struct inv_attachment *a)
{
	auto_nl struct nl pod = { 0 };
	struct err why = { 0 };
	int r = owner_open(rec, &pod, &why);

	put_state(a, r > 0 ? "live" : r == 0 ? "dead" : "unknown", "");
	if (r < 0)
		put_error(a->why, sizeof(a->why), &why);
}

static void judge_state(const struct joining *j, const struct record *rec,
			struct inv_attachment *a)
{
	if (rec->released)
		put_state(a, "released", "");
	else if (*j->boot_id && strcmp(j->boot_id, rec->boot_id) != 0)
		put_state(a, "earlier boot", "");
	else if (!j->is_live)
		ask_facts(j, a);
	else if (!*j->boot_id)
		put_state(a, "unknown", "this boot has no id in /proc");
	else
		ask_kernel(rec, a);
}

/* -- records -- */

static const char *kind_of(const struct record *rec)
{
	if (record_is_path(rec))
		return "socket";
	if (*rec->vdpa.name)
		return "vdpa";
	if (rec->netdev.present && !driver_is_userspace(rec->driver.bound))
		return "netdev";
	return rec->chained ? "chained" : "userspace";
}

static void put_device(struct inv_attachment *a, const struct record *rec)
{
	JOIN_TEXT(a->device, record_device_name(rec));
	JOIN_TEXT(a->device_id, rec->device_id);
	JOIN_TEXT(a->vdpa, rec->vdpa.name);
	JOIN_TEXT(a->kind, kind_of(rec));
	JOIN_TEXT(a->info_file, rec->device_info_file);
	a->from_plugin = rec->socket.from_plugin;
	a->needs_conf = rec->lease_of;
	if (!rec->netdev.present || rec->chained)	/* what is in the pod has no name here */
		return;
	JOIN_TEXT(a->host_name, rec->netdev.name);
	a->host_ifindex = rec->netdev.ifindex;
	JOIN_TEXT(a->parent, rec->netdev.parent);
}

static int add_record(const struct record *rec, void *arg, struct err *e)
{
	const struct joining *j = arg;
	struct inv_attachment *a = INV_ADD(j->inv, attachments, e);

	if (!a)
		return -1;
	a->function = INV_NONE;
	JOIN_TEXT(a->state_dir, j->state_dir);
	JOIN_TEXT(a->network, rec->owner.network);
	JOIN_TEXT(a->container_id, rec->owner.container_id);
	JOIN_TEXT(a->ifname, rec->owner.ifname);
	JOIN_TEXT(a->netns, rec->owner.netns);
	JOIN_TEXT(a->pod_namespace, rec->pod.name_space);
	JOIN_TEXT(a->pod_name, rec->pod.name);
	JOIN_TEXT(a->pod_uid, rec->pod.uid);
	JOIN_TEXT(a->boot_id, rec->boot_id);
	put_device(a, rec);
	journal_file_name(rec, a->file);
	judge_state(j, rec, a);
	return 0;
}

static int add_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	const struct joining *j = arg;
	struct inv_attachment *a = INV_ADD(j->inv, attachments, e);
	char version[32];

	if (!a)
		return -1;
	a->function = INV_NONE;
	JOIN_TEXT(a->state_dir, j->state_dir);
	JOIN_TEXT(a->network, bad->network);
	JOIN_TEXT(a->container_id, bad->container_id);
	JOIN_TEXT(a->ifname, bad->ifname);
	JOIN_TEXT(a->device, bad->device);
	JOIN_TEXT(a->file, bad->file);
	a->untrusted = bad->untrusted;
	if (bad->version)
		(void)snprintf(version, sizeof(version), "version %d", bad->version);
	put_state(a, bad->version ? version : bad->unread ? "unreadable" : "damaged",
		  join_behind_name(bad->why, bad->file));
	return 0;
}

static int compare_attachments(const void *a, const void *b)
{
	const struct inv_attachment *x = a, *y = b;
	int r = strcmp(x->device, y->device);

	r = r ? r : strcmp(x->network, y->network);
	r = r ? r : strcmp(x->container_id, y->container_id);
	r = r ? r : strcmp(x->ifname, y->ifname);
	return r ? r : strcmp(x->file, y->file);
}

/* What the facts say of attachments, by the name of the record's file. */
static json_t *facts_by_file(const json_t *facts)
{
	const json_t *list = json_object_get(facts, "attachments"), *one;
	json_t *ret = json_object();
	size_t i;

	json_array_foreach(list, i, one) {
		const char *file = json_string_value(json_object_get(one, "file"));

		if (file)
			(void)json_object_set(ret, file, json_array_get(list, i));
	}
	return ret;
}

static int read_earlier(const struct host *there, struct journal *journal, void *arg,
			struct err *e)
{
	struct joining of = *(const struct joining *)arg;

	of.state_dir = there->set.state_dir;
	return journal_each_any(journal, add_record, add_bad, &of, e);
}

/* 1, 0 when there is none, -1. */
static int read_own(struct joining *j, struct err *e)
{
	auto_journal struct journal journal = { .dir = -1, .lock = -1 };
	int r = journal_open(j->host, JOURNAL_READ, &journal, e);

	return r > 0 && journal_each_any(&journal, add_record, add_bad, j, e) < 0 ? -1 : r;
}

static int read_journals(struct joining *j, struct err *e)
{
	int r = read_own(j, e);

	if (r >= 0 && earlier_each(j->host, JOURNAL_READ, read_earlier, j, e) < 0)
		r = -1;
	if (r == 0)
		r = j->inv->n_attachments > 0;
	if (j->inv->n_attachments > 0)
		qsort(j->inv->attachments, j->inv->n_attachments, sizeof(*j->inv->attachments),
		      compare_attachments);
	return r;
}

int inventory_read_attachments(const struct host *host, struct inventory *inv, struct err *e)
{
	struct joining j = { .host = host, .inv = inv };
	json_auto_t *facts = NULL, *by_file = NULL;
	struct err ignored;
	int r = facts_is_live(host, e);

	if (r < 0 || facts_read(host, &facts, e) < 0)
		return -1;
	by_file = facts_by_file(facts);
	j.is_live = r > 0;
	j.said = by_file;
	if (journal_boot_id(host, j.boot_id, &ignored) < 0)
		*j.boot_id = '\0';	/* then nothing is of an earlier one */
	r = read_journals(&j, e);
	return r > 0 && join_pods(host, inv, e) < 0 ? -1 : r;
}

int inventory_join(const struct host *host, struct inventory *inv, struct err *e)
{
	if (inventory_read_attachments(host, inv, e) < 0 || join_files(host, inv, e) < 0 ||
	    join_vanished(host, inv, e) < 0 || join_holders(host, inv, e) < 0)
		return -1;
	health_judge(host, inv);
	return 0;
}
