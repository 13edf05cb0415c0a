/* SPDX-License-Identifier: Apache-2.0 */
/* test_serve.c - a service's socket and its clients: where it cannot be made, and too many */
#include "daemon/serve/serve.h"

#include "base/deadline.h"
#include "base/mem.h"
#include "base/unix_socket.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#define DIR "/run"
#define NAME "a.sock"

static struct fake_node node;
static struct loop *loop;
static struct serve *serve;
static struct err err;

static const struct grpc_service service = { .max_request = 10, .max_calls = 1 };

static void open_serve(unsigned int max_clients)
{
	node_open(NULL, &node);
	loop = loop_new(&err);
	serve = serve_new(loop, &(struct serve_options){
		.service = &service, .root = node.host.root, .dir = DIR, .name = NAME,
		.max_clients = max_clients,
	}, &err);
	if (!loop || !serve)
		abort();
}

static void close_serve(void)
{
	serve_free(serve);
	loop_free(loop);
	node_close(&node);
}

static void turns(int n)
{
	while (n-- > 0)
		if (loop_turn(loop, 0, &err) < 0)
			abort();
}

static int connect_to(void)
{
	struct deadline d = deadline_in(100);

	return unix_socket_connect(node.host.root, DIR "/" NAME, SOCK_STREAM, &d, ERR_IO, &err);
}

/* Its first bytes are our SETTINGS, or it was turned away. */
static ssize_t hears(int fd)
{
	char buf[64];

	return recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
}

static void test_open(void)
{
	open_serve(4);
	test("without a directory nobody is served, which is no error");
	node_sh(&node, "rm -rf run");
	eqi(serve_open(serve, &err), 0);
	test("what is in the way and cannot be removed is one");
	node_sh(&node, "mkdir -p run/" NAME);
	eqi(serve_open(serve, &err), -1);
	eq(err.msg, "replace '" NAME "'");
	ok(!serve_is_there(serve));
	test("a file is removed, and the server is there as long as its socket");
	node_sh(&node, "rmdir run/" NAME " && touch run/" NAME);
	eqi(serve_open(serve, &err), 1);
	ok(serve_is_there(serve));
	ok(node_holds(&node, "$(stat -c %a run/" NAME ") = 600"));
	eqi(serve_open(serve, &err), 1);
	test("another's socket is not removed at the end");
	node_sh(&node, "rm run/" NAME " && touch run/" NAME);
	ok(!serve_is_there(serve));
	serve_free(serve);
	serve = NULL;
	ok(node_holds(&node, "-e run/" NAME));
	close_serve();
}

static void test_again(void)
{
	struct file_id before, now;

	open_serve(4);
	node_sh(&node, "mkdir -p run");
	ok(serve_open(serve, &err) == 1);
	auto_close int first = connect_to();
	turns(3);
	ok(hears(first) > 0);
	before = serve_file_id(node.host.root, DIR, NAME);

	test("a socket that has vanished is made anew, and who is connected stays so");
	node_sh(&node, "rm run/" NAME);
	eqi(serve_open(serve, &err), 1);
	now = serve_file_id(node.host.root, DIR, NAME);
	ok(now.ino != 0 && !file_id_equal(&before, &now));
	auto_close int second = connect_to();
	turns(3);
	ok(hears(second) > 0);
	ok(hears(first) < 0 && errno == EAGAIN);

	test("our own is removed at the end, and clients hear of it");
	serve_free(serve);
	serve = NULL;
	ok(hears(first) <= 0 && hears(second) <= 0);
	ok(node_holds(&node, "! -e run/" NAME));
	close_serve();
}

static void test_many(void)
{
	int fd[4];

	open_serve(2);
	node_sh(&node, "mkdir -p run");
	ok(serve_open(serve, &err) == 1);
	test("one client too many is turned away, and the others stay");
	for (size_t i = 0; i < 3; i++) {
		fd[i] = connect_to();
		turns(3);
	}
	ok(hears(fd[0]) > 0 && hears(fd[1]) > 0);
	eqi(hears(fd[2]), 0);

	test("when one has gone the next is let in");
	(void)close(fd[0]);
	turns(3);
	fd[3] = connect_to();
	turns(3);
	ok(hears(fd[3]) > 0);
	for (size_t i = 1; i < 4; i++)
		(void)close(fd[i]);
	close_serve();
}

int main(void)
{
	test_open();
	test_again();
	test_many();
	return tap_end();
}
