/* SPDX-License-Identifier: Apache-2.0 */
/* inventory.c - one model of the node: its lists, and the order in which they are read */
#include "devinfo/inventory/inventory.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/inventory/facts.h"
#include "devinfo/inventory/read.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- lists -- */

/* A list has room for the next power of two of elements. */
void *inv_add(void *list, size_t *n, size_t size, struct err *e)
{
	char *old;
	void *more;

	memcpy(&old, list, sizeof(old));
	if (*n >= INV_LENGTH_MAX) {
		(void)err_set(e, ERR_IO, E2BIG, "over %d devices of one kind", INV_LENGTH_MAX);
		return NULL;
	}
	if ((*n & (*n - 1)) == 0) {
		more = reallocarray(old, *n ? 2 * *n : 1, size);
		if (!more) {
			(void)err_set(e, ERR_IO, ENOMEM, "list of devices");
			return NULL;
		}
		memcpy(list, &more, sizeof(more));
		old = more;
	}
	return memset(old + (*n)++ * size, 0, size);
}

/* The name is the first member of each, but of a VF's. */
static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int by_natural_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

static int by_pf_and_index(const void *a, const void *b)
{
	const struct inv_vf *x = a, *y = b;
	int r = strcmp(x->pf, y->pf);

	return r ? r : x->index - y->index;
}

static void sort(void *list, size_t n, size_t size, int (*by)(const void *, const void *))
{
	if (n)
		qsort(list, n, size, by);
}

#define SORT(inv, what, by) sort((inv)->what, (inv)->n_##what, sizeof(*(inv)->what), by)

void lists_sort(struct inventory *inv)
{
	SORT(inv, functions, by_name);
	SORT(inv, links, by_name);
	SORT(inv, vfs, by_pf_and_index);
	SORT(inv, auxiliaries, by_natural_name);
	SORT(inv, vdpas, by_natural_name);
	SORT(inv, mgmtdevs, by_natural_name);
	SORT(inv, rdmas, by_natural_name);
}

static int find(const void *list, size_t n, size_t size, const char *name,
		int (*by)(const void *, const void *))
{
	const char *at = n ? bsearch(name, list, n, size, by) : NULL;

	return at ? (int)((size_t)(at - (const char *)list) / size) : INV_NONE;
}

#define FIND(inv, what, name, by) \
	find((inv)->what, (inv)->n_##what, sizeof(*(inv)->what), name, by)

int inventory_function(const struct inventory *inv, const char *bdf)
{
	return FIND(inv, functions, bdf, by_name);
}

int inventory_link(const struct inventory *inv, const char *name)
{
	return FIND(inv, links, name, by_name);
}

int inventory_auxiliary(const struct inventory *inv, const char *name)
{
	return FIND(inv, auxiliaries, name, by_natural_name);
}

int inventory_vdpa(const struct inventory *inv, const char *name)
{
	return FIND(inv, vdpas, name, by_natural_name);
}

int inventory_vf(const struct inventory *inv, const char *pf_netdev, int index)
{
	struct inv_vf key = { .index = index };
	const struct inv_vf *at = NULL;

	(void)snprintf(key.pf, sizeof(key.pf), "%s", pf_netdev);
	if (inv->n_vfs)
		at = bsearch(&key, inv->vfs, inv->n_vfs, sizeof(key), by_pf_and_index);
	return at ? (int)(at - inv->vfs) : INV_NONE;
}

void inventory_done(struct inventory *inv)
{
	void *const lists[] = {
		inv->functions, inv->links, inv->vfs, inv->auxiliaries, inv->vdpas,
		inv->mgmtdevs, inv->rdmas, inv->attachments, inv->files, inv->allocations,
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		free(lists[i]);
	*inv = (struct inventory){ .n_functions = 0 };
}

/* -- reading -- */

static int is_there(const char *name, void *arg, struct err *e)
{
	(void)name, (void)arg, (void)e;
	return 1;
}

static int read_has(const struct host *host, const char *path, bool *ret, struct err *e)
{
	int r = fs_exists(host->root, e, "%s", path);

	*ret = r > 0;
	return r < 0 ? -1 : 0;
}

static int read_node(const struct host *host, struct inv_node *n, struct err *e)
{
	int r = fs_each(host->root, "/sys/kernel/iommu_groups", is_there, NULL, e);

	n->iommu = r > 0;
	if (r < 0 || read_has(host, "/dev/vhost-net", &n->vhost_net, e) < 0 ||
	    read_has(host, "/dev/vduse/control", &n->vduse, e) < 0 ||
	    fs_read_line(host->root, n->kernel, sizeof(n->kernel), e,
			 "/proc/sys/kernel/osrelease") < 0 ||
	    fs_read_line(host->root, n->boot_id, sizeof(n->boot_id), e,
			 "/proc/sys/kernel/random/boot_id") < 0)
		return -1;
	return 0;
}

static int read_sysfs(const struct host *host, struct inventory *inv, struct err *e)
{
	if (read_node(host, &inv->node, e) < 0 || read_pci(host, inv, e) < 0)
		return -1;
	lists_sort(inv);
	if (read_auxiliaries(host, inv, e) < 0 || read_vdpas(host, inv, e) < 0 ||
	    read_rdmas(host, inv, e) < 0)
		return -1;
	lists_sort(inv);
	if (read_links(host, inv, e) < 0)
		return -1;
	lists_sort(inv);
	return 0;
}

/* What files cannot say: from the kernel, or as the recorded tree has it. */
static int read_sockets(const struct host *host, struct inventory *inv, struct err *e)
{
	json_auto_t *facts = NULL;
	int live = facts_is_live(host, e);

	if (live < 0)
		return -1;
	inv->node.is_recorded = !live;
	if (live)
		return read_kernel_links(inv, e) < 0 ? -1 : read_kernel_genl(host, inv, e);
	if (facts_read(host, &facts, e) < 0)
		return -1;
	return facts ? facts_read_devices(facts, inv, e) : 0;
}

/* A driver for user space may need a way back into the kernel; see devinfo/node/discover.c. */
static int read_nodes_of_devices(const struct host *host, struct inventory *inv, struct err *e)
{
	char path[64];

	for (size_t i = 0; i < inv->n_functions; i++)
		inv->functions[i].vhost_net = inv->node.vhost_net &&
					      driver_is_userspace(inv->functions[i].driver);
	for (size_t i = 0; i < inv->n_vdpas && !inv->node.vhost_vdpa; i++) {
		(void)snprintf(path, sizeof(path), "/dev/%s", inv->vdpas[i].node);
		if (*inv->vdpas[i].node && read_has(host, path, &inv->node.vhost_vdpa, e) < 0)
			return -1;
	}
	return 0;
}

int inventory_read(const struct host *host, struct inventory *ret, struct err *e)
{
	*ret = (struct inventory){ .n_functions = 0 };
	if (read_sysfs(host, ret, e) < 0 || read_sockets(host, ret, e) < 0 ||
	    read_nodes_of_devices(host, ret, e) < 0)
		return err_wrap(e, "inventory");
	read_names(ret);
	lists_sort(ret);
	return places_set(ret, e);
}
