/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_device.c - the nodes of one device, and what the environment says of it
 *
 * Each source of nodes is one function in a table, and has a member of its own in what the
 * environment says.  The names, and when there is which, are those of sriov-network-device-plugin's
 * "info providers" (pkg/infoprovider/ there; NOTES.md has the table).  In two cases it differs: of
 * RDMA and TUN a node that the kernel does not have is left out, because with it no container would
 * start; and each driver that is VFIO's or UIO's counts as one, not those of one name alone.
 */
#include "daemon/plugin/access_part.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/node/sysfs_rdma.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One device while it is looked at. */
struct looking {
	const struct access_world *w;
	const struct offered *d;
	const struct inv_function *f;	/* NULL: an auxiliary device */
	struct pool_wants wants;
	char driver[64];		/* asked now */
	struct access *ret;
};

static const char *bus(const struct looking *l)
{
	return l->f ? "pci" : "auxiliary";
}

/* Add a node and, unless key is NULL, its path in the container to what is said. */
static int add(const struct looking *l, const char *permissions, json_t *said, const char *key,
	       struct err *e, const char *fmt, ...) printflike(6, 7);

static int add(const struct looking *l, const char *permissions, json_t *said, const char *key,
	       struct err *e, const char *fmt, ...)
{
	struct access_node node = { .host = "" };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(node.host, sizeof(node.host), fmt, ap);
	va_end(ap);
	memcpy(node.container, node.host, sizeof(node.container));
	(void)snprintf(node.permissions, sizeof(node.permissions), "%s", permissions);
	if (key)
		(void)json_object_set_new(said, key, json_string(node.container));
	return access_add_node(l->ret, &node, e);
}

/* -- VFIO, UIO -- */

/* "vfio-pci", "mlx5_vfio_pci" */
static bool is_vfio(const char *driver)
{
	size_t len = strlen(driver);

	return len >= 8 && strncmp(driver + len - 8, "vfio", 4) == 0 &&
	       strcmp(driver + len - 3, "pci") == 0;
}

static bool wants_vfio(const struct looking *l)
{
	return l->f && is_vfio(l->driver);
}

/* Without an IOMMU the node has another name, which is not seen in the container. */
static int vfio_nodes(const struct looking *l, json_t *said, struct err *e)
{
	char group[32] = "", name[32] = "";
	struct access_node node = { .permissions = "rw" };

	if (add(l, "rw", said, "mount", e, "/dev/vfio/vfio") < 0)
		return -1;
	if (fs_readlink_base(l->w->host->root, group, sizeof(group), e,
			     "/sys/bus/pci/devices/%s/iommu_group", l->f->bdf) < 0 ||
	    fs_read_line(l->w->host->root, name, sizeof(name), e,
			 "/sys/bus/pci/devices/%s/iommu_group/name", l->f->bdf) < 0)
		return -1;
	if (!*group)
		return err_set(e, ERR_DEVICE, 0, "it has no IOMMU group");
	(void)snprintf(node.host, sizeof(node.host), "/dev/vfio/%s%s",
		       strcmp(name, "vfio-noiommu") == 0 ? "noiommu-" : "", group);
	(void)snprintf(node.container, sizeof(node.container), "/dev/vfio/%s", group);
	(void)json_object_set_new(said, "dev-mount", json_string(node.container));
	return access_add_node(l->ret, &node, e);
}

static bool wants_uio(const struct looking *l)
{
	return l->f && (strcmp(l->driver, "igb_uio") == 0 || strncmp(l->driver, "uio", 3) == 0);
}

struct uio_search {
	const struct looking *l;
	json_t *said;
};

static int uio_node(const char *name, void *arg, struct err *e)
{
	const struct uio_search *s = arg;

	return add(s->l, "rw", s->said, "mount", e, "/dev/%.63s", name);
}

static int uio_nodes(const struct looking *l, json_t *said, struct err *e)
{
	struct uio_search s = { l, said };
	char dir[96];

	(void)snprintf(dir, sizeof(dir), "/sys/bus/pci/devices/%s/uio", l->f->bdf);
	return fs_each(l->w->host->root, dir, uio_node, &s, e);
}

/* -- vDPA -- */

static bool wants_vdpa(const struct looking *l)
{
	return l->f && l->wants.vdpa_type;
}

static int vdpa_nodes(const struct looking *l, json_t *said, struct err *e)
{
	const struct inventory *inv = l->w->inv;

	if (strcmp(l->wants.vdpa_type, "vhost") != 0)
		return 0;
	for (int i = l->f->vdpa; i != INV_NONE; i = inv->vdpas[i].next)
		if (*inv->vdpas[i].node && !*inv->vdpas[i].auxiliary)
			return add(l, "rw", said, "mount", e, "/dev/%s", inv->vdpas[i].node);
	return err_set(e, ERR_DEVICE, 0, "its vDPA device has no node");
}

/* -- RDMA -- */

enum { RDMA_NODES = 24 };

struct rdma_nodes {
	char name[RDMA_NODES][32];
	size_t n;
};

static int keep_name(const char *name, void *arg, struct err *e)
{
	struct rdma_nodes *nodes = arg;

	(void)e;
	if (nodes->n < RDMA_NODES && strlen(name) < sizeof(nodes->name[0]))
		memcpy(nodes->name[nodes->n++], name, strlen(name) + 1);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* issm0, umad0, uverbs0: "issm" and the like are keys. */
static int add_rdma(const struct looking *l, const char *class, json_t *said, struct err *e)
{
	struct rdma_nodes nodes = { .n = 0 };
	char dir[160], key[32];

	(void)snprintf(dir, sizeof(dir), "/sys/bus/%s/devices/%s/%s", bus(l), l->d->id, class);
	if (fs_each(l->w->host->root, dir, keep_name, &nodes, e) < 0)
		return -1;
	qsort(nodes.name, nodes.n, sizeof(nodes.name[0]), compare);
	for (size_t i = 0; i < nodes.n; i++) {
		(void)snprintf(key, sizeof(key), "%.*s",
			       (int)strcspn(nodes.name[i], "0123456789"), nodes.name[i]);
		if (add(l, "rw", said, key, e, "/dev/infiniband/%s", nodes.name[i]) < 0)
			return -1;
	}
	return 0;
}

static bool wants_rdma(const struct looking *l)
{
	return l->wants.rdma;
}

/* As there, the first of several. */
static int say_rdma(const struct looking *l, json_t *said, struct err *e)
{
	struct rdma_names names;

	if (sysfs_rdma(l->w->host, l->f, l->d->id, &names, e) < 0)
		return -1;
	if (names.n > 0)
		(void)json_object_set_new(said, "rdma_dev", json_string(names.name[0]));
	return 0;
}

static int rdma_nodes(const struct looking *l, json_t *said, struct err *e)
{
	int r;

	if (add_rdma(l, "infiniband_mad", said, e) < 0 ||
	    add_rdma(l, "infiniband_verbs", said, e) < 0 || say_rdma(l, said, e) < 0)
		return -1;
	r = fs_exists(l->w->host->root, e, "/sys/class/misc/rdma_cm");
	return r <= 0 ? r : add(l, "rw", said, "rdma_cm", e, "/dev/infiniband/rdma_cm");
}

/* -- vhost-net -- */

static bool wants_vhost(const struct looking *l)
{
	return l->wants.vhost_net && l->w->inv->node.vhost_net;
}

static int vhost_nodes(const struct looking *l, json_t *said, struct err *e)
{
	int r;

	if (add(l, "rw", said, "net-mount", e, "/dev/vhost-net") < 0)
		return -1;
	r = fs_exists(l->w->host->root, e, "/dev/net/tun");
	return r <= 0 ? r : add(l, "rw", said, "tun-mount", e, "/dev/net/tun");
}

/* -- one device -- */

static const struct source {
	const char *name;
	bool (*wants)(const struct looking *l);
	int (*nodes)(const struct looking *l, json_t *said, struct err *e);
} sources[] = {
	{ "vfio", wants_vfio, vfio_nodes }, { "uio", wants_uio, uio_nodes },
	{ "vdpa", wants_vdpa, vdpa_nodes }, { "rdma", wants_rdma, rdma_nodes },
	{ "vhost", wants_vhost, vhost_nodes },
};

/* additionalInfo of the pool */
static void say_more(const struct looking *l, json_t *info)
{
	json_t *more = pool_info(l->w->pools, l->w->offer->pool, l->d->id);

	if (json_object_size(more) > 0)
		(void)json_object_set(info, "extra", more);
	json_decref(more);
}

static int run_sources(const struct looking *l, json_t *info, struct err *e)
{
	for (const struct source *s = sources; s < sources + ARRAY_SIZE(sources); s++) {
		json_t *said;

		if (!s->wants(l))
			continue;
		said = json_object();
		(void)json_object_set_new(info, s->name, said);
		if (s->nodes(l, said, e) < 0)
			return err_wrap(e, "device %s", l->d->id);
	}
	return 0;
}

/* Who has it, and its driver, which may have changed since the inventory was read. */
static int look(struct looking *l, struct err *e)
{
	const struct inventory *inv = l->w->inv;
	size_t pool = l->w->offer->pool;
	int r = fs_exists(l->w->host->root, e, "/sys/bus/%s/devices/%s", bus(l), l->d->id);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DEVICE, 0, "device %s is gone", l->d->id);
	if (fs_readlink_base(l->w->host->root, l->driver, sizeof(l->driver), e,
			     "/sys/bus/%s/devices/%s/driver", bus(l), l->d->id) < 0)
		return -1;
	l->wants = l->f ? pool_wants(l->w->pools, pool, inv, l->f) :
		   pool_wants_auxiliary(l->w->pools, pool, inv,
					&inv->auxiliaries[l->d->auxiliary]);
	return 0;
}

static json_t *begin_info(const struct looking *l)
{
	json_t *said = json_object();

	(void)json_object_set_new(said, "generic", json_pack("{s:s}", "deviceID", l->d->id));
	say_more(l, said);
	return said;
}

static int look_at_device(struct looking *l, json_t *said, struct err *e)
{
	if (l->d->socket)
		return access_socket(l->w, l->d, l->ret, said, e);
	if (l->d->auxiliary == INV_NONE && l->d->function != INV_NONE)
		l->f = &l->w->inv->functions[l->d->function];
	else if (l->d->auxiliary == INV_NONE)
		return err_set(e, ERR_DEVICE, 0, "device %s is gone", l->d->id);
	return look(l, e) < 0 || run_sources(l, said, e) < 0 ? -1 : 0;
}

int access_device(const struct access_world *w, const struct offered *d, struct access *ret,
		  json_t **info, struct err *e)
{
	auto_access struct access a = { .n_nodes = 0 };
	struct looking l = { .w = w, .d = d, .ret = &a };
	json_auto_t *said = begin_info(&l);

	if (look_at_device(&l, said, e) < 0)
		return -1;
	*ret = a;
	a = (struct access){ .n_nodes = 0 };
	if (info)
		*info = json_incref(said);
	return 0;
}
