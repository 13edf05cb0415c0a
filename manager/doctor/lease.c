/* SPDX-License-Identifier: Apache-2.0 */
/* lease.c - leases of host-local, and whether the containers that have them are dead */
#include "manager/doctor/lease.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/cache.h"
#include "cni/plugins/ipam.h"
#include "manager/doctor/dead.h"
#include "manager/doctor/leak.h"
#include "manager/doctor/net_d.h"
#include "manager/inventory/base64.h"
#include "manager/inventory/given.h"
#include "netlink/ip.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LEASE_MAX = 1024 };		/* bytes of a file; an id has 255 at most */

/* -- the file -- */

/* <dataDir>/<network>/<address> */
static bool parse_path(const char *path, struct lease *ret)
{
	const char *address = strrchr(path, '/');
	const char *network = address ? memrchr(path, '/', (size_t)(address - path)) : NULL;
	size_t dir = network ? (size_t)(network - path) : 0;
	struct ip ip;

	if (dir == 0 || dir >= sizeof(ret->data_dir) || !ip_parse(address + 1, &ip) ||
	    strlen(address + 1) >= sizeof(ret->address) ||
	    (size_t)(address - network) > sizeof(ret->network))
		return false;
	(void)snprintf(ret->data_dir, sizeof(ret->data_dir), "%.*s", (int)dir, path);
	(void)snprintf(ret->network, sizeof(ret->network), "%.*s", (int)(address - network - 1),
		       network + 1);
	(void)snprintf(ret->address, sizeof(ret->address), "%.63s", address + 1);
	return name_is_cni_id(ret->network);
}

/* "<container id>\r\n<interface>", of a host-local before 0.8 the id alone. */
static bool parse_text(const char *text, struct lease *ret)
{
	size_t id = strcspn(text, " \r\n");
	const char *ifname = text + id + strspn(text + id, " \r\n");
	size_t len = strcspn(ifname, " \r\n");

	if (id >= sizeof(ret->container_id) || len >= sizeof(ret->ifname))
		return false;
	(void)snprintf(ret->container_id, sizeof(ret->container_id), "%.*s", (int)id, text);
	(void)snprintf(ret->ifname, sizeof(ret->ifname), "%.*s", (int)len, ifname);
	return name_is_cni_id(ret->container_id) && (!len || name_is_ifname(ret->ifname));
}

int lease_read(const struct host *host, time_t now, const char *path, struct lease *ret,
	       struct err *e)
{
	auto_free char *text = NULL;
	auto_close int dir = -1;
	struct lease l = { .data_dir = "" };
	struct err ignored;
	char parent[PATH_MAX];
	size_t len;
	int r;

	if (!parse_path(path, &l) || !leak_is_settled(host, now, path))
		return 0;
	(void)snprintf(parent, sizeof(parent), "%s/%s", l.data_dir, l.network);
	r = fs_find_dir(host->root, parent, &dir, e);
	if (r <= 0)
		return r;
	/* what others may write to, and what is no such file, is no lease */
	if (fs_read_own_file(dir, l.address, LEASE_MAX, &text, &len, &ignored) <= 0 ||
	    strlen(text) != len || !parse_text(text, &l))
		return 0;
	*ret = l;
	return 1;
}

/* -- what the caches tell -- */

struct asking {
	const struct host *host;
	const struct inventory *inv;
	const char *dir;
	const char *id;
	json_t *containers, *dirs;
};

/* Something that lives is never overruled. */
static void note_container(json_t *containers, const char *id, bool is_dead)
{
	if (!json_is_true(json_object_get(containers, id)))
		(void)json_object_set_new(containers, id, is_dead ? json_false() : json_true());
}

void lease_note_record(json_t *containers, const char *id, bool is_dead)
{
	note_container(containers, id, is_dead);
}

void lease_note_dirs(const json_t *doc, json_t *dirs)
{
	json_auto_t *plugins = net_d_plugins(doc);
	const json_t *one;
	size_t i;

	json_array_foreach(plugins, i, one) {
		const json_t *ipam = json_object_get(one, "ipam");
		const char *dir = json_string_value(json_object_get(ipam, "dataDir"));

		if (dir && *dir == '/' && strcmp(net_d_type(ipam), "host-local") == 0 &&
		    json_object_size(dirs) <= LEASE_DIRS_MAX)
			(void)json_object_set_new(dirs, dir, json_true());
	}
}

/* The configuration of a result, which libcni keeps in base64. */
static void note_its_dirs(const json_t *doc, json_t *dirs)
{
	const char *coded = json_string_value(json_object_get(doc, "config"));
	auto_free char *text = NULL;
	json_auto_t *config = NULL;
	struct err ignored;
	size_t len = 0;

	text = coded && dirs ? base64_decode(coded, &len) : NULL;
	config = text ? jx_parse(text, len, ERR_DECODE, "config", &ignored) : NULL;
	if (config)
		lease_note_dirs(config, dirs);
}

static int take_result(const char *name, void *arg, struct err *e)
{
	const struct asking *a = arg;
	json_auto_t *doc = NULL;
	const char *id, *netns;
	char path[PATH_MAX];
	int r;

	if (a->id && !strstr(name, a->id))
		return 0;
	(void)snprintf(path, sizeof(path), "%s/%s", a->dir, name);
	doc = leak_read_result(a->host, path);
	id = json_string_value(json_object_get(doc, "containerId"));
	netns = leak_result_netns(doc);
	note_its_dirs(doc, a->dirs);
	if (!id || !netns || (a->id && strcmp(id, a->id) != 0))
		return 0;
	r = leak_netns_is_gone(a->host, a->inv, netns, e);
	if (r >= 0)
		note_container(a->containers, id, r > 0);
	return r < 0 ? -1 : 0;
}

int lease_ask_caches(const struct host *host, const struct inventory *inv, const char *id,
		     json_t *containers, json_t *dirs, struct err *e)
{
	static const char *const places[] = { LIBCNI_CACHE, MULTUS_RESULTS };
	struct asking a = { .host = host, .inv = inv, .id = id, .containers = containers,
			    .dirs = dirs };
	int r = given_knows_netns(host, inv, e);

	for (size_t i = 0; i < ARRAY_SIZE(places) && r > 0; i++) {
		a.dir = places[i];
		if (fs_each(host->root, a.dir, take_result, &a, e) < 0)
			return -1;
	}
	return r < 0 ? -1 : 0;
}

/* -- of one, to be released -- */

struct records {
	const struct host *host;
	struct journal *journal;
	const char *id;
	json_t *containers;
};

static int take_record(const struct record *rec, void *arg, struct err *e)
{
	const struct records *r = arg;
	struct record look = *rec;	/* borrowed */
	struct err why;			/* it may well live */

	(void)e;
	look.lease_of = NULL;		/* which is of another interface */
	if (strcmp(rec->owner.container_id, r->id) == 0)
		note_container(r->containers, r->id,
		     dead_release(r->host, r->journal, &look, true, &why) > 0);
	return 0;
}

/* Of one that cannot be read nobody can tell. */
static int take_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	const struct records *r = arg;

	(void)e;
	if (strcmp(bad->container_id, r->id) == 0)
		note_container(r->containers, r->id, false);
	return 0;
}

int lease_is_dead(const struct host *host, struct journal *j, const struct lease *l, struct err *e)
{
	static const struct inventory live = { .n_attachments = 0 };
	json_auto_t *containers = json_object();
	struct records r = { host, j, l->container_id, containers };

	if (lease_ask_caches(host, &live, l->container_id, containers, NULL, e) < 0 ||
	    journal_each_any(j, take_record, take_bad, &r, e) < 0)
		return -1;
	return json_is_false(json_object_get(containers, l->container_id));
}

/* It goes by the container and interface; a range is needed, and any will do. */
static char *make_request(const struct lease *l)
{
	json_auto_t *o = json_pack("{s:s, s:s, s:s, s:{s:s, s:s, s:[[{s:s}]]}}", "cniVersion",
				   "0.4.0", "name", l->network, "type", "devinfo", "ipam", "type",
				   "host-local", "dataDir", l->data_dir, "ranges", "subnet",
				   "192.0.2.0/24");
	size_t len;

	return o ? jx_dump(o, &len) : NULL;
}

int lease_release(const struct host *host, const struct lease *l, struct err *e)
{
	const struct exec_as as = {
		.container_id = l->container_id, .netns = "",
		.ifname = *l->ifname ? l->ifname : "eth0",
	};
	auto_free char *request = make_request(l);
	const struct ipam ipam = {
		.type = "host-local", .cni_path = host->set.cni_path, .request = request,
		.timeout_ms = host->set.ipam_timeout_ms, .as = &as,
	};
	int r;

	if (!request)
		return err_set(e, ERR_DECODE, 0, "its directory is no text");
	if (ipam_del(&ipam, e) < 0)
		return -1;
	r = fs_exists(host->root, e, "%s/%s/%s", l->data_dir, l->network, l->address);
	return r > 0 ? err_set(e, ERR_DELEGATE, 0, "plugin host-local has left the file") : r;
}
