/* SPDX-License-Identifier: Apache-2.0 */
/* test_policy.c - which devices the node gives away, by whatever name, and to which drivers */
#include "base/jx.h"
#include "base/mem.h"
#include "cni/attach/policy.h"
#include "cni/driver/driver.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <string.h>

static struct fake_node n;
static struct nl home;		/* in a namespace that has no route */
static struct cni_call call;
static struct err err;

/* The choice of a function, a sub-function or a network device, or a vDPA device by its name. */
static struct choice choice(const char *key, const char *vdpa)
{
	struct choice c = { .source = "configuration" };

	(void)snprintf(c.id, sizeof(c.id), "%s", *vdpa ? vdpa : key);
	(void)snprintf(c.part, sizeof(c.part), "%s", vdpa);
	if (key[4] == ':')
		choice_set_pci(&c, key);
	else
		(void)snprintf(c.key, sizeof(c.key), "%s", key);
	if (*key && choose_read(&n.host, &c, &err) < 0)
		bail_out(err.msg);
	return c;
}

static int check(const char *key, const char *vdpa)
{
	struct choice c = choice(key, vdpa);

	return policy_check_device(&n.host, &call, &home, &c, &err);
}

static bool is_denied(const char *pattern, const char *key, const char *vdpa)
{
	json_auto_t *list = json_pack("[s]", pattern);
	int r;

	n.host.set.deny_devices = list;
	r = check(key, vdpa);
	n.host.set.deny_devices = NULL;
	return r < 0 && err.code == ERR_DEVICE && strstr(err.msg, "denyDevices");
}

static void functions(void)
{
	node_open("igb", &n);
	test("a PF that has VFs is refused, one that has none, and a VF, are not");
	ok(check("0000:01:00.0", "") == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "device 0000:01:00.0 is not allowed: PCI function 0000:01:00.0 is a physical "
		    "function with 2 VFs");
	ok(check("0000:02:00.0", "") == 0);
	ok(check("0000:01:10.0", "") == 0);
	test("a function goes by its address, its numbers and the name of its network device");
	ok(is_denied("0000:01:10.0", "0000:01:10.0", ""));
	ok(is_denied("8086:10CA", "0000:01:10.0", "") && is_denied("8086:*", "0000:01:10.2", ""));
	ok(is_denied("eth[45]", "0000:01:10.0", ""));
	ok(!is_denied("eth4", "0000:01:10.2", "") && !is_denied("10ca", "0000:01:10.2", ""));
	ok(is_denied("eth2", "0000:03:00.0", "") && is_denied("1af4:1041", "0000:03:00.0", ""));
	node_close(&n);
	node_open("mlx5", &n);
	test("a PF is known by the links to its VFs, and refused with all of its network devices");
	ok(check("0000:03:00.0", "") == -1 && strstr(err.msg, "is a physical function with 2 VFs"));
	ok(check("0000:03:00.1", "") == -1 && strstr(err.msg, "is a physical function with 1 VFs"));
	node_close(&n);
}

static void others(void)
{
	struct choice c;

	node_open("vdpa-mlx5", &n);
	test("a representor is one of its PF's");
	node_sh(&n, "ln -sfn ../0000:65:00.2 sys/bus/pci/devices/0000:65:00.0/virtfn0");
	c = choice("eth3", "");
	eq(c.net.bdf, "0000:65:00.0");
	ok(policy_check_device(&n.host, &call, &home, &c, &err) == -1 &&
	   strstr(err.msg, "device eth3 is not allowed: PCI function 0000:65:00.0 is"));
	test("a sub-function of a PF that has VFs is none");
	ok(check("mlx5_core.sf.4", "") == 0);
	ok(is_denied("mlx5_core.sf.*", "mlx5_core.sf.4", ""));
	ok(!is_denied("0000:65:*", "mlx5_core.sf.4", ""));
	test("a vDPA device goes by its name, also when it is chosen by its function");
	ok(is_denied("vdpa:0000:65:00.3", "0000:65:00.3", ""));
	ok(is_denied("vdpa:0000:65:00.3", "0000:65:00.3", "vdpa:0000:65:00.3"));
	ok(is_denied("0000:65:00.3", "0000:65:00.3", "vdpa:0000:65:00.3"));
	test("what the node does not know has but its id");
	c = (struct choice){ .id = "some-device" };
	n.host.set.allow_devices = json_pack("[s]", "0000:*");
	ok(policy_check_device(&n.host, &call, &home, &c, &err) == -1 &&
	   strstr(err.msg, "device some-device is not allowed: it matches nothing in allow"));
	json_decref((json_t *)(uintptr_t)n.host.set.allow_devices);
	n.host.set.allow_devices = json_pack("[s]", "some-*");
	ok(policy_check_device(&n.host, &call, &home, &c, &err) == 0);
	json_decref((json_t *)(uintptr_t)n.host.set.allow_devices);
	n.host.set.allow_devices = NULL;
	test("a socket is no device of the node");
	(void)snprintf(c.path, sizeof(c.path), "/run/x");
	n.host.set.deny_devices = json_pack("[s]", "*");
	ok(policy_check_device(&n.host, &call, &home, &c, &err) == 0);
	json_decref((json_t *)(uintptr_t)n.host.set.deny_devices);
	n.host.set.deny_devices = NULL;
	node_close(&n);
}

static bool may_bind(const struct pci_device *dev, const char *driver)
{
	int r = driver_check_allowed(&n.host, dev, driver, &err);

	return r == 0 || err.code != ERR_DEVICE;
}

static void drivers(void)
{
	struct pci_device dev = { .bdf = "0000:01:10.0" };
	json_auto_t *list = json_pack("[s, s]", "igb_uio", "xe_vfio_pci"), *none = json_array();

	node_open(NULL, &n);
	node_sh(&n, "mkdir -p sys/bus/pci/devices/0000:01:10.0/iommu_group");
	test("vfio's drivers are for everybody, uio's for what an IOMMU confines");
	ok(may_bind(&dev, "vfio-pci") && may_bind(&dev, "mlx5_vfio_pci"));
	ok(!may_bind(&dev, "uio_pci_generic") && !may_bind(&dev, "igb_uio"));
	eq(err.msg, "device 0000:01:10.0 may not be bound to igb_uio: no IOMMU confines it, and "
		    "drivers of the node's file does not name igb_uio");
	(void)snprintf(dev.iommu_group, sizeof(dev.iommu_group), "7");
	ok(!may_bind(&dev, "uio_pci_generic"));
	node_sh(&n, "echo unknown >sys/bus/pci/devices/0000:01:10.0/iommu_group/type");
	ok(!may_bind(&dev, "uio_pci_generic"));
	node_sh(&n, "echo DMA-FQ >sys/bus/pci/devices/0000:01:10.0/iommu_group/type");
	ok(may_bind(&dev, "uio_pci_generic"));
	node_sh(&n, "echo identity >sys/bus/pci/devices/0000:01:10.0/iommu_group/type");
	ok(!may_bind(&dev, "uio_pci_generic") && may_bind(&dev, "vfio-pci"));
	test("a list says exactly which, an empty one none");
	n.host.set.drivers = list;
	ok(may_bind(&dev, "igb_uio") && may_bind(&dev, "xe_vfio_pci"));
	ok(!may_bind(&dev, "uio_pci_generic") && !may_bind(&dev, "vfio-pci"));
	eq(err.msg, "device 0000:01:10.0 may not be bound to vfio-pci: it is not in drivers of the "
		    "node's file");
	n.host.set.drivers = none;
	ok(!may_bind(&dev, "vfio-pci"));
	n.host.set.drivers = NULL;
	node_close(&n);
}

static void taints(void)
{
	json_auto_t *tolerate = json_pack("[s]", "maintenance");

	node_open("vdpa-mlx5", &n);
	node_sh(&n, "mkdir -p etc/cni/net.d/devinfo.d/overrides; "
		    "for d in 0000-65-00-2 0000-65-00-0-sf-88 vdpa-two-a; do "
		    "echo 'apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\n"
		    "metadata: {name: '$d'}\nspec: {deviceSelector: {device: '$d'}, taint: {key: "
		    "maintenance, value: planned, effect: NoSchedule}}' >"
		    "etc/cni/net.d/devinfo.d/overrides/$d.yaml; done");
	test("K50: a taint is not looked at unless the node's file says so");
	ok(check("0000:65:00.2", "") == 0);
	n.host.set.refuse_tainted = true;
	test("D38: then a device is refused by any of its names");
	ok(check("0000:65:00.2", "") == -1 && err.code == ERR_DEVICE);
	eq(err.msg, "device 0000:65:00.2 is not allowed: it is tainted "
	   "maintenance=planned:NoSchedule");
	ok(check("0000:65:00.3", "") == 0);
	ok(check("0000:65:00.2", "vf0") == -1 && check("0000:65:00.3", "vdpa:0000:65:00.3") == 0);
	ok(check("mlx5_core.sf.4", "sf4") == -1 && strstr(err.msg, "tainted maintenance"));
	test("D38: and who gets a function as a whole gets the vDPA devices on it");
	ok(check("0000:68:00.0", "two-a") == -1 && check("0000:68:00.0", "two-b") == 0);
	ok(check("0000:68:00.0", "") == -1 && err.code == ERR_DEVICE);
	test("K47: but for what the node tolerates, or with the gate closed");
	n.host.set.tolerate = tolerate;
	ok(check("0000:65:00.2", "") == 0);
	n.host.set.tolerate = NULL;
	n.host.set.overrides = false;
	ok(check("0000:65:00.2", "") == 0);
	node_close(&n);
}

int main(void)
{
	jx_init(NULL);
	if ((unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) ||
	    nl_open(NETNS_OWN, NETLINK_ROUTE, &home, &err) < 0)
		bail_out("no network namespace of its own");
	functions();
	others();
	drivers();
	taints();
	nl_done(&home);
	return tap_end();
}
