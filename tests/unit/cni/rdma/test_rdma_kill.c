/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rdma_kill.c - ADD and DEL of an RDMA device and a GUID, killed at each change; the lock
 *
 * The child that is killed leaves the kernel's state and the record as they are then; what a whole
 * DEL makes of them is to be the state before the ADD.  Needs root.
 */
#include "tests/unit/rdma_scene.h"

#define WITH_GUID ",\"guid\":\"00:11:22:33:44:55:66:02\""

static const struct {
	const char *what;
	bool ethernet, shared, follows;
	const char *members;
	int changes;			/* at least so many */
	uint64_t guid;			/* before */
} scenes[] = {
	{ "an Ethernet VF's RDMA device", .ethernet = true, .members = "", .changes = 2 },
	{ "one with an IPoIB interface", .members = "", .changes = 3, .guid = GUID_C },
	{ "one whose interface follows it", .follows = true, .members = "", .changes = 4,
	  .guid = GUID_C },
	{ "a GUID, in shared mode", .shared = true, .members = WITH_GUID, .changes = 7,
	  .guid = GUID_C },
	{ "a GUID and an RDMA device", .members = WITH_GUID, .changes = 8,
	  .guid = GUID_C },
	{ "the GUID that it has, and an RDMA device", .members = WITH_GUID, .changes = 8,
	  .guid = GUID_B },
	{ "a GUID, and a driver for user space", .members = WITH_GUID ",\"driver\":\"vfio-pci\"",
	  .changes = 4, .guid = GUID_C },
};

static size_t scene;

static void set_scene(void)
{
	start(scenes[scene].ethernet);
	k->shared = scenes[scene].shared;
	k->ipoib_follows = scenes[scene].follows;
	k->mode = k->umcast = !k->ethernet;
	k->node = k->port = k->guid = scenes[scene].guid;
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_8");
}

static int add_in_child(void)
{
	struct err e;

	return add(scenes[scene].members, &e);
}

/* "" or what is not as set_scene() has made it; a number of the kernel's may be another. */
static const char *difference(void)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s", read_override());
	if (strcmp(k->driver, "mlx5_core") != 0)
		return "driver";
	if (*text && strcmp(text, "(null)") != 0)
		return "driver_override";
	if (k->rdma_ns != home_ns || !k->rdma_index)
		return "place of the RDMA device";
	if (strcmp(k->rdma_name, "mlx5_2") != 0)
		return "name of the RDMA device";
	if (k->if_ns != home_ns || strcmp(k->ifname, "ibs3v1") != 0 || k->up)
		return "interface";
	if (k->mtu != 4092 || k->mode != k->umcast || k->mode != !k->ethernet)
		return "MTU, mode or umcast";
	if (k->node != k->guid || k->port != k->guid || k->guid != scenes[scene].guid)
		return "GUID";
	read_record();
	return rec.doc ? "record" : "";
}

/* Each change is before it and after it a point to be killed at. */
static void killed_add(void)
{
	int at_point, r = 1;
	struct err e;

	for (at_point = 1; r == 1; at_point++) {
		set_scene();
		r = killed(add_in_child, at_point);
		read_record();
		ok(r >= 0 && rec.doc != NULL);
		if (del(&e) != 1)
			(void)printf("# point %d: %s: %s\n", at_point, e.msg, e.details);
		eq(difference(), "");
	}
	ok(at_point > 2 * scenes[scene].changes);
}

static void killed_del(void)
{
	int at_point, r = 1;
	struct err e;

	for (at_point = 1; r == 1; at_point++) {
		set_scene();
		ok(add_in_child() == 0);
		if (!k->shared && !strstr(scenes[scene].members, "driver"))
			ok(rec.rdma.index == k->rdma_index && rec.rdma.isolated);
		r = killed(del_in_child, at_point);
		ok(r >= 0);
		if (r == 1 && del(&e) != 1)
			(void)printf("# point %d: %s: %s\n", at_point, e.msg, e.details);
		eq(difference(), "");
	}
	ok(at_point > 2);
}

static void kills(void)
{
	char text[128];

	for (scene = 0; scene < ARRAY_SIZE(scenes); scene++) {
		(void)snprintf(text, sizeof(text), "%s: ADD is killed", scenes[scene].what);
		test(text);
		killed_add();
		(void)snprintf(text, sizeof(text), "%s: DEL is killed", scenes[scene].what);
		test(text);
		killed_del();
	}
}

/* -- one at a time on a node -- */

static void lock(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct err e;

	n.host.set.lock_timeout_ms = 50;
	for (scene = 0; scene < 2; scene++) {
		test("C-ISS-32: "
		     "while another call has the lock of RDMA devices, none moves or is made anew");
		start(scene == 0);
		k->shared = scene == 1;
		ok(add(scene == 0 ? "" : WITH_GUID, &e) == 0);
		ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == 1);
		ok(rdma_lock(&n.host, &j, &e) == 0);
		ok(del(&e) == -1 && e.code == ERR_TRY_AGAIN);
		contains(e.msg, "the lock of RDMA devices");
		ok(!strstr(k->log, "rdma") && !strstr(k->log, "bind"));
		rdma_unlock(&j);
		ok(del(&e) == 1);
		ok(rdma_lock(&n.host, &j, &e) == 0);
		k->log[0] = '\0';
		ok(add(scene == 0 ? "" : WITH_GUID, &e) == -1 && e.code == ERR_TRY_AGAIN);
		eq(k->log, "");
		journal_done(&j);
	}
	test("nor gets one its name back");
	start(true);
	ok(add("", &e) == 0);
	k->rdma_ns = k->if_ns = home_ns;
	(void)snprintf(k->rdma_name, sizeof(k->rdma_name), "mine");
	show();
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == 1 && rdma_lock(&n.host, &j, &e) == 0);
	rec.owner.netns = "/nowhere";
	write_record_again();
	ok(del(&e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(k->rdma_name, "mine");
	journal_done(&j);
	test("while one that has its name needs no lock");
	start(true);
	k->shared = true;
	ok(add("", &e) == 0);
	ok(journal_open(&n.host, JOURNAL_CREATE, &j, &e) == 1 && rdma_lock(&n.host, &j, &e) == 0);
	ok(del(&e) == 1);
}

static void rename_is_locked(void)
{
	struct err e;

	test("the rename after a rebinding is under the same lock");
	start(false);
	k->shared = true;
	(void)snprintf(k->next_name, sizeof(k->next_name), "mlx5_8");
	ok(add(WITH_GUID, &e) == 0);
	eq(k->rdma_name, "mlx5_2");
	ok(k->renames == 1 && k->locked_renames == 1);
	ok(del(&e) == 1);
	eq(k->rdma_name, "mlx5_2");
	ok(k->renames == 2 && k->locked_renames == 2);
}

int main(void)
{
	scene_open();
	kills();
	lock();
	rename_is_locked();
	return scene_close();
}
