/* SPDX-License-Identifier: Apache-2.0 */
/* delegate_policy.c - which plugins may a network run, and which devices may those move? */
#include "cni/attach/delegate_policy.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/choose.h"
#include "cni/attach/policy.h"
#include "cni/netdev/netdev.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/resolve.h"
#include "netlink/link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* -- plugins -- */

static int check_plugin(const json_t *allowed, const char *key, const char *type, struct err *e)
{
	const json_t *v;
	size_t i;

	if (!type || !*type)
		return 0;
	json_array_foreach(allowed, i, v)
		if (strcmp(json_string_value(v), type) == 0)
			return 0;
	(void)err_set(e, ERR_NETCONF, 0, "%s '%.64s' is not allowed", key, type);
	return err_detail(e, "allowPlugins of the node's file lists those that networks may name");
}

static const char *type_of(const json_t *o)
{
	return json_string_value(json_object_get(o, "type"));
}

/* A delegate reads its own configuration, and plugins in Go do not regard the case of letters. */
static int check_own_ipam(const json_t *allowed, json_t *delegate, struct err *e)
{
	const char *key, *inner;
	json_t *v, *type;

	json_object_foreach(delegate, key, v)
		if (strcasecmp(key, "ipam") == 0)
			json_object_foreach(v, inner, type)
				if (strcasecmp(inner, "type") == 0 &&
				    check_plugin(allowed, "ipam.type of a delegate",
						 json_string_value(type), e) < 0)
					return -1;
	return 0;
}

int delegate_policy_check_plugins(const struct host *host, const struct netconf *nc, struct err *e)
{
	const json_t *allowed = host->set.allow_plugins;
	const json_t *ipam = json_object_get(nc->doc, "ipam");
	json_t *v;
	size_t i;

	if (!allowed)
		return 0;
	if (check_plugin(allowed, "ipam.type", type_of(ipam), e) < 0)
		return -1;
	json_array_foreach(nc->delegates, i, v)
		if (check_plugin(allowed, "delegate", type_of(v), e) < 0 ||
		    check_own_ipam(allowed, v, e) < 0)
			return -1;
	return 0;
}

/* Their sources say so: they go by their configuration and the attachment's names alone. */
static const char *const independent[] = { "host-local", "static", "whereabouts", "nv-ipam" };

bool delegate_policy_ipam_in_parallel(const struct host *host, const char *type)
{
	const json_t *list = host->set.ipam_in_parallel, *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (strcmp(json_string_value(v), type) == 0)
			return true;
	for (i = 0; !list && i < ARRAY_SIZE(independent); i++)
		if (strcmp(independent[i], type) == 0)
			return true;
	return false;
}

/* -- their keys -- */

enum {
	PATH_SIZE = 80,			/* of a delegate, for messages */
	LOCK_MS = 1000,
	LOCKS_MAX = 16,
};

static void name_delegate(size_t i, const json_t *v, char ret[PATH_SIZE])
{
	const char *type = type_of(v);

	(void)snprintf(ret, PATH_SIZE, "delegate %zu (%.32s)", i, type ? type : "");
}

/* The library of plugins in Go takes two letters beyond ASCII for k and s, see device_keys. */
static int check_ascii(const char *path, json_t *o, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v) {
		for (const char *p = key; *p; p++)
			if ((unsigned char)*p >= 0x80)
				return err_set(e, ERR_NETCONF, 0,
					       "%s: invalid key '%.64s': must be ASCII", path, key);
		if (strcasecmp(key, "runtimeConfig") == 0 && check_ascii(path, v, e) < 0)
			return -1;
	}
	return 0;
}

int delegate_policy_check_keys(const struct netconf *nc, struct err *e)
{
	char path[PATH_SIZE];
	json_t *v;
	size_t i;

	json_array_foreach(nc->delegates, i, v) {
		name_delegate(i, v, path);
		if (check_ascii(path, v, e) < 0)
			return -1;
	}
	return 0;
}

/* -- devices -- */

struct moved {
	struct attachment *a;
	char path[PATH_SIZE];
	unsigned int locks;		/* devices that were locked for all delegates together */
};

/* Plugins ask the kernel, which takes an alternative name as well: 1 with the interface's own. */
static int find_altname(struct attachment *a, const char *name, struct link *ret, struct err *e)
{
	int r = link_get_by_altname(&a->home, name, ret, e);

	return r > 0 ? strcmp(ret->name, name) != 0 : r;
}

/* As of one that we move ourselves: the host's end of another pod's veth pair, say. */
static int check_use(struct attachment *a, const struct choice *c, struct err *e)
{
	const char *name = c->is_pci ? c->pci.netdev : c->net.name;
	struct link link;
	int r = *name ? link_get_by_altname(&a->home, name, &link, e) : 0;

	return r > 0 ? netdev_refuse_use(a->host, &a->home, &link, e) : r;
}

/* Another pod has it: a plugin that knows no records of ours would set its VLAN, say. */
static int check_holder(struct attachment *a, const char *name, struct err *e)
{
	auto_record struct record holder = { 0 };
	int r = resolve_holder(a->host, &a->journal, &a->rec.owner, name, &holder, e);

	return r <= 0 ? r :
	       strcmp(holder.owner.container_id, a->call->container_id) == 0 ?
		       0 : choose_busy(&holder, e);
}

/*
 * The lock is held to the end of the ADD, so that what is found here still holds when the plugin
 * moves the device.  Who has it longer than LOCK_MS wants it for itself, and may wait for a lock
 * that we hold.  A network that names many devices would keep others from them without having one.
 */
static int lock_named(struct moved *m, const struct choice *c, struct err *e)
{
	struct deadline d = deadline_in(LOCK_MS);

	if (m->locks++ == LOCKS_MAX)
		return err_set(e, ERR_NETCONF, 0, "delegates name over %d devices of the host",
			       LOCKS_MAX);
	return journal_lock_device(&m->a->journal, choice_lock_name(c), &d, e) < 0 ?
		       err_wrap(e, "device %.64s", choice_lock_name(c)) : 0;
}

/*
 * By the name that it has on this node; what the node does not have is known by its id alone.  A
 * plugin that joins the name to a directory of /sys would follow one with '/' to any other device.
 */
static int check_name(struct moved *m, const char *name, struct err *e)
{
	struct attachment *a = m->a;
	struct choice c = { 0 }, unknown;
	struct link link;
	int r;

	if (strlen(name) >= sizeof(c.id))
		return err_set(e, ERR_DEVICE, 0, "'%.64s...' names no device", name);
	if (!name_is_file(device_id_plain(name)))
		return err_set(e, ERR_DEVICE, 0, "'%.64s' names no device: must be a name, not a "
			       "path", name);
	r = find_altname(a, name, &link, e);
	name = r > 0 ? link.name : name;
	memcpy(c.id, name, strlen(name) + 1);
	unknown = c;
	r = r < 0 ? -1 : choose_by_name(a->host, name, &c, e);
	if (r > 0 && choose_read(a->host, &c, e) < 0) {
		if (e->sys != ENODEV)
			return -1;
		c = unknown;
	}
	if (r < 0 || policy_check_device(a->host, a->call, &a->home, &c, e) < 0 ||
	    lock_named(m, &c, e) < 0)
		return -1;
	return check_use(a, &c, e) < 0 ? -1 : check_holder(a, name, e);
}

static bool has_address(const struct link *link, const void *arg)
{
	return link->addr_len == MAC_LEN && memcmp(link->addr, arg, MAC_LEN) == 0;
}

/* host-device takes the first of this address, in the same order. */
static int check_address(struct moved *m, const char *text, struct err *e)
{
	uint8_t mac[MAC_LEN];
	struct link link;
	int r = mac_parse(text, mac) ? link_find(&m->a->home, has_address, mac, &link, e) : 0;

	if (r == 0)
		return err_set(e, ERR_DEVICE, 0, "no network device of the host has the address "
			       "'%.32s'", text);
	return r < 0 ? -1 : check_name(m, link.name, e);
}

static int visit_netdev(const char *name, void *arg, struct err *e)
{
	return check_name(arg, name, e);
}

/* The plugin cuts ".." off as text; the directory that it means could be another one. */
static int check_sysfs_path(struct moved *m, const char *path, struct err *e)
{
	char dir[PATH_MAX];

	if (strstr(path, "..") || snprintf(dir, sizeof(dir), "%s/net", path) >= PATH_MAX)
		return err_set(e, ERR_DEVICE, 0, "invalid path '%.128s': must be a directory below "
			       "/sys/devices without '..'", path);
	return fs_each(m->a->host->root, dir, visit_netdev, m, e);
}

/* What plugins in Go take a key for, whose library does not regard the case of letters. */
static const struct device_key {
	const char *name;
	int (*check)(struct moved *m, const char *value, struct err *e);
} device_keys[] = {
	{ "deviceID", check_name }, { "pciBusID", check_name }, { "device", check_name },
	{ "hwaddr", check_address }, { "kernelpath", check_sysfs_path },
};

static int check_value(struct moved *m, const char *key, const char *value, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(device_keys); i++)
		if (strcasecmp(key, device_keys[i].name) == 0 &&
		    device_keys[i].check(m, value, e) < 0)
			return err_wrap(e, "%s.%s", m->path, key);
	return 0;
}

/* Of bond: where it takes its links from.  What is said twice, in two spellings, may be either. */
static bool has_links_in_pod(json_t *o)
{
	bool said = false;
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
		if (strcasecmp(key, "linksInContainer") == 0) {
			if (!json_is_true(v))
				return false;
			said = true;
		}
	return said;
}

/* Bond moves its links from the host into the pod, unless they are there. */
static int check_links(struct moved *m, const char *key, const json_t *links, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(links, i, v) {
		const char *name = json_string_value(json_object_get(v, "name"));

		if (name && *name && check_name(m, name, e) < 0)
			return err_wrap(e, "%s.%s", m->path, key);
	}
	return 0;
}

static int check_members(struct moved *m, json_t *o, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v) {
		if (json_string_length(v) > 0 && check_value(m, key, json_string_value(v), e) < 0)
			return -1;
		if (strcasecmp(key, "links") == 0 && !has_links_in_pod(o) &&
		    check_links(m, key, v, e) < 0)
			return -1;
		if (strcasecmp(key, "runtimeConfig") == 0 && check_members(m, v, e) < 0)
			return -1;
	}
	return 0;
}

int delegate_policy_check_devices(struct attachment *a, struct err *e)
{
	struct moved m = { .a = a };
	json_t *v;
	size_t i;

	json_array_foreach(a->conf->delegates, i, v) {
		name_delegate(i, v, m.path);
		if (check_members(&m, v, e) < 0)
			return -1;
	}
	return 0;
}
