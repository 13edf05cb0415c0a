/* SPDX-License-Identifier: Apache-2.0 */
/* test_slot_dir.c - the directory of a socket: made for a container, gone with it */
#include "daemon/plugin/slot_dir.h"

#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define DIR "run/devinfo/sockets/_dp/intel.com/v-0"

static struct fake_node n;
static struct slot_dirs dirs;
static struct offered one = { .id = "v-0", .socket = true, .healthy = true };
static struct offer offer = { .resource = "intel.com/v", .list = &one, .n = 1 };
static const struct offers offers = { &offer, 1 }, none = { .n = 0 };

static void make(void)
{
	struct err e = { 0 };

	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", &e), 0);
	eq(e.msg, "");
}

static void look(bool held, const struct offers *o)
{
	one.held = held;
	slot_dirs_update(&dirs, &n.host, o);
}

static void test_life(void)
{
	test("it is made, empty, with its mode");
	make();
	ok(node_holds(&n, "$(stat -c %a " DIR ") = 770"));
	node_sh(&n, "mkdir " DIR "/x && touch " DIR "/x/y");
	make();
	ok(node_holds(&n, "-z \"$(ls -A " DIR ")\""));

	test("as long as nobody has been seen to have it, it stays");
	look(false, &offers);
	ok(node_holds(&n, "-d " DIR));
	look(true, &offers);
	ok(node_holds(&n, "-d " DIR));
	test("with its pod it goes, with all that is in it");
	node_sh(&n, "touch " DIR "/socket");
	look(false, &offers);
	ok(!node_holds(&n, "-e " DIR));
	eqi((int)dirs.n, 0);

	test("one that was allocated again, while its pod of before was still told, stays");
	make();
	look(true, &offers);
	make();
	look(false, &offers);
	ok(node_holds(&n, "-d " DIR));
	look(true, &offers);
	test("one whose pool has ended goes");
	look(true, &none);
	ok(!node_holds(&n, "-e " DIR));
}

static void test_end(void)
{
	test("where a pod has it and it is missing, as after a reboot, it is made");
	node_sh(&n, "rm -r run/devinfo");
	look(true, &offers);
	ok(node_holds(&n, "$(stat -c %a " DIR ") = 770"));
	node_sh(&n, "touch " DIR "/socket");
	look(true, &offers);
	ok(node_holds(&n, "-e " DIR "/socket"));
	test("at the end of the daemon one that a pod has, or may have been given, stays");
	slot_dirs_done(&dirs, &n.host);
	ok(node_holds(&n, "-d " DIR));
	make();
	slot_dirs_done(&dirs, &n.host);
	ok(node_holds(&n, "-d " DIR));
}

static void test_refused(void)
{
	struct err e = { 0 };

	test("a link in its place, or above it, is not followed");
	node_sh(&n, "rm -r " DIR " && mkdir away && ln -s ../../../../../away " DIR);
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", &e), -1);
	contains(e.msg, "/run/devinfo/sockets/_dp/intel.com/v-0");
	node_sh(&n, "rm -r run/devinfo/sockets/_dp/intel.com && "
		    "ln -s ../../../../away run/devinfo/sockets/_dp/intel.com");
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", &e), -1);
	ok(node_holds(&n, "-z \"$(ls -A away)\""));
	test("a directory of sockets that others may write to is refused");
	node_sh(&n, "rm -r run/devinfo/sockets/_dp && chmod 777 run/devinfo/sockets");
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", &e), -1);
	slot_dirs_done(&dirs, &n.host);
}

int main(void)
{
	node_open(NULL, &n);
	test_life();
	test_end();
	test_refused();
	node_close(&n);
	return tap_end();
}
