/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vdpa_driver.c - what is written to bind a vDPA device, and whose node is touched
 *
 * The files of the drivers are a made-up tree's, which keep what was written last.
 */
#include "cni/vdpa/vdpa_driver.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEV "sys/devices/vdpa0/"
#define VHOST "sys/bus/vdpa/drivers/vhost_vdpa/"
#define VIRTIO "sys/bus/vdpa/drivers/virtio_vdpa/"

static struct fake_node n;
static struct vdpa_device dev;
static struct err err;

/* The files, empty, and an override. */
static void drivers(const char *override)
{
	char command[256];

	node_sh(&n, "mkdir -p " VHOST " " VIRTIO);
	node_sh(&n, "for d in " VHOST " " VIRTIO "; do : >$d/bind; : >$d/unbind; done");
	(void)snprintf(command, sizeof(command), "echo '%s' >" DEV "driver_override", override);
	node_sh(&n, command);
}

/* What was written: unbind of vhost_vdpa, bind of virtio_vdpa; the override is read again. */
static bool wrote(const char *unbind, const char *bind, const char *override)
{
	char command[256];

	(void)snprintf(command, sizeof(command),
		       "\"$(cat " VHOST "unbind),$(cat " VIRTIO "bind),$(cat " DEV
		       "driver_override)\" = '%s,%s,%s'", unbind, bind, override);
	return node_holds(&n, command);
}

static void overrides(void)
{
	struct vdpa_state s = { .name = "vdpa0" };

	test("without driver_override the old driver lets go, the new one takes it");
	drivers("(null)");
	ok(vdpa_bind(&n.host, "vdpa0", VIRTIO_VDPA, &err) == 0);
	ok(wrote("vdpa0", "vdpa0", "(null)"));
	ok(vdpa_override_note(&n.host, &s, &err) == 0);
	eq(s.override, "");
	test("one that it has is the new driver's first");
	drivers(VHOST_VDPA);
	ok(vdpa_override_note(&n.host, &s, &err) == 0);
	eq(s.override, VHOST_VDPA);
	ok(vdpa_bind(&n.host, "vdpa0", VIRTIO_VDPA, &err) == 0);
	ok(node_holds(&n, "\"$(head -c 11 " DEV "driver_override)\" = virtio_vdpa"));
	test("and is put back");
	ok(vdpa_override_set(&n.host, "vdpa0", s.override, &err) == 0);
	ok(node_holds(&n, "\"$(head -c 10 " DEV "driver_override)\" = vhost_vdpa"));
	test("none is made of none, and what is right is left alone");
	drivers("(null)");
	ok(vdpa_override_set(&n.host, "vdpa0", VHOST_VDPA, &err) == 0 && wrote("", "", "(null)"));
	drivers("vhost_vdpa");
	ok(vdpa_override_set(&n.host, "vdpa0", "", &err) == 0 && wrote("", "", "vhost_vdpa"));
	ok(vdpa_bind(&n.host, "vdpa0", VHOST_VDPA, &err) == 0 && wrote("", "", "vhost_vdpa"));
	test("a kernel without it has none");
	node_sh(&n, "rm " DEV "driver_override");
	ok(vdpa_override_note(&n.host, &s, &err) == 0);
	eq(s.override, "");
	ok(vdpa_bind(&n.host, "vdpa0", VIRTIO_VDPA, &err) == 0);
	ok(node_holds(&n, "\"$(cat " VIRTIO "bind)\" = vdpa0"));
}

/* -- the node -- */

static void numbers(const char *text)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "echo %s >" DEV "vhost-vdpa-0/dev", text);
	node_sh(&n, command);
}

static void owners(void)
{
	const struct vdpa_state want = { .mode_set = true, .mode = 0640 };
	struct vdpa_state s = { .name = "vdpa0" };

	node_sh(&n, "mkdir -p dev && echo kept >dev/vhost-vdpa-0 && chmod 600 dev/vhost-vdpa-0");
	numbers("1:3");
	ok(vdpa_device_read(&n.host, "vdpa0", &dev, &err) == 1);
	test("another file of the node's name is neither noted nor changed");
	ok(vdpa_node_set(&n.host, &dev, &want, &err) == -1 && err.code == ERR_DEVICE);
	ok(vdpa_node_note(&n.host, &dev, &s, &err) == -1);
	ok(node_holds(&n, "$(stat -c %a dev/vhost-vdpa-0) = 600"));
	node_sh(&n, "rm dev/vhost-vdpa-0 && mknod -m 600 dev/vhost-vdpa-0 c 1 5");
	ok(vdpa_node_set(&n.host, &dev, &want, &err) == -1 && err.code == ERR_DEVICE);
	ok(node_holds(&n, "$(stat -c %a dev/vhost-vdpa-0) = 600"));
	test("the node is");
	numbers("1:5");
	ok(vdpa_node_set(&n.host, &dev, &want, &err) == 0);
	ok(vdpa_node_note(&n.host, &dev, &s, &err) == 0 && s.mode == 0640);
}

static void unused(void)
{
	test("for an ADD the node is in /dev, can be opened, and is a vDPA device's");
	ok(vdpa_check_unused(&n.host, &dev, &err) == -1 && err.code == ERR_DEVICE);
	ok(err.sys == ENOTTY);
	eq(err.msg, "open '/dev/vhost-vdpa-0' and ask what it is");
	node_sh(&n, "mv dev/vhost-vdpa-0 dev/zero && mknod dev/vhost-vdpa-0 c 0 0");
	ok(vdpa_check_unused(&n.host, &dev, &err) == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "/dev/vhost-vdpa-0 has the numbers 0:0, that of vDPA device vdpa0 has 1:5");
	numbers("0:0");
	ok(vdpa_check_unused(&n.host, &dev, &err) == -1 && err.code == ERR_DEVICE);
	ok(err.sys == ENXIO);
	node_sh(&n, "rm dev/vhost-vdpa-0");
	ok(vdpa_check_unused(&n.host, &dev, &err) == -1 && err.code == ERR_DEVICE);
	ok(err.sys == ENOENT);
	node_sh(&n, "mv dev/zero dev/vhost-vdpa-0");
	numbers("1:5");
}

static void uses(void)
{
	test("a node that can be opened nobody has, whatever it is");
	ok(vdpa_see_use(&n.host, &dev, &err) == VDPA_FREE);
	test("one that there is nothing behind nobody has either");
	node_sh(&n, "rm dev/vhost-vdpa-0 && mknod dev/vhost-vdpa-0 c 0 0");
	numbers("0:0");
	ok(vdpa_see_use(&n.host, &dev, &err) == VDPA_FREE);
	test("one that is not in /dev is tried by its numbers, where we may");
	node_sh(&n, "rm dev/vhost-vdpa-0");
	ok(vdpa_see_use(&n.host, &dev, &err) == VDPA_FREE ||
	   (err.code == ERR_IO && err.sys == EPERM));
	node_sh(&n, "rm -r " DEV "vhost-vdpa-0");
	ok(vdpa_see_use(&n.host, &dev, &err) == -1);
	test("one that is being taken away somebody has open");
	dev.node[0] = '\0';
	ok(vdpa_see_use(&n.host, &dev, &err) == -1 && err.code == ERR_TRY_AGAIN &&
	   err.sys == EBUSY);
	ok(vdpa_check_unused(&n.host, &dev, &err) == -1 && err.code == ERR_TRY_AGAIN &&
	   err.sys == EBUSY);
	test("with the other driver there is none");
	(void)snprintf(dev.driver, sizeof(dev.driver), VIRTIO_VDPA);
	ok(vdpa_check_unused(&n.host, &dev, &err) == 0);
	ok(vdpa_see_use(&n.host, &dev, &err) == VDPA_FREE);
}

int main(void)
{
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	node_open("vdpa", &n);
	overrides();
	owners();
	unused();
	uses();
	node_close(&n);
	return tap_end();
}
