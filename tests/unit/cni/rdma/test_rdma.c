/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rdma.c - RDMA devices from ADD to DEL, with a kernel of our own.  Needs root.
 */
#include "tests/unit/rdma_scene.h"

/* -- what is decided -- */

static void decisions(void)
{
	enum { STAYS, MOVES, REFUSED };
	static const struct {
		const char *what;
		bool shared, no_rdma, old_mode, is_pf;
		int devices;
		enum onoff isolation;
		int want;
		const char *msg;
	} rows[] = {
		{ "exclusive: it moves", .devices = 1, .want = MOVES },
		{ "exclusive, demanded", .devices = 1, .isolation = ONOFF_ON, .want = MOVES },
		{ "exclusive, forbidden", .devices = 1, .isolation = ONOFF_OFF, .want = STAYS },
		{ "shared", .shared = true, .devices = 1, .want = STAYS },
		{ "shared, demanded", .shared = true, .devices = 1, .isolation = ONOFF_ON,
		  .want = REFUSED,
		  .msg = "rdmaIsolation: the RDMA subsystem is in shared mode (rdma system set "
			 "netns exclusive)" },
		{ "a kernel that only shares", .old_mode = true, .devices = 1, .want = STAYS },
		{ "none", .want = STAYS },
		{ "none, demanded", .isolation = ONOFF_ON, .want = REFUSED,
		  .msg = "rdmaIsolation: " VF " has no RDMA device here" },
		{ "two", .devices = 2, .want = STAYS },
		{ "two, demanded", .devices = 2, .isolation = ONOFF_ON, .want = REFUSED,
		  .msg = "rdmaIsolation: " VF " has 2 RDMA devices" },
		{ "a PF's", .is_pf = true, .devices = 1, .want = STAYS },
		{ "a PF's, demanded", .is_pf = true, .devices = 1, .isolation = ONOFF_ON,
		  .want = MOVES },
		{ "no RDMA in the kernel", .no_rdma = true, .devices = 1, .want = REFUSED,
		  .msg = VF " has RDMA device mlx5_2, but the kernel no RDMA" },
	};
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r;

		test(rows[i].what);
		start(true);
		look_so_far();
		k->shared = rows[i].shared;
		k->no_rdma = rows[i].no_rdma;
		k->old_mode = rows[i].old_mode;
		nc.rdma_isolation = rows[i].isolation;
		a.dev.pci.is_vf = !rows[i].is_pf;
		if (rows[i].devices == 0)
			sh("rm -r " VF_DIR "/infiniband/*");
		if (rows[i].devices == 2)
			sh("mkdir " VF_DIR "/infiniband/mlx5_9");
		r = rdma_probe(&a, &e);
		ok(r == (rows[i].want == REFUSED ? -1 : 0));
		ok(a.rec.rdma.isolated == (rows[i].want == MOVES));
		eq(a.rec.rdma.name, rows[i].want == MOVES ? "mlx5_2" : "");
		ok(a.rec.rdma.index == (rows[i].want == MOVES ? 7 : 0));
		if (rows[i].want == REFUSED) {
			e.msg[strlen(rows[i].msg)] = '\0';
			eq(e.msg, rows[i].msg);
		}
		eq(k->log, "");
	}
}

static void odd_names(void)
{
	struct err e = { 0 };

	test("a name that a record must not have is refused before anything is changed");
	start(true);
	look_so_far();
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "a\nb");
	show();
	ok(rdma_probe(&a, &e) == -1 && e.code == ERR_DEVICE && e.sys == EILSEQ);
	eq(e.msg, "the name of the RDMA device of " VF " is none");
	ok(!*a.rec.rdma.name);
	test("udev gives its name to another function's device while we look");
	start(true);
	look_so_far();
	(void)snprintf(k->switched, sizeof(k->switched), "roce0");
	ok(rdma_probe(&a, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "RDMA device mlx5_2 is not that of " VF " any more");
	ok(!*a.rec.rdma.name);
}

static void auxiliary(void)
{
	struct err e;

	test("an auxiliary device's RDMA device is found below it, and moves");
	start(true);
	look_so_far();
	sh("mkdir -p sys/bus/auxiliary/devices/mlx5_core.sf.4/infiniband/mlx5_2");
	(void)snprintf(a.dev.key, sizeof(a.dev.key), "mlx5_core.sf.4");
	a.dev.is_pci = false;
	ok(rdma_probe(&a, &e) == 0 && a.rec.rdma.isolated && a.rec.rdma.index == 7);
	test("a network device of the host has none");
	start(true);
	look_so_far();
	a.dev.is_pci = false;
	(void)snprintf(a.dev.key, sizeof(a.dev.key), "eth0");
	ok(rdma_probe(&a, &e) == 0 && !*a.rec.rdma.name);
}

/* -- there and back -- */

static void there_and_back(void)
{
	struct rdma_device dev;
	struct err e;

	test("the RDMA device goes before the network device, and both come home");
	start(true);
	ok(add("", &e) == 0);
	eq(k->log, "rdma to pod; link net1 pod 4092; ");
	ok(rdma_find_in(pod_fd, &rec, &dev, &e) == 1);
	eq(dev.name, "mlx5_2");
	ok(rdma_find_in(NETNS_OWN, &rec, &dev, &e) == 0);
	ok(del(&e) == 1);
	eq(k->log, "rdma to home; link ibs3v1 home 4092; link ibs3v1 home 4092; ");
	test("a second DEL finds no record, and one that has it again everything at home");
	ok(del(&e) == 0);
	write_record_again();
	ok(del(&e) == 1);
	eq(k->log, "");

	test("one that the pod has renamed is brought home, and gets its name back");
	start(true);
	ok(add("", &e) == 0);
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mine");
	ok(del(&e) == 1);
	contains(k->log, "; rename mine mlx5_2; ");
	eq(k->rdma_name, "mlx5_2");
	test("unless another has that by now");
	start(true);
	ok(add("", &e) == 0);
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mine");
	(void)snprintf(k->taken, sizeof(k->taken), "mlx5_2");
	ok(del(&e) == 1);
	eq(k->rdma_name, "mine");
	ok(k->rdma_ns == home_ns);

	test("the kernel has brought it home from a dead namespace: only its name is looked at");
	start(true);
	ok(add("", &e) == 0);
	k->rdma_ns = k->if_ns = home_ns;
	show();
	rec.owner.netns = "/nowhere";
	write_record_again();
	ok(del(&e) == 1);
	eq(k->log, "link net1 home 4092; link ibs3v1 home 4092; ");

	test("in shared mode nothing is done");
	start(true);
	k->shared = true;
	ok(add("", &e) == 0 && !*rec.rdma.name);
	eq(k->log, "link net1 pod 4092; ");
	ok(del(&e) == 1);
	eq(k->log, "link ibs3v1 home 4092; link ibs3v1 home 4092; ");
}

static void refusals(void)
{
	struct err e;

	test("a driver that cannot move it is let be, where nobody has demanded it");
	start(true);
	k->refuse_move = EOPNOTSUPP;
	ok(add("", &e) == 0 && !rec.rdma.isolated && !*rec.rdma.name);
	eq(k->log, "link net1 pod 4092; ");
	ok(del(&e) == 1);
	test("and told in the kernel's words where it is, with everything as before");
	start(true);
	k->refuse_move = EOPNOTSUPP;
	ok(add(",\"rdmaIsolation\":true", &e) == -1 && e.sys == EOPNOTSUPP &&
	   e.code == ERR_NETLINK);
	eq(e.msg, "mlx5_2: move RDMA device 7 to another namespace: the kernel refused");
	contains(e.details, "\"cannot be moved\"");
	eq(k->log, "");
	ok(!rec.doc);
	test("any other refusal is an error");
	start(true);
	k->refuse_move = EBUSY;
	ok(add("", &e) == -1 && e.sys == EBUSY && !rec.doc);
	test("one that does not come home leaves the work to the next DEL");
	start(true);
	ok(add("", &e) == 0);
	k->refuse_move = EBUSY;
	ok(del(&e) == -1 && e.sys == EBUSY);
	eq(e.msg, "bring RDMA device mlx5_2 home from the pod: move RDMA device 7 to another "
		  "namespace: the kernel refused");
	k->refuse_move = 0;
	ok(del(&e) == 1 && k->rdma_ns == home_ns && k->if_ns == home_ns);
}

/* -- not as it was -- */

static void others_at_home(void)
{
	struct err e;

	test("another RDMA device of the function is not taken for the one that is not back");
	start(true);
	ok(add("", &e) == 0);
	k->rdma_index = 0;
	(void)snprintf(k->taken, sizeof(k->taken), "siw0");
	k->taken_is_ours = true;
	show();
	ok(hurried(del_in_child) == 1);
	ok(!strstr(k->log, "rename"));
	test("nor is it in the way of the one that is");
	start(true);
	ok(add("", &e) == 0);
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mine");
	(void)snprintf(k->taken, sizeof(k->taken), "siw0");
	k->taken_is_ours = true;
	ok(del(&e) == 1);
	contains(k->log, "rename mine mlx5_2; ");
	test("nor one of another function that has its number");
	start(true);
	ok(add("", &e) == 0);
	k->rdma_ns = home_ns;
	show();
	rec.rdma.index = 2;
	write_record_again();
	ok(del(&e) == 1);
	eq(k->log, "link ibs3v1 home 4092; link ibs3v1 home 4092; ");
}

/* DEL waits for what may still come, here as long as someone that was told to stop. */
static void taken_away(void)
{
	struct deadline d;
	struct err e;

	test("the kernel has no RDMA any more: DEL has nothing to wait for");
	start(true);
	ok(add("", &e) == 0);
	k->no_rdma = true;
	d = deadline_in(3000);
	ok(del(&e) == 1 && deadline_left_ms(&d) > 0);
	test("its driver makes no RDMA device any more: DEL ends all the same");
	start(true);
	ok(add("", &e) == 0);
	k->rdma_index = 0;
	show();
	ok(hurried(del_in_child) == 1 && k->if_ns == home_ns);
	read_record();
	ok(!rec.doc);
	test("nothing is waited for without a driver, or with one for user space");
	for (int i = 0; i < 2; i++) {
		start(true);
		ok(add("", &e) == 0);
		k->rdma_index = 0;
		k->ifindex = 0;
		(void)snprintf(k->driver, sizeof(k->driver), "%s", i ? "vfio-pci" : "");
		show();
		d = deadline_in(3000);
		ok(del(&e) == 1 && deadline_left_ms(&d) > 0);
	}
}

static void vanished(void)
{
	struct err e;

	test("more RDMA devices than are told of: the VF has not vanished");
	start(true);
	ok(add("", &e) == 0);
	sh("for i in 1 2 3 4 5 6 7 8 9; do mkdir " VF_DIR "/infiniband/siw$i; done");
	ok(del(&e) == 1 && k->rdma_ns == home_ns && k->if_ns == home_ns);
	test("nor has one of which its PF does not tell the number: that is tried again");
	start(true);
	ok(add("", &e) == 0);
	sh("mv sys/devices/pci0000:00/" PF "/virtfn1 kept");
	ok(del(&e) == -1 && e.code == ERR_DEVICE && k->rdma_ns == pod_ns);
	sh("mv kept sys/devices/pci0000:00/" PF "/virtfn1");
	ok(del(&e) == 1 && k->rdma_ns == home_ns);
	test("one whose PF is gone has");
	start(true);
	ok(add("", &e) == 0);
	sh("mv sys/bus/pci/devices/" PF " kept");
	ok(del(&e) == 1 && k->rdma_ns == pod_ns);
	sh("mv kept sys/bus/pci/devices/" PF);
}

static void record(void)
{
	struct err e;

	test("names that lead elsewhere are refused");
	start(true);
	ok(add("", &e) == 0);
	eq(rec.rdma.name, "mlx5_2");
	sh("grep -rlF mlx5_2 --include='*.json' . | xargs sed -i s,mlx5_2,a/b,");
	read_record();
	ok(!rec.doc);
}

int main(void)
{
	scene_open();
	decisions();
	odd_names();
	auxiliary();
	there_and_back();
	refusals();
	others_at_home();
	taken_away();
	vanished();
	record();
	return scene_close();
}
