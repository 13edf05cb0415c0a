/* SPDX-License-Identifier: Apache-2.0 */
/* test_sysfs.c - facts of devices, and device-info made of them, on the nodes of tests/node */
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/node/discover.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/sysfs.h"
#include "devinfo/node/sysfs_rdma.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pci_device pci(const struct fake_node *n, const char *bdf)
{
	struct pci_device dev = { 0 };
	struct err e = { 0 };
	int r = sysfs_pci(&n->host, bdf, &dev, &e);

	ok(r == 1);
	if (r < 0)
		(void)printf("# %s\n", e.msg);
	return dev;
}

static const char *representor(const struct fake_node *n, const struct pci_device *dev)
{
	static char name[16];
	struct err e = { 0 };
	struct function f;
	int r;

	name[0] = '\0';
	r = function_of_vf(dev, &f) ? sysfs_representor(&n->host, &f, name, &e) : 0;
	return r < 0 ? "error" : r == 0 ? "none" : name;
}

/* The device-info of a function without a device plugin's file. */
static bool discovers(const struct fake_node *n, const char *bdf, const char *want)
{
	auto_device_info struct device_info di = { 0 };
	struct pci_device dev = pci(n, bdf);
	struct err e = { 0 };
	auto_free char *have = NULL;
	json_auto_t *o = NULL;
	size_t len;

	if (device_info_discover(&n->host, &dev, NULL, &di, &e) < 0)
		return false;
	o = device_info_to_json(&di);
	have = jx_dump(o, &len);
	if (strcmp(have, want) != 0)
		(void)printf("#  have %s#  want %s", have, want);
	return strcmp(have, want) == 0;
}

static void test_igb(void)
{
	struct fake_node n;
	struct pci_device dev;

	node_open("igb", &n);
	test("a recorded igb VF is known with its PF, index, driver and net device");
	dev = pci(&n, "0000:01:10.0");
	ok(dev.exists && dev.is_vf && dev.vf_index == 0);
	eq(dev.pf_bdf, "0000:01:00.0");
	eq(dev.pf_netdev, "eth0");
	ok(dev.pf_ifindex == 2);
	eq(dev.driver, "igbvf");
	ok(!driver_is_userspace(dev.driver));
	eq(dev.netdev, "eth4");
	ok(dev.ifindex == 6);
	eq(dev.iommu_group, "13");
	eq(dev.rdma, "");

	test("a VF bound to vfio-pci has no net device");
	dev = pci(&n, "0000:01:10.2");
	ok(dev.is_vf && dev.vf_index == 1 && dev.ifindex == 0);
	eq(dev.driver, "vfio-pci");
	ok(driver_is_userspace(dev.driver));
	eq(dev.netdev, "");
	eq(dev.pf_netdev, "eth0");

	test("a PF is no VF");
	dev = pci(&n, "0000:01:00.0");
	ok(!dev.is_vf && dev.vf_index == 0);
	eq(dev.pf_bdf, "");
	eq(dev.netdev, "eth0");
	eq(representor(&n, &dev), "none");

	test("a recorded virtio function has its net device below virtio<N>");
	dev = pci(&n, "0000:03:00.0");
	eq(dev.netdev, "eth2");
	eq(dev.driver, "virtio-pci");

	test("without a switch there is no representor");
	dev = pci(&n, "0000:01:10.0");
	eq(representor(&n, &dev), "none");

	test("C-ISS-36: a PCI device-info is made of what sysfs shows");
	ok(discovers(&n, "0000:01:10.0", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		     "\"pci-address\":\"0000:01:10.0\",\"pf-pci-address\":\"0000:01:00.0\"}}\n"));
	ok(discovers(&n, "0000:01:00.0", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		     "\"pci-address\":\"0000:01:00.0\"}}\n"));

	test("vhost-net is left out where the node has none");
	ok(discovers(&n, "0000:01:10.2", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		     "\"pci-address\":\"0000:01:10.2\",\"pf-pci-address\":\"0000:01:00.0\"}}\n"));
	node_close(&n);
}

static void test_absent(void)
{
	struct fake_node n;
	struct pci_device dev = { .bdf = "kept" };
	struct net_device net = { .name = "kept" };
	struct err e = { 0 };

	node_open("igb", &n);
	test("what is not there, or no name of a device, is absent");
	ok(sysfs_pci(&n.host, "0000:01:10.4", &dev, &e) == 0);
	ok(sysfs_pci(&n.host, "../../../../etc", &dev, &e) == 0);
	ok(sysfs_pci(&n.host, "00000000:01:10.0", &dev, &e) == 0);
	ok(sysfs_netdev(&n.host, "eth9", &net, &e) == 0);
	ok(sysfs_netdev(&n.host, "../net/eth0", &net, &e) == 0);
	ok(sysfs_netdev(&n.host, "", &net, &e) == 0);
	eq(dev.bdf, "kept");
	eq(net.name, "kept");
	node_close(&n);
}

static const char *function_behind(const struct fake_node *n, const char *name, int ifindex)
{
	static struct net_device net;
	struct err e = { 0 };

	net = (struct net_device){ 0 };
	ok(sysfs_netdev(&n->host, name, &net, &e) == 1);
	eq(net.name, name);
	ok(net.ifindex == ifindex);
	return net.bdf;
}

static void test_netdevs(void)
{
	struct net_device net;
	struct fake_node n;
	struct err e = { 0 };

	node_open("igb", &n);
	test("the PCI function behind a net device is found, through virtio too");
	eq(function_behind(&n, "eth4", 6), "0000:01:10.0");
	eq(function_behind(&n, "eth2", 4), "0000:03:00.0");

	test("a virtual net device has none behind it");
	eq(function_behind(&n, "lo", 1), "");
	node_close(&n);

	node_open("mlx5", &n);
	test("a sub-function's net device is not its parent's");
	eq(function_behind(&n, "enp3s0f0s88", 31), "");
	node_close(&n);

	node_open("virtio", &n);
	test("a file of /sys/class/net is no net device");
	ok(sysfs_netdev(&n.host, "bonding_masters", &net, &e) == 0);
	node_close(&n);
}

static void test_switchdev(void)
{
	struct fake_node n;
	struct pci_device dev;

	node_open("mlx5", &n);
	test("C-ISS-23: in switchdev mode the PF's net device is the uplink, not a representor");
	dev = pci(&n, "0000:03:00.2");
	eq(dev.pf_netdev, "ens1f0np0");
	ok(dev.pf_ifindex == 2);
	eq(dev.rdma, "mlx5_2");
	eq(pci(&n, "0000:03:00.0").netdev, "ens1f0np0");

	test("the representor of a VF is that of its number and PF on its switch");
	eq(representor(&n, &dev), "eth3");
	dev = pci(&n, "0000:03:08.2");
	eq(dev.pf_netdev, "ens1f1np1");
	eq(representor(&n, &dev), "eth4");

	test("VF 1 and VF 10 are not confused");
	dev = pci(&n, "0000:03:01.4");
	ok(dev.vf_index == 10);
	eq(representor(&n, &dev), "eth0");
	dev.vf_index = 1;
	eq(representor(&n, &dev), "none");

	test("the only representor of this number on the switch counts when its PF number is odd");
	dev.vf_index = 10;
	dev.pf_bdf[strlen(dev.pf_bdf) - 1] = '5';
	eq(representor(&n, &dev), "eth0");
	dev.vf_index = 0;
	eq(representor(&n, &dev), "none");

	test("several RDMA devices are joined in order");
	eq(pci(&n, "0000:03:01.4").rdma, "mlx5_12,rocep3s1f4");

	test("all that the kernel knows of a VF gets into its device-info");
	ok(discovers(&n, "0000:03:00.2", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		     "\"pci-address\":\"0000:03:00.2\",\"rdma-device\":\"mlx5_2\","
		     "\"pf-pci-address\":\"0000:03:00.0\",\"representor-device\":\"eth3\"}}\n"));
	node_close(&n);
}

/* More links to the same VF tell which one was read. */
static void test_place(void)
{
	static const char at[] = "sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0";
	struct fake_node n;
	char command[512];

	node_open("igb", &n);
	test("the link of a VF is read where its address says, however many the PF has");
	(void)snprintf(command, sizeof(command), "cd %s/%s && echo 128 >sriov_offset && "
		       "echo 2 >sriov_stride && rm virtfn0 && for n in $(seq 5 90); do "
		       "ln -s ../0000:01:10.2 virtfn$n; done", n.dir, at);
	ok(system(command) == 0);
	ok(pci(&n, "0000:01:10.2").vf_index == 1);
	test("where that one leads elsewhere, or the PF does not say, all are read");
	(void)snprintf(command, sizeof(command), "cd %s/%s && echo 130 >sriov_offset && "
		       "rm virtfn1 && for n in $(seq 6 90); do rm virtfn$n; done", n.dir, at);
	ok(system(command) == 0);
	ok(pci(&n, "0000:01:10.2").vf_index == 5);
	(void)snprintf(command, sizeof(command), "cd %s/%s && echo 0 >sriov_stride && "
		       "echo no >sriov_offset", n.dir, at);
	ok(system(command) == 0);
	ok(pci(&n, "0000:01:10.2").vf_index == 5);
	node_close(&n);
}

static void test_virtio(void)
{
	struct fake_node n;
	struct device_info di;
	struct pci_device dev;
	struct err e = { 0 };
	char command[512];

	node_open("virtio", &n);
	test("C-ISS-36: a virtio VF's PF has its net device below virtio<N>");
	dev = pci(&n, "0000:00:05.1");
	eq(dev.pf_netdev, "ens5");
	eq(dev.netdev, "ens5v0");
	ok(dev.vf_index == 0);

	test("vhost-net is given where the node has the device");
	ok(discovers(&n, "0000:00:05.2", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		     "\"pci-address\":\"0000:00:05.2\",\"vhost-net\":\"/dev/vhost-net\","
		     "\"pf-pci-address\":\"0000:00:05.0\"}}\n"));

	test("a directory in its place is none, and what cannot be looked at is an error");
	ok(snprintf(command, sizeof(command), "cd %s/dev && mv vhost-net was && mkdir vhost-net",
		    n.dir) > 0 && system(command) == 0);
	ok(discovers(&n, "0000:00:05.2", "{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{"
		     "\"pci-address\":\"0000:00:05.2\",\"pf-pci-address\":\"0000:00:05.0\"}}\n"));
	ok(snprintf(command, sizeof(command), "cd %s/dev && rmdir vhost-net && "
		    "ln -s vhost-net vhost-net", n.dir) > 0 && system(command) == 0);
	dev = pci(&n, "0000:00:05.2");
	ok(device_info_discover(&n.host, &dev, NULL, &di, &e) < 0 && e.code == ERR_IO);
	eq(e.msg, "look for '/dev/vhost-net'");
	node_close(&n);
}

static void test_gone(void)
{
	struct fake_node n;
	struct pci_device dev = { .bdf = "kept" };
	struct err e = { 0 };

	node_open("gone", &n);
	test("an address in upper case is the same device");
	eq(pci(&n, "0000:AF:00.0").bdf, "0000:af:00.0");

	test("a VF whose PF is gone is an error that names both");
	ok(sysfs_pci(&n.host, "0000:05:10.0", &dev, &e) < 0 && e.code == ERR_DEVICE);
	eq(e.msg, "PCI device 0000:05:10.0: its physical function 0000:05:00.0 is gone");

	test("C-ISS-27: "
	     "a VF that its PF does not list is an error, and a similar name is not a match");
	ok(sysfs_pci(&n.host, "0000:06:10.0", &dev, &e) < 0 && e.code == ERR_DEVICE);
	eq(e.msg, "PCI device 0000:06:10.0: no virtfn link of its physical function 0000:06:00.0 "
		  "leads to it");
	eq(dev.bdf, "kept");
	node_close(&n);
}

static void add_rdma(const struct fake_node *n, const char *prefix, int count)
{
	char path[256];

	for (int i = 0; i < count; i++) {
		(void)snprintf(path, sizeof(path),
			       "%s/sys/bus/pci/devices/0000:03:00.2/infiniband/%s%d", n->dir,
			       prefix, i);
		if (mkdir(path, 0755) < 0)
			exit(1);
	}
}

static void test_many_rdma(void)
{
	struct pci_device dev = { 0 };
	struct rdma_names names;
	struct fake_node n;
	struct err e = { 0 };

	test("RDMA names that do not fit are left out, and no error");
	node_open("mlx5", &n);
	add_rdma(&n, "a-rather-long-name-for-an-rdma-device-that-is-still-allowed--", 4);
	ok(sysfs_pci(&n.host, "0000:03:00.2", &dev, &e) == 1);
	ok(strncmp(dev.rdma, "a-rather-long-name-", 19) == 0 && strchr(dev.rdma, ',') != NULL);
	ok(strlen(strrchr(dev.rdma, ',')) > 1);
	add_rdma(&n, "mlx5_9", 9);
	ok(sysfs_pci(&n.host, "0000:03:00.2", &dev, &e) == 1);
	test("but all of them are counted");
	ok(sysfs_rdma(&n.host, true, "0000:03:00.2", &names, &e) == 0);
	ok(names.n == RDMA_NAMES_MAX && names.count == 14);
	ok(sysfs_rdma_is_of(&n.host, true, "0000:03:00.2", "mlx5_98", &e) == 1);
	ok(sysfs_rdma_is_of(&n.host, true, "0000:03:00.2", "mlx5_7", &e) == 0);
	node_close(&n);
}

static void test_ports(void)
{
	static const struct {
		const char *port, *want; /* the PF's net device when its port has this name */
	} cases[] = {
		{ "p0", "ens1f0np0" },	{ "p1s2", "ens1f0np0" }, { "n1", "ens1f0np0" },
		{ "pf0", "" },		{ "pf0vf3", "" },	 { "pf0vf3x", "" },
		{ "c2p0", "" },		{ "p1x", "ens1f0np0" },	 { "p1234567890", "ens1f0np0" },
	};
	char path[256];
	struct fake_node n;

	node_open("mlx5", &n);
	(void)snprintf(path, sizeof(path), "%s/sys/class/net/ens1f0np0/phys_port_name", n.dir);
	test("only what cannot be a representor is taken for the PF's net device");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		FILE *f = fopen(path, "w");

		if (!f || fputs(cases[i].port, f) < 0 || fclose(f) != 0)
			exit(1);
		eq(pci(&n, "0000:03:00.2").pf_netdev, cases[i].want);
	}
	test("a PF port without a name is the uplink too");
	ok(unlink(path) == 0);
	eq(pci(&n, "0000:03:00.2").pf_netdev, "ens1f0np0");
	node_close(&n);
}

static void test_enrich(void)
{
	auto_device_info struct device_info di = { 0 };
	struct pci_device dev, none = { 0 };
	struct fake_node n;
	struct err e = { 0 };
	static const char dp[] = "{\"type\":\"pci\",\"version\":\"v1.0.0\",\"pci\":{"
				 "\"pci-address\":\"0000:03:00.2\",\"rdma-device\":\"mine\"}}";

	node_open("mlx5", &n);
	dev = pci(&n, "0000:03:00.2");
	test("what the device plugin said stays, what it left out is filled in");
	ok(device_info_from_text(dp, strlen(dp), "dp", &di, &e) == 0);
	ok(device_info_enrich(&n.host, &dev, NULL, &di, &e) == 0);
	eq(di.pci.rdma_device, "mine");
	eq(di.pci.pf_pci_address, "0000:03:00.0");
	eq(di.pci.representor_device, "eth3");
	test("a representor raises version 1.0.0 to 1.1.0");
	eq(di.version, "1.1.0");
	test("but its representor is the one that the kernel shows, where that shows one");
	(void)snprintf(di.pci.representor_device, sizeof(di.pci.representor_device), "stale");
	ok(device_info_enrich(&n.host, &dev, NULL, &di, &e) == 0);
	eq(di.pci.representor_device, "eth3");
	(void)snprintf(di.pci.representor_device, sizeof(di.pci.representor_device), "elsewhere");
	ok(device_info_enrich(&n.host, &dev, &(struct representor){ 0 }, &di, &e) == 0);
	eq(di.pci.representor_device, "elsewhere");

	test("device-info about another function is an error and stays as it was");
	(void)snprintf(di.pci.pci_address, sizeof(di.pci.pci_address), "0000:03:00.3");
	di.pci.pf_pci_address[0] = '\0';
	ok(device_info_enrich(&n.host, &dev, NULL, &di, &e) < 0 && e.code == ERR_DEVINFO);
	eq(e.msg, "the device is 0000:03:00.2, its device-info is about 0000:03:00.3");
	eq(di.pci.pf_pci_address, "");

	test("nothing is filled in when no PCI function is behind the device");
	ok(device_info_enrich(&n.host, &none, NULL, &di, &e) == 0);
	eq(di.pci.pf_pci_address, "");
	node_close(&n);
}

static void test_enrich_others(void)
{
	struct device_info vdpa = {
		.kind = DEVICE_VDPA,
		.version = "1.0.0",
		.vdpa = { .parent_device = "v0", .driver = "vhost", .path = "/dev/vhost-vdpa-0" },
	};
	struct device_info memif = {
		.kind = DEVICE_MEMIF,
		.version = "1.0.0",
		.memif = { .role = "slave", .path = "/run/m.sock", .mode = "ip" },
	};
	struct pci_device dev;
	struct fake_node n;
	struct err e = { 0 };

	node_open("mlx5", &n);
	dev = pci(&n, "0000:03:08.2");
	test("a vdpa map gets the addresses and the representor of its function");
	ok(device_info_enrich(&n.host, &dev, NULL, &vdpa, &e) == 0);
	eq(vdpa.vdpa.pci_address, "0000:03:08.2");
	eq(vdpa.vdpa.pf_pci_address, "0000:03:00.1");
	eq(vdpa.vdpa.representor_device, "eth4");
	eq(vdpa.version, "1.1.0");
	(void)snprintf(vdpa.vdpa.representor_device, sizeof(vdpa.vdpa.representor_device), "stale");
	ok(device_info_enrich(&n.host, &dev, NULL, &vdpa, &e) == 0);
	eq(vdpa.vdpa.representor_device, "eth4");
	(void)snprintf(vdpa.vdpa.pci_address, sizeof(vdpa.vdpa.pci_address), "0000:ff:00.0");
	ok(device_info_enrich(&n.host, &dev, NULL, &vdpa, &e) < 0 && e.code == ERR_DEVINFO);

	test("sockets are none of the kernel's business");
	ok(device_info_enrich(&n.host, &dev, NULL, &memif, &e) == 0);
	eq(memif.version, "1.0.0");
	eq(memif.memif.path, "/run/m.sock");
	node_close(&n);
}

int main(void)
{
	test_igb();
	test_absent();
	test_netdevs();
	test_switchdev();
	test_place();
	test_virtio();
	test_gone();
	test_many_rdma();
	test_ports();
	test_enrich();
	test_enrich_others();
	return tap_end();
}
