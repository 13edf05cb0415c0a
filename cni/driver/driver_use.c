/* SPDX-License-Identifier: Apache-2.0 */
/* driver_use.c - can a program in user space open a PCI function, and has one done so? */
#include "cni/driver/driver_part.h"

#include "base/bounded.h"
#include "base/bounded_file.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/call/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool driver_is_vfio(const char *driver)
{
	return driver_is_userspace(driver) && strstr(driver, "vfio");
}

int driver_now(const struct host *host, const char *bdf, char ret[64], struct err *e)
{
	*ret = '\0';
	return fs_readlink_base(host->root, ret, 64, e, PCI_DIR "%s/driver", bdf) < 0 ? -1 : 0;
}

/* -- nodes -- */

static bool is_node(const struct host *host, const char *path)
{
	auto_close int fd = fs_open(host->root, path, O_PATH, 0);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode);
}

struct node_search {
	const struct host *host;
	const char *dir;		/* of the nodes */
	const char *prefix;		/* of their names */
	char path[128];			/* of the last that was looked for */
};

static int try_node(const char *name, void *arg, struct err *e)
{
	struct node_search *s = arg;

	(void)e;
	if (strncmp(name, s->prefix, strlen(s->prefix)) != 0 || strlen(name) > 32)
		return 0;
	(void)snprintf(s->path, sizeof(s->path), "%s/%s", s->dir, name);
	return is_node(s->host, s->path);
}

/* A node for one of the names in a directory of the function: 1, 0, -1. */
static int find_node(struct node_search *s, const char *bdf, const char *sub, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), PCI_DIR "%s/%s", bdf, sub);
	return fs_each(s->host->root, path, try_node, s, e);
}

static int check_uio(const struct host *host, const struct pci_device *dev, struct err *e)
{
	struct node_search s = { .host = host, .dir = "/dev", .prefix = "uio" };
	int r = find_node(&s, dev->bdf, "uio", e);

	if (r == 0)
		return err_set(e, ERR_DEVICE, ENOENT, "%s is bound to %s, but there is no %s",
			       dev->bdf, dev->driver, *s.path ? s.path : "/dev/uio<N>");
	return r < 0 ? -1 : 0;
}

/* The node of the group, with IOMMU or without one, or that of the function alone. */
static int check_vfio_node(const struct host *host, const struct pci_device *dev, struct err *e)
{
	struct node_search s = { .host = host, .dir = "/dev/vfio/devices", .prefix = "vfio" };
	char group[64], noiommu[64];
	int r;

	(void)snprintf(group, sizeof(group), "/dev/vfio/%s", dev->iommu_group);
	(void)snprintf(noiommu, sizeof(noiommu), "/dev/vfio/noiommu-%s", dev->iommu_group);
	if (*dev->iommu_group && (is_node(host, group) || is_node(host, noiommu)))
		return 0;
	r = find_node(&s, dev->bdf, "vfio-dev", e);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (!*dev->iommu_group)
		return err_set(
			e, ERR_DEVICE, 0,
			"%s is bound to %s, but has no IOMMU group: is the IOMMU switched on?",
			dev->bdf, dev->driver);
	return err_set(e, ERR_DEVICE, ENOENT, "%s is bound to %s, but there is neither %s nor %s",
		       dev->bdf, dev->driver, group, noiommu);
}

struct group_search {
	const struct host *host;
	const struct pci_device *dev;
};

/* The kernel's own rule: each function of the group is without driver, a bridge, or a user's. */
static int check_member(const char *name, void *arg, struct err *e)
{
	const struct group_search *s = arg;
	char driver[64] = "", class[16] = "";

	if (!name_is_bdf(name) || strcmp(name, s->dev->bdf) == 0)
		return 0;
	if (driver_now(s->host, name, driver, e) < 0 ||
	    fs_read_line(s->host->root, class, sizeof(class), e, PCI_DIR "%s/class", name) < 0)
		return -1;
	if (!*driver || driver_is_vfio(driver) || strcmp(driver, "pci-stub") == 0 ||
	    strcmp(driver, "pcieport") == 0 || strncmp(class, "0x0604", 6) == 0)
		return 0;
	return err_set(e, ERR_DEVICE, EBUSY, "IOMMU group %s of %s also has %s, driven by %s",
		       s->dev->iommu_group, s->dev->bdf, name, driver);
}

int driver_check_group(const struct host *host, const struct pci_device *dev, struct err *e)
{
	struct group_search s = { .host = host, .dev = dev };
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), PCI_DIR "%s/iommu_group/devices", dev->bdf);
	return fs_each(host->root, path, check_member, &s, e);
}

int driver_check_nodes(const struct host *host, const struct pci_device *dev, struct err *e)
{
	if (!driver_is_vfio(dev->driver))
		return check_uio(host, dev, e);
	if (check_vfio_node(host, dev, e) < 0 || driver_check_group(host, dev, e) < 0)
		return -1;
	return driver_check_unused(host, dev->bdf, e);
}

/* -- is it open? -- */

struct group {
	int root;
	char name[16];
};

/*
 * In a child, whose capability it is: without an IOMMU the kernel asks for that before it looks
 * whether somebody has the group, which can be open once.  Nobody has one that there is no node of,
 * or no driver behind.
 */
static int see_group(const void *arg, void *answer, struct err *e)
{
	static const char *const prefixes[] = { "", "noiommu-" };
	const struct group *g = arg;
	char path[64];

	(void)answer;
	process_raise(CAP_SYS_RAWIO);
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		auto_close int fd = -1;

		(void)snprintf(path, sizeof(path), "/dev/vfio/%s%s", prefixes[i], g->name);
		fd = fs_open(g->root, path, O_RDWR | O_NONBLOCK, 0);
		if (fd >= 0 || errno == ENOENT || errno == ENXIO || errno == ENODEV)
			continue;
		if (errno == EBUSY)
			return err_set(e, ERR_TRY_AGAIN, EBUSY, "a program still has %s open",
				       path);
		return err_set(e, ERR_TRY_AGAIN, errno, "open '%s'", path);
	}
	return 0;
}

int driver_check_unused(const struct host *host, const char *bdf, struct err *e)
{
	struct deadline d = deadline_in(DRIVER_READ_MS);
	struct group g = { .root = host->root };
	struct bounded b = { .fn = see_group, .arg = &g, .keep = host->root,
			     .grace_ms = BOUNDED_GRACE_MS };
	int r = fs_readlink_base(host->root, g.name, sizeof(g.name), e, PCI_DIR "%s/iommu_group",
				 bdf);

	if (r == 0)
		return 0;
	if (r > 0 && bounded_run(&b, &d, e) >= 0)
		return 0;
	if (e->code != ERR_TRY_AGAIN && e->code != ERR_INTERRUPTED)
		e->code = ERR_TRY_AGAIN;
	return e->sys == EBUSY ? -1 : err_wrap(e, "check whether %s is in use", bdf);
}

/* The link to the driver is what an unbinding takes away first, before it waits. */
bool driver_may_be_open(const char *driver)
{
	return !*driver || driver_is_userspace(driver);
}

int driver_check_free(const struct host *host, const char *bdf, struct err *e)
{
	char now[64];

	if (driver_now(host, bdf, now, e) < 0)
		return -1;
	return driver_may_be_open(now) ? driver_check_unused(host, bdf, e) : 0;
}
