/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa_driver.c - the driver of a vDPA device, and the node that vhost_vdpa makes of it
 *
 * Whatever waits for a program, or for a back-end that has died, is done by a child.
 */
#include "cni/vdpa/vdpa_driver.h"

#include "base/bounded.h"
#include "base/bounded_file.h"
#include "base/fs.h"
#include "base/mem.h"
#include "cni/call/process.h"
#include "netlink/nl_vdpa.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/vhost.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUS "/sys/bus/vdpa/"
#define OWN_NODE "/dev/vhost-vdpa"

enum { WAIT_MS = 1500 };

/* -- the node -- */

struct probe {
	const struct host *host;
	const struct vdpa_device *dev;
};

/* What one that nobody has open says. */
struct answer {
	int refused;		/* errno; 0: it was opened, and told */
	uint32_t id;		/* what kind of device it is */
};

static int in_use(const struct vdpa_device *dev, struct err *e)
{
	if (!*dev->node)		/* the kernel takes that away first, and then waits */
		return err_set(
			e, ERR_TRY_AGAIN, EBUSY,
			"it is being taken away, which waits for the program that has it open");
	return err_set(e, ERR_TRY_AGAIN, EBUSY, "a program has /dev/%s open", dev->node);
}

/*
 * A node of our own, where only this process sees it: the one in /dev may have been removed, or
 * replaced.
 */
static int make_node(const struct probe *p, struct err *e)
{
	dev_t number = 0;

	if (vdpa_node_number(p->host, p->dev, &number, e) < 0)
		return -1;
	process_raise(CAP_MKNOD);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("devinfo", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "size=64k") < 0 ||
	    mknod(OWN_NODE, S_IFCHR | 0600, number) < 0)
		return err_set(e, ERR_IO, errno, "make a node for %s", p->dev->node);
	return 0;
}

/* It looks first whether it is open: what it refuses for another reason nobody has. */
static bool is_of_driver(int error)
{
	return error == EIO || error == ENXIO || error == ENODEV || error == EINVAL ||
	       error == ETIMEDOUT;
}

/* In a child, whom it may hold up: 1 free, 0 in use, -1. */
static int see(const void *arg, void *ret, struct err *e)
{
	const struct probe *p = arg;
	struct answer *answer = ret;
	auto_close int known = vdpa_node_open(p->host, p->dev, e), fd = -1;
	char path[64] = OWN_NODE;

	if (known >= 0)
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", known);
	else if (make_node(p, e) < 0)
		return -1;
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		return 0;
	if (fd < 0 && !is_of_driver(errno))
		return err_set(e, ERR_DEVICE, errno, "open '/dev/%s'", p->dev->node);
	if (fd < 0 || ioctl(fd, VHOST_VDPA_GET_DEVICE_ID, &answer->id) < 0)
		answer->refused = errno;
	return 1;
}

/* Opening and closing a free one resets the device; a VDUSE device without back-end takes 30 s. */
static int ask(const struct host *host, const struct vdpa_device *dev, struct answer *ret,
	       bool *left, struct err *e)
{
	struct deadline d = deadline_in(WAIT_MS);
	struct probe p = { host, dev };
	struct bounded b = { .fn = see, .arg = &p, .answer = ret, .size = sizeof(*ret),
			     .keep = host->root, .left = left };
	int r = *dev->node ? bounded_run(&b, &d, e) : 0;

	return r == 0 ? in_use(dev, e) : r;
}

int vdpa_check_unused(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	struct answer answer = { 0 };

	if (strcmp(dev->driver, VHOST_VDPA) != 0)
		return 0;

	auto_close int known = *dev->node ? vdpa_node_open(host, dev, e) : -1;
	if (*dev->node && known < 0)
		return -1;
	if (ask(host, dev, &answer, NULL, e) < 0)
		return -1;
	if (answer.refused)
		return err_set(e, ERR_DEVICE, answer.refused, "open '/dev/%s' and ask what it is",
			       dev->node);
	return answer.id == VDPA_ID_NET ?
		       0 : err_set(e, ERR_DEVICE, 0,
				   "vDPA device %s is not a network device: its id is %u, not %d",
				   dev->name, answer.id, VDPA_ID_NET);
}

int vdpa_see_use(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	struct answer answer;
	bool left = false;

	if (strcmp(dev->driver, VHOST_VDPA) != 0 || ask(host, dev, &answer, &left, e) > 0)
		return VDPA_FREE;
	if (e->sys != ETIMEDOUT)
		return -1;
	return left ? err_set(e, ERR_TRY_AGAIN, ETIMEDOUT, "/dev/%s does not answer, and an open "
			      "of it that was given up is not over", dev->node) :
		      VDPA_MUTE;
}

int vdpa_node_note(const struct host *host, const struct vdpa_device *dev, struct vdpa_state *s,
		   struct err *e)
{
	auto_close int fd = vdpa_node_open(host, dev, e);
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
	fd = vdpa_node_open(host, dev, e);
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

static int tell_driver(const struct host *host, const char *driver, const char *file,
		       const char *name, struct err *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), BUS "drivers/%s/%s", driver, file);
	return bounded_write(host->root, path, name, WAIT_MS, e);
}

/* What the kernel has for none is "(null)"; before 5.17 it has no such file. */
static int read_override(const struct host *host, const char *name, char ret[32], struct err *e)
{
	char path[PATH_MAX];
	int r;

	(void)snprintf(path, sizeof(path), BUS "devices/%s/driver_override", name);
	r = bounded_read_line(host->root, path, ret, 32, WAIT_MS, e);
	if (r == 0 || (r > 0 && strcmp(ret, "(null)") == 0))
		ret[0] = '\0';
	return r < 0 ? -1 : 0;
}

int vdpa_override_note(const struct host *host, struct vdpa_state *s, struct err *e)
{
	return read_override(host, s->name, s->override, e);
}

/* Where there is none it stays so: a driver that is told of a device takes it. */
int vdpa_override_set(const struct host *host, const char *name, const char *driver, struct err *e)
{
	char path[PATH_MAX], now[32] = "";

	if (read_override(host, name, now, e) < 0)
		return -1;
	if (!*now || !*driver || strcmp(now, driver) == 0)
		return 0;
	(void)snprintf(path, sizeof(path), BUS "devices/%s/driver_override", name);
	return bounded_write(host->root, path, driver, WAIT_MS, e);
}

int vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e)
{
	char now[64] = "";

	if (fs_readlink_base(host->root, now, sizeof(now), e, BUS "devices/%s/driver", name) < 0)
		return -1;
	if (strcmp(now, driver) == 0)
		return 0;
	if (vdpa_override_set(host, name, driver, e) < 0 ||
	    (*now && tell_driver(host, now, "unbind", name, e) < 0) ||
	    (*driver && tell_driver(host, driver, "bind", name, e) < 0))
		return err_wrap(e, "bind %s to %s", name, *driver ? driver : "no driver");
	return 0;
}
