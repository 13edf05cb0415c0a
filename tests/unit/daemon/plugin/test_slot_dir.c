/* SPDX-License-Identifier: Apache-2.0 */
/* test_slot_dir.c - the directory of a socket: made for a container, gone with it */
#include "daemon/plugin/slot_dir.h"

#include "base/capability.h"
#include "cni/socket/socket_dir.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIR "run/devinfo/sockets/_dp/intel.com/v-0"

static struct fake_node n;
static struct slot_dirs dirs;
static struct offered one = { .id = "v-0", .socket = true, .healthy = true };
static struct offer offer = { .resource = "intel.com/v", .list = &one, .n = 1 };
static const struct offers offers = { &offer, 1 }, none = { .n = 0 };

static int64_t now = 1;

static void make(void)
{
	struct err e = { 0 };

	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", now, &e), 0);
	eq(e.msg, "");
}

static void look(bool held, const struct offers *o)
{
	one.held = held;
	slot_dirs_update(&dirs, &n.host, o, now);
}

/* As often as nobody has it for long. */
static void look_later(const struct offers *o)
{
	now += SLOT_FREE_MS;
	look(false, o);
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
	test("it goes some time after its pod, which kubelet may have forgotten");
	node_sh(&n, "touch " DIR "/socket");
	look(false, &offers);
	now += SLOT_FREE_MS - 1;
	look(false, &offers);
	ok(node_holds(&n, "-e " DIR "/socket"));
	look(true, &offers);
	look(false, &offers);
	now++;
	look(false, &offers);
	ok(node_holds(&n, "-e " DIR "/socket"));
	look_later(&offers);
	ok(!node_holds(&n, "-e " DIR));
	eqi((int)dirs.n, 0);

	test("one that was allocated again, while its pod of before was still told, stays");
	make();
	look(true, &offers);
	make();
	look(false, &offers);
	ok(node_holds(&n, "-d " DIR));
	look(true, &offers);
	test("one whose pool has ended stays, for a pod may have it, until it is known again");
	look(false, &none);
	look_later(&none);
	ok(node_holds(&n, "-d " DIR));
	look(false, &offers);
	ok(node_holds(&n, "-d " DIR));
	look_later(&offers);
	ok(!node_holds(&n, "-e " DIR));
}

/* The directory is the pod's to give away, and what is in it as well. */
static void test_owned(void)
{
	const uint64_t kept = CAPABILITY(CAP_DAC_READ_SEARCH);
	int status = -1;
	pid_t pid;

	test("one that its pod has given to another user is set aside by who may not write to it");
	make();
	node_sh(&n, "mkdir " DIR "/x && touch " DIR "/x/y && chown -R 1000:1000 " DIR
		" && chmod 700 " DIR);
	pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		int r = capability_keep(kept, kept);

		if (r == 0)
			r = slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", now, &e);
		(void)fprintf(stderr, "%s %s\n", e.msg, e.details);
		_exit(r == 0 ? 0 : 1);
	}
	ok(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
	ok(node_holds(&n, "$(stat -c %u:%a " DIR ") = 0:770"));
	ok(node_holds(&n, "-z \"$(ls -A " DIR ")\""));
	ok(node_holds(&n, "-e run/devinfo/sockets/_dp/intel.com/.devinfo-left-0-v-0/x/y"));
	test("and a GC, which may, removes it");
	socket_dir_remove_left(&n.host);
	ok(node_holds(&n, "\"$(ls -A " DIR "/..)\" = v-0"));
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
	slot_dirs_done(&dirs);
	ok(node_holds(&n, "-d " DIR));
	make();
	slot_dirs_done(&dirs);
	ok(node_holds(&n, "-d " DIR));
}

static void test_refused(void)
{
	struct err e = { 0 };

	test("a link in its place, or above it, is not followed");
	node_sh(&n, "rm -r " DIR " && mkdir away && ln -s ../../../../../away " DIR);
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", now, &e), -1);
	contains(e.msg, "/run/devinfo/sockets/_dp/intel.com/v-0");
	node_sh(&n, "rm -r run/devinfo/sockets/_dp/intel.com && "
		    "ln -s ../../../../away run/devinfo/sockets/_dp/intel.com");
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", now, &e), -1);
	ok(node_holds(&n, "-z \"$(ls -A away)\""));
	test("a directory of sockets that others may write to is refused");
	node_sh(&n, "rm -r run/devinfo/sockets/_dp && chmod 777 run/devinfo/sockets");
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", now, &e), -1);
	slot_dirs_done(&dirs);
	test("what is there, where that fails, has its minutes as well");
	node_sh(&n, "mkdir -p " DIR);
	eqi(slot_dirs_make(&dirs, &n.host, "intel.com/v", "v-0", now, &e), -1);
	node_sh(&n, "chmod 755 run/devinfo/sockets");
	look(false, &offers);
	ok(node_holds(&n, "-d " DIR));
	look_later(&offers);
	ok(!node_holds(&n, "-e " DIR));
	slot_dirs_done(&dirs);
}

int main(void)
{
	node_open(NULL, &n);
	test_life();
	test_owned();
	test_end();
	test_refused();
	node_close(&n);
	return tap_end();
}
