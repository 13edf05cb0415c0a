/* SPDX-License-Identifier: Apache-2.0 */
/* test_ask.c - what kubelet has given and could give, of a node with igb VFs */
#include "base/mem.h"
#include "manager/inventory/allocated.h"
#include "manager/inventory/inventory.h"
#include "tests/unit/node.h"
#include "tests/unit/podres_message.h"
#include "tests/unit/tap.h"

#define VF "intel.com/vf"

static struct wire list, allocatable;
static unsigned int slow_ms;	/* the first answer takes so long; not 0: there is no second */
static const char *refusal;		/* status of the second question; NULL: it is answered */
static struct host host;
static struct server srv;
static struct err e;

/* List is asked first. */
static void play(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };
	const struct wire *body = nth == 0 ? &list : &allocatable;

	request_read(fd, &r);
	expect(strcmp(r.path, nth == 0 ? LIST : ALLOCATABLE) == 0);
	if (slow_ms > 0 && nth == 1) {
		wait_for_close(fd);
		return;
	}
	(void)usleep(slow_ms * 1000);
	if (nth == 1 && refusal)
		put_refusal(&w, refusal, "not found");
	else
		put_answer(&w, body->data, body->len);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

/* The node is in the directory of the server's socket. */
static void start(void)
{
	char command[256];

	server_start(&srv, play, 2);
	(void)snprintf(command, sizeof(command), "tests/node/make-node.sh tests/node/igb.node %s",
		       srv.dir);
	if (system(command) != 0 || host_open(srv.dir, &host, &e) < 0)
		bail_out("make a node");
	host.set.kubelet_socket = SOCKET;
}

static void stop(void)
{
	char command[128];

	host_done(&host);
	(void)snprintf(command, sizeof(command), "rm -rf %s/*", srv.dir);
	ok(system(command) == 0 && server_stop(&srv) == 0);
}

static void put_entry(struct wire *answer, const char *resource, const char *id)
{
	auto_wire struct wire w = { 0 };

	put_text(&w, 1, resource);
	put_text(&w, 2, id);
	put_field(answer, 1, w.data, w.len);
}

static void make_answers(void)
{
	auto_wire struct wire main = { 0 }, claim = { 0 }, of_claim = { 0 };

	put_text(&main, 1, "main");
	put_devices(&main, VF, "0000:01:10.2", NULL);
	put_devices(&main, VF, "0000:01:10.2", NULL);	/* of another NUMA node */
	put_text(&claim, 2, "net");
	put_text(&claim, 3, "default");
	put_text(&of_claim, 2, "sriov.example.com");
	put_text(&of_claim, 3, "node");
	put_text(&of_claim, 4, "0000-02-00-0");
	put_text(&of_claim, 5, "a671734a");
	put_field(&claim, 4, of_claim.data, of_claim.len);
	put_field(&main, 5, claim.data, claim.len);
	put_pod(&list, "shop", "web-0", &main, NULL);
	put_entry(&allocatable, VF, "0000:01:10.2");
	put_entry(&allocatable, VF, "0000:01:10.0");
	put_entry(&allocatable, VF, "0000:01:10.0");
	put_entry(&allocatable, "intel.com/pf", "eth1");
}

static int ask(struct inventory *inv, unsigned int ms)
{
	e = (struct err){ 0 };
	if (inventory_read(&host, inv, &e) < 0)
		bail_out(e.msg);
	return inventory_ask_kubelet(&host, ms, inv, &e);
}

static const char *bdf_of(const struct inventory *inv, size_t i)
{
	int at = inv->allocations[i].function;

	return at == INV_NONE ? "none" : inv->functions[at].bdf;
}

static void answered(void)
{
	auto_inventory struct inventory inv = { 0 };
	const struct inv_allocation *a;

	start();
	test("what was given, and what could be, by resource and id, each once");
	ok(ask(&inv, 5000) == 0 && inv.node.kubelet_asked && inv.n_allocations == 5);
	eq(inv.node.kubelet_error, "");
	eq(inv.node.allocatable_error, "");
	a = inv.allocations;
	eq(a[0].resource, "claim default/net");
	eq(a[0].driver, "sriov.example.com");
	eq(a[0].pool, "node");
	eq(a[0].id, "0000:02:00.0");
	eq(a[0].claim_device, "0000-02-00-0");
	eq(a[0].claim_share, "a671734a");
	eq(a[0].pod_name, "web-0");
	eq(a[1].resource, "intel.com/pf");
	eq(a[2].id, "0000:01:10.0");
	ok(a[2].allocatable && !*a[2].pod_name);
	eq(a[3].id, "0000:01:10.2");
	ok(!a[3].allocatable && a[4].allocatable);
	eq(a[3].pod_namespace, "shop");
	eq(a[3].container, "main");
	test("each leads to its function, by address, claim or network device");
	eq(bdf_of(&inv, 0), "0000:02:00.0");
	eq(bdf_of(&inv, 1), "0000:02:00.0");
	eq(bdf_of(&inv, 3), "0000:01:10.2");
	for (size_t i = 0; i < inv.n_functions; i++) {
		const struct inv_function *f = &inv.functions[i];
		bool offered = false, given = false;

		for (size_t k = 0; k < inv.n_allocations; k++)
			*(*inv.allocations[k].pod_name ? &given : &offered) |=
				inv.allocations[k].function == (int)i;
		ok(f->offered == offered && f->given == given);
	}
	stop();
}

static const struct inv_allocation *ask_of_pod(struct inventory *inv, const char *command)
{
	char whole[512];

	start();
	(void)snprintf(whole, sizeof(whole), "cd %s && mkdir -p var/log/pods && cd var/log/pods && "
		       "mkdir shop_web-01_u && %s", srv.dir, command);
	if (system(whole) != 0 || ask(inv, 5000) != 0)
		bail_out(command);
	stop();
	return &inv->allocations[3];	/* of web-0 */
}

static void waiting(void)
{
	static const struct {
		const char *what, *command;
		bool started, waits;
	} rows[] = {
		{ "without a directory of its logs nothing is known of a pod",
		  "true", false, false },
		{ "an empty one is as old as the pod's wait",
		  "mkdir shop_web-0_u && touch -d '20 minutes ago' shop_web-0_u", false, true },
		{ "a container, of init as well, has been started",
		  "mkdir -p shop_web-0_u/init", true, false },
		{ "the runtime's result tells that the networks are there",
		  "mkdir -p shop_web-0_u ../../lib/cni/results && echo '{\"cniArgs\":"
		  "[[\"K8S_POD_NAMESPACE\",\"shop\"],[\"K8S_POD_NAME\",\"web-0\"]]}' "
		  ">../../lib/cni/results/x", true, false },
		{ "that of another pod, or one that is damaged, tells nothing",
		  "mkdir -p shop_web-0_u ../../lib/cni/results && "
		  "touch -d '20 minutes ago' shop_web-0_u && echo '{' >../../lib/cni/results/a && "
		  "echo '{\"cniArgs\":[[\"K8S_POD_NAMESPACE\",\"shop\"],[\"K8S_POD_NAME\","
		  "\"web-01\"]]}' >../../lib/cni/results/x", false, true },
		{ "a pod of the same name before it is as good",
		  "mkdir -p shop_web-0_u shop_web-0_v/app", true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_inventory struct inventory inv = { 0 };
		const struct inv_allocation *a = ask_of_pod(&inv, rows[i].command);

		test(rows[i].what);
		eq(a->pod_name, "web-0");
		ok(a->started == rows[i].started);
		ok(rows[i].waits ? a->waits >= 1200 && a->waits < 1300 : a->waits == 0);
	}
}

static void waiting_for_ever(void)
{
	static struct inv_allocation given[] = {
		{ .pod_namespace = "shop", .pod_name = "web-0", .started = true },
		{ .pod_namespace = "shop", .pod_name = "web-1" },
		{ .pod_namespace = "", .pod_name = "" },
		{ .pod_namespace = "shop", .pod_name = "web-0", .waits = 7 },
		{ .pod_namespace = "a", .pod_name = "web-0" },
	};
	struct inventory inv = { .allocations = given, .n_allocations = ARRAY_SIZE(given) };
	struct deadline until = deadline_in(0);
	struct fake_node n;

	node_open("igb", &n);
	node_sh(&n, "mkdir -p var/log/pods && cd var/log/pods && mkdir -p shop_web-0_u/app "
		    "shop_web-1_u/app a_web-0 _ __ a_b x_web-0_u shop_web-0x_u/app");
	test("when there is no time left, whether pods wait is not known of any");
	deadline_sleep(&until, 2);
	allocated_set_waits(&n.host, &until, &inv);
	ok(!given[0].started && given[0].waits == 0 && !given[1].started && given[3].waits == 0);
	test("a directory is of all devices of its pod, and of no other pod's");
	until = deadline_in(5000);
	allocated_set_waits(&n.host, &until, &inv);
	ok(given[0].started && given[1].started && !given[2].started && given[3].started);
	ok(!given[4].started && given[4].waits == 0);
	node_close(&n);
}

static void half_answered(void)
{
	auto_inventory struct inventory inv = { 0 };

	test("a kubelet without GetAllocatableResources tells the rest");
	for (size_t i = 0; i < 2; i++) {
		refusal = i == 0 ? "12" : "5";
		start();
		ok(ask(&inv, 5000) == 0 && inv.n_allocations == 2);
		eq(inv.node.kubelet_error, "");
		ok(strstr(inv.node.allocatable_error,
			  "refused PodResources GetAllocatableResources with status"));
		inventory_done(&inv);
		stop();
	}
	refusal = NULL;
}

static void slowly_answered(void)
{
	auto_inventory struct inventory inv = { 0 };
	struct deadline all;

	test("a kubelet that is slow has one time for both questions");
	slow_ms = 300;
	start();
	all = deadline_in(750);
	ok(ask(&inv, 500) == 0 && inv.n_allocations == 2);
	ok(deadline_left_ms(&all) > 0);
	eq(inv.node.kubelet_error, "");
	ok(*inv.node.allocatable_error != '\0');
	inventory_done(&inv);
	stop();
	slow_ms = 0;
}

static void not_answered(void)
{
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	test("a node without kubelet says so, at once, and that is no error");
	node_open("igb", &n);
	host = n.host;
	ok(ask(&inv, 5000) == 0 && inv.node.kubelet_asked && inv.n_allocations == 0);
	contains(inv.node.kubelet_error, "No such file");
	node_close(&n);
}

static void recorded(void)
{
	auto_inventory struct inventory inv = { 0 };
	struct fake_node n;

	test("a recorded node's facts are kubelet's answer");
	node_open("igb", &n);
	node_sh(&n, "echo '{\"allocations\":["
		    "{\"resource\":\"" VF "\",\"id\":\"0000:01:10.2\",\"allocatable\":true},"
		    "{\"resource\":\"" VF "\",\"id\":\"0000:01:10.0\",\"pod_namespace\":\"shop\","
		    "\"pod_name\":\"web-0\"},"
		    "{\"resource\":\"" VF "\",\"id\":\"0000:00:1f.7\"},"
		    "{\"resource\":\"" VF "\",\"id\":\"0000:00:1f.5\"},"
		    "{\"resource\":\"gpu\",\"id\":\"0000:00:1f.6\"}]}' >devinfo-node.json && "
		    "d=sys/bus/pci/devices/0000:00:1f.5 && mkdir $d && echo 0x030000 >$d/class && "
		    "d=var/run/k8s.cni.cncf.io/devinfo/dp && mkdir -p $d && "
		    "touch $d/intel.com-vf-0000:01:10.0-device.json $d/other-device.json");
	host = n.host;
	ok(inventory_read(&host, &inv, &e) == 0 && inventory_join(&host, &inv, &e) == 0);
	ok(inventory_ask_kubelet(&host, 1, &inv, &e) == 0 && inv.n_allocations == 5);
	eq(inv.node.kubelet_error, "");
	ok(inv.node.kubelet_asked);
	eq(inv.allocations[3].pod_name, "web-0");
	eq(bdf_of(&inv, 4), "0000:01:10.2");
	test("what kubelet knows and the node does not have has vanished");
	eq(inv.allocations[2].id, "0000:00:1f.7");
	eq(bdf_of(&inv, 2), "none");
	eq(inv.functions[inventory_function(&inv, "0000:00:1f.7")].health, "vanished");
	test("what is no network device is none of ours");
	ok(inventory_function(&inv, "0000:00:1f.6") == INV_NONE);
	ok(inventory_function(&inv, "0000:00:1f.5") == INV_NONE);
	test("the file of a device plugin belongs to the resource that its name begins with");
	ok(inv.n_files == 2);
	eq(inv.files[0].resource, VF);
	eq(inv.files[1].resource, "");
	inventory_done(&inv);
	test("one that was not asked then says so");
	node_sh(&n, "echo '{}' >devinfo-node.json");
	ok(ask(&inv, 1) == 0 && strstr(inv.node.kubelet_error, "not asked"));
	node_close(&n);
}

int main(void)
{
	make_answers();
	answered();
	waiting();
	waiting_for_ever();
	half_answered();
	slowly_answered();
	not_answered();
	recorded();
	wire_done(&list);
	wire_done(&allocatable);
	return tap_end();
}
