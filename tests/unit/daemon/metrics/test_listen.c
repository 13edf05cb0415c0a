/* SPDX-License-Identifier: Apache-2.0 */
/* test_listen.c - the socket of metrics takes the place of none that is used */
#include "daemon/metrics/listen.h"

#include "base/mem.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#define ADDRESS "unix:/run/m.sock"

int main(void)
{
	struct file_id file = { .ino = 0 }, other = { .ino = 0 };
	struct fake_node n;
	struct err e = { 0 };
	int fd, second;

	node_open(NULL, &n);
	node_sh(&n, "mkdir -p run");
	test("a socket is made, and is ours");
	fd = listen_open(&n.host, ADDRESS, &file, &e);
	ok(fd >= 0 && file.ino != 0);
	ok(node_holds(&n, "$(stat -c %a run/m.sock) = 600"));

	test("another that listens there is left alone");
	eqi(listen_open(&n.host, ADDRESS, &other, &e), -1);
	eqi(e.code, ERR_BUSY);
	ok(node_holds(&n, "-S run/m.sock") && other.ino == 0);

	test("one that somebody has left is replaced");
	mem_close_fd(&fd);
	second = listen_open(&n.host, ADDRESS, &other, &e);
	ok(second >= 0 && other.ino != 0);

	test("at the end our file is removed, and no other");
	listen_remove(&n.host, ADDRESS, &file);
	ok(node_holds(&n, "-S run/m.sock"));
	listen_remove(&n.host, ADDRESS, &other);
	ok(!node_holds(&n, "-e run/m.sock"));
	mem_close_fd(&second);

	test("a file of another kind is not replaced");
	node_sh(&n, "touch run/m.sock");
	eqi(listen_open(&n.host, ADDRESS, &other, &e), -1);
	eqi(e.code, ERR_BUSY);
	ok(node_holds(&n, "-f run/m.sock"));
	node_close(&n);
	return tap_end();
}
