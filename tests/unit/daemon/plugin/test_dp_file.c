/* SPDX-License-Identifier: Apache-2.0 */
/* test_dp_file.c - the device-plugin files of what is on offer, on a recorded node */
#include "daemon/plugin/dp_file.h"

#include "tests/unit/logged.h"
#include "tests/unit/offered.h"

#define ALL "{'resourceList': [{'resourceName': 'vf', 'selectors': {'pfNames': ['eth0']}}]}"
#define DIR_NAME "var/run/k8s.cni.cncf.io/devinfo/dp"
#define FILE_0 DIR_NAME "/intel.com-vf-0000:01:10.0-device.json"
#define FILE_2 DIR_NAME "/intel.com-vf-0000:01:10.2-device.json"

static int update(struct offered_node *n, struct dp_files *f)
{
	struct err e = { 0 };

	return dp_files_update(f, &n->node.host, &n->pools, &n->inv, &n->offers, &e);
}

static bool says(const struct offered_node *n, const char *file, const char *text)
{
	char condition[512];

	(void)snprintf(condition, sizeof(condition), "-e %s && grep -q '%s' %s", file, text, file);
	return node_holds(&n->node, condition);
}

static void test_written(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 };

	offered_open("igb", NULL, ALL, &n);
	test("a file is written for each device, and not again");
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "0000:01:10.0"));
	ok(says(&n, FILE_2, "pf-pci-address.*0000:01:00.0"));
	eqi(f.n, 2);
	node_sh(&n.node, "touch -d @1 " FILE_0);
	ok(update(&n, &f) == 0);
	ok(node_holds(&n.node, "$(stat -c %Y " FILE_0 ") = 1"));

	test("that of a device that has left the pool is removed");
	n.offer[0].n = 1;
	ok(update(&n, &f) == 0);
	ok(!node_holds(&n.node, "-e " FILE_2));
	ok(node_holds(&n.node, "-e " FILE_0));

	test("and that of a pool that ends, unless a pod has the device");
	n.offer[0].list[0].held = true;
	ok(update(&n, &f) == 0);
	n.offers.n = 0;
	ok(update(&n, &f) == 0 && update(&n, &f) == 0);
	ok(node_holds(&n.node, "-e " FILE_0));
	n.offers.n = 1;
	n.offer[0].list[0].held = false;
	ok(update(&n, &f) == 0);
	n.offers.n = 0;
	ok(update(&n, &f) == 0);
	ok(!node_holds(&n.node, "-e " FILE_0));
	n.offers.n = 1;

	test("at the end all are, but for those of devices that a pod has");
	n.offer[0].n = 2;
	n.offer[0].list[1].held = false;
	ok(update(&n, &f) == 0);
	n.offer[0].list[1].held = true;
	ok(update(&n, &f) == 0);
	dp_files_withdraw(&f, &n.node.host);
	ok(!node_holds(&n.node, "-e " FILE_0));
	ok(node_holds(&n.node, "-e " FILE_2));
	eqi(f.n, 0);
	offered_close(&n);
}

static void test_change(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 };

	offered_open("igb", NULL, ALL, &n);
	ok(update(&n, &f) == 0);
	test("when a device changes its file does");
	node_sh(&n.node, "mkdir -p sys/bus/pci/devices/0000:01:10.0/infiniband/mlx5_7 "
			 "sys/class/infiniband && ln -s ../../devices/pci0000:00/0000:00:04.0/"
			 "0000:01:10.0/infiniband/mlx5_7 sys/class/infiniband/mlx5_7");
	offered_read(&n, ALL);
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "mlx5_7"));
	test("but not while a pod has it");
	node_sh(&n.node, "rm sys/class/infiniband/mlx5_7 && rm -r "
			 "sys/bus/pci/devices/0000:01:10.0/infiniband");
	offered_read(&n, ALL);
	n.offer[0].list[0].held = true;
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "mlx5_7"));
	n.offer[0].list[0].held = false;
	ok(update(&n, &f) == 0);
	ok(!says(&n, FILE_0, "mlx5_7"));
	dp_files_done(&f);
	ok(node_holds(&n.node, "-e " FILE_0));
	offered_close(&n);
}

static void test_others(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 };

	offered_open("igb", "mkdir -p " DIR_NAME " && echo '{\"type\":\"pci\","
			    "\"version\":\"1.1.0\",\"pci\":{\"pci-address\":\"0000:01:10.0\","
			    "\"pf-pci-address\":\"0000:09:00.0\"}}' >" FILE_0
			    " && echo '{\"type\":\"pci\",\"version\":\"1.0.0\",\"pci\":"
			    "{\"pci-address\":\"0000:01:10.2\"}}' >" FILE_2, ALL, &n);
	test("another's file that says something else is left, and told once");
	keep_log();
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "0000:09:00.0"));
	ok(logged("its file says something else (pf-pci-address)"));
	keep_log();
	ok(update(&n, &f) == 0);
	ok(!logged("its file"));
	test("so is one that says less");
	ok(says(&n, FILE_2, "1.0.0"));
	test("neither is removed");
	dp_files_withdraw(&f, &n.node.host);
	ok(node_holds(&n.node, "-e " FILE_0));
	ok(node_holds(&n.node, "-e " FILE_2));
	offered_close(&n);
}

static void test_failed(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 };

	offered_open("igb", "d=" DIR_NAME " && mkdir -p ${d%/*} && touch $d", ALL, &n);
	test("a file that cannot be written is told once, and tried again though nothing changes");
	keep_log();
	ok(update(&n, &f) == 0);
	ok(logged("cannot be written") || logged("left as it is"));
	keep_log();
	ok(update(&n, &f) == 0);
	ok(!logged("cannot be written") && !logged("left as it is"));
	node_sh(&n.node, "rm " DIR_NAME);
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "0000:01:10.0"));

	test("one that is ours stays ours while it cannot be written");
	node_sh(&n.node, "mv " DIR_NAME " away && touch " DIR_NAME);
	n.inv.functions[n.offer[0].list[0].function].pf_bdf[11] ^= 1;
	ok(update(&n, &f) == 0);
	node_sh(&n.node, "rm " DIR_NAME " && mv away " DIR_NAME);
	dp_files_withdraw(&f, &n.node.host);
	ok(!node_holds(&n.node, "-e " FILE_0));
	offered_close(&n);
}

/* As after a reboot, and as when sriov-network-device-plugin ends beside us. */
static void test_missing(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 };
	struct offered *given, *attached;

	offered_open("igb", NULL, ALL, &n);
	given = &n.offer[0].list[0];
	attached = &n.offer[0].list[1];
	*given = (struct offered){ .id = "0000:01:10.0", .healthy = true, .held = true,
				   .given = true, .function = given->function,
				   .auxiliary = INV_NONE, .attachment = INV_NONE };
	attached->held = true;
	attached->attachment = 0;
	test("a device that a pod was given and nobody has attached gets its file at the start");
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "0000:01:10.0"));
	test("one that is attached does not: part of it is in the pod");
	ok(!node_holds(&n.node, "-e " FILE_2));
	test("nor does one whose network device somebody else has put into a pod");
	node_sh(&n.node, "rm " FILE_0);
	n.inv.functions[given->function].away = true;
	ok(update(&n, &f) == 0);
	ok(!node_holds(&n.node, "-e " FILE_0));
	n.inv.functions[given->function].away = false;

	test("a file that another has removed is written again, though nothing else changes");
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "0000:01:10.0"));
	given->held = given->given = attached->held = false;
	attached->attachment = INV_NONE;
	ok(update(&n, &f) == 0);
	node_sh(&n.node, "rm -r " DIR_NAME);
	ok(update(&n, &f) == 0);
	ok(says(&n, FILE_0, "0000:01:10.0"));
	ok(says(&n, FILE_2, "0000:01:10.2"));
	test("and is ours: at the end it is removed");
	dp_files_withdraw(&f, &n.node.host);
	ok(!node_holds(&n.node, "-e " FILE_0));
	offered_close(&n);
}

/* As after a kill: another process has written what we would. */
static void test_again(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 }, again = { .n = 0 };

	offered_open("igb", NULL, ALL, &n);
	ok(update(&n, &f) == 0);
	dp_files_done(&f);
	test("what a process before has left is ours");
	ok(update(&n, &again) == 0);
	dp_files_withdraw(&again, &n.node.host);
	ok(!node_holds(&n.node, "-e " FILE_0));
	offered_close(&n);
}

static void test_types(void)
{
	struct offered_node n;
	struct dp_files f = { .n = 0 };

	offered_open("igb", NULL, "{'resourceList': [{'resourceName': 'a', 'deviceType': "
				  "'accelerator', 'selectors': {}}]}", &n);
	n.offer[0].list[0] = (struct offered){ .id = "0000:01:10.0" };
	n.offer[0].n = 1;
	test("only network devices have files");
	ok(update(&n, &f) == 0);
	eqi(f.n, 0);
	dp_files_done(&f);
	offered_close(&n);
}

#define SOCKETS(role) "{'resourceList': [{'resourceName': 'm', 'deviceType': 'memif', " \
		      "'slots': 1, 'role': '" role "'}]}"

static void set_role(struct offered_node *n, const char *text, bool held)
{
	offered_read(n, text);
	n->offer[0].list[0] = (struct offered){ .id = "m-0", .socket = true, .held = held };
	n->offer[0].n = 1;
}

static void test_socket(void)
{
	static const char file[] = DIR_NAME "/intel.com-m-m-0-device.json";
	struct offered_node n;
	struct dp_files f = { .n = 0 };

	offered_open("igb", NULL, SOCKETS("master"), &n);
	set_role(&n, SOCKETS("master"), false);
	test("the file of a socket follows its pool, but not while a pod has the socket");
	ok(update(&n, &f) == 0 && says(&n, file, "master"));
	set_role(&n, SOCKETS("slave"), true);
	ok(update(&n, &f) == 0 && says(&n, file, "master"));
	set_role(&n, SOCKETS("slave"), false);
	ok(update(&n, &f) == 0 && says(&n, file, "slave"));
	test("one that another has removed is written again");
	node_sh(&n.node, "rm -r " DIR_NAME);
	ok(update(&n, &f) == 0 && says(&n, file, "slave"));
	dp_files_done(&f);
	offered_close(&n);
}

int main(void)
{
	test_written();
	test_change();
	test_failed();
	test_again();
	test_missing();
	test_types();
	test_socket();
	test_others();
	return tap_end();
}
