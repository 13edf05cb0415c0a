/* SPDX-License-Identifier: Apache-2.0 */
/* test_vdpa_device.c - vDPA devices on the nodes of tests/node, and the device-info made of them */
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/format/store.h"
#include "devinfo/node/vdpa_info.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static struct fake_node n;
static struct vdpa_device dev;
static struct err err;

static int device(const char *name)
{
	dev = (struct vdpa_device){ .ifindex = 0 };
	err = (struct err){ 0 };
	return vdpa_device_read(&n.host, name, &dev, &err);
}

/* named: what its device plugin calls it; NULL: nothing */
static int find_named(const char *id, const char *named)
{
	dev = (struct vdpa_device){ .ifindex = 0 };
	err = (struct err){ 0 };
	return vdpa_device_find(&n.host, id, named, &dev, &err);
}

static int find(const char *id)
{
	return find_named(id, NULL);
}

/* The root of the node as a directory, and what a test adds to it. */
static int root(void)
{
	int fd = open(n.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		exit(1);
	return fd;
}

static void add_device(const char *name, const char *parent, const char *driver)
{
	char path[512], target[512];
	auto_close int dir = root();

	(void)snprintf(path, sizeof(path), "sys/devices/%s/%s", parent, name);
	ok(mkdirat(dir, path, 0755) == 0);
	(void)snprintf(path, sizeof(path), "sys/devices/%s/%s/driver", parent, name);
	(void)snprintf(target, sizeof(target), "../../bus/vdpa/drivers/%s", driver);
	ok(symlinkat(target, dir, path) == 0);
	(void)snprintf(path, sizeof(path), "sys/bus/vdpa/devices/%s", name);
	(void)snprintf(target, sizeof(target), "../../../devices/%s%s%s", parent,
		       *parent ? "/" : "", name);
	ok(symlinkat(target, dir, path) == 0);
}

static void remove_path(const char *path)
{
	auto_close int dir = root();

	ok(unlinkat(dir, path, 0) == 0 || unlinkat(dir, path, AT_REMOVEDIR) == 0);
}

static void write_text(const char *path, const char *text)
{
	auto_close int dir = root();
	auto_close int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void link_to(const char *path, const char *target)
{
	auto_close int dir = root();

	ok(symlinkat(target, dir, path) == 0);
}

/* -- what the kernel shows -- */

static void test_recorded(void)
{
	test("a simulated device with vhost: its node, and no place to name");
	ok(device("vdpa0") == 1);
	eq(dev.driver, "vhost_vdpa");
	eq(dev.node, "vhost-vdpa-0");
	eq(dev.mgmt_dev, "");
	eq(dev.bdf, "");
	eq(dev.virtio, "");

	test("a simulated device with virtio: the virtio device below it, and its network device");
	ok(device("vdpa1") == 1);
	eq(dev.driver, "virtio_vdpa");
	eq(dev.virtio, "virtio3");
	eq(dev.netdev, "eth0");
	ok(dev.ifindex == 4 && dev.siblings == 1);
	eq(dev.node, "");

	test("a device of VDUSE is on the management device vduse");
	ok(device("vduse0") == 1);
	eq(dev.mgmt_bus, "");
	eq(dev.mgmt_dev, "vduse");
	eq(dev.virtio, "virtio6");
	eq(dev.netdev, "eth3");
	ok(dev.ifindex == 7);

	test("a device on a PCI function, with ':' in its name");
	ok(device("vdpa:0000:04:00.0") == 1);
	eq(dev.mgmt_bus, "pci");
	eq(dev.mgmt_dev, "0000:04:00.0");
	eq(dev.bdf, "0000:04:00.0");
	eq(dev.pf_bdf, "");
	eq(dev.node, "vhost-vdpa-7");

	test("of two on one function nothing tells whose the virtio devices are");
	ok(device("second") == 1 && dev.siblings == 2 && dev.ifindex == 0);
	eq(dev.virtio, "");
	eq(dev.netdev, "");
	ok(device("vdpa:0000:03:00.0") == 1 && dev.siblings == 2);
	eq(dev.virtio, "");

	test("a device that no driver has");
	ok(device("unbound") == 1);
	eq(dev.driver, "");

	test("a name that the kernel made of one with '/'");
	ok(device("a!b") == 1);
	eq(dev.node, "vhost-vdpa-3");
}

static void test_names(void)
{
	static const char *const none[] = {
		"", ".", "..", "../devices/vdpa0", "vdpa0/", "a/b", "vdpa0/driver", "nothing",
		"123456789012345678901234567890123456789012345678901234567890123x", "vdpa0\n",
	};
	static const char longest[] =
		"123456789012345678901234567890123456789012345678901234567890123";

	test("what is no name of a vDPA device is absent");
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		ok(device(none[i]) == 0);
		eq(dev.name, "");
	}
	test("a name with a blank, and the longest");
	add_device("a b", "", "vhost_vdpa");
	ok(device("a b") == 1);
	eq(dev.driver, "vhost_vdpa");
	add_device(longest, "", "virtio_vdpa");
	ok(device(longest) == 1);
	eq(dev.name, longest);
}

static int count(const struct vdpa_device *one, void *arg, struct err *e)
{
	unsigned int *seen = arg;

	(void)e;
	ok(*one->name);
	*seen += 1;
	return strcmp(one->name, "stop here") == 0 ? 7 : 0;
}

static void test_each(void)
{
	unsigned int seen = 0;

	test("each device once, but those with names that cannot be held, until somebody has "
	     "enough");
	add_device("1234567890123456789012345678901234567890123456789012345678901234", "",
		   "vhost_vdpa");
	ok(vdpa_device_each(&n.host, count, &seen, &err) == 0);
	ok(seen == 10);
	add_device("stop here", "", "vhost_vdpa");
	seen = 0;
	ok(vdpa_device_each(&n.host, count, &seen, &err) == 7);
	ok(seen >= 1 && seen <= 11);
}

/* -- which one -- */

static void test_find(void)
{
	test("by its name, its function's address in each spelling, and its management device");
	ok(find("vdpa:0000:65:00.3") == 1);
	eq(dev.name, "vdpa:0000:65:00.3");
	ok(find("0000:65:00.3") == 1);
	eq(dev.name, "vdpa:0000:65:00.3");
	ok(find("pci/0000:65:00.3") == 1);
	ok(find("pci:0000:65:00.3") == 1);
	eq(dev.name, "vdpa:0000:65:00.3");
	ok(find("auxiliary/mlx5_core.sf.4") == 1);
	eq(dev.name, "sf4");
	ok(find("mlx5_core.sf.4") == 1);
	eq(dev.name, "sf4");

	test("a sub-function's device is not that of its physical function");
	ok(find("0000:65:00.0") == 0);
	ok(find("mlx5_core.sf.5") == 0 && find("auxiliary/0000:65:00.3") == 0);

	test("a part of a function that is no sub-function is the function");
	ok(find("0000:67:00.1") == 1);
	eq(dev.name, "pds0");
	eq(dev.pf_bdf, "0000:67:00.0");
	ok(find("pds_core.vDPA.5") == 1);
	eq(dev.name, "pds0");

	test("several are an error that lists them with drivers and management devices");
	ok(find("0000:68:00.0") == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "'0000:68:00.0' has several vDPA devices: name one of them");
	contains(err.details, "'two-a' (vhost_vdpa on pci/0000:68:00.0)");
	contains(err.details, "'two-b' (virtio_vdpa on pci/0000:68:00.0)");
	ok(!strstr(err.details, "pds0"));
	ok(find("two-b") == 1);

	test("of several it is the one that is named; who names none is told which there are");
	ok(find_named("0000:68:00.0", "two-b") == 1);
	eq(dev.name, "two-b");
	ok(find_named("pci/0000:68:00.0", "two-a") == 1);
	eq(dev.name, "two-a");
	ok(find_named("0000:68:00.0", "pds0") == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "'0000:68:00.0' has several vDPA devices: name one of them");
	ok(strstr(err.details, "none of them is 'pds0'") && strstr(err.details, "'two-a'") &&
	   strstr(err.details, "'two-b'"));
	ok(find_named("0000:68:00.0", "") == -1 && !strstr(err.details, "none of them"));
	test("the only one is it, whatever it is called elsewhere");
	ok(find_named("0000:65:00.3", "two-b") == 1);
	eq(dev.name, "vdpa:0000:65:00.3");
	ok(find_named("0000:65:00.0", "two-b") == 0);

	test("what is no id of anything is none");
	ok(find("") == 0 && find("/") == 0 && find("pci/") == 0 && find("/x") == 0);
	ok(find("pci/0000:65:00.3/1") == 0 && find("12345678901234567890/x") == 0);
	ok(find("../../etc") == 0);

	test("where one is needed and none is there, all are listed");
	ok(vdpa_device_none(&n.host, "0000:65:00.9", &err) == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "'0000:65:00.9' is not a vDPA device, and none is on it");
	contains(err.details, "'pds0' (vhost_vdpa on auxiliary/pds_core.vDPA.5)");
	contains(err.details, "'vf0' (virtio_vdpa on pci/0000:65:00.2)");
}

static void place(const char *parent)
{
	dev = (struct vdpa_device){ .ifindex = 0 };
	ok(vdpa_device_place(&n.host, parent, &dev, &err) == 0);
}

static void test_place(void)
{
	test("where one will be is known of its management device: a VF, a sub-function, a part");
	place("0000:65:00.3");
	eq(dev.bdf, "0000:65:00.3");
	eq(dev.pf_bdf, "0000:65:00.0");
	eq(dev.mgmt_bus, "pci");
	place("mlx5_core.sf.6");
	eq(dev.auxiliary, "mlx5_core.sf.6");
	eq(dev.pf_bdf, "0000:66:00.0");
	eq(dev.bdf, "");
	eq(dev.mgmt_bus, "auxiliary");
	place("pds_core.vDPA.5");
	eq(dev.bdf, "0000:67:00.1");
	eq(dev.pf_bdf, "0000:67:00.0");
	test("of a simulator nothing is known");
	place("vdpasim_net");
	eq(dev.mgmt_dev, "");
	eq(dev.bdf, "");
}

static void test_for(void)
{
	test("a function stands for its vDPA device when it has no network device of its own");
	ok(vdpa_device_for(&n.host, "0000:65:00.2", &dev, &err) == 1);
	eq(dev.name, "vf0");
	ok(vdpa_device_for(&n.host, "mlx5_core.sf.4", &dev, &err) == 1);
	eq(dev.name, "sf4");
	ok(vdpa_device_for(&n.host, "0000:65:00.0", &dev, &err) == 0);
	ok(vdpa_device_for(&n.host, "../pci/0000:65:00.2", &dev, &err) == 0);
	ok(vdpa_device_for(&n.host, "0000:68:00.0", &dev, &err) == -1);
	add_device("on-pf", "pci0000:64/0000:64:00.0/0000:65:00.0", "vhost_vdpa");
	ok(find("0000:65:00.0") == 1);
	ok(vdpa_device_for(&n.host, "0000:65:00.0", &dev, &err) == 0);
}

/* A name that cannot be held is somebody's device all the same. */
static void test_hostile(void)
{
	static const char too_long[] =
		"1234567890123456789012345678901234567890123456789012345678901234";
	char name[64];

	test("a device whose name is too long is not taken, and not overlooked");
	add_device(too_long, "pci0000:64/0000:64:00.0/0000:67:00.0", "vhost_vdpa");
	ok(find("0000:67:00.0") == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "the vDPA device of '0000:67:00.0' cannot be used");
	contains(err.details, too_long);
	add_device("also\nthere", "pci0000:64/0000:64:00.0/0000:67:00.0", "vhost_vdpa");
	ok(find("0000:67:00.0") == -1);
	ok(strstr(err.msg, "several") && strstr(err.details, "'?' (vhost_vdpa"));
	ok(!strchr(err.details, '\n'));

	test("a list is bounded, and says how many are left out");
	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof(name), "one-of-many-with-a-long-name-%d", i);
		add_device(name, "pci0000:64/0000:64:00.0/0000:68:00.0", "vhost_vdpa");
	}
	ok(find("0000:68:00.0") == -1);
	ok(strstr(err.details, " and ") && strstr(err.details, " more"));
	ok(strlen(err.details) < 900);

	test("a driver with an impossible name is an error that names the device");
	add_device("strange", "", "a-driver-whose-name-is-longer-than-names-are");
	ok(device("strange") == -1 && strstr(err.msg, "vDPA device strange"));
}

/* -- virtio devices -- */

static const uint8_t mac_of_8[] = { 2, 0, 0, 0, 0, 8 }, mac_of_9[] = { 2, 0, 0, 0, 0, 9 },
		     mac_of_10[] = { 2, 0, 0, 0, 0, 10 };

#define PF2 "sys/devices/pci0000:64/0000:64:00.0/0000:66:00.0"

static void test_siblings(void)
{
	test("the only one on a function with one such device is its own");
	ok(device("vf0") == 1 && dev.siblings == 1 && dev.ifindex == 7);
	eq(dev.virtio, "virtio7");
	eq(dev.netdev, "eth7");
	eq(dev.bdf, "0000:65:00.2");
	eq(dev.pf_bdf, "0000:65:00.0");

	test("that of a sub-function is below the physical function");
	ok(device("sf4") == 1 && dev.siblings == 1);
	eq(dev.virtio, "virtio8");
	eq(dev.auxiliary, "mlx5_core.sf.4");
	eq(dev.mgmt_bus, "auxiliary");
	eq(dev.bdf, "");
	eq(dev.pf_bdf, "0000:65:00.0");

	test("with several sub-functions it is found by its address");
	ok(device("sf6") == 1 && dev.siblings == 2);
	eq(dev.virtio, "");
	ok(vdpa_device_set_virtio_of(&n.host, &dev, mac_of_10, &err) == 1);
	eq(dev.virtio, "virtio10");
	eq(dev.netdev, "eth10");
	ok(dev.ifindex == 10);
	ok(device("sf6") == 1 &&
	   vdpa_device_set_virtio_of(&n.host, &dev, mac_of_8, &err) == 0);
	eq(dev.virtio, "");

	test("and not when two have the same");
	write_text(PF2 "/virtio10/net/eth10/address", "02:00:00:00:00:09\n");
	ok(vdpa_device_set_virtio_of(&n.host, &dev, mac_of_9, &err) == -1 &&
	   err.code == ERR_DEVICE);
	eq(err.msg, "vDPA device sf6: 2 virtio devices have the address 02:00:00:00:00:09, and it "
		    "is not known which is its own");
	eq(dev.virtio, "");

	test("one that has gone elsewhere, while another vDPA device is there, is not it either");
	remove_path(PF2 "/virtio10/net/eth10/address");
	remove_path(PF2 "/virtio10/net/eth10/ifindex");
	remove_path(PF2 "/virtio10/net/eth10");
	remove_path(PF2 "/virtio10/net");
	remove_path(PF2 "/virtio10");
	ok(device("sf6") == 1 && dev.siblings == 1);
	eq(dev.virtio, "");

	test("it can be said which it is, when there is such a one");
	ok(vdpa_device_set_virtio(&n.host, &dev, "virtio9", &err) == 1 && dev.ifindex == 9);
	eq(dev.virtio, "virtio9");
	eq(dev.netdev, "eth9");
	ok(vdpa_device_set_virtio(&n.host, &dev, "virtio8", &err) == 0);
	ok(vdpa_device_set_virtio(&n.host, &dev, "virtio9/net", &err) == 0);
	ok(vdpa_device_set_virtio(&n.host, &dev, "../0000:66:00.0/virtio9", &err) == 0);
	ok(vdpa_device_set_virtio(&n.host, &dev, "virtio09", &err) == 0);
	eq(dev.virtio, "virtio9");
}

static void test_difference(void)
{
	static struct vdpa_virtios before, after;
	auto_close int dir = root();
	char name[16] = "kept";

	test("the virtio device that came with a driver is the one that was not there before");
	ok(device("sf6") == 1 && vdpa_device_virtios(&n.host, &dev, &before, &err) == 0);
	ok(before.n == 1);
	eq(before.name[0], "virtio9");
	ok(vdpa_virtios_new(&before, &before, name, &err) == 0);
	eq(name, "kept");
	ok(mkdirat(dir, PF2 "/virtio11", 0755) == 0);
	ok(mkdirat(dir, PF2 "/virtio11x", 0755) == 0 && mkdirat(dir, PF2 "/virtio", 0755) == 0);
	ok(vdpa_device_virtios(&n.host, &dev, &after, &err) == 0 && after.n == 2);
	ok(vdpa_virtios_new(&before, &after, name, &err) == 1);
	eq(name, "virtio11");
	test("when two came it may be either");
	ok(mkdirat(dir, PF2 "/mlx5_core.sf.6/virtio12", 0755) == 0);
	ok(vdpa_device_virtios(&n.host, &dev, &after, &err) == 0 && after.n == 3);
	ok(vdpa_virtios_new(&before, &after, name, &err) == -1 && err.code == ERR_DEVICE);
	test("there are not endlessly many");
	for (int i = 0; i < VDPA_VIRTIOS_MAX; i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), PF2 "/virtio%d", 1000 + i);
		if (mkdirat(dir, path, 0755) < 0)
			exit(1);
	}
	ok(vdpa_device_virtios(&n.host, &dev, &after, &err) == -1 && err.code == ERR_DEVICE);
}

/* -- nodes -- */

static int node(const char *name)
{
	auto_close int fd = -1;

	ok(device(name) == 1);
	fd = vdpa_node_open(&n.host, &dev, &err);
	return fd >= 0;
}

static void test_node(void)
{
	auto_close int dir = root();

	test("a node is a character device with the numbers that sysfs has");
	ok(node("vdpa:0000:65:00.3"));
	write_text("sys/devices/pci0000:64/0000:64:00.0/0000:65:00.3/vdpa:0000:65:00.3/"
		   "vhost-vdpa-0/dev", "244:0\n");
	ok(!node("vdpa:0000:65:00.3") && err.code == ERR_DEVICE);
	eq(err.msg, "/dev/vhost-vdpa-0 has the numbers 0:0, that of vDPA device "
		    "vdpa:0000:65:00.3 has 244:0");
	write_text("sys/devices/pci0000:64/0000:64:00.0/0000:65:00.3/vdpa:0000:65:00.3/"
		   "vhost-vdpa-0/dev", "x\n");
	ok(!node("vdpa:0000:65:00.3") && err.code == ERR_DEVICE);

	test("one that is not there, a file, a link or a block device is refused");
	ok(!node("pds0") && err.code == ERR_DEVICE && err.sys == ENOENT);
	eq(err.msg, "node /dev/vhost-vdpa-1 of vDPA device pds0");
	ok(!node("two-a") && err.code == ERR_DEVICE);
	eq(err.msg, "/dev/vhost-vdpa-2 is not a character device");
	remove_path("dev/vhost-vdpa-2");
	link_to("dev/vhost-vdpa-2", "vhost-vdpa-0");
	ok(!node("two-a"));
	eq(err.msg, "/dev/vhost-vdpa-2 is not a character device");
	remove_path("dev/vhost-vdpa-2");
	ok(mknodat(dir, "dev/vhost-vdpa-2", S_IFBLK | 0600, makedev(0, 7)) == 0);
	ok(!node("two-a"));
	eq(err.msg, "/dev/vhost-vdpa-2 is not a character device");

	test("with the driver virtio there is none");
	ok(!node("vf0"));
	eq(err.msg, "vDPA device vf0 has no device node");
}

/* -- device-info -- */

static char text[1024];

static const char *text_of(const struct device_info *di)
{
	json_auto_t *o = device_info_to_json(di);
	auto_free char *dump = NULL;
	size_t len;

	dump = jx_dump(o, &len);
	(void)snprintf(text, sizeof(text), "%.*s", (int)(len - 1), dump);
	return text;
}

static const char *discovered(const char *name)
{
	auto_device_info struct device_info di = { 0 };

	ok(device(name) == 1);
	if (vdpa_info_discover(&n.host, &dev, &di, &err) < 0)
		return err.msg;
	return text_of(&di);
}

#define MAP(members) "{\"type\":\"vdpa\",\"version\":\"1.1.0\",\"vdpa\":{" members "}}"
#define VF1                                                                              \
	"\"parent-device\":\"vdpa:0000:65:00.3\",\"driver\":\"vhost\",\"path\":"         \
	"\"/dev/vhost-vdpa-0\",\"pci-address\":\"0000:65:00.3\",\"pf-pci-address\":"     \
	"\"0000:65:00.0\",\"representor-device\":\"eth3\""
#define VF0                                                                                    \
	"\"parent-device\":\"vf0\",\"driver\":\"virtio\",\"path\":"                            \
	"\"/sys/bus/virtio/devices/virtio7\",\"pci-address\":\"0000:65:00.2\","                \
	"\"pf-pci-address\":\"0000:65:00.0\""
#define SF4                                                                                    \
	"\"parent-device\":\"sf4\",\"driver\":\"virtio\",\"path\":"                            \
	"\"/sys/bus/virtio/devices/virtio8\",\"pf-pci-address\":\"0000:65:00.0\","             \
	"\"representor-device\":\"eth4\""

static void test_discover(void)
{
	test("a map is made of what sysfs shows: path, addresses, representor");
	eq(discovered("vdpa:0000:65:00.3"), MAP(VF1));
	eq(discovered("vf0"), MAP(VF0));

	test("a sub-function has no address, but a physical function and a representor");
	eq(discovered("sf4"), MAP(SF4));

	test("no map of what cannot be reached");
	eq(discovered("sf6"),
	   "vDPA device sf6: which of 2 virtio devices is its own cannot be told");
	eq(discovered("two-b"), "vDPA device two-b has no virtio device");
	ok(err.code == ERR_DEVICE);
	remove_path("sys/bus/virtio/devices/virtio7");
	eq(discovered("vf0"), "virtio7 of vDPA device vf0");
	link_to("sys/bus/virtio/devices/virtio7",
		"../../../devices/pci0000:64/0000:64:00.0/0000:65:00.2/virtio7");

	test("once its virtio device is known there is one");
	ok(device("sf6") == 1 && vdpa_device_set_virtio_of(&n.host, &dev, mac_of_9, &err) == 1);
	{
		auto_device_info struct device_info di = { 0 };

		ok(vdpa_info_discover(&n.host, &dev, &di, &err) == 0);
		eq(di.vdpa.path, "/sys/bus/virtio/devices/virtio9");
		eq(di.vdpa.pci_address, "");
		eq(di.vdpa.pf_pci_address, "0000:66:00.0");
	}
}

static void test_discover_recorded(void)
{
	test("simulators and VDUSE have no address");
	eq(discovered("vdpa0"), MAP("\"parent-device\":\"vdpa0\",\"driver\":\"vhost\","
				    "\"path\":\"/dev/vhost-vdpa-0\""));
	eq(discovered("vduse0"), MAP("\"parent-device\":\"vduse0\",\"driver\":\"virtio\","
				     "\"path\":\"/sys/bus/virtio/devices/virtio6\""));
	test("and hardware that is no VF no physical function");
	eq(discovered("vdpa:0000:04:00.0"),
	   MAP("\"parent-device\":\"vdpa:0000:04:00.0\",\"driver\":\"vhost\",\"path\":"
	       "\"/dev/vhost-vdpa-7\",\"pci-address\":\"0000:04:00.0\""));
	test("a device that no driver, or another one, has is refused");
	eq(discovered("unbound"), "vDPA device unbound is bound to no driver");
	add_device("other", "", "pensando");
	eq(discovered("other"), "vDPA device other is bound to pensando");
	test("a name that readers of annotations would trip over is refused");
	write_text("sys/devices/a b/vhost-vdpa-9", "");
	eq(discovered("a b"), "a b: vdpa.parent-device: byte 2 is a blank, a control character or "
			      "one of = \" \\");
	ok(err.code == ERR_DEVINFO);
}

static char repaired[VDPA_REPAIRED];

/* What is made of a device plugin's map, or the error. */
static const char *enriched(const char *name, const char *map)
{
	auto_device_info struct device_info di = { 0 };

	(void)snprintf(repaired, sizeof(repaired), "as before");
	ok(device(name) == 1);
	if (device_info_draft(map, strlen(map), "file", &di, &err) < 0)
		return err.msg;
	if (vdpa_info_enrich(&n.host, &dev, &di, repaired, &err) < 0)
		return err.msg;
	return text_of(&di);
}

static void test_repair(void)
{
	test("a proper file is left as it is, and nothing is said");
	eq(enriched("vdpa:0000:65:00.3", MAP(VF1)), MAP(VF1));
	eq(repaired, "");

	test("the management device for a path is repaired");
	eq(enriched("vdpa:0000:65:00.3",
		    MAP("\"parent-device\":\"vdpa:0000:65:00.3\",\"driver\":\"vhost\",\"path\":"
			"\"pci/0000:65:00.3\",\"pci-address\":\"0000:65:00.3\"")), MAP(VF1));
	eq(repaired, "path 'pci/0000:65:00.3' is '/dev/vhost-vdpa-0'");

	test("and so is a path that is missing");
	eq(enriched("vf0", MAP("\"parent-device\":\"vf0\",\"driver\":\"virtio\","
			       "\"pci-address\":\"0000:65:00.2\"")), MAP(VF0));
	eq(repaired, "path was missing");

	test("the number of another node, and the specification's own wrong path");
	eq(enriched("vdpa:0000:65:00.3",
		    MAP("\"parent-device\":\"vdpa:0000:65:00.3\",\"driver\":\"vhost\",\"path\":"
			"\"/dev/vhost-vdpa-12\"")), MAP(VF1));
	eq(repaired, "path '/dev/vhost-vdpa-12' is '/dev/vhost-vdpa-0'");
	eq(enriched("vf0", MAP("\"parent-device\":\"vf0\",\"driver\":\"virtio\",\"path\":"
			       "\"/dev/sys/bus/virtio/devices/virtio7\"")), MAP(VF0));
	eq(repaired,
	   "path '/dev/sys/bus/virtio/devices/virtio7' is '/sys/bus/virtio/devices/virtio7'");

	test("the driver that it is bound to counts, and a name that is missing is filled in");
	eq(enriched("vdpa:0000:65:00.3", MAP("\"driver\":\"virtio\",\"path\":"
					     "\"/dev/vhost-vdpa-0\"")), MAP(VF1));
	eq(repaired, "parent-device was missing, driver 'virtio' is 'vhost'");
	eq(enriched("vf0", MAP("")), MAP(VF0));
	eq(repaired, "parent-device was missing, driver was missing, path was missing");

	test("what only the device plugin knows is kept, and an old version raised for a new key");
	eq(enriched("sf4", "{\"type\":\"vdpa\",\"version\":\"v1.0.0\",\"vdpa\":{\"parent-device\":"
			   "\"sf4\",\"driver\":\"virtio\",\"x\":1},\"rack\":\"r7\"}"),
	   "{\"type\":\"vdpa\",\"version\":\"1.1.0\",\"vdpa\":{" SF4
	   ",\"x\":1},\"rack\":\"r7\"}");
	eq(enriched("sf4", MAP("\"pci-address\":\"0000:65:00.0\"")),
	   MAP("\"parent-device\":\"sf4\",\"driver\":\"virtio\",\"path\":"
	       "\"/sys/bus/virtio/devices/virtio8\",\"pci-address\":\"0000:65:00.0\","
	       "\"pf-pci-address\":\"0000:65:00.0\",\"representor-device\":\"eth4\""));

	test("what it is called is what sysfs calls it");
	eq(enriched("vf0", MAP("\"parent-device\":\"vdpa7\",\"driver\":\"virtio\",\"path\":"
			       "\"/sys/bus/virtio/devices/virtio7\"")), MAP(VF0));
	eq(repaired, "parent-device 'vdpa7' is 'vf0'");

	test("a file about another function is refused");
	eq(enriched("vf0", MAP("\"parent-device\":\"vf0\",\"pci-address\":\"0000:65:00.3\"")),
	   "vDPA device vf0 is on 0000:65:00.2, its device-info is about 0000:65:00.3");
	ok(err.code == ERR_DEVINFO);
	eq(repaired, "as before");
	eq(enriched("sf4", MAP("\"pci-address\":\"0000:65:00.2\"")),
	   "vDPA device sf4 is on 0000:65:00.0, its device-info is about 0000:65:00.2");
	eq(enriched("vf0", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":"
			   "\"0000:65:00.2\"}}"),
	   "vf0 is a vDPA device, its device-info is of type 'pci'");
}

static void test_draft(void)
{
	auto_device_info struct device_info di = { 0 };
	static const char file[] = MAP("\"parent-device\":\"vf0\",\"driver\":\"virtio\"");

	test("only what can be repaired may be wrong in a draft");
	eq(enriched("vf0", MAP("\"pci-address\":\"x\"")),
	   "file: vdpa.pci-address: 'x': expected a PCI address dddd:bb:dd.f");
	eq(enriched("vf0", MAP("\"path\":\"a b\"")),
	   "file: vdpa.path: byte 2 is a blank, a control character or one of = \" \\");
	eq(enriched("vf0", MAP("\"path\":7")),
		   "file: vdpa.path: expected a string, got an integer");
	eq(enriched("vf0", "{\"type\":\"memif\",\"version\":\"1.1.0\",\"memif\":{\"role\":"
			   "\"slave\",\"mode\":\"ip\"}}"),
	   "file: memif.path is required: expected an absolute path without '..'");

	test("the files of device plugins, and what Multus copied of them, are read as drafts");
	n.host.set.devinfo_dir = "/di";
	ok(store_make_cni(&n.host, &err) == 0);
	ok(store_write_cni_text(&n.host, "net1", file, strlen(file), &err) == 0);
	ok(store_read_cni(&n.host, "net1", &di, NULL, NULL, &err) == -1);
	ok(store_draft_cni(&n.host, "net1", &di, &err) == 1);
	eq(di.vdpa.parent_device, "vf0");
	eq(di.vdpa.path, "");
	device_info_done(&di);
	ok(store_draft_cni(&n.host, "net2", &di, &err) == 0);
	{
		auto_close int dir = root();

		ok(renameat(dir, "di/cni", dir, "di/dp") == 0 &&
		   renameat(dir, "di/dp/net1", dir, "di/dp/r-0000:65:00.2-device.json") == 0);
	}
	ok(store_draft_dp(&n.host, "r", "0000:65:00.2", &di, &err) == 1);
	eq(di.vdpa.driver, "virtio");
	ok(store_read_dp(&n.host, "r", "0000:65:00.2", &di, &err) == -1);
	ok(store_draft_dp(&n.host, "r", "0000:65:00.3", &di, &err) == 0);
}

static void with_node(const char *name, void (*const *tests)(void), size_t count_of)
{
	for (size_t i = 0; i < count_of; i++) {
		node_open(name, &n);
		tests[i]();
		node_close(&n);
	}
}

static void recorded(void)
{
	test_recorded();
	test_names();
	test_each();
	test_discover_recorded();
}

static void virtios(void)
{
	test_siblings();
	test_difference();
}

int main(void)
{
	static void (*const on_recorded[])(void) = { recorded };
	static void (*const on_mlx5[])(void) = {
		test_find, test_place, test_for, test_hostile, virtios, test_node, test_discover,
		test_repair, test_draft,
	};

	with_node("vdpa", on_recorded, ARRAY_SIZE(on_recorded));
	with_node("vdpa-mlx5", on_mlx5, ARRAY_SIZE(on_mlx5));
	return tap_end();
}
