/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - attachment records on disk, and the locks */
#include "devinfo/journal.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool owner_equal(const struct owner *a, const struct owner *b)
{
	return strcmp(a->network, b->network) == 0 &&
	       strcmp(a->container_id, b->container_id) == 0 && strcmp(a->ifname, b->ifname) == 0;
}

/* The separator is in none of the three, so equal text means equal owners. */
static uint64_t owner_hash(const struct owner *o)
{
	uint64_t h = name_hash(0, o->network);

	h = name_hash(name_hash(h, "/"), o->container_id);
	return name_hash(name_hash(h, "/"), o->ifname);
}

static void record_name(const struct owner *o, const char *device, char ret[NAME_MAX + 1])
{
	(void)snprintf(ret, NAME_MAX + 1, "%016" PRIx64 "@%s.json", owner_hash(o), device);
}

static int open_attachments(const struct host *h, enum journal_mode mode, int *ret, struct err *e)
{
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/attachments", h->set.state_dir);
	if (mode == JOURNAL_CREATE) {
		auto_close int state = fs_open_dir(h->root, h->set.state_dir, 0700, e);

		*ret = state < 0 ? -1 : fs_open_dir(h->root, path, 0700, e);
		return *ret < 0 ? -1 : 1;
	}
	fd = fs_open(h->root, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ?
			       0 : err_set(e, ERR_IO, errno, "open directory '%s'", path);
	*ret = fd;
	return 1;
}

int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
{
	auto_close int dir = -1, lock = -1;
	int r = open_attachments(h, mode, &dir, e);

	if (r <= 0)
		return r;
	if (mode != JOURNAL_READ) {
		lock = openat(dir, "../lock",
			      O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		if (lock < 0 && (mode == JOURNAL_CREATE || errno != EROFS))
			return err_set(e, ERR_IO, errno, "open '%s/lock'", h->set.state_dir);
	}
	*ret = (struct journal){
		.dir = steal_fd(&dir), .lock = steal_fd(&lock), .read_only = mode == JOURNAL_READ
	};
	return 1;
}

void journal_done(struct journal *j)
{
	if (j->dir > 0)		/* 0: never opened */
		(void)close(j->dir);
	if (j->lock > 0)
		(void)close(j->lock);
	*j = (struct journal){ .dir = -1, .lock = -1 };
}

static void hex_encode(const uint8_t *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	ret[2 * n] = '\0';
}

static int hex_decode(const char *s, uint8_t *ret, size_t max, uint8_t *len)
{
	size_t n = strlen(s) / 2;

	if (strlen(s) % 2 || n > max)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (sscanf(s + 2 * i, "%2hhx", &ret[i]) != 1)
			return -1;
	*len = (uint8_t)n;
	return 0;
}

/* Set a member unless an earlier one has failed; a value that could not be made is a failure. */
static void put(json_t **o, const char *key, json_t *value)
{
	if (*o && json_object_set_new(*o, key, value) < 0) {
		json_decref(*o);
		*o = NULL;
	} else if (!*o) {
		json_decref(value);
	}
}

static void put_hex(json_t **o, const char *key, const void *bytes, size_t n)
{
	char text[2 * 256 + 1];

	hex_encode(bytes, n, text);
	put(o, key, json_string(text));
}

static json_t *netdev_to_json(const struct netdev_state *s)
{
	json_t *o = json_object();

	put(&o, "name", json_string(s->name));
	put(&o, "ifindex", json_integer(s->ifindex));
	put(&o, "bus", json_string(s->bus));
	put(&o, "parent", json_string(s->parent));
	put(&o, "kind", json_string(s->kind));
	put_hex(&o, "addr", s->addr, s->addr_len);
	put_hex(&o, "perm", s->perm, s->perm_len);
	put(&o, "mtu", json_integer(s->mtu));
	put(&o, "txqlen", json_integer(s->txqlen));
	put(&o, "flags", json_integer(s->flags));
	put_hex(&o, "alias", s->alias, strlen(s->alias));
	return o;
}

static json_t *vf_to_json(const struct vf_state *s)
{
	json_t *o = json_object();

	put(&o, "have", json_integer(s->have));
	put_hex(&o, "mac", s->mac, sizeof(s->mac));
	put(&o, "vlan", json_integer(s->vlan));
	put(&o, "qos", json_integer(s->qos));
	put(&o, "proto", json_integer(s->proto));
	put(&o, "minTxRate", json_integer(s->min_tx_rate));
	put(&o, "maxTxRate", json_integer(s->max_tx_rate));
	put(&o, "spoofchk", json_boolean(s->spoofchk));
	put(&o, "trust", json_boolean(s->trust));
	put(&o, "linkState", json_integer(s->link_state));
	return o;
}

static void put_owner(json_t **o, const struct owner *owner)
{
	put(o, "network", json_string(owner->network));
	put(o, "containerID", json_string(owner->container_id));
	put(o, "ifname", json_string(owner->ifname));
	put(o, "netns", json_string(owner->netns));
	put(o, "netnsDev", json_integer((json_int_t)owner->netns_dev));
	put(o, "netnsIno", json_integer((json_int_t)owner->netns_ino));
	put(o, "netnsCookie", json_integer((json_int_t)owner->netns_cookie));
}

/* NULL when something in it cannot be said in JSON. */
static json_t *record_to_json(const struct record *r)
{
	json_t *o = json_object();

	put(&o, "version", json_integer(JOURNAL_VERSION));
	put_owner(&o, &r->owner);
	put(&o, "bootID", json_string(r->boot_id));
	put(&o, "device", json_string(r->device));
	put(&o, "pci", json_boolean(r->is_pci));
	put(&o, "sole", json_boolean(r->sole));
	put(&o, "released", json_boolean(r->released));
	put(&o, "vfSet", json_integer(r->vf_set));
	put(&o, "podIfindex", json_integer(r->pod_ifindex));
	put(&o, "devinfoDir", json_string(r->devinfo_dir));
	put(&o, "runDir", json_string(r->run_dir));
	if (r->netdev.present)
		put(&o, "netdev", netdev_to_json(&r->netdev));
	if (r->vf.have)
		put(&o, "vf", vf_to_json(&r->vf));
	if (r->device_info_file)
		put(&o, "deviceInfoFile", json_string(r->device_info_file));
	if (r->ipam_type) {
		put(&o, "ipamType", json_string(r->ipam_type));
		put(&o, "cniPath", json_string(r->cni_path));
		put(&o, "request", json_string(r->request));
	}
	return o;
}

/* A string of at most size - 1 bytes, copied; an absent one leaves ret. */
static int copy_string(const json_t *o, const char *path, const char *key, char *ret, size_t size,
		       struct err *e)
{
	const char *v = NULL;
	int r = jx_string(o, path, key, &v, e);

	if (r <= 0)
		return r;
	if (strlen(v) >= size)
		return err_set(e, ERR_DECODE, 0, "%s.%s: too long", path, key);
	memcpy(ret, v, strlen(v) + 1);
	return 1;
}

static int netdev_from_json(const json_t *o, struct netdev_state *ret, struct err *e)
{
	char addr[2 * sizeof(ret->addr) + 1] = "", perm[2 * sizeof(ret->perm) + 1] = "";
	char alias[2 * sizeof(ret->alias)] = "";
	json_int_t ifindex = 0, mtu = 0, txqlen = 0, flags = 0;
	uint8_t alias_len = 0;

	if (copy_string(o, "netdev", "name", ret->name, sizeof(ret->name), e) < 0 ||
	    copy_string(o, "netdev", "bus", ret->bus, sizeof(ret->bus), e) < 0 ||
	    copy_string(o, "netdev", "parent", ret->parent, sizeof(ret->parent), e) < 0 ||
	    copy_string(o, "netdev", "kind", ret->kind, sizeof(ret->kind), e) < 0 ||
	    copy_string(o, "netdev", "addr", addr, sizeof(addr), e) < 0 ||
	    copy_string(o, "netdev", "perm", perm, sizeof(perm), e) < 0 ||
	    copy_string(o, "netdev", "alias", alias, sizeof(alias), e) < 0 ||
	    jx_int(o, "netdev", "ifindex", 1, INT_MAX, &ifindex, e) < 0 ||
	    jx_int(o, "netdev", "mtu", 0, UINT32_MAX, &mtu, e) < 0 ||
	    jx_int(o, "netdev", "txqlen", 0, UINT32_MAX, &txqlen, e) < 0 ||
	    jx_int(o, "netdev", "flags", 0, INT_MAX, &flags, e) < 0)
		return -1;
	if (!name_is_ifname(ret->name) || ifindex == 0 ||
	    hex_decode(addr, ret->addr, sizeof(ret->addr), &ret->addr_len) < 0 ||
	    hex_decode(perm, ret->perm, sizeof(ret->perm), &ret->perm_len) < 0 ||
	    hex_decode(alias, (uint8_t *)ret->alias, sizeof(ret->alias) - 1, &alias_len) < 0)
		return err_set(e, ERR_DECODE, 0, "netdev: bad name, ifindex or address");
	ret->ifindex = (int)ifindex;
	ret->mtu = (uint32_t)mtu;
	ret->txqlen = (uint32_t)txqlen;
	ret->flags = (unsigned int)flags;
	ret->present = true;
	return 0;
}

static int vf_from_json(const json_t *o, struct vf_state *ret, struct err *e)
{
	json_int_t have = 0, vlan = 0, qos = 0, proto = 0, min = 0, max = 0, link = 0;
	const char *mac = "";
	uint8_t len = 0;

	if (jx_int(o, "vf", "have", 0, UINT32_MAX, &have, e) < 0 ||
	    jx_string(o, "vf", "mac", &mac, e) < 0 ||
	    jx_int(o, "vf", "vlan", 0, 4095, &vlan, e) < 0 ||
	    jx_int(o, "vf", "qos", 0, 7, &qos, e) < 0 ||
	    jx_int(o, "vf", "proto", 0, 65535, &proto, e) < 0 ||
	    jx_int(o, "vf", "minTxRate", 0, UINT32_MAX, &min, e) < 0 ||
	    jx_int(o, "vf", "maxTxRate", 0, UINT32_MAX, &max, e) < 0 ||
	    jx_int(o, "vf", "linkState", 0, 255, &link, e) < 0 ||
	    jx_bool(o, "vf", "spoofchk", &ret->spoofchk, e) < 0 ||
	    jx_bool(o, "vf", "trust", &ret->trust, e) < 0)
		return -1;
	if (hex_decode(mac, ret->mac, sizeof(ret->mac), &len) < 0)
		return err_set(e, ERR_DECODE, 0, "vf: bad address");
	ret->have = (uint32_t)have;
	ret->vlan = (uint16_t)vlan;
	ret->qos = (uint8_t)qos;
	ret->proto = (uint16_t)proto;
	ret->min_tx_rate = (uint32_t)min;
	ret->max_tx_rate = (uint32_t)max;
	ret->link_state = (uint8_t)link;
	return 0;
}

/* A string that must be there. */
static int need(const json_t *o, const char *key, const char **ret, struct err *e)
{
	int r = jx_string(o, "", key, ret, e);

	return r == 0 ? err_set(e, ERR_DECODE, 0, "'%s' is missing", key) : r < 0 ? -1 : 0;
}

static int owner_from_json(const json_t *o, struct owner *ret, struct err *e)
{
	json_int_t dev = 0, ino = 0, cookie = 0;

	if (need(o, "network", &ret->network, e) < 0 ||
	    need(o, "containerID", &ret->container_id, e) < 0 ||
	    need(o, "ifname", &ret->ifname, e) < 0 || need(o, "netns", &ret->netns, e) < 0 ||
	    jx_int(o, "", "netnsDev", INT64_MIN, INT64_MAX, &dev, e) < 0 ||
	    jx_int(o, "", "netnsIno", INT64_MIN, INT64_MAX, &ino, e) < 0 ||
	    jx_int(o, "", "netnsCookie", INT64_MIN, INT64_MAX, &cookie, e) < 0)
		return -1;
	if (!name_is_cni_id(ret->network) || !name_is_cni_id(ret->container_id) ||
	    !name_is_ifname(ret->ifname))
		return err_set(e, ERR_DECODE, 0, "the owner's names are not valid");
	ret->netns_dev = (uint64_t)dev;
	ret->netns_ino = (uint64_t)ino;
	ret->netns_cookie = (uint64_t)cookie;
	return 0;
}

static int files_from_json(struct record *r, struct err *e)
{
	if (need(r->doc, "devinfoDir", &r->devinfo_dir, e) < 0 ||
	    need(r->doc, "runDir", &r->run_dir, e) < 0 ||
	    jx_string(r->doc, "", "deviceInfoFile", &r->device_info_file, e) < 0 ||
	    jx_string(r->doc, "", "ipamType", &r->ipam_type, e) < 0 ||
	    jx_string(r->doc, "", "cniPath", &r->cni_path, e) < 0 ||
	    jx_string(r->doc, "", "request", &r->request, e) < 0)
		return -1;
	if ((r->device_info_file && !name_is_file(r->device_info_file)) ||
	    (r->ipam_type && (!r->request || !r->cni_path)))
		return err_set(e, ERR_DECODE, 0, "bad deviceInfoFile or no request");
	return 0;
}

/* r->doc is set; the rest is filled from it. */
static int record_from_json(struct record *r, struct err *e)
{
	const char *boot = NULL, *device = NULL;
	json_t *netdev = NULL, *vf = NULL;
	json_int_t vf_set = 0, pod_ifindex = 0;

	if (owner_from_json(r->doc, &r->owner, e) < 0 || need(r->doc, "bootID", &boot, e) < 0 ||
	    need(r->doc, "device", &device, e) < 0 ||
	    jx_bool(r->doc, "", "pci", &r->is_pci, e) < 0 ||
	    jx_bool(r->doc, "", "sole", &r->sole, e) < 0 ||
	    jx_bool(r->doc, "", "released", &r->released, e) < 0 ||
	    jx_int(r->doc, "", "vfSet", 0, UINT32_MAX, &vf_set, e) < 0 ||
	    jx_int(r->doc, "", "podIfindex", 0, INT_MAX, &pod_ifindex, e) < 0 ||
	    jx_object(r->doc, "", "netdev", &netdev, e) < 0 ||
	    jx_object(r->doc, "", "vf", &vf, e) < 0 ||
	    (netdev && netdev_from_json(netdev, &r->netdev, e) < 0) ||
	    (vf && vf_from_json(vf, &r->vf, e) < 0) || files_from_json(r, e) < 0)
		return -1;
	if (strlen(boot) >= sizeof(r->boot_id) || strlen(device) >= sizeof(r->device) ||
	    !(r->is_pci ? name_is_bdf(device) : name_is_ifname(device)))
		return err_set(e, ERR_DECODE, 0, "bad bootID or device");
	memcpy(r->boot_id, boot, strlen(boot) + 1);
	memcpy(r->device, device, strlen(device) + 1);
	r->vf_set = (uint32_t)vf_set;
	r->pod_ifindex = (int)pod_ifindex;
	return 0;
}

/* 1 written by us, 0 no telling, -1 by another version, whose records are not ours to judge. */
static int check_version(const json_t *doc, const char *name, struct err *e)
{
	struct err ignored;
	json_int_t version = 0;

	if (jx_int(doc, "", "version", 1, INT_MAX, &version, &ignored) != 1)
		return 0;
	if (version == JOURNAL_VERSION)
		return 1;
	return err_set(e, ERR_IO, 0,
		       "journal record '%s' is of version %lld, this program writes %d", name,
		       (long long)version, JOURNAL_VERSION);
}

/* 1 with *ret filled; 0 when the file is gone, or damaged: then it is removed and counted. */
static int read_record(struct journal *j, const char *name, struct record *ret, struct err *e)
{
	auto_record struct record r = { 0 };
	auto_free char *text = NULL;
	struct err bad;
	size_t len = 0;
	int found = fs_read_file(j->dir, name, JOURNAL_RECORD_MAX, &text, &len, e);

	if (found <= 0)
		return found;
	r.doc = jx_parse(text, len, ERR_DECODE, name, &bad);
	found = json_is_object(r.doc) ? check_version(r.doc, name, e) : 0;
	if (found < 0)
		return -1;
	if (found == 0 || record_from_json(&r, &bad) < 0) {
		j->damaged++;
		return j->read_only ? 0 : fs_remove(j->dir, name, e) < 0 ? -1 : 0;
	}
	*ret = r;
	r = (struct record){ 0 };
	return 1;
}

int journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	char name[NAME_MAX + 1];
	json_auto_t *o = record_to_json(r);
	auto_free char *text = NULL;
	size_t len;

	if (!o)		/* a path that is not UTF-8, say */
		return err_set(e, ERR_IO, EILSEQ, "write the journal record of %s", r->device);
	record_name(&r->owner, r->device, name);
	text = jx_dump(o, &len);
	if (fs_write_file(j->dir, name, text, len, 0600, FS_SYNC_DIR, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	return 0;
}

int journal_remove(const struct journal *j, const struct record *r, struct err *e)
{
	char name[NAME_MAX + 1];

	record_name(&r->owner, r->device, name);
	if (fs_remove(j->dir, name, e) < 0)
		return err_wrap(e, "remove the journal record of %s", r->device);
	return 0;
}

struct search {
	struct journal *j;
	const struct owner *owner;	/* NULL: any */
	const char *device;		/* NULL: any */
	char prefix[18];
	struct record *ret;
};

static int is_record(const char *name)
{
	size_t len = strlen(name);

	return len > 22 && name[16] == '@' && strcmp(name + len - 5, ".json") == 0;
}

static int match(const char *name, void *arg, struct err *e)
{
	struct search *s = arg;
	auto_record struct record r = { 0 };
	int found;

	if (!is_record(name) || (s->owner && strncmp(name, s->prefix, 17) != 0) ||
	    (s->device && (strncmp(name + 17, s->device, strlen(s->device)) != 0 ||
			   strcmp(name + 17 + strlen(s->device), ".json") != 0)))
		return 0;
	found = read_record(s->j, name, &r, e);
	if (found <= 0)
		return found;
	if ((s->owner && !owner_equal(s->owner, &r.owner)) || (s->device && r.released))
		return 0;
	*s->ret = r;
	r = (struct record){ 0 };
	return 1;
}

/* fs_each() wants a path; "." below our directory is one. */
static int search(struct search *s, struct err *e)
{
	return fs_each(s->j->dir, ".", match, s, e);
}

int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .owner = o, .ret = ret };

	(void)snprintf(s.prefix, sizeof(s.prefix), "%016" PRIx64 "@", owner_hash(o));
	return search(&s, e);
}

int journal_find_device(struct journal *j, const char *device, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .device = device, .ret = ret };

	return search(&s, e);
}

struct walk {
	struct journal *j;
	journal_fn *fn;
	void *arg;
};

static int visit(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_record struct record r = { 0 };
	int found;

	if (!is_record(name))
		return 0;
	found = read_record(w->j, name, &r, e);
	return found <= 0 ? found : w->fn(&r, w->arg, e);
}

int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .arg = arg };

	return fs_each(j->dir, ".", visit, &w, e);
}

int journal_boot_id(const struct host *h, char ret[40], struct err *e)
{
	int r = fs_read_line(h->root, ret, 40, e, "/proc/sys/kernel/random/boot_id");

	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_IO, ENOENT, "read the boot id");
}

int journal_lock_attachment(const struct journal *j, const struct owner *o,
			    const struct deadline *d, struct err *e)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "attachment %016" PRIx64, owner_hash(o));
	if (j->lock >= 0 && fs_lock(j->lock, name, d, e) < 0)
		return err_wrap(e, "attachment %.64s of container %.64s", o->ifname,
				o->container_id);
	return 0;
}

int journal_lock_device(const struct journal *j, const char *device, const struct deadline *d,
			struct err *e)
{
	return j->lock >= 0 ? fs_lock(j->lock, device, d, e) : 0;
}

void journal_unlock_device(const struct journal *j, const char *device)
{
	fs_unlock(j->lock, device);
}

void record_done(struct record *r)
{
	json_decref(r->doc);
	*r = (struct record){ 0 };
}
