/* SPDX-License-Identifier: Apache-2.0 */
/* inventory.c - one model of the node: its lists, and the order in which they are read */
#include "manager/inventory/inventory.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/node/sysfs.h"
#include "manager/inventory/facts.h"
#include "manager/inventory/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void inventory_done(struct inventory *inv)
{
	void *const lists[] = {
		inv->functions, inv->links, inv->vfs, inv->auxiliaries, inv->vdpas,
		inv->mgmtdevs, inv->rdmas, inv->attachments, inv->files, inv->allocations,
	};

	for (size_t i = 0; i < inv->n_links; i++) {
		free(inv->links[i].altnames);
		free(inv->links[i].ips);
	}
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
		return read_kernel_links(inv, e) < 0 || read_kernel_addrs(inv, e) < 0 ||
		       read_kernel_genl(inv, e) < 0 ? -1 : 0;
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
