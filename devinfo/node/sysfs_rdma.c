/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs_rdma.c - the RDMA devices of a PCI function or an auxiliary device, after /sys */
#include "devinfo/node/sysfs_rdma.h"

#include "base/fs.h"
#include "base/name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIR_FORMAT "/sys/bus/%s/devices/%s/infiniband"

static const char *bus(bool is_pci)
{
	return is_pci ? "pci" : "auxiliary";
}

static int add(const char *name, void *arg, struct err *e)
{
	struct rdma_names *names = arg;

	(void)e;
	names->count++;
	if (names->n < RDMA_NAMES_MAX && strlen(name) < RDMA_NAME_SIZE)
		memcpy(names->name[names->n++], name, strlen(name) + 1);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int sysfs_rdma(const struct host *host, bool is_pci, const char *device, struct rdma_names *ret,
	       struct err *e)
{
	struct rdma_names names = { .count = 0 };
	char dir[PATH_MAX];

	(void)snprintf(dir, sizeof(dir), DIR_FORMAT, bus(is_pci), device);
	if (name_is_file(device) && fs_each(host->root, dir, add, &names, e) < 0)
		return -1;
	qsort(names.name, names.n, sizeof(names.name[0]), compare);
	*ret = names;
	return 0;
}

int sysfs_rdma_is_of(const struct host *host, bool is_pci, const char *device, const char *name,
		     struct err *e)
{
	if (!name_is_file(device) || !name_is_file(name))
		return 0;
	return fs_exists(host->root, e, DIR_FORMAT "/%s", bus(is_pci), device, name);
}

/* "0011:2233:4455:6677" */
static bool parse_guid(const char *text, uint64_t *ret)
{
	unsigned int g[4];
	char rest;

	if (strlen(text) != 19 || strspn(text, "0123456789abcdefABCDEF:") != 19 ||
	    sscanf(text, "%4x:%4x:%4x:%4x%c", &g[0], &g[1], &g[2], &g[3], &rest) != 4)
		return false;
	*ret = (uint64_t)g[0] << 48 | (uint64_t)g[1] << 32 | (uint64_t)g[2] << 16 | g[3];
	return true;
}

int sysfs_rdma_node_guid(const struct host *host, const char *bdf, uint64_t *ret, struct err *e)
{
	struct rdma_names names;
	char text[32] = "";
	int r;

	if (sysfs_rdma(host, true, bdf, &names, e) < 0)
		return -1;
	if (names.count != 1 || names.n != 1)
		return 0;
	r = fs_read_line(host->root, text, sizeof(text), e, DIR_FORMAT "/%s/node_guid", bus(true),
			 bdf, names.name[0]);
	return r <= 0 ? r : parse_guid(text, ret);
}
