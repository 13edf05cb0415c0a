/* SPDX-License-Identifier: Apache-2.0 */
/* read_bus.c - auxiliary, vDPA and RDMA devices of an inventory, from sysfs */
#include "manager/inventory/read.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/node/vdpa_device.h"

#include <stdio.h>
#include <string.h>

#define AUXILIARY_DIR "/sys/bus/auxiliary/devices"
#define VDPA_DIR "/sys/bus/vdpa/devices"
#define INFINIBAND_DIR "/sys/class/infiniband"

struct pass {
	const struct host *host;
	struct inventory *inv;
};

/* -- the auxiliary bus -- */

/* MODULE.TYPE.NUMBER */
static void type_of(const char *name, char *ret, size_t size)
{
	const char *first = strchr(name, '.'), *last = strrchr(name, '.');

	if (first && last > first && (size_t)(last - first) <= size)
		(void)snprintf(ret, size, "%.*s", (int)(last - first - 1), first + 1);
}

/* Those that are on no PCI function are sound cards and the like. */
static int take_auxiliary(const char *name, void *arg, struct err *e)
{
	struct inv_auxiliary one = { .has_sf = false }, *x;
	const struct pass *p = arg;
	char path[PATH_MAX];
	auto_close int dir = -1;
	int r;

	if (!name_is_file(name) || strlen(name) >= sizeof(one.name))
		return 0;
	r = fs_readlink(p->host->root, path, sizeof(path), e, AUXILIARY_DIR "/%s", name);
	if (r <= 0)
		return r;
	path_function(path, one.pf_bdf);
	if (inventory_function(p->inv, one.pf_bdf) == INV_NONE)
		return 0;
	memcpy(one.name, name, strlen(name) + 1);
	type_of(name, one.type, sizeof(one.type));
	(void)snprintf(path, sizeof(path), AUXILIARY_DIR "/%s", name);
	r = fs_find_dir(p->host->root, path, &dir, e);
	if (r <= 0)
		return r;
	one.has_sf = read_number(dir, "sfnum", &one.sf);
	read_base(dir, "driver", one.driver, sizeof(one.driver));
	x = INV_ADD(p->inv, auxiliaries, e);
	if (!x)
		return -1;
	*x = one;
	return 0;
}

int read_auxiliaries(const struct host *host, struct inventory *inv, struct err *e)
{
	struct pass p = { .host = host, .inv = inv };

	return fs_each(host->root, AUXILIARY_DIR, take_auxiliary, &p, e);
}

/* -- vDPA -- */

/* One that cannot be read is there all the same, by its name. */
static int take_vdpa(const char *name, void *arg, struct err *e)
{
	struct vdpa_device dev = { .ifindex = 0 };
	const struct pass *p = arg;
	struct inv_vdpa *v;
	struct err ignored;

	if (!name_is_file(name) || strlen(name) >= sizeof(v->name) ||
	    vdpa_device_read(p->host, name, &dev, &ignored) == 0)
		return 0;
	v = INV_ADD(p->inv, vdpas, e);
	if (!v)
		return -1;
	(void)snprintf(v->name, sizeof(v->name), "%s", name);
	(void)snprintf(v->driver, sizeof(v->driver), "%s", dev.driver);
	(void)snprintf(v->mgmtdev, sizeof(v->mgmtdev), "%s%s%s", dev.mgmt_bus,
		       *dev.mgmt_bus ? "/" : "", dev.mgmt_dev);
	(void)snprintf(v->node, sizeof(v->node), "%s", dev.node);
	(void)snprintf(v->bdf, sizeof(v->bdf), "%s", dev.bdf);
	(void)snprintf(v->auxiliary, sizeof(v->auxiliary), "%s", dev.auxiliary);
	(void)snprintf(v->netdev, sizeof(v->netdev), "%s", dev.netdev);
	return 0;
}

int read_vdpas(const struct host *host, struct inventory *inv, struct err *e)
{
	struct pass p = { .host = host, .inv = inv };

	return fs_each(host->root, VDPA_DIR, take_vdpa, &p, e);
}

/* -- RDMA -- */

static int take_rdma(const char *name, void *arg, struct err *e)
{
	static const struct read_text texts[] = {
		READ_TEXT("node_guid", struct inv_rdma, node_guid),
		READ_TEXT("ports/1/pkeys/0", struct inv_rdma, pkey),
	};
	const struct pass *p = arg;
	struct inv_rdma *x;
	auto_close int dir = -1;
	char path[PATH_MAX];
	int r;

	if (!name_is_file(name) || strlen(name) >= sizeof(x->name))
		return 0;
	r = fs_readlink(p->host->root, path, sizeof(path), e, INFINIBAND_DIR "/%s", name);
	if (r <= 0)
		return r;
	x = INV_ADD(p->inv, rdmas, e);
	if (!x)
		return -1;
	memcpy(x->name, name, strlen(name) + 1);
	path_component(path, 2, x->parent, sizeof(x->parent));
	if (strcmp(x->parent, "virtual") == 0)
		*x->parent = '\0';
	(void)snprintf(path, sizeof(path), INFINIBAND_DIR "/%s", name);
	r = fs_find_dir(p->host->root, path, &dir, e);
	if (r > 0)
		read_texts(dir, texts, ARRAY_SIZE(texts), x);
	return r < 0 ? -1 : 0;
}

int read_rdmas(const struct host *host, struct inventory *inv, struct err *e)
{
	struct pass p = { .host = host, .inv = inv };

	return fs_each(host->root, INFINIBAND_DIR, take_rdma, &p, e);
}
