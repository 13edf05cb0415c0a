/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket_file.c - a socket in a directory that others may write to */
#include "base/mem.h"
#include "cni/socket/socket_file.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct fake_node n;
static int dir = -1;

/* A socket of this name in the node's root; backlog -1: bound only. */
static int bind_one(const char *name, int type, int backlog)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%.60s/%.40s", n.dir, name);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
	    (backlog >= 0 && listen(fd, backlog) < 0))
		bail_out("bind");
	return fd;
}

static enum socket_found found(const char *name, bool memif)
{
	enum socket_found ret = SOCKET_NO_SOCKET;
	struct err e;

	if (socket_file_probe(dir, name, memif, &ret, &e) < 0)
		bail_out("probe");
	return ret;
}

/* What connect(2) says to one of a pair. */
static int twice(const char *name, int type)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int pair[2], r;

	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%.60s/%.40s", n.dir, name);
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		bail_out("socketpair");
	r = connect(pair[0], (struct sockaddr *)&to, sizeof(to)) < 0 ? errno : 0;
	(void)close(pair[0]);
	(void)close(pair[1]);
	return r;
}

/*
 * What socket_probe.c takes the kernel for.  One that told EISCONN first would make every stale
 * socket one that accepts, so that ADD is refused for ever.
 */
static void kernel(void)
{
	for (int i = 0; i < 2; i++) {
		int type = i ? SOCK_SEQPACKET : SOCK_STREAM;
		int other = i ? SOCK_STREAM : SOCK_SEQPACKET;
		const char *there = i ? "heard1" : "heard0";
		const char *bound = i ? "unheard1" : "unheard0";
		auto_close int listener = bind_one(there, type | SOCK_NONBLOCK, 4);
		auto_close int silent = bind_one(bound, type, -1);

		(void)silent;
		test("the kernel looks at the listener first, and then that there is a peer");
		ok(twice(bound, type) == ECONNREFUSED);
		ok(twice(there, other) == EPROTOTYPE);
		ok(twice(there, type) == EISCONN);
		ok(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
	}
}

static void probing(void)
{
	auto_close int stream = bind_one("stream", SOCK_STREAM, 0);
	auto_close int packets = bind_one("packets", SOCK_SEQPACKET, 4);
	auto_close int bound = bind_one("bound", SOCK_STREAM, -1);
	int stale = bind_one("stale", SOCK_STREAM, 4);

	(void)stream, (void)packets, (void)bound;	/* open until the end */
	(void)close(stale);
	node_sh(&n, "ln -s stream link && : >file && mkfifo fifo && mkdir dir");
	test("a socket accepts, be its queue full; it is stale when nobody listens");
	ok(found("stream", false) == SOCKET_ACCEPTS && found("packets", true) == SOCKET_ACCEPTS);
	for (int i = 0; i < 3; i++)
		ok(found("stream", false) == SOCKET_ACCEPTS);
	ok(found("stale", false) == SOCKET_STALE && found("bound", false) == SOCKET_STALE);
	ok(found("none", false) == SOCKET_ABSENT);
	test("one of the other kind is told from both");
	ok(found("stream", true) == SOCKET_OTHER_TYPE);
	ok(found("packets", false) == SOCKET_OTHER_TYPE);
	test("what is no socket is none, a link to one among it");
	ok(found("link", false) == SOCKET_NO_SOCKET && found("file", false) == SOCKET_NO_SOCKET);
	ok(found("fifo", false) == SOCKET_NO_SOCKET && found("dir", false) == SOCKET_NO_SOCKET);
}

static void disturbing(void)
{
	auto_close int stream = bind_one("stream2", SOCK_STREAM | SOCK_NONBLOCK, 4);
	auto_close int packets = bind_one("packets2", SOCK_SEQPACKET | SOCK_NONBLOCK, 4);
	auto_close int bound = bind_one("bound2", SOCK_STREAM, -1);
	auto_close int datagrams = bind_one("datagrams", SOCK_DGRAM, -1);

	(void)bound, (void)datagrams;
	test("who listens does not notice that we look, of either kind and of the wrong one");
	for (int i = 0; i < 2; i++)
		ok(found("stream2", i) != SOCKET_STALE && found("packets2", i) != SOCKET_STALE);
	ok(accept(stream, NULL, NULL) == -1 && errno == EAGAIN);
	ok(accept(packets, NULL, NULL) == -1 && errno == EAGAIN);
	test("a socket for datagrams is of the wrong kind");
	ok(found("datagrams", false) == SOCKET_OTHER_TYPE);
	test("a listener in another network namespace is one");
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0)
		return;
	ok(found("stream2", false) == SOCKET_ACCEPTS && found("packets2", true) == SOCKET_ACCEPTS);
	ok(found("stream2", true) == SOCKET_OTHER_TYPE && found("bound2", false) == SOCKET_STALE);
	ok(accept(stream, NULL, NULL) == -1 && errno == EAGAIN);
}

static void owning(void)
{
	struct stat st, no;
	struct err e;

	test("a socket gets a mode, what is none does not");
	ok(socket_file_own(dir, "stale", NULL, (uid_t)-1, (gid_t)-1, 0641, &e) == 0);
	ok(node_holds(&n, "$(stat -c %a stale) = 641"));
	ok(socket_file_own(dir, "link", NULL, (uid_t)-1, (gid_t)-1, 0777, &e) == -1);
	ok(socket_file_own(dir, "file", NULL, (uid_t)-1, (gid_t)-1, 0777, &e) == -1);
	ok(socket_file_own(dir, "none", NULL, (uid_t)-1, (gid_t)-1, 0777, &e) == -1);
	ok(e.code == ERR_TRY_AGAIN && node_holds(&n, "$(stat -c %a stream) != 777"));
	test("one with another name than it should have may be somebody else's");
	node_sh(&n, "mkdir sub");
	ok(socket_file_link(dir, "stale", dir, "second", &e) == 1);
	ok(socket_file_own(dir, "second", NULL, (uid_t)-1, (gid_t)-1, 0777, &e) == -1);
	ok(e.code == ERR_BUSY);
	ok(socket_file_stat(dir, "no", &no, &e) == 0);
	ok(socket_file_stat(dir, "stale", &st, &e) == 1);
	ok(socket_file_own(dir, "second", &st, (uid_t)-1, (gid_t)-1, 0600, &e) == 0);
	ok(socket_file_stat(dir, "stream", &st, &e) == 1);
	ok(socket_file_own(dir, "second", &st, (uid_t)-1, (gid_t)-1, 0777, &e) == -1);
	ok(e.code == ERR_BUSY && node_holds(&n, "$(stat -c %a second) = 600"));
}

static void linking(void)
{
	auto_close int other = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat here, there;
	struct err e;

	test("a socket gets a second name, where it is and the name is free");
	ok(socket_file_link(dir, "none", dir, "x", &e) == 0);
	ok(socket_file_link(dir, "stale", dir, "file", &e) == -1 && e.code == ERR_BUSY);
	ok(socket_file_link(dir, "file", dir, "x", &e) == -1);
	ok(socket_file_link(dir, "link", dir, "x", &e) == -1 && !node_holds(&n, "-e x"));
	test("on another file system it cannot, and what to do is said");
	if (other < 0 || fstat(other, &there) < 0 || fstat(dir, &here) < 0)
		bail_out("/dev/shm");
	ok(here.st_dev != there.st_dev);
	ok(socket_file_link(dir, "stale", other, "devinfo-test", &e) == -1 && e.sys == EXDEV);
	contains(e.msg, "in one mount");
}

static void removing(void)
{
	struct err e;

	test("a socket is removed, and nothing else");
	ok(socket_file_remove(dir, "second", &e) == 1);
	ok(socket_file_remove(dir, "second", &e) == 0);
	ok(socket_file_remove(dir, "file", &e) == 0 && socket_file_remove(dir, "link", &e) == 0);
	ok(socket_file_remove(dir, "dir", &e) == 0);
	ok(node_holds(&n, "-d dir -a -f file -a -L link"));
}

static void secrets(void)
{
	const uid_t none = (uid_t)-1;
	struct err e;

	node_sh(&n, "echo keep >victim && ln -s victim l.secret && mkdir d.secret &&"
		" echo old >s.secret && chmod 644 s.secret");
	test("a secret replaces a file that was left; a link is not written through, and stays");
	ok(socket_file_write_secret(dir, "s", "hush", none, none, &e) == 0);
	ok(node_holds(&n, "$(cat s.secret) = hush -a $(stat -c %a s.secret) = 600"));
	ok(socket_file_write_secret(dir, "l", "hush", none, none, &e) == -1);
	ok(node_holds(&n, "$(cat victim) = keep -a -L l.secret"));
	ok(socket_file_remove_secret(dir, "l", &e) == 1 && node_holds(&n, "-L l.secret"));
	ok(socket_file_remove_secret(dir, "d", &e) == 1 && node_holds(&n, "-d d.secret"));
	ok(socket_file_write_secret(dir, "d", "hush", none, none, &e) == -1);
	ok(socket_file_remove_secret(dir, "s", &e) == 0 && node_holds(&n, "! -e s.secret"));
	ok(socket_file_write_secret(dir, "s", "hush", none, getegid(), &e) == 0);
	ok(node_holds(&n, "$(stat -c %a s.secret) = 640"));
	ok(socket_file_remove_secret(dir, "s", &e) == 0);
	ok(socket_file_remove_secret(dir, "s", &e) == 0);
}

int main(void)
{
	node_open(NULL, &n);
	dir = openat(n.host.root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		bail_out("open");
	kernel();
	probing();
	disturbing();
	owning();
	linking();
	removing();
	secrets();
	(void)close(dir);
	node_close(&n);
	return tap_end();
}
