/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket_dir.c - the directory of sockets: whose it is, and what is left of it */
#include "base/mem.h"
#include "cni/socket/socket_dir.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <sys/stat.h>

static struct fake_node n;
static struct journal j = { .dir = -1, .lock = -1 };
static const struct socket_conf plain = { .dir_mode = 02770 };
static bool living;	/* the attachments' container */

/* An attachment of this interface with its socket in that directory. */
static void attachment(const char *ifname, const char *dir, struct record *ret)
{
	*ret = (struct record){
		.owner = { .network = "net", .container_id = "c", .ifname = ifname, .netns = "/n" },
		.boot_id = "b",
		.devinfo_dir = "/d",
		.run_dir = "/r",
		.socket = { .root = "/s" },
	};
	if (living) {
		struct stat st;

		if (stat("/proc/self/ns/net", &st) < 0)
			bail_out("stat our namespace");
		ret->owner.netns = "/proc/self/ns/net";
		ret->owner.netns_dev = st.st_dev;
		ret->owner.netns_ino = st.st_ino;
		ret->owner.netns_own = true;
		(void)snprintf(ret->boot_id, sizeof(ret->boot_id), "c");
	}
	(void)snprintf(ret->device, sizeof(ret->device), "sk%s", ifname);
	(void)snprintf(ret->socket.dir, sizeof(ret->socket.dir), "%.50s", dir);
	(void)snprintf(ret->socket.path, sizeof(ret->socket.path), "/s/%.50s/%.16s", dir, ifname);
}

/* As ADD does: plan, record, make. */
static bool added(const char *ifname, const char *dir, const struct socket_conf *c,
		  struct record *ret)
{
	struct err e;

	attachment(ifname, dir, ret);
	return socket_dir_plan(&n.host, &j, c, ret, &e) == 0 && journal_write(&j, ret, &e) == 0 &&
	       socket_dir_make(&n.host, &j, c, ret, &e) == 0;
}

static bool removed(const struct record *rec)
{
	struct err e;

	return socket_dir_release(&n.host, &j, rec, &e) == 0 && journal_remove(&j, rec, &e) == 0;
}

static void alone(void)
{
	struct record a, b;

	test("what is missing is made, with the mode only where the pod is, and removed");
	ok(added("net1", "x/y", &plain, &a) && a.socket.made == 2);
	ok(node_holds(&n, "$(stat -c %a s/x/y) = 2770 -a $(stat -c %a s/x) = 755"));
	ok(removed(&a) && node_holds(&n, "-d s -a ! -e s/x"));
	ok(removed(&a));
	test("what was there stays, as it was");
	node_sh(&n, "mkdir -m 700 s/x");
	ok(added("net1", "x/y", &plain, &a) && a.socket.made == 1);
	ok(added("net2", "x", &plain, &b) && b.socket.made == 0);
	ok(removed(&b) && removed(&a) && node_holds(&n, "$(stat -c %a s/x) = 700"));
	test("the pod's goes with all that is in it; what was there before, or is above, stays");
	ok(added("net1", "x/y", &plain, &a));
	node_sh(&n, "mkdir -p out s/x/y/a/b/c && : >out/f && : >s/x/y/a/b/c/f &&"
		    " ln -s ../../../out s/x/y/l && mkfifo s/x/y/a/fifo");
	ok(removed(&a) && node_holds(&n, "-f out/f -a -d s/x -a ! -e s/x/y"));
	node_sh(&n, "rm -r s/x out");
	ok(added("net1", "x/y", &plain, &a));
	node_sh(&n, ": >s/x/y/file && : >s/x/file");
	ok(removed(&a) && node_holds(&n, "-f s/x/file -a ! -e s/x/y"));
	ok(added("net1", "x", &plain, &b) && b.socket.made == 0);
	ok(removed(&b) && node_holds(&n, "-f s/x/file"));
	node_sh(&n, "rm -r s/x");
}

static void shared(void)
{
	struct record a, b, c;

	test("attachments share what they have made: it goes with the last, in any order");
	ok(added("net1", "p/q", &plain, &a) && added("net10", "p/q", &plain, &b));
	ok(a.socket.made == 2 && b.socket.made == 2);
	ok(added("net", "p/r", &plain, &c) && c.socket.made == 2);
	ok(removed(&a) && node_holds(&n, "-d s/p/q"));
	ok(removed(&c) && node_holds(&n, "-d s/p/q -a ! -e s/p/r"));
	ok(removed(&b) && node_holds(&n, "! -e s/p"));
	test("one that was given back, or is elsewhere, needs nothing");
	ok(added("net1", "p", &plain, &a) && added("net10", "p", &plain, &b));
	ok(added("net2", "pp", &plain, &c));
	b.released = true;
	ok(journal_write(&j, &b, &(struct err){ 0 }) == 0);
	ok(removed(&a) && node_holds(&n, "! -e s/p -a -d s/pp"));
	ok(removed(&c) && removed(&b) && node_holds(&n, "-z \"$(ls s)\""));
	test("of the directories above, too, each goes with the last that is below it");
	node_sh(&n, "mkdir s/w");
	ok(added("net1", "w/x/y/z", &plain, &a) && a.socket.made == 3);
	ok(added("net2", "w/x/y", &plain, &b) && b.socket.made == 2);
	ok(added("net3", "w/x/v", &plain, &c) && c.socket.made == 2);
	ok(removed(&a) && node_holds(&n, "-d s/w/x/y -a ! -e s/w/x/y/z -a -d s/w/x/v"));
	ok(removed(&b) && node_holds(&n, "! -e s/w/x/y -a -d s/w/x/v"));
	ok(removed(&c) && node_holds(&n, "! -e s/w/x -a -d s/w"));
	node_sh(&n, "rmdir s/w");
	test("what the others have removed since it was planned is made anew, and recorded so");
	ok(added("net1", "p/q", &plain, &a));
	attachment("net2", "p/q", &b);
	ok(socket_dir_plan(&n.host, &j, &plain, &b, &(struct err){ 0 }) == 0 && b.socket.made == 2);
	ok(removed(&a) && node_holds(&n, "! -e s/p"));
	ok(socket_dir_make(&n.host, &j, &plain, &b, &(struct err){ 0 }) == 0);
	ok(removed(&b) && node_holds(&n, "-z \"$(ls s)\""));
}

/* 0 when ADD would take this directory, else why not. */
static int refusal(const char *dir, const struct socket_conf *c)
{
	struct err e = { .code = ERR_OK };
	struct record a;

	attachment("net9", dir, &a);
	return socket_dir_plan(&n.host, &j, c, &a, &e) == 0 ? 0 : (int)e.code;
}

static void settings(void)
{
	const struct socket_conf said = { .dir_mode = 01711, .has_dir_mode = true };
	const struct socket_conf same = { .dir_mode = 0750, .has_dir_mode = true };
	const struct socket_conf other_uid = { .dir_mode = 02770, .has_uid = true, .uid = 5 };
	const struct socket_conf same_uid = { .dir_mode = 02770, .has_uid = true };
	struct record a, b;

	test("a directory of the administrator's is never changed: the same is asked, or nothing");
	node_sh(&n, "mkdir -m 750 s/k");
	ok(refusal("k", &said) == ERR_BUSY && refusal("k", &other_uid) == ERR_BUSY);
	ok(added("net1", "k", &same, &a) && a.socket.made == 0);
	ok(added("net2", "k", &plain, &b) && b.socket.made == 0 && refusal("k", &same_uid) == 0);
	ok(removed(&a) && removed(&b) && node_holds(&n, "$(stat -c %a-%u s/k) = 750-0"));
	node_sh(&n, "rmdir s/k");
	test("nor is one that a living attachment has; who asks for no mode asks for the default");
	living = true;
	ok(added("net1", "k", &said, &a) && a.socket.made == 1);
	ok(!added("net2", "k", &plain, &b) && removed(&b));
	ok(!added("net2", "k", &same, &b) && removed(&b));
	ok(node_holds(&n, "$(stat -c %a s/k) = 1711"));
	ok(added("net2", "k", &said, &b) && b.socket.made == 1 && removed(&a));
	ok(node_holds(&n, "$(stat -c %a s/k) = 1711") && removed(&b) && node_holds(&n, "! -e s/k"));
	living = false;
	test("what a dead one has left is as good as new");
	ok(added("net1", "k", &said, &a) && added("net2", "k", &other_uid, &b));
	ok(node_holds(&n, "$(stat -c %a-%u s/k) = 2770-5"));
	ok(removed(&a) && removed(&b) && node_holds(&n, "! -e s/k"));
}

static void nested(void)
{
	const struct socket_conf open_mode = { .dir_mode = 0755 };
	const struct socket_conf said = { .dir_mode = 0777, .has_dir_mode = true };
	struct record a, b;

	living = true;
	test("a directory above a living attachment's is nobody's own");
	ok(added("net1", "v/pod", &plain, &a) && a.socket.made == 2);
	ok(refusal("v", &plain) == ERR_BUSY && refusal("v", &said) == ERR_BUSY);
	ok(node_holds(&n, "$(stat -c %a s/v) = 755"));
	ok(refusal("v/other", &plain) == 0 && refusal("va", &plain) == 0);
	test("one that is there, and stays as it is, may be above");
	node_sh(&n, "mkdir -p s/w");
	ok(added("net2", "w/pod", &plain, &b) && refusal("w", &plain) == 0);
	ok(removed(&b));
	test("nothing is made in a living attachment's");
	ok(added("net2", "o", &open_mode, &b) && refusal("o/x", &plain) == ERR_BUSY);
	ok(removed(&b));
	living = false;
	test("what a dead one has left keeps nobody out");
	ok(added("net2", "u/pod", &plain, &b) && refusal("u", &said) == 0 && removed(&b));
	ok(removed(&a));
	node_sh(&n, "rmdir s/w");
}

static void above(void)
{
	test("a directory on the way is root's, and not for others to write");
	node_sh(&n, "mkdir -p s/y/z && chmod 775 s/y");
	ok(refusal("y/z/p", &plain) == ERR_PERMISSION && refusal("y/p", &plain) == ERR_PERMISSION);
	ok(refusal("y", &plain) == 0);
	node_sh(&n, "chmod 757 s/y");
	ok(refusal("y/p", &plain) == ERR_PERMISSION);
	node_sh(&n, "chmod 755 s/y && chown 1000 s/y/z");
	ok(refusal("y/p", &plain) == 0 && refusal("y/z", &plain) == 0);
	ok(refusal("y/z/p", &plain) == ERR_PERMISSION && node_holds(&n, "! -e s/y/z/p"));
	node_sh(&n, "rm -r s/y");
}

/* socketDir has another name now. */
static void renamed(void)
{
	struct record a, b;

	test("a directory that somebody uses under another name stays");
	ok(added("net1", "x/y", &plain, &a));
	attachment("net2", "x/y", &b);
	node_sh(&n, "ln -s s also && : >s/x/y/theirs");
	(void)snprintf(b.socket.root, sizeof(b.socket.root), "/also");
	(void)snprintf(b.socket.path, sizeof(b.socket.path), "/also/x/y/net2");
	ok(journal_write(&j, &b, &(struct err){ 0 }) == 0);
	ok(removed(&a) && node_holds(&n, "-f s/x/y/theirs"));
	ok(removed(&b));
	node_sh(&n, "rm -r also s/x");
}

static void refused(void)
{
	struct record a;
	struct err e = { .code = ERR_OK };

	test("a link in the way is refused; nothing is made behind it, or given back");
	node_sh(&n, "mkdir -p out/d && ln -s ../out s/l");
	attachment("net1", "l/d", &a);
	ok(socket_dir_plan(&n.host, &j, &plain, &a, &e) == -1 && e.code == ERR_BUSY);
	attachment("net1", "l/new", &a);
	a.socket.made = 1;
	ok(socket_dir_make(&n.host, &j, &plain, &a, &e) == -1 && node_holds(&n, "! -e out/new"));
	attachment("net1", "l/d", &a);
	a.socket.made = 1;
	ok(socket_dir_release(&n.host, &j, &a, &e) == 0 && node_holds(&n, "-d out/d"));
	test("without a root there is nothing to give back");
	node_sh(&n, "rm -r s");
	a.socket.made = 1;
	ok(socket_dir_release(&n.host, &j, &a, &e) == 0);
}

/* Its result, when the directory that it opens is the one with that file. */
static int opened(const struct socket_state *s, const char *file)
{
	auto_close int fd = -1;
	struct err e;
	int r = socket_dir_open(&n.host, s, &fd, &e);

	return r <= 0 || faccessat(fd, file, F_OK, 0) == 0 ? r : 2;
}

static void opening(void)
{
	test("the directory of a device plugin's socket is the one above it");
	node_sh(&n, "mkdir -p dp/one s/d && touch dp/one/mark s/d/ours root");
	eqi(opened(&(struct socket_state){ .from_plugin = true, .path = "/dp/one/a" }, "mark"), 1);
	eqi(opened(&(struct socket_state){ .from_plugin = true, .path = "/a" }, "root"), 1);
	eqi(opened(&(struct socket_state){ .from_plugin = true, .path = "/dp/two/a" }, ""), 0);
	eqi(opened(&(struct socket_state){ .from_plugin = true, .path = "/root/a" }, ""), 0);
	test("that of ours is below its root, and may be absent, as the root may");
	eqi(opened(&(struct socket_state){ .root = "/s", .dir = "d" }, "ours"), 1);
	eqi(opened(&(struct socket_state){ .root = "/s", .dir = "none" }, ""), 0);
	eqi(opened(&(struct socket_state){ .root = "/none", .dir = "d" }, ""), 0);
	node_sh(&n, "rm -r dp s root");
}

int main(void)
{
	struct err e;

	(void)umask(022);
	node_open(NULL, &n);
	n.host.set.state_dir = "/state";
	node_sh(&n, "mkdir -p proc/sys/kernel/random && echo c >proc/sys/kernel/random/boot_id");
	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) <= 0)
		bail_out("journal");
	opening();
	alone();
	shared();
	settings();
	nested();
	above();
	renamed();
	refused();
	journal_done(&j);
	node_close(&n);
	return tap_end();
}
