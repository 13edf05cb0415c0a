/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa_driver.c - the driver of a vDPA device, and the node that vhost_vdpa makes of it
 *
 * Whatever waits for a program, or for a back-end that has died, is done by a child.
 */
#include "cni/vdpa_driver.h"

#include "base/bounded.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUS "/sys/bus/vdpa/"

enum { WAIT_MS = 1500 };

/* -- the node -- */

struct probe {
	const struct host *host;
	const struct vdpa_device *dev;
};

static int probe(const void *arg, void *answer, struct err *e)
{
	const struct probe *p = arg;

	(void)answer;
	return vdpa_node_probe(p->host, p->dev, e);
}

int vdpa_check_unused(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	struct deadline d = deadline_in(WAIT_MS);
	struct probe p = { host, dev };
	struct bounded b = { .fn = probe, .arg = &p, .keep = host->root };
	int r;

	if (strcmp(dev->driver, VHOST_VDPA) != 0)
		return 0;
	if (!*dev->node)		/* the kernel takes that away first, and then waits */
		return err_set(
			e, ERR_TRY_AGAIN, EBUSY,
			"it is being taken away, which waits for the program that has it open");
	r = bounded_run(&b, &d, e);
	return r == 0 ? err_set(e, ERR_TRY_AGAIN, EBUSY, "a program has /dev/%s open", dev->node) :
	       r < 0  ? -1 :
			0;
}

static int open_node(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/dev/%s", dev->node);
	fd = fs_open(host->root, path, O_PATH | O_NOFOLLOW, 0);
	return fd < 0 ? err_set(e, ERR_IO, errno, "open '%s'", path) : fd;
}

int vdpa_node_note(const struct host *host, const struct vdpa_device *dev, struct vdpa_state *s,
		   struct err *e)
{
	auto_close int fd = open_node(host, dev, e);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat '/dev/%s'", dev->node);
	s->uid = st.st_uid;
	s->gid = st.st_gid;
	s->mode = st.st_mode & 07777;
	return 0;
}

/* A descriptor that only names the file is changed by its name in /proc. */
int vdpa_node_set(const struct host *host, const struct vdpa_device *dev,
		  const struct vdpa_state *s, struct err *e)
{
	auto_close int fd = -1;
	char path[64];

	if (!*dev->node || (!s->owner_set && !s->mode_set))
		return 0;
	fd = open_node(host, dev, e);
	if (fd < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (s->owner_set && fchownat(fd, "", s->uid, s->gid, AT_EMPTY_PATH) < 0)
		return err_set(e, ERR_DEVICE, errno, "chown /dev/%s to %u:%u", dev->node, s->uid,
			       s->gid);
	if (s->mode_set && chmod(path, s->mode) < 0)
		return err_set(e, ERR_DEVICE, errno, "chmod /dev/%s to %o", dev->node, s->mode);
	return 0;
}

/* -- the driver -- */

struct order {
	int root;
	char path[PATH_MAX];
	const char *text;
};

static int write_order(const void *arg, void *answer, struct err *e)
{
	const struct order *o = arg;
	auto_close int fd = fs_open(o->root, o->path, O_WRONLY, 0);
	ssize_t len = (ssize_t)strlen(o->text);

	(void)answer;
	if (fd < 0)
		return err_set(e, ERR_DEVICE, errno, "open '%s'", o->path);
	return write(fd, o->text, (size_t)len) == len ?
		       0 : err_set(e, ERR_DEVICE, errno, "write '%s' to '%s'", o->text, o->path);
}

static int tell_driver(const struct host *host, const char *driver, const char *file,
		       const char *name, struct err *e)
{
	struct deadline d = deadline_in(WAIT_MS);
	struct order o = { .root = host->root, .text = name };
	struct bounded b = { .fn = write_order, .arg = &o, .keep = host->root };

	(void)snprintf(o.path, sizeof(o.path), BUS "drivers/%s/%s", driver, file);
	return bounded_run(&b, &d, e) < 0 ? -1 : 0;
}

int vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e)
{
	char now[64] = "";

	if (fs_readlink_base(host->root, now, sizeof(now), e, BUS "devices/%s/driver", name) < 0)
		return -1;
	if (strcmp(now, driver) == 0)
		return 0;
	if ((*now && tell_driver(host, now, "unbind", name, e) < 0) ||
	    (*driver && tell_driver(host, driver, "bind", name, e) < 0))
		return err_wrap(e, "bind %s to %s", name, *driver ? driver : "no driver");
	return 0;
}
