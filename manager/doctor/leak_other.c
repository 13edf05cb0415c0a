/* SPDX-License-Identifier: Apache-2.0 */
/* leak_other.c - what is left in other programs' hands: Open vSwitch, sriov-cni, libcni, Multus */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/cache.h"
#include "cni/sriovcni/allocation_file.h"
#include "cni/switch/ovs_port.h"
#include "manager/inventory/given.h"
#include "manager/inventory/runtime_cache.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CACHE_MAX = 8 * 1024 * 1024 };	/* bytes of one of libcni's files that are read */

static const struct finding_kind ovs_port = {
	"ovs-port", SEVERITY_WARNING, REMEDY_REMOVE_PORT, "repair removes it, as a GC does",
};
static const struct finding_kind ovs_port_kept = {
	"ovs-port", SEVERITY_WARNING, REMEDY_BY_HAND, LEAK_LOOK_UP,
};
static const struct finding_kind allocation = {
	"sriov-allocation", SEVERITY_INFO, REMEDY_BY_HAND,
	"a GC of its network takes it over; else remove the file when no pod has the VF",
};
static const struct finding_kind libcni = {
	"libcni-cache", SEVERITY_INFO, REMEDY_BY_HAND,
	"when the runtime does not know the container any more (crictl pods), remove the file",
};
static const struct finding_kind multus = {
	"multus-cache", SEVERITY_INFO, REMEDY_BY_HAND,
	"when the runtime does not know the container any more (crictl pods), remove the file",
};
static const struct finding_kind netns_mount = {
	"netns-mount", SEVERITY_WARNING, REMEDY_BY_HAND,
	"when no container goes by it (ip netns pids), remove it: ip netns del",
};

struct look {
	const struct host *host;
	const struct inventory *inv;
	struct journal *journal;
	const char *dir;		/* that is walked */
	const json_t *words;
	struct findings *ret;
};

/* -- Open vSwitch: its ports are listed before the journal is asked, for a record is older -- */

static int judge_port(const char *port, const struct owner *o, void *arg, struct err *e)
{
	const struct look *l = arg;
	int r = leak_has_record(l->host, l->journal, o, e), life;

	if (r != 0)
		return r < 0 ? -1 : 0;
	life = leak_life(l->host, l->inv, o, e);
	return life < 0 ? -1 :
			  finding_tell(l->ret, life == LEAK_DEAD ? &ovs_port : &ovs_port_kept, port,
				       e, "it is of %.16s of container %.64s in network %.64s, "
				       "which the journal does not know%s", o->ifname,
				       o->container_id, o->network, leak_life_text(life));
}

int leak_ovs_port(const struct host *host, const struct inventory *inv, struct findings *ret,
		  struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct look l = { .host = host, .inv = inv, .journal = &j, .ret = ret };

	if (inv->node.is_recorded)
		return finding_skip(ret, e, "nobody answers on a recorded node");
	return journal_open(host, JOURNAL_READ, &j, e) < 0 ? -1 :
							     ovs_port_each(host, judge_port, &l, e);
}

/* -- sriov-cni -- */

static int judge_allocation(const char *bdf, void *arg, struct err *e)
{
	const struct look *l = arg;
	char path[PATH_MAX], ns[PATH_MAX];
	int r = given_is_left(l->host, l->inv, bdf, ns, e);

	if (r <= 0)
		return r;
	(void)snprintf(path, sizeof(path), "%s/pci/%s", l->host->set.sriov_state_dir, bdf);
	return finding_tell(l->ret, &allocation, path, e,
			    "sriov-cni has given the VF to network namespace %.200s, which is gone",
			    ns);
}

int leak_allocation_file(const struct host *host, const struct inventory *inv,
			 struct findings *ret, struct err *e)
{
	struct look l = { .host = host, .inv = inv, .ret = ret };
	auto_close int dir = -1;
	int r = fs_find_dir(host->root, host->set.sriov_state_dir, &dir, e);

	return r > 0 ? allocation_file_each(dir, judge_allocation, &l, e) : r;
}

/* -- libcni -- */

/* The sandbox of an interface, where the cache does not tell the namespace itself. */
static const char *sandbox_of(const json_t *doc)
{
	const json_t *list = json_object_get(json_object_get(doc, "result"), "interfaces"), *one;
	size_t i;

	json_array_foreach(list, i, one) {
		const char *path = json_string_value(json_object_get(one, "sandbox"));

		if (path && *path == '/')
			return path;
	}
	return NULL;
}

const char *leak_result_netns(const json_t *doc)
{
	const char *ns = json_string_value(json_object_get(doc, "netns"));

	return ns && *ns == '/' ? ns : sandbox_of(doc);
}

int leak_netns_is_gone(const struct host *host, const struct inventory *inv, const char *netns,
		       struct err *e)
{
	const char *slash = strrchr(netns, '/');
	int r = given_has_netns(host, inv, netns, e);

	if (r != 0 || slash == netns || strncmp(netns, "/proc/", 6) == 0)
		return r < 0 ? -1 : 0;
	r = fs_exists(host->root, e, "%s", netns);
	if (r != 0)		/* something else lies there, so that of the node is not seen */
		return r < 0 ? -1 : 0;
	return fs_exists(host->root, e, "%.*s", (int)(slash - netns), netns);
}

int leak_life(const struct host *host, const struct inventory *inv, const struct owner *o,
	      struct err *e)
{
	json_auto_t *doc = NULL;
	const char *ns;
	struct err why;
	char file[512];
	int r = runtime_cache_read(host, o, &doc, file, &why);

	ns = r > 0 ? leak_result_netns(doc) : NULL;
	r = ns ? given_knows_netns(host, inv, e) : 0;
	if (r > 0) {
		r = given_has_netns(host, inv, ns, e);
		if (r != 0)
			return r < 0 ? -1 : LEAK_LIVES;
		r = leak_netns_is_gone(host, inv, ns, e);
		return r < 0 ? -1 : r > 0 ? LEAK_DEAD : LEAK_UNKNOWN;
	}
	return r < 0 ? -1 : LEAK_UNKNOWN;
}

const char *leak_life_text(int life)
{
	return life == LEAK_LIVES ? ", and whose container lives" :
	       life == LEAK_DEAD  ? ", and whose container is gone" :
				    ", and nothing tells whether its container lives";
}

static bool lives(const struct inventory *inv, const char *container_id)
{
	for (size_t i = 0; i < inv->n_attachments; i++)
		if (strcmp(inv->attachments[i].container_id, container_id) == 0 &&
		    strcmp(inv->attachments[i].state, "live") == 0)
			return true;
	return false;
}

/* What cannot be read is libcni's own affair. */
json_t *leak_read_result(const struct host *host, const char *path)
{
	auto_close int dir = -1;
	auto_free char *text = NULL;
	const char *name = strrchr(path, '/') + 1;
	char parent[PATH_MAX];
	struct err ignored;
	size_t len;

	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(name - path), path);
	if (fs_find_dir(host->root, parent, &dir, &ignored) <= 0 ||
	    fs_read_file(dir, name, CACHE_MAX, &text, &len, &ignored) <= 0)
		return NULL;
	return jx_parse(text, len, ERR_DECODE, name, &ignored);
}

static int judge_result(const char *name, void *arg, struct err *e)
{
	const struct look *l = arg;
	char path[PATH_MAX];
	json_auto_t *doc = NULL;
	const char *id, *ns;
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", l->dir, name);
	if (!leak_is_settled(l->host, leak_now(l->host, l->inv), path))
		return 0;
	doc = leak_read_result(l->host, path);
	id = json_string_value(json_object_get(doc, "containerId"));
	ns = leak_result_netns(doc);
	if (!id || !ns || lives(l->inv, id))
		return 0;
	r = given_has_netns(l->host, l->inv, ns, e);
	return r != 0 ? (r < 0 ? -1 : 0) :
			finding_tell(l->ret, &libcni, path, e,
				     "no DEL has come for container %.64s, whose network "
				     "namespace is gone", id);
}

int leak_libcni(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	static const char *const dirs[] = { LIBCNI_CACHE, MULTUS_RESULTS };
	struct look l = { .host = host, .inv = inv, .ret = ret };
	int r = given_knows_netns(host, inv, e);

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && r > 0; i++) {
		l.dir = dirs[i];
		if (fs_each(host->root, l.dir, judge_result, &l, e) < 0)
			return -1;
	}
	if (r == 0)
		return finding_skip(ret, e, "no name of a network namespace was recorded");
	return r < 0 ? -1 : 0;
}

/* -- Multus: a file is called as its container -- */

static int judge_multus(const char *name, void *arg, struct err *e)
{
	const struct look *l = arg;
	char path[PATH_MAX];
	struct stat st;
	auto_close int dir = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", MULTUS_CACHE, name);
	if (!name_is_cni_id(name) || strlen(name) < 12 || json_object_get(l->words, name) ||
	    !leak_is_settled(l->host, leak_now(l->host, l->inv), path) ||
	    fs_find_dir(l->host->root, MULTUS_CACHE, &dir, e) <= 0 ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return finding_tell(l->ret, &multus, path, e,
			    "no attachment of the container is known, to the journal or to libcni");
}

int leak_multus(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	json_auto_t *words = json_object();
	struct look l = { .host = host, .inv = inv, .words = words, .ret = ret };

	for (size_t i = 0; i < inv->n_attachments; i++)
		(void)json_object_set_new(words, inv->attachments[i].container_id, json_true());
	if (cache_result_words(host, words, e) < 0)
		return -1;
	return fs_each(host->root, MULTUS_CACHE, judge_multus, &l, e);
}

/* -- names of namespaces: a mount that is gone leaves a plain file -- */

static int judge_netns(const char *name, void *arg, struct err *e)
{
	const struct look *l = arg;
	char path[PATH_MAX];
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", l->dir, name);
	if (!leak_is_settled(l->host, leak_now(l->host, l->inv), path))
		return 0;
	r = given_has_netns(l->host, l->inv, path, e);
	return r != 0 ? (r < 0 ? -1 : 0) :
			finding_tell(l->ret, &netns_mount, path, e,
				     "it is the name of a network namespace that is gone");
}

int leak_netns(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	struct look l = { .host = host, .inv = inv, .dir = "/run/netns", .ret = ret };

	if (inv->node.is_recorded)
		return finding_skip(ret, e, "network namespaces are plain files when recorded");
	return fs_each(host->root, l.dir, judge_netns, &l, e);
}
