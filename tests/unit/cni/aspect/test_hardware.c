/* SPDX-License-Identifier: Apache-2.0 */
/* test_hardware.c - is a record's device still there, and must it have a network device? */
#include "base/mem.h"
#include "cni/aspect/hardware.h"
#include "cni/vdpa/vdpa.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define AUX "sys/bus/auxiliary/devices/mlx5_core.sf."
#define SF "sys/devices/pci0000:64/0000:64:00.0/0000:65:00.0/mlx5_core.sf."

static struct fake_node n;
static struct pci_device dev;
static struct err err;

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", n.dir, command) < 0 || system(full) != 0)
		exit(1);
}

static struct record of_sf(const char *name, unsigned int number)
{
	struct record rec = { .unique_parent = true, .sf_numbered = true, .sf_number = number };

	(void)snprintf(rec.device, sizeof(rec.device), "%s", name);
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "%s", name);
	(void)snprintf(rec.netdev.bus, sizeof(rec.netdev.bus), "auxiliary");
	return rec;
}

static int look(const struct record *rec)
{
	dev = (struct pci_device){ 0 };
	return hardware_find(&n.host, rec, &dev, &err);
}

static int has_netdev(const struct record *rec)
{
	return look(rec) == 1 ? hardware_has_netdev(&n.host, rec, &dev, &err) : -2;
}

static void functions(void)
{
	struct record rec = { .is_pci = true, .device = "0000:03:00.2" };

	node_open("mlx5", &n);
	test("a VF with a network driver must have a network device, wherever that is");
	ok(look(&rec) == 1 && dev.exists);
	eq(dev.pf_netdev, "ens1f0np0");
	ok(has_netdev(&rec) == 1);
	test("one for user space has none");
	sh("ln -sfn ../../../../bus/pci/drivers/vfio-pci sys/bus/pci/devices/0000:03:00.2/driver");
	ok(has_netdev(&rec) == 0);
	test("one whose PF was taken away, or that is not there, has vanished");
	sh("mv sys/bus/pci/devices/0000:03:00.0 sys/pf");
	ok(look(&rec) == 0);
	(void)snprintf(rec.device, sizeof(rec.device), "0000:ff:00.2");
	ok(look(&rec) == 0);
	node_close(&n);
}

static void sub_functions(void)
{
	struct record rec = of_sf("mlx5_core.sf.5", 99);

	test("a sub-function whose network device is not at home must have it elsewhere");
	ok(has_netdev(&rec) == 1);
	test("unless it may have had another one, or has no driver");
	rec.unique_parent = false;
	ok(has_netdev(&rec) == 0);
	rec.unique_parent = true;
	sh("mv " SF "5/driver sys/driver5");
	ok(has_netdev(&rec) == 0);
	sh("mv sys/driver5 " SF "5/driver");
	test("what is at home is either that one, which is found, or a new one");
	rec = of_sf("mlx5_core.sf.4", 88);
	ok(has_netdev(&rec) == 0);

	test("the next sub-function with the name of the one before is not that one");
	rec.sf_number = 77;
	ok(look(&rec) == 0);
	test("a record that does not tell the number goes by the name");
	rec.sf_numbered = false;
	ok(look(&rec) == 1);
	test("a sub-function that was deleted has vanished");
	rec = of_sf("mlx5_core.sf.6", 0);
	ok(look(&rec) == 0);
	test("its bus is told, or it is the only one that has no address");
	rec.netdev.bus[0] = '\0';
	ok(record_is_auxiliary(&rec) && look(&rec) == 0);
	rec.unique_parent = false;
	ok(!record_is_auxiliary(&rec) && look(&rec) == 1);
}

static void others(void)
{
	struct record rec = { .device = "veth0", .netdev = { .present = true } };

	test("of what has no hardware nothing can vanish, and nothing must be");
	ok(has_netdev(&rec) == 0);
	test("nor of a virtio device");
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "virtio0");
	(void)snprintf(rec.netdev.bus, sizeof(rec.netdev.bus), "virtio");
	ok(has_netdev(&rec) == 0);
}

static void several(void)
{
	struct sub_function sf;

	test("of several network devices of an auxiliary device the first by name is its own");
	sh("mkdir " SF "4/net/ens1a && echo 3 >" SF "4/net/ens1a/ifindex");
	sh("mkdir " SF "4/net/zz && echo 9 >" SF "4/net/zz/ifindex");
	ok(sysfs_sub_function(&n.host, "mlx5_core.sf.4", &sf, &err) == 1 && sf.netdevs == 3);
	eq(sf.netdev, "ens1a");
	ok(sf.ifindex == 3 && sf.bound);
}

static struct record of_vdpa(const char *name, const char *virtio)
{
	struct record rec = { .unique_parent = true };

	(void)snprintf(rec.device, sizeof(rec.device), "%s", name);
	(void)snprintf(rec.vdpa.name, sizeof(rec.vdpa.name), "%s", name);
	(void)snprintf(rec.netdev.parent, sizeof(rec.netdev.parent), "%s", virtio);
	(void)snprintf(rec.netdev.bus, sizeof(rec.netdev.bus), "virtio");
	return rec;
}

static int vdpa_has(const struct record *rec)
{
	return vdpa_has_netdev(&n.host, rec, &err);
}

static void vdpa_devices(void)
{
	struct record rec = of_vdpa("vdpa1", "virtio3"), other = of_vdpa("vdpa1", "virtio9"),
		      node = of_vdpa("vdpa0", "virtio3"), gone = of_vdpa("nosuch", "virtio3");

	node_open("vdpa", &n);
	sh("mkdir -p sys/bus/virtio/devices/virtio3");
	test("the network device of a vDPA device that is at home is found, or it is a new one");
	ok(vdpa_has(&rec) == 0);
	test("one that is not there is elsewhere for as long as its virtio device is there");
	sh("rm -r sys/devices/vdpa1/virtio3/net");
	ok(vdpa_has(&rec) == 1);
	ok(vdpa_has(&other) == 0);
	test("with the other driver, or without the vDPA device, there is none");
	ok(vdpa_has(&node) == 0);
	ok(vdpa_has(&gone) == 0);
	test("what is no name is in no path");
	rec = of_vdpa("vdpa1", "../devices/virtio3");
	ok(vdpa_has(&rec) == 0);
	node_close(&n);
}

int main(void)
{
	functions();
	vdpa_devices();
	node_open("subfunction", &n);
	sub_functions();
	others();
	several();
	node_close(&n);
	return tap_end();
}
