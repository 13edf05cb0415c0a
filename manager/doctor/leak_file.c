/* SPDX-License-Identifier: Apache-2.0 */
/* leak_file.c - files of ours, and of device plugins, that are about nothing any more */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/cache.h"
#include "cni/call/status.h"
#include "devinfo/format/device_info.h"
#include "devinfo/journal/ledger.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct finding_kind info_file = {
	"info-file", SEVERITY_WARNING, REMEDY_BY_HAND, LEAK_LOOK_UP,
};
static const struct finding_kind info_unknown = {
	"info-file", SEVERITY_INFO, REMEDY_BY_HAND,
	"its name tells no container: remove it when no pod has it mounted",
};
static const struct finding_kind dp_gone = {
	"dp-file-gone", SEVERITY_WARNING, REMEDY_REMOVE_DP,
	"repair removes it; its device plugin writes it anew when the device is back",
};
static const struct finding_kind dp_unknown = {
	"dp-file-unknown", SEVERITY_INFO, REMEDY_BY_HAND,
	"when its device plugin was removed or renamed for good, remove the file",
};
static const struct finding_kind status_left = {
	"status-entry", SEVERITY_WARNING, REMEDY_REMOVE_STATUS, "repair removes it",
};
static const struct finding_kind status_kept = {
	"status-entry", SEVERITY_WARNING, REMEDY_BY_HAND, LEAK_LOOK_UP,
};
static const struct finding_kind status_unread = {
	"status-entry", SEVERITY_WARNING, REMEDY_BY_HAND,
	"when the runtime does not know the container any more (crictl pods, ctr containers ls, "
	"podman ps -a), remove it; while the container lives, look at what is in it: the next ADD "
	"of the container writes it anew",
};
static const struct finding_kind ledger_file = {
	"ledger-file", SEVERITY_INFO, REMEDY_REMOVE_LEDGER,
	"repair removes it, as an ADD does once in a while",
};
static const struct finding_kind link_nowhere = {
	"link-nowhere", SEVERITY_WARNING, REMEDY_REMOVE_LINK, "repair removes it",
};
static const struct finding_kind index_entry = {
	"index-entry", SEVERITY_INFO, REMEDY_TIDY_INDEX,
	"repair removes them, as a GC does; they mean nothing",
};

/* What most checks walk over files with. */
struct walk {
	const struct host *host;
	const struct inventory *inv;
	struct journal *journal;	/* to be looked at; dir -1: there is none */
	const json_t *ids, *words;	/* containers of attachments, and of the caches */
	struct findings *ret;
};

#define NO_JOURNAL	{ .dir = -1, .lock = -1 }

static int open_journal(const struct walk *w, struct err *e)
{
	return journal_open(w->host, JOURNAL_READ, w->journal, e) < 0 ? -1 : 0;
}

/* -- cni/ -- */

static int has_this_info(const struct record *rec, void *arg, struct err *e)
{
	(void)e;
	return rec->device_info_file && strcmp(rec->device_info_file, arg) == 0;
}

/* A '_' before the interface's name, behind which a container's id ends; NULL: there is none. */
static const char *find_end(const char *file)
{
	for (const char *p = strchr(file, '_'); p; p = strchr(p + 1, '_'))
		if (name_is_ifname(p + 1) && memchr(file, '-', (size_t)(p - file)))
			return p;
	return NULL;
}

/* Every '_' may be that one. */
static bool is_known(const json_t *ids, const json_t *words, const char *file)
{
	for (const char *p = strchr(file, '_'); p; p = strchr(p + 1, '_'))
		if (name_is_ifname(p + 1) &&
		    (cache_has_file(ids, file, p) || cache_has_file(words, file, p)))
			return true;
	return false;
}

/*
 * What the caches know of containers, as cache_words() has it: 1, 0 when there are none, so that
 * nobody can tell whose attachments other plugins have made; -1.
 */
static int read_caches(const struct host *host, json_t *words, struct err *e)
{
	int r = fs_exists(host->root, e, LIBCNI_CACHE);

	if (r == 0)
		r = fs_exists(host->root, e, MULTUS_CACHE);
	return r > 0 && cache_words(host, words, e) < 0 ? -1 : r;
}

/*
 * A file of nobody: 1, 0, -1.  ids: containers of attachments, "" for one that nobody can tell;
 * words: of the caches, see cni/call/cache.h.
 */
static int is_nobodys(struct journal *j, const json_t *ids, const json_t *words, const char *file,
		      struct err *e)
{
	int r;

	if (json_object_get(ids, "") || is_known(ids, words, file))
		return 0;
	r = j->dir >= 0 ? journal_each_info(j, file, has_this_info, (void *)(uintptr_t)file, e) : 0;
	return r < 0 ? -1 : !r;
}

static int judge_info(const struct walk *w, const char *file, struct err *e)
{
	char path[PATH_MAX];
	int r;

	(void)snprintf(path, sizeof(path), "%s/cni/%s", w->host->set.devinfo_dir, file);
	if (!leak_can_be_ours(file) || !leak_is_settled(w->host, leak_now(w->host, w->inv), path))
		return 0;
	r = is_nobodys(w->journal, w->ids, w->words, file, e);
	if (r <= 0)
		return r;
	return finding_tell(w->ret, find_end(file) ? &info_file : &info_unknown, path, e,
			    "neither the journal nor libcni or Multus know an attachment with it");
}

static int each_info(const struct walk *w, struct err *e)
{
	for (size_t i = 0; i < w->inv->n_files; i++) {
		const struct inv_file *f = &w->inv->files[i];

		if (!f->is_dp && f->attachment == INV_NONE && judge_info(w, f->name, e) < 0)
			return -1;
	}
	return 0;
}

int leak_info_file(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	json_auto_t *ids = json_object(), *words = json_object();
	auto_journal struct journal j = NO_JOURNAL;
	const struct walk w = {
		.host = host, .inv = inv, .journal = &j, .ids = ids, .words = words, .ret = ret,
	};
	int r = read_caches(host, words, e);

	if (r <= 0)
		return r < 0 ? -1 : finding_skip(ret, e, "neither libcni nor Multus has a cache, "
						 "which tells of other plugins' attachments");
	for (size_t i = 0; i < inv->n_attachments; i++)
		(void)json_object_set_new(ids, inv->attachments[i].container_id, json_true());
	return open_journal(&w, e) < 0 ? -1 : each_info(&w, e);
}

/* -- dp/ -- */

int leak_is_dp(const struct host *host, const char *file, char ret[16], struct err *e)
{
	auto_device_info struct device_info di = { .extra = NULL };
	auto_close int dir = -1;
	auto_free char *text = NULL;
	char path[PATH_MAX];
	const char *bdf;
	size_t len;
	int r;

	(void)snprintf(path, sizeof(path), "%s/dp", host->set.devinfo_dir);
	r = fs_find_dir(host->root, path, &dir, e);
	if (r > 0)
		r = fs_read_file(dir, file, DEVICE_INFO_MAX, &text, &len, e);
	if (r > 0)
		r = device_info_draft(text, len, file, &di, e) < 0 ? -1 : 1;
	if (r <= 0)
		return r;
	bdf = device_info_pci_address(&di);
	if (!bdf || !*bdf)
		return 0;
	(void)snprintf(ret, 16, "%.15s", bdf);
	r = fs_exists(host->root, e, "/sys/bus/pci/devices/%s", bdf);
	return r < 0 ? -1 : !r;
}

/* A tree without any PCI device is no node's: there is nothing to compare with. */
int leak_dp_gone(const struct host *host, const struct inventory *inv, struct findings *ret,
		 struct err *e)
{
	char path[PATH_MAX], bdf[16];
	int r = fs_exists(host->root, e, "/sys/bus/pci/devices");

	if (r <= 0)
		return r < 0 ? -1 : finding_skip(ret, e, "there is no /sys/bus/pci/devices");
	for (size_t i = 0; i < inv->n_files; i++) {
		const struct inv_file *f = &inv->files[i];

		if (!f->is_dp || *f->wrong || !leak_can_be_ours(f->name))
			continue;
		r = leak_is_dp(host, f->name, bdf, e);
		(void)snprintf(path, sizeof(path), "%s/dp/%s", host->set.devinfo_dir, f->name);
		if (r < 0 || (r > 0 && finding_tell(ret, &dp_gone, path, e,
						    "it is about %s, which this node does not have",
						    bdf) < 0))
			return -1;
	}
	return 0;
}

/* Its name begins with the resource, '/' being '-'. */
static bool is_of_resource(const char *file, const char *resource)
{
	size_t i = 0;

	for (; resource[i]; i++)
		if (file[i] != (resource[i] == '/' ? '-' : resource[i]))
			return false;
	return i > 0 && file[i] == '-';
}

/* kubelet has answered, and knows devices: else its device plugins may not have come yet. */
int leak_dp_unknown(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	char path[PATH_MAX];

	if (!inv->node.kubelet_asked || *inv->node.kubelet_error || inv->n_allocations == 0)
		return finding_skip(ret, e, "kubelet has told of no device");
	for (size_t i = 0; i < inv->n_files; i++) {
		const struct inv_file *f = &inv->files[i];
		bool known = !f->is_dp;

		for (size_t n = 0; n < inv->n_allocations && !known; n++)
			known = is_of_resource(f->name, inv->allocations[n].resource);
		(void)snprintf(path, sizeof(path), "%s/dp/%s", host->set.devinfo_dir, f->name);
		if (!known && finding_tell(ret, &dp_unknown, path, e,
					   "its name begins with no resource of kubelet's") < 0)
			return -1;
	}
	return 0;
}

/* -- network-status -- */

static int judge_entry(const struct owner *o, void *arg, struct err *e)
{
	const struct walk *w = arg;
	char path[PATH_MAX];
	int r = *o->network ? leak_has_record(w->host, w->journal, o, e) : 0, life;

	if (r != 0 || !leak_can_be_ours(o->container_id))
		return r < 0 ? -1 : 0;
	(void)snprintf(path, sizeof(path), "%s/status/%s.json", w->host->set.run_dir,
		       o->container_id);
	if (!*o->network)
		return leak_is_settled(w->host, leak_now(w->host, w->inv), path) ?
			       finding_tell(w->ret, &status_unread, path, e,
					    "%s", status_is_damaged(w->host, o) ?
					    STATUS_DAMAGED : "it has no entry") : 0;
	life = leak_life(w->host, w->inv, o, e);
	return life < 0 ? -1 :
			  finding_tell(w->ret, life == LEAK_DEAD ? &status_left : &status_kept,
				       path, e, "it tells of %.16s in network %.64s, which the "
				       "journal does not know%s", o->ifname, o->network,
				       leak_life_text(life));
}

/* Entries are read before the journal is asked: a record is older than its entry. */
int leak_status(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	auto_journal struct journal j = NO_JOURNAL;
	struct walk w = { .host = host, .inv = inv, .journal = &j, .ret = ret };

	return open_journal(&w, e) < 0 ? -1 : status_each(host, judge_entry, &w, e);
}

/* -- the ledger -- */

static int judge_ledger(const char *file, void *arg, struct err *e)
{
	const struct walk *w = arg;
	time_t late = time(NULL) - leak_now(w->host, w->inv);
	char path[PATH_MAX];
	int r = ledger_is_left(w->host, w->journal, file,
			       LEDGER_SWEEP_S + (unsigned int)(late > 0 ? late : 0), e);

	if (r <= 0 || !leak_can_be_ours(file))
		return r < 0 ? -1 : 0;
	(void)snprintf(path, sizeof(path), "%s/pods/%s", w->host->set.state_dir, file);
	return finding_tell(w->ret, &ledger_file, path, e,
			    "none of the pod's attachments has a record, for over a day");
}

int leak_ledger(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	auto_journal struct journal j = NO_JOURNAL;
	struct walk w = { .host = host, .inv = inv, .journal = &j, .ret = ret };
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/pods", host->set.state_dir);
	if (open_journal(&w, e) < 0)
		return -1;
	return j.dir < 0 ? 0 : fs_each(host->root, path, judge_ledger, &w, e);
}

/* -- links to directories of sockets -- */

int leak_is_link(const struct host *host, const char *name, char target[256], struct err *e)
{
	int r = fs_readlink(host->root, target, 256, e, "%s/links/%s", host->set.run_dir, name);

	if (r <= 0 || *target != '/')
		return r < 0 ? -1 : 0;
	r = fs_exists(host->root, e, "%s", target);
	return r < 0 ? -1 : !r;
}

static int same_link(const struct record *rec, void *arg, struct err *e)
{
	(void)e;
	return strcmp(rec->socket.link, arg) == 0;
}

static int judge_link(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	char target[256], path[PATH_MAX];
	int r = leak_is_link(w->host, name, target, e);

	(void)snprintf(path, sizeof(path), "%s/links/%s", w->host->set.run_dir, name);
	if (r > 0 && !leak_can_be_ours(name))
		return 0;
	if (r > 0 && w->journal->dir >= 0) {
		r = journal_each(w->journal, same_link, path, e);
		r = r < 0 ? -1 : !r;
	}
	if (r <= 0)
		return r;
	return finding_tell(w->ret, &link_nowhere, path, e, "it leads to %.128s, which is gone",
			    target);
}

int leak_link(const struct host *host, const struct inventory *inv, struct findings *ret,
	      struct err *e)
{
	auto_journal struct journal j = NO_JOURNAL;
	struct walk w = { .host = host, .inv = inv, .journal = &j, .ret = ret };
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/links", host->set.run_dir);
	return open_journal(&w, e) < 0 ? -1 : fs_each(host->root, path, judge_link, &w, e);
}

/* -- the index -- */

/* While records come and go their entries may be those of calls at work: nobody removes them. */
int leak_index(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	auto_journal struct journal j = NO_JOURNAL;
	const struct walk w = { .host = host, .inv = inv, .journal = &j, .ret = ret };
	char path[PATH_MAX];
	size_t n = 0;

	(void)snprintf(path, sizeof(path), "%s/attachments", host->set.state_dir);
	if (!leak_is_settled(host, leak_now(host, inv), path))
		return 0;
	if (open_journal(&w, e) < 0 || (j.dir >= 0 && journal_count_left(&j, &n, e) < 0))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/index", host->set.state_dir);
	return n == 0 ? 0 : finding_tell(ret, &index_entry, path, e,
					 "%zu entries lead to no record", n);
}
