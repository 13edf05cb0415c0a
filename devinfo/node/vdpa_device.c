/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_device.c - a vDPA device: all there is to read of it, and the node of vhost_vdpa */
#include "devinfo/node/vdpa_device.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define VDPA_DIR "/sys/bus/vdpa/devices"

/* -- reading -- */

static int take_node(const char *name, void *arg, struct err *e)
{
	struct vdpa_device *dev = arg;

	(void)e;
	if (!name_is_numbered(name, "vhost-vdpa-"))
		return 0;
	(void)snprintf(dev->node, sizeof(dev->node), "%s", name);
	return 1;
}

static int read_node(const struct host *host, struct vdpa_device *dev, struct err *e)
{
	char dir[sizeof(dev->name) + sizeof(VDPA_DIR)];

	(void)snprintf(dir, sizeof(dir), VDPA_DIR "/%s", dev->name);
	return fs_each(host->root, dir, take_node, dev, e);
}

int vdpa_device_read(const struct host *host, const char *name, struct vdpa_device *ret,
		     struct err *e)
{
	struct vdpa_device dev;
	int r;

	if (!name_is_file(name) || strlen(name) >= sizeof(dev.name))
		return 0;
	r = vdpa_device_glance(host, name, &dev, e);
	if (r > 0)
		memcpy(dev.name, name, strlen(name) + 1);
	if (r > 0 && strcmp(dev.driver, "vhost_vdpa") == 0)
		r = read_node(host, &dev, e) < 0 ? -1 : 1;
	if (r > 0 && strcmp(dev.driver, "virtio_vdpa") == 0)
		r = vdpa_device_read_virtio(host, &dev, e) < 0 ? -1 : 1;
	if (r > 0)
		*ret = dev;
	return r < 0 ? err_wrap(e, "vDPA device %s", name) : r;
}

struct walk {
	const struct host *host;
	vdpa_device_fn *fn;
	void *arg;
};

static int visit_device(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	struct vdpa_device dev;
	int r = vdpa_device_read(w->host, name, &dev, e);

	return r <= 0 ? r : w->fn(&dev, w->arg, e);
}

int vdpa_device_each(const struct host *host, vdpa_device_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .host = host, .fn = fn, .arg = arg };

	return fs_each(host->root, VDPA_DIR, visit_device, &w, e);
}

/* -- the device node -- */

int vdpa_node_number(const struct host *host, const struct vdpa_device *dev, dev_t *ret,
		     struct err *e)
{
	unsigned int major, minor;
	char text[32] = "", end;

	if (fs_read_line(host->root, text, sizeof(text), e, VDPA_DIR "/%s/%s/dev", dev->name,
			 dev->node) < 0)
		return -1;
	if (sscanf(text, "%9u:%9u%c", &major, &minor, &end) != 2)
		return err_set(e, ERR_DEVICE, 0, "%s is not that of vDPA device %s any more",
			       dev->node, dev->name);
	*ret = makedev(major, minor);
	return 0;
}

/* A character device, with the numbers in the attribute "dev" of sysfs. */
static int check_node(const struct host *host, const struct vdpa_device *dev, int fd, struct err *e)
{
	dev_t number = 0;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat '/dev/%s'", dev->node);
	if (!S_ISCHR(st.st_mode))
		return err_set(e, ERR_DEVICE, 0, "/dev/%s is not a character device", dev->node);
	if (vdpa_node_number(host, dev, &number, e) < 0)
		return -1;
	if (st.st_rdev != number)
		return err_set(e, ERR_DEVICE, 0,
			       "/dev/%s has the numbers %u:%u, that of vDPA device %s has %u:%u",
			       dev->node, major(st.st_rdev), minor(st.st_rdev), dev->name,
			       major(number), minor(number));
	return 0;
}

int vdpa_node_open(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	auto_close int fd = -1;
	char path[48];

	if (!*dev->node)
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s has no device node", dev->name);
	(void)snprintf(path, sizeof(path), "/dev/%s", dev->node);
	fd = fs_open(host->root, path, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return err_set(e, ERR_DEVICE, errno, "node /dev/%s of vDPA device %s", dev->node,
			       dev->name);
	return check_node(host, dev, fd, e) < 0 ? -1 : steal_fd(&fd);
}
