/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_owner.c - whether a container is still there, by its namespace and the boot
 *
 * Needs root or unprivileged user namespaces: the container's namespace is a real one.
 */
#include "devinfo/journal/owner.h"
#include "netlink/netns.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

static struct fake_node n;
static char path[64];			/* of the container's namespace */
static struct err e;

static bool stdin_is_open(void)
{
	return fcntl(0, F_GETFD) >= 0;
}

/* Its container lives. */
static struct record record_of(void)
{
	struct record rec = { .owner = { .network = "n", .container_id = "c", .ifname = "net1" } };
	auto_nl struct nl pod = { 0 };
	struct stat st;
	int fd = -1;

	if (owner_open_path(path, &fd, &st, &e) != 1 || nl_open(fd, NETLINK_ROUTE, &pod, &e) < 0)
		bail_out(e.msg);
	(void)close(fd);
	rec.owner.netns = path;
	rec.owner.netns_dev = st.st_dev;
	rec.owner.netns_ino = st.st_ino;
	rec.owner.netns_cookie = nl_netns_cookie(&pod);
	memcpy(rec.boot_id, "boot", 5);
	return rec;
}

static int opened(const struct record *rec)
{
	auto_nl struct nl pod = { 0 };

	e = (struct err){ 0 };
	return owner_open(rec, &pod, &e);
}

static void test_path(void)
{
	struct stat st = { 0 };
	int fd = 99;

	test("what is no namespace any more is as good as gone");
	ok(owner_open_path("/nothing", &fd, &st, &e) == 0 && fd == 99);
	ok(owner_open_path("/dev/null", &fd, &st, &e) == 0 && fd == 99);
	test("a namespace is told with what it is");
	ok(owner_open_path(path, &fd, &st, &e) == 1 && fd != 99 && st.st_ino != 0);
	ok(fcntl(fd, F_GETFD) >= 0 && close(fd) == 0);
}

static void test_open(void)
{
	struct record rec = record_of(), other = rec;
	auto_nl struct nl pod = { 0 };
	int fd = -1;

	test("the owner's namespace is opened while it is that of the record");
	ok(opened(&rec) == 1);
	ok(owner_open_netns(&rec, &pod, &fd, &e) == 1 && pod.open && !netns_is_own(fd));
	ok(close(fd) == 0);
	other.owner.netns_ino++;
	ok(opened(&other) == 0);
	other = rec;
	other.owner.netns_cookie++;
	ok(opened(&other) == 0);
	other.owner.netns_cookie = 0;
	ok(opened(&other) == 1);
	other.owner.netns = "/nothing";
	ok(opened(&other) == 0 && stdin_is_open());
	test("never our own, unless it was that of the ADD");
	(void)snprintf(path, sizeof(path), "/proc/self/ns/net");
	other = record_of();
	ok(opened(&other) == 0);
	other.owner.netns_own = true;
	ok(opened(&other) == 1);
}

static int look(const struct record *rec, int more, int (*fn)(const struct record *rec))
{
	struct rlimit before, less;
	int next = dup(0), r;

	(void)close(next);
	if (getrlimit(RLIMIT_NOFILE, &before) < 0)
		bail_out("getrlimit");
	less = before;
	less.rlim_cur = (rlim_t)(next + more);
	if (setrlimit(RLIMIT_NOFILE, &less) < 0)
		bail_out("setrlimit");
	e = (struct err){ 0 };
	r = fn(rec);
	if (setrlimit(RLIMIT_NOFILE, &before) < 0)
		bail_out("setrlimit");
	return r;
}

static int is_alive(const struct record *rec)
{
	return owner_is_alive(&n.host, rec, &e);
}

static void test_alive(void)
{
	struct record rec = record_of(), other = rec;
	const char *netns = NULL;

	test("a container lives in this boot and in its namespace");
	ok(is_alive(&rec) == 1 && owner_netns(&n.host, &rec, &netns, &e) == 0);
	eq(netns, path);
	other.boot_id[0] = 'x';
	ok(is_alive(&other) == 0 && owner_netns(&n.host, &other, &netns, &e) == 0);
	eq(netns, "");
	other = rec;
	other.owner.netns = "/nothing";
	ok(is_alive(&other) == 0);
	test("for want of descriptors nobody is dead, and nobody else is named");
	ok(look(&rec, 0, opened) == -1 && e.sys == EMFILE);
	ok(look(&rec, 1, opened) == -1 && e.sys == EMFILE);
	ok(look(&rec, 0, is_alive) == -1 && look(&rec, 1, is_alive) == -1);
	eq(e.msg, "look whether the container of a record is there");
	test("nor where the boot cannot be told");
	node_sh(&n, "rm proc/sys/kernel/random/boot_id");
	ok(is_alive(&rec) == -1 && owner_netns(&n.host, &rec, &netns, &e) == -1);
	eq(netns, "");
}

int main(void)
{
	int home = netns_open_own(&e), pod;

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		(void)printf("1..0 # SKIP no namespaces of our own\n");
		return 0;
	}
	pod = netns_open_own(&e);
	if (setns(home, CLONE_NEWNET) < 0 && unshare(CLONE_NEWNET) < 0)
		bail_out("no second namespace");
	node_open(NULL, &n);
	node_sh(&n, "mkdir -p proc/sys/kernel/random && echo boot >proc/sys/kernel/random/boot_id");
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", pod);
	test_path();
	test_alive();
	node_sh(&n, "echo boot >proc/sys/kernel/random/boot_id");
	test_open();
	node_close(&n);
	return tap_end();
}
