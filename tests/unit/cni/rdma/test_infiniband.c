/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_infiniband.c - InfiniBand GUIDs from ADD to DEL, with a kernel of our own.  Needs root.
 */
#include "tests/unit/rdma_scene.h"

#define WITH_GUID ",\"guid\":\"00:11:22:33:44:55:66:02\""

static void infiniband_refusals(void)
{
	static const struct {
		const char *what, *msg;
		int vlan, rate;
		enum onoff spoofchk, trust;
		bool has_mac;
		const char *ipam;
	} rows[] = {
		{ "a mac", "args.cni.mac: " VF " is an InfiniBand device", -1, -1,
		  .has_mac = true },
		{ "a vlan", "vlan: " VF " is an InfiniBand device", 0, -1, .has_mac = false },
		{ "spoofchk", "spoofchk: " VF " is an InfiniBand device", -1, -1,
		  .spoofchk = ONOFF_OFF },
		{ "trust", "trust: " VF " is an InfiniBand device", -1, -1, .trust = ONOFF_ON },
		{ "a rate", "max_tx_rate: " VF " is an InfiniBand device", -1, 0, .ipam = NULL },
		{ "dhcp", "ipam.type: dhcp, but " VF " is an InfiniBand device", -1, -1,
		  .ipam = "dhcp" },
	};
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		test(rows[i].what);
		start(false);
		look_so_far();
		nc.vlan = rows[i].vlan;
		nc.max_tx_rate = rows[i].rate;
		nc.spoofchk = rows[i].spoofchk;
		nc.trust = rows[i].trust;
		nc.ipam_type = rows[i].ipam;
		a.has_mac = rows[i].has_mac;
		a.mac_key = "args.cni.mac";
		ok(infiniband_probe(&a, &e) == -1 && e.code == ERR_NETCONF);
		eq(e.msg, rows[i].msg);
	}
	test("an Ethernet VF has no GUID");
	start(true);
	look_so_far();
	nc.guid = GUID_B;
	ok(infiniband_probe(&a, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "guid: " VF " is not an InfiniBand device");
	test("an InfiniBand VF without a GUID needs one");
	start(false);
	k->guid = GUID_UNASSIGNED;
	look_so_far();
	ok(infiniband_probe(&a, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, VF " has no GUID (ff:ff:ff:ff:ff:ff:ff:ff), and none is configured");
	nc.guid = GUID_B;
	ok(infiniband_probe(&a, &e) == 0);
	test("link_state and other addresses than DHCP's are fine");
	start(false);
	look_so_far();
	nc.link_state = LINK_POLICY_ENABLE;
	nc.ipam_type = "host-local";
	ok(infiniband_probe(&a, &e) == 0 && !*a.rec.driver.before);
	test("an interface made anew is looked for by its parent, which the kernel has to tell");
	start(false);
	look_so_far();
	a.rec.unique_parent = false;
	ok(look_all(&e) == -1 && e.sys == EOPNOTSUPP);
}

static void guids_before(void)
{
	static const struct {
		const char *what;
		uint64_t reported, vf, node, want, want_node;
	} rows[] = {
		{ "the administrator's is put back", GUID_C, GUID_A, GUID_B, GUID_C, GUID_C },
		{ "else the firmware's, the node's own", GUID_NONE, GUID_A, GUID_B, GUID_A,
		  GUID_B },
		{ "which goes before all ones", GUID_UNASSIGNED, GUID_A, GUID_A, GUID_A, GUID_A },
		{ "a node without one", GUID_NONE, GUID_A, GUID_NONE, GUID_A, GUID_UNASSIGNED },
		{ "without any it is taken away", GUID_NONE, GUID_NONE, GUID_NONE,
		  GUID_UNASSIGNED, GUID_UNASSIGNED },
	};
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		test(rows[i].what);
		start(false);
		k->node = k->port = rows[i].reported;
		k->guid = rows[i].vf;
		k->node_guid = rows[i].node;
		show();
		look_so_far();
		nc.guid = GUID_B;
		ok(infiniband_probe(&a, &e) == 0);
		ok(a.rec.vf.node_guid == rows[i].want_node);
		ok(a.rec.vf.port_guid == rows[i].want);
		ok((a.rec.vf.have & VF_GUIDS) == VF_GUIDS);
		eq(a.rec.driver.before, "mlx5_core");
		eq(a.rec.driver.bound, "");
	}
	test("with more than one RDMA device the port's GUID is the node's as well");
	start(false);
	sh("mkdir " VF_DIR "/infiniband/siw0");
	k->guid = GUID_C;
	look_so_far();
	nc.guid = GUID_B;
	ok(infiniband_probe(&a, &e) == 0 && a.rec.vf.node_guid == GUID_C);
	test("a driver_override that a record must not have is refused");
	start(false);
	sh("printf 'a\\001b\\n' >" VF_DIR "/driver_override");
	ok(add(WITH_GUID, &e) == -1 && e.sys == EILSEQ && !rec.doc);
	eq(k->log, "");
}

/* -- there and back -- */

static void guid_there_and_back(void)
{
	struct err e;

	test("a GUID is set while the driver is away; what that makes anew gets its names back");
	start(false);
	k->shared = true;
	k->node = k->port = GUID_C;
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_8");
	ok(add(WITH_GUID, &e) == 0);
	eq(k->log, "unbind; node 55:66:02; port 55:66:02; bind; rename mlx5_8 mlx5_2; "
		   "link ib40 home 4092; link net1 pod 4092; ");
	ok(k->node == GUID_B && k->port == GUID_B && k->guid == GUID_B);
	ok(rec.rdma.index == k->rdma_index && rec.netdev.ifindex == k->ifindex);
	ok(del(&e) == 1);
	eq(k->log, "unbind; node 55:66:03; port 55:66:03; bind; rename mlx5_8 mlx5_2; "
		   "link ib50 home 4092; link ibs3v1 home 4092; ");
	ok(k->guid == GUID_C);
	test("once more, and everything is found as it was");
	write_record_again();
	ok(del(&e) == 1);
	eq(k->log, "");

	test("in exclusive mode the RDMA device moves after that, and comes home before");
	start(false);
	ok(add(WITH_GUID, &e) == 0);
	eq(k->log, "unbind; node 55:66:02; port 55:66:02; bind; rdma to pod; link ib50 home 4092; "
		   "link net1 pod 4092; ");
	ok(rec.rdma.index == k->rdma_index && rec.netdev.ifindex == k->ifindex);
	ok(rec.rdma.isolated && rec.netdev.addr_len == 0 && rec.vf_set == VF_GUIDS);
	ok(del(&e) == 1);
	eq(k->log, "rdma to home; unbind; node 55:66:01; port 55:66:01; bind; "
		   "link ib70 home 4092; link ibs3v1 home 4092; ");

	test("an interface that is made where the RDMA device is goes home first, by any name");
	start(false);
	k->ipoib_follows = true;
	ok(add(",\"rdmaIsolation\":true", &e) == 0);
	eq(k->log, "rdma to pod; link dev0 home 2044; link dev0 home 4092; link net1 pod 4092; ");
	ok(del(&e) == 1);
	eq(k->ifname, "ibs3v1");
	ok(k->if_ns == home_ns && k->rdma_ns == home_ns);
}

/* Another mode, another limit of the MTU: an interface that was made anew has the smaller one. */
static void modes(void)
{
	struct err e;

	test("mode, umcast and the MTU that they allow go to the pod and come back");
	start(false);
	k->shared = true;
	k->mode = k->umcast = 1;
	k->mtu = 65520;
	ok(add(WITH_GUID, &e) == 0);
	ok(k->mode == 1 && k->umcast == 1 && k->mtu == 65520 && k->if_ns == pod_ns);
	ok(rec.netdev.ipoib.have && rec.netdev.ipoib.mode == 1 && rec.netdev.ipoib.umcast == 1);
	ok(del(&e) == 1);
	ok(k->mode == 1 && k->umcast == 1 && k->mtu == 65520);
	eq(k->ifname, "ibs3v1");
	test("those that the pod has changed come back as well");
	start(false);
	k->shared = true;
	ok(add("", &e) == 0);
	k->mode = 1;
	k->mtu = 65520;
	ok(del(&e) == 1 && k->mode == 0 && k->mtu == 4092);
	test("an MTU that the kernel refuses is in the way of nothing else");
	start(false);
	k->shared = true;
	k->mtu = 65520;
	ok(add(WITH_GUID, &e) == 0 && k->mtu == 2044);
	ok(del(&e) == 1);
	eq(k->ifname, "ibs3v1");
	read_record();
	ok(!rec.doc);
}

static void guid_unusual(void)
{
	struct err e;

	test("a kernel that does not report GUIDs is told them all the same");
	start(false);
	k->shared = true;
	k->reports_guids = false;
	ok(add(WITH_GUID, &e) == 0 && k->guid == GUID_B);
	ok(del(&e) == 1 && k->guid == GUID_A && k->port == GUID_A);

	test("a VF in user space has its GUID set, and its driver let be");
	start(false);
	k->ifindex = 0;
	k->rdma_index = 0;
	(void)snprintf(k->driver, sizeof(k->driver), "vfio-pci");
	show();
	ok(add(WITH_GUID, &e) == 0 && !*rec.driver.before);
	eq(k->log, "node 55:66:02; port 55:66:02; ");
	ok(del(&e) == 1);
	eq(k->log, "node ff:ff:ff; port ff:ff:ff; ");

	test("one that goes to user space takes its GUID on the way, and on the way back");
	start(false);
	ok(add(WITH_GUID ",\"driver\":\"vfio-pci\"", &e) == 0);
	eq(k->log, "unbind; node 55:66:02; port 55:66:02; bind; ");
	eq(k->driver, "vfio-pci");
	ok(del(&e) == 1 && k->guid == GUID_A);
	eq(k->driver, "mlx5_core");
	eq(k->ifname, "ibs3v1");

	test("a GUID that is refused leaves the VF as it was");
	start(false);
	k->shared = true;
	k->node = k->port = GUID_C;
	k->refuse_port = EINVAL;
	ok(add(WITH_GUID, &e) == -1 && e.sys == EINVAL);
	eq(e.msg, "set the GUID of VF 1 of ibpf: vf 1: port guid 00:11:22:33:44:55:66:02: "
		  "the kernel refused");
	contains(e.details, "no such port");
	eq(k->driver, "mlx5_core");
	k->refuse_port = 0;
	ok(rec.doc && del(&e) == 1 && k->node == GUID_C && k->port == GUID_C);
	eq(k->driver, "mlx5_core");

	test("a GUID that the driver has not taken back is told");
	start(false);
	k->shared = true;
	k->node = k->port = GUID_C;
	ok(add(WITH_GUID, &e) == 0);
	k->keeps_guids = true;
	ok(del(&e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, "the driver accepted but did not restore the GUID of VF 1 of ibpf");
	test("and so is one of which the PF then tells none");
	k->keeps_guids = false;
	k->forgets_guids = true;
	k->node = k->port = GUID_B;
	ok(del(&e) == -1 && e.code == ERR_DEVICE);
	k->forgets_guids = false;
	k->node = k->port = GUID_B;
	ok(del(&e) == 1 && k->port == GUID_C);
}

/* What an administrator may do to the VF while the pod has it. */
static void drivers(void)
{
	struct err e;

	test("a VF that was given another driver meanwhile keeps that");
	start(false);
	k->shared = true;
	ok(add(WITH_GUID, &e) == 0);
	k->rdma_index = 0;
	(void)snprintf(k->driver, sizeof(k->driver), "vfio-pci");
	k->if_ns = 0;
	show();
	ok(del(&e) == 1);
	eq(k->log, "node 55:66:01; port 55:66:01; ");
	eq(k->driver, "vfio-pci");
	test("a driver that was unloaded meanwhile is not waited for");
	start(false);
	k->shared = true;
	ok(add(WITH_GUID, &e) == 0);
	sh("mv sys/bus/pci/drivers/mlx5_core kept");
	k->rdma_index = 0;
	*k->driver = '\0';
	k->if_ns = 0;
	show();
	ok(del(&e) == 1);
	eq(k->log, "node 55:66:01; port 55:66:01; ");
	sh("mv kept sys/bus/pci/drivers/mlx5_core");

	test("an ADD that has lost the name of its RDMA device fails, and leaves nothing");
	start(false);
	k->shared = true;
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_8");
	(void)snprintf(k->taken, sizeof(k->taken), "mlx5_2");
	ok(add(WITH_GUID, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == EEXIST);
	ok(!rec.doc && k->port == GUID_A);
	eq(k->driver, "mlx5_core");
	test("and DEL has it named as the kernel does");
	start(false);
	k->shared = true;
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_8");
	ok(add(WITH_GUID, &e) == 0);
	(void)snprintf(k->taken, sizeof(k->taken), "mlx5_2");
	ok(del(&e) == 1);
	eq(k->rdma_name, "mlx5_8");
}

/* -- CHECK -- */

static void checking(void)
{
	struct pci_device dev = { 0 };
	auto_nl struct nl home = { 0 };
	struct err e;

	test("CHECK compares the GUIDs, and where the RDMA device is");
	start(false);
	ok(add(WITH_GUID, &e) == 0);
	eq(check(&e), "");
	k->port = GUID_C;
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mine");
	contains(check(&e), "rdma: expected mlx5_2, got mine");
	ok(strstr(e.details, "port guid of VF 1 of ibpf: expected 00:11:22:33:44:55:66:02, got "
			     "00:11:22:33:44:55:66:03") != NULL);
	ok(!strstr(e.details, "node guid"));
	k->rdma_ns = home_ns;
	contains(check(&e), "rdma: mlx5_2 is not in the container");

	test("a GUID is not put back as the other attributes are");
	ok(sysfs_pci(&n.host, VF, &dev, &e) == 1);
	k->log[0] = '\0';
	ok(nl_open(NETNS_OWN, NETLINK_ROUTE, &home, &e) == 0 &&
	   vf_restore(&home, &dev, &rec.vf, rec.vf_set | VF_MAC, 0, &e) == 0);
	eq(k->log, "");
}

/* -- a driver that makes no RDMA device any more -- */

static int set_guid(void)
{
	struct err e;

	return infiniband_set_guid(&a, &e) == -1 && e.code == ERR_TRY_AGAIN &&
			       strcmp(e.msg, "RDMA device mlx5_2 did not come back with its "
					     "driver") == 0 ?
		       1 :
		       0;
}

static void never_back(void)
{
	struct err e;

	test("an ADD fails");
	start(false);
	k->no_return = true;
	look_so_far();
	nc.guid = GUID_B;
	ok(look_all(&e) == 0 && hurried(set_guid) == 1);
	test("a DEL does not");
	start(false);
	k->shared = true;
	ok(add(WITH_GUID, &e) == 0);
	k->no_return = true;
	ok(hurried(del_in_child) == 1);
	eq(k->driver, "mlx5_core");
	ok(k->port == GUID_A);
}

/* -- the version before -- */

/* The record on disk becomes the one of tests/node/before, with this node's numbers and names. */
static void take_record_of_before(void)
{
	static const char *const now[] = { "network", "containerID", "netns", "netnsDev",
					   "netnsIno", "netnsCookie", "bootID", "device",
					   "deviceID", "podIfindex", "deviceInfoFile" };
	json_auto_t *old = json_load_file("tests/node/before/infiniband.json", 0, NULL);
	json_auto_t *new = record_to_json(&rec);
	json_t *netdev = json_object_get(old, "netdev");
	char path[96];

	for (size_t i = 0; i < ARRAY_SIZE(now); i++)
		(void)json_object_set(old, now[i], json_object_get(new, now[i]));
	(void)json_object_set_new(netdev, "ifindex", json_integer(rec.netdev.ifindex));
	(void)json_object_set_new(netdev, "parent", json_string(VF));
	(void)json_object_set_new(json_object_get(old, "rdma"), "index",
				  json_integer(rec.rdma.index));
	(void)snprintf(path, sizeof(path), "%s/sample", n.dir);
	ok(json_dump_file(old, path, 0) == 0);
	sh("f=$(ls var/lib/cni/devinfo/attachments/*.json) && cat sample >\"$f\"");
}

static void record_of_before(void)
{
	struct err e;

	test("a record of the version before: CHECK compares, DEL restores GUIDs, names, mode");
	start(false);
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mlx5_3");
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_3");
	show();
	make_file("", "reset", "%s", "");
	ok(add(WITH_GUID, &e) == 0);
	take_record_of_before();
	eq(check(&e), "");
	k->port = GUID_C;
	contains(check(&e), "port guid of VF 1 of ibpf: expected 00:11:22:33:44:55:66:02");
	ok(del(&e) == 1);
	ok(k->node == UINT64_C(0x0200000000000003) && k->port == UINT64_C(0x0200000000000003));
	ok(k->rdma_ns == home_ns && k->if_ns == home_ns && k->mode == 1 && k->mtu == 2044 && k->up);
	eq(k->ifname, "ib1");
	eq(k->rdma_name, "mlx5_3");
	eq(k->driver, "mlx5_core");
	ok(node_holds(&n, "\"$(cat " VF_DIR "/reset)\" = 1"));
	read_record();
	ok(!rec.doc);
}

int main(void)
{
	scene_open();
	infiniband_refusals();
	guids_before();
	guid_there_and_back();
	modes();
	guid_unusual();
	drivers();
	checking();
	never_back();
	record_of_before();
	return scene_close();
}
