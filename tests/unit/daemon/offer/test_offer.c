/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_offer.c - what pools offer: which devices, in which pool, with which topology
 *
 * The reasons of what cannot be used are test_offer_health's.  Texts of JSON have ' for ".
 */
#include "daemon/offer/offer.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/daemon/offer/scene.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

static const char by_name[] =
	"{'resourceList': ["
	"{'resourceName': 'rdma', 'selectors': {'linkTypes': ['ether'], 'isRdma': true}},"
	"{'resourceName': 'eth', 'excludeTopology': true, 'selectors': {'linkTypes': ['ether'],"
	"  'drivers': ['iavf']}},"
	"{'resourceName': 'sf', 'deviceType': 'auxNetDevice', 'selectors': {'auxTypes': ['sf'],"
	"  'linkTypes': ['ether']}},"
	"{'resourceName': 'none', 'selectors': {'vendors': ['ffff']}},"
	"{'resourceName': 'rest', 'selectors': {}}]}";

static void test_free(void)
{
	struct scene s;

	scene_open(by_name, &s);
	test("each device is in the first pool that selects it, each pool in its order");
	eq(scene_make(&s), "rdma: 03:02.1@1 eth: 03:02.0 sf: mlx5_core.sf.4@0 mlx5_core.sf.10@0 "
			   "none: rest: 03:02.2@1 03:02.3 05:00.0");
	eqi(s.now.n, 5);
	eq(s.now.list[3].resource, "intel.com/none");
	eqi(s.now.list[3].pool, 3);
	test("places are those of the inventory, and nobody has them");
	eqi(scene_of(&s, "0000:03:02.0")->function, 1);
	eqi(scene_of(&s, "0000:03:02.0")->auxiliary, INV_NONE);
	eqi(scene_of(&s, "mlx5_core.sf.10")->auxiliary, 1);
	eqi(scene_of(&s, "mlx5_core.sf.10")->function, 5);
	ok(!scene_of(&s, "0000:03:02.0")->held && scene_of(&s, "0000:03:02.0")->healthy);
	eq(scene_of(&s, "0000:03:02.0")->reason, "");
	test("a free device that vanishes leaves, one that changes is in another pool or none");
	scene_remove(&s, 3);
	s.functions[1].link = INV_NONE;
	s.auxiliaries[1].link = INV_NONE;
	eq(scene_make(&s), "rdma: 03:02.1@1 eth: sf: mlx5_core.sf.4@0 none: "
			   "rest: 03:02.0@1 03:02.3 05:00.0");
	scene_close(&s);
}

/* Whose network device is in a pod is found by no selector that goes by it. */
static void test_held(void)
{
	struct scene s;

	scene_open(by_name, &s);
	(void)scene_make(&s);
	test("a device that an attachment has stays where it was, without its network device");
	scene_attach(&s, 0, "0000:03:02.0", 1);
	s.functions[1].link = INV_NONE;
	eq(scene_make(&s), "rdma: 03:02.1@1 eth: 03:02.0+ sf: mlx5_core.sf.4@0 "
			   "mlx5_core.sf.10@0 none: rest: 03:02.2@1 03:02.3 05:00.0");
	ok(scene_of(&s, "0000:03:02.0")->healthy);
	test("whose state cannot be told has it");
	scene_state(&s, 0, "unknown");
	contains(scene_make(&s), "eth: 03:02.0+");
	test("who is dead has it no more: it is where its selectors say");
	scene_state(&s, 0, "dead");
	contains(scene_make(&s), "eth: sf:");
	contains(scene_make(&s), "rest: 03:02.0@1!");
	test("it is the same again when the attachment has gone");
	s.functions[1].holder = INV_NONE;
	s.inv.n_attachments = 0;
	s.functions[1].link = 1;
	contains(scene_make(&s), "eth: 03:02.0 sf:");
	scene_close(&s);
}

static void test_held_auxiliary(void)
{
	struct scene s;

	scene_open(by_name, &s);
	(void)scene_make(&s);
	test("so does an auxiliary device");
	scene_attach(&s, 0, "mlx5_core.sf.10", INV_NONE);
	s.auxiliaries[1].holder = 0;
	s.auxiliaries[1].link = INV_NONE;
	contains(scene_make(&s), "sf: mlx5_core.sf.4@0 mlx5_core.sf.10@0+");
	test("it stays, and cannot be used, when the node does not have it any more");
	s.inv.n_auxiliaries = 1;
	contains(scene_make(&s), "sf: mlx5_core.sf.4@0 mlx5_core.sf.10@0+!");
	eq(scene_of(&s, "mlx5_core.sf.10")->reason, "the node does not have it any more");
	eqi(scene_of(&s, "mlx5_core.sf.10")->function, INV_NONE);
	eqi(scene_of(&s, "mlx5_core.sf.10")->auxiliary, INV_NONE);
	test("and as long as the attachment lives, by whichever of its names");
	contains(scene_make(&s), "mlx5_core.sf.10@0+!");
	*s.attachments[0].device = '\0';
	(void)snprintf(s.attachments[0].device_id, sizeof(s.attachments[0].device_id),
		       "auxiliary/mlx5_core.sf.10");
	contains(scene_make(&s), "mlx5_core.sf.10@0+!");
	s.inv.n_attachments = 0;
	contains(scene_make(&s), "sf: mlx5_core.sf.4@0 none:");
	scene_close(&s);
}

static void test_vanished(void)
{
	struct scene s;

	scene_open(by_name, &s);
	(void)scene_make(&s);
	test("a function that vanished while an attachment has it stays, and cannot be used");
	scene_attach(&s, 0, "0000:03:02.2", 3);
	scene_vanish(&s, 3);
	contains(scene_make(&s), "rest: 03:02.2@1+! 03:02.3 05:00.0");
	eqi(scene_of(&s, "0000:03:02.2")->function, INV_NONE);
	test("it leaves with the attachment, though its pool selects everything");
	scene_state(&s, 0, "dead");
	contains(scene_make(&s), "rest: 03:02.3 05:00.0");
	scene_close(&s);
}

/* Nothing was offered before. */
static void test_restart(void)
{
	struct scene s;

	scene_open(by_name, &s);
	s.functions[1].link = INV_NONE;
	scene_attach(&s, 0, "0000:03:02.0", 1);
	test("after a start nothing but the selectors may know the pool");
	contains(scene_make(&s), "rest: 03:02.0@1+ ");
	test("kubelet knows by which resource it gave the device");
	scene_forget(&s);
	scene_give(&s, 0, "intel.com/eth", "0000:03:02.0", 1);
	contains(scene_make(&s), "eth: 03:02.0+ sf:");
	test("also before it is attached, and against what was before");
	s.functions[1].holder = INV_NONE;
	scene_forget(&s);
	contains(scene_make(&s), "eth: 03:02.0+ sf:");
	scene_give(&s, 0, "intel.com/rdma", "0000:03:02.0", 1);
	contains(scene_make(&s), "rdma: 03:02.0@1+ 03:02.1@1 eth: sf:");
	scene_close(&s);
}

static void test_promise(void)
{
	struct offer_promise list[] = {
		{ "0000:03:02.0", "intel.com/rdma", "lab", "c9", "net1" },
		{ "0000:03:02.0", "intel.com/rdma", "lab", "c0", "net9" },
		{ "0000:03:02.0", "intel.com/rdma", "bal", "c0", "net1" },
		{ "0000:03:02.0", "intel.com/eth", "lab", "c0", "net1" },
	};
	struct offer_promises promises = { list, ARRAY_SIZE(list) };
	struct scene s;

	scene_open(by_name, &s);
	s.functions[1].link = INV_NONE;
	scene_attach(&s, 0, "0000:03:02.0", 1);
	s.policy.promises = &promises;
	test("the ledger knows by which resource it chose the device for this attachment");
	contains(scene_make(&s), "eth: 03:02.0+ sf:");
	ok(scene_of(&s, "0000:03:02.0")->promised);
	ok(!scene_of(&s, "0000:03:02.1")->promised);
	test("a resource that no pool has any more is none");
	(void)snprintf(list[3].resource, sizeof(list[3].resource), "intel.com/old");
	scene_forget(&s);
	contains(scene_make(&s), "rest: 03:02.0@1+ ");
	scene_close(&s);
}

static void test_given_gone(void)
{
	static char resource[] = "intel.com/sf", id[] = "auxiliary/mlx5_core.sf.77";
	static struct plugin_device devices[] = { { resource, id } };
	static const struct allocation kept = { .devices = devices, .n_devices = 1 };
	struct scene s;

	scene_open(by_name, &s);
	test("what kubelet gave and the node does not have stays as well, of our resources");
	scene_give(&s, 0, "intel.com/sf", "auxiliary/mlx5_core.sf.77", INV_NONE);
	scene_give(&s, 1, "intel.com/other", "mlx5_core.sf.78", INV_NONE);
	scene_give(&s, 2, "intel.com/sf", "mlx5_core.sf.79", INV_NONE);
	*s.allocations[2].pod_name = '\0';
	contains(scene_make(&s), "mlx5_core.sf.10@0 mlx5_core.sf.77+! none:");
	ok(!scene_of(&s, "mlx5_core.sf.78") && !scene_of(&s, "mlx5_core.sf.79"));
	test("once, also when it was there before");
	contains(scene_make(&s), "mlx5_core.sf.10@0 mlx5_core.sf.77+! none:");
	test("while kubelet does not answer, what it has said holds");
	s.inv.n_allocations = 0;
	(void)snprintf(s.inv.node.kubelet_error, sizeof(s.inv.node.kubelet_error), "no answer");
	contains(scene_make(&s), "mlx5_core.sf.10@0 mlx5_core.sf.77+! none:");
	contains(scene_make(&s), "mlx5_core.sf.10@0 mlx5_core.sf.77+! none:");
	*s.inv.node.kubelet_error = '\0';
	test("so does its checkpoint, while that counts");
	s.policy.kept = &kept;
	contains(scene_make(&s), "mlx5_core.sf.10@0 mlx5_core.sf.77+! none:");
	contains(scene_make(&s), "mlx5_core.sf.10@0 mlx5_core.sf.77+! none:");
	s.policy.kept = NULL;
	contains(scene_make(&s), "mlx5_core.sf.10@0 none:");
	s.inv.n_allocations = 3;
	test("a name that is too long is no device of ours");
	memset(s.allocations[0].id, 'x', 70);
	s.allocations[0].id[70] = '\0';
	ok(!strstr(scene_make(&s), "xxx"));
	scene_close(&s);
}

/* -- recorded nodes -- */

static void recorded(const char *node, const char *json, const char *want)
{
	auto_inventory struct inventory inv = { 0 };
	auto_offers struct offers made = { .n = 0 };
	auto_pools struct pools p = { .n = 0 };
	struct offer_policy policy = { 0 };
	struct err e = { 0 };
	struct fake_node n;
	char text[2048];

	node_open(node, &n);
	policy.host = &n.host;
	test(node);
	scene_parse(json, &p);
	ok(inventory_read(&n.host, &inv, &e) == 0 && inventory_join(&n.host, &inv, &e) == 0 &&
	   inventory_ask_kubelet(&n.host, 1000, &inv, &e) == 0);
	ok(offers_make(&p, &inv, NULL, &policy, &made, &e) == 0);
	eq(scene_text(&made, text), want);
	node_close(&n);
}

/* What kubelet gave as a resource of ours is in its pool, though its network device is in a pod. */
static void test_recorded(void)
{
	recorded("fleet/igb-pods",
		 "{'resourceList': [{'resourceName': 'sriov_netdevice', 'selectors':"
		 "{'pfNames': ['ens4f0'], 'drivers': ['igbvf'], 'linkTypes': ['ether']}},"
		 "{'resourceName': 'vfio', 'selectors': {'drivers': ['vfio-pci']}}]}",
		 "sriov_netdevice: 01:10.0@0+ 01:10.2@0+ 01:10.6@0 vfio: 01:10.4@0+!");
	recorded("fleet/switchdev",
		 "{'resourceList': [{'resourceName': 'cx6_vf', 'resourcePrefix': 'nvidia.com',"
		 "'selectors': {'vendors': ['15b3'], 'linkTypes': ['ether']}},"
		 "{'resourceName': 'cx6_sf', 'resourcePrefix': 'nvidia.com', 'deviceType':"
		 "'auxNetDevice', 'excludeTopology': true, 'selectors': {'auxTypes': ['sf'],"
		 "'linkTypes': ['ether']}}]}",
		 "cx6_vf: 3b:00.2@1+ 3b:00.3@1 cx6_sf: mlx5_core.sf.2+ mlx5_core.sf.3");
	recorded("fleet/crash",
		 "{'resourceList': [{'resourceName': 'sriov_netdevice', 'selectors': {}}]}",
		 "sriov_netdevice: 01:10.0@0+ 01:10.2@0! 01:10.4@0 01:10.6@0+ 01:11.0@0! "
		 "01:11.2@0+ 01:11.4@0!");
	recorded("igb", "{'resourceList': [{'resourceName': 'all', 'selectors': {}}]}",
		 "all: 01:10.0! 01:10.2! 02:00.0 03:00.0 04:00.0");
}

#define SLOT "/run/s/_dp/intel.com/v-1/socket"

static void test_sockets(void)
{
	struct pools fewer = { .n = 0 };
	struct scene s;

	scene_open("{'resourceList': [{'resourceName': 'v', 'deviceType': 'vhostUser', 'slots': 3},"
		   "{'resourceName': 'all', 'selectors': {'drivers': ['iavf']}}]}", &s);
	s.host.set.socket_dir = "/run/s";
	test("a pool of sockets offers them, beside devices of other pools");
	eq(scene_make(&s), "v: v-0 v-1 v-2 all: 03:02.0@1 03:02.1@1");
	ok(scene_of(&s, "v-1")->socket && !scene_of(&s, "0000:03:02.0")->socket);

	test("one is a pod's by kubelet, or by an attachment with its path");
	scene_give(&s, 0, "intel.com/v", "v-2", INV_NONE);
	scene_attach(&s, 0, SLOT, INV_NONE);
	eq(scene_make(&s), "v: v-0 v-1+ v-2+ all: 03:02.0@1 03:02.1@1");
	ok(scene_of(&s, "v-2")->given && !scene_of(&s, "v-1")->given);

	test("another plugin's device of the same name is none");
	scene_give(&s, 0, "example.com/other", "v-2", INV_NONE);
	eq(scene_make(&s), "v: v-0 v-1+ v-2 all: 03:02.0@1 03:02.1@1");

	test("what a dead attachment has left is not given away");
	scene_state(&s, 0, "dead");
	eq(scene_make(&s), "v: v-0 v-1! v-2 all: 03:02.0@1 03:02.1@1");
	eq(scene_of(&s, "v-1")->reason,
	   "an attachment has not given it back: its record is there (dead)");
	scene_state(&s, 0, "live");

	test("where a pool has fewer, one that a pod has stays, and is not well");
	scene_give(&s, 0, "intel.com/v", "v-2", INV_NONE);
	(void)scene_make(&s);
	fewer = s.pools;
	scene_parse("{'resourceList': [{'resourceName': 'v', 'deviceType': 'vhostUser', "
		    "'slots': 2}]}", &s.pools);
	eq(scene_make(&s), "v: v-0 v-1+ v-2+!");
	pools_done(&fewer);

	test("a directory that is too deep for a socket is the reason");
	s.host.set.socket_dir = "/run/a/directory/whose/name/is/longer/than/is/good/for/the/sockets"
				"/of/a/pod/here/and/now";
	(void)scene_make(&s);
	contains(scene_of(&s, "v-0")->reason, "path of the socket: ");
	scene_close(&s);
}

int main(void)
{
	jx_init(NULL);
	test_free();
	test_held();
	test_held_auxiliary();
	test_vanished();
	test_restart();
	test_promise();
	test_given_gone();
	test_recorded();
	test_sockets();
	return tap_end();
}
