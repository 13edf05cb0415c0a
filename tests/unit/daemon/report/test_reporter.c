/* SPDX-License-Identifier: Apache-2.0 */
/* test_reporter.c - the daemon's socket, with readers that are quick, slow, many and wrong */
#include "daemon/report/reporter.h"

#include "base/deadline.h"
#include "base/unix_socket.h"
#include "devinfo/grpc/client.h"
#include "manager/report/report.h"
#include "tests/unit/daemon/report/offered.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum { READERS = 8 };			/* that are let in */

static struct fake_node node;
static struct loop *loop;
static struct reporter *reporter;
static struct scene s;
static struct err err;

static void open_reporter(void)
{
	node_open(NULL, &node);
	node_sh(&node, "mkdir -p run");
	node.host.set.run_dir = "/run";
	offered_open(&s);
	loop = loop_new(&err);
	reporter = reporter_new(loop, &node.host, &err);
	if (!loop || !reporter)
		bail_out(err.msg);
}

static void close_reporter(void)
{
	reporter_free(reporter);
	reporter = NULL;
	loop_free(loop);
	node_close(&node);
}

static void turns(int n)
{
	while (n-- > 0)
		if (loop_turn(loop, 0, &err) < 0)
			bail_out(err.msg);
}

static void look(void)
{
	reporter_set_offers(reporter, &s.inv, &s.offers);
}

static struct report_client *follow(bool past)
{
	struct deadline d = deadline_in(1000);
	struct report_client *c = report_connect(&node.host, past, &d, &err);

	if (!c)
		bail_out(err.msg);
	return c;
}

/* The next message of a reader, as far as the daemon has one for it. */
static int next(struct report_client *c, struct report *ret)
{
	struct deadline now = deadline_in(0);
	int rc = 0;

	report_done(ret);
	for (int i = 0; i < 20 && rc == 0; i++) {
		turns(1);
		rc = report_next(c, &now, ret, &err);
	}
	return rc;
}

static void test_follow(void)
{
	auto_report struct report r = { .n_devices = 0 };
	struct report_client *c;

	open_reporter();
	test("the socket is root's alone");
	ok(node_holds(&node, "$(stat -c %a run/" REPORT_SOCKET ") = 600"));

	test("who follows before the first look waits for it");
	c = follow(false);
	eqi(next(c, &r), 0);
	(void)offered_add(&s, "d0");
	look();
	eqi(next(c, &r), 1);
	ok(r.complete && r.n_devices == 1 && r.devices[0].healthy);

	test("a look that finds no change tells nothing");
	look();
	eqi(next(c, &r), 0);

	test("a change is told to who follows already, the list to who comes now");
	offered_break(&s.devices[0], "it has no driver");
	look();
	eqi(next(c, &r), 1);
	ok(!r.complete && r.n_devices == 1 && r.at_ms > 1000000000000);
	eq(r.devices[0].reason, "it has no driver");
	report_free(c);
	c = follow(true);
	eqi(next(c, &r), 1);
	ok(r.complete && r.n_devices == 1 && r.n_past == 1);

	test("what goes is told by its name");
	s.offer.n = 0;
	look();
	eqi(next(c, &r), 1);
	ok(!r.complete && r.n_devices == 0 && r.n_gone == 1);
	eq(r.gone[0], "a.b/vf/d0");

	test("the daemon's end is the stream's, and the socket's");
	reporter_free(reporter);
	reporter = NULL;
	eqi(next(c, &r), -1);
	eqi(err.code, ERR_UNAVAILABLE);
	ok(node_holds(&node, "! -e run/" REPORT_SOCKET));
	report_free(c);
	close_reporter();
}

/* About 270 bytes a device: the list has more than a socket takes. */
static void fill(void)
{
	for (int i = 0; i < OFFERED_MAX; i++) {
		char id[16], why[OFFER_REASON];

		(void)snprintf(id, sizeof(id), "d%03d", i);
		(void)snprintf(why, sizeof(why), "%0250d", i);
		offered_break(offered_add(&s, id), why);
	}
}

static void test_slow(void)
{
	auto_report struct report r = { .n_devices = 0 };
	struct report_client *slow, *quick;
	int quick_got = 0, slow_got = 0, complete = 0;

	open_reporter();
	fill();
	look();
	slow = follow(false);
	quick = follow(false);
	ok(next(quick, &r) == 1 && r.complete);
	for (int i = 0; i < 100; i++) {
		char why[OFFER_REASON];

		(void)snprintf(why, sizeof(why), "%0250d", 1000 + i);
		for (int k = 0; k < OFFERED_MAX; k++)
			offered_break(&s.devices[k], why);
		look();
		if (next(quick, &r) == 1 && !r.complete && r.n_devices == OFFERED_MAX)
			quick_got++;
	}
	test("who reads gets each change");
	eqi(quick_got, 100);
	test("who did not read gets few messages, and the last is a complete list of what is");
	while (next(slow, &r) == 1) {
		slow_got++;
		complete = r.complete && r.n_devices == OFFERED_MAX &&
			   strtol(r.devices[7].reason, NULL, 10) == 1099;
	}
	ok(slow_got > 0 && slow_got < 10);
	ok(complete);
	test("then it is told of changes again");
	offered_break(&s.devices[3], "");
	look();
	ok(next(slow, &r) == 1 && !r.complete && r.n_devices == 1);
	report_free(slow);
	report_free(quick);
	close_reporter();
}

static void test_many(void)
{
	auto_report struct report r = { .n_devices = 0 };
	struct report_client *c[READERS], *more;

	open_reporter();
	look();
	for (int i = 0; i < READERS; i++) {
		c[i] = follow(false);
		ok(next(c[i], &r) == 1 && r.complete);
	}
	test("one reader too many is told so");
	more = follow(false);
	eqi(next(more, &r), -1);
	contains(err.msg, "gRPC status 8: as many follow devinfod as may at once: 8");
	report_free(more);
	test("when one has gone the next may follow");
	report_free(c[2]);
	turns(3);
	c[2] = follow(false);
	eqi(next(c[2], &r), 1);
	for (int i = 0; i < READERS; i++)
		report_free(c[i]);
	close_reporter();
}

static void test_wrong(void)
{
	struct deadline d = deadline_in(1000);
	struct grpc_reply reply = { .len = 0 };
	struct grpc_request *call;
	int fd;

	open_reporter();
	look();
	test("a request that does not decode is refused");
	fd = unix_socket_connect(node.host.root, "/run/" REPORT_SOCKET, SOCK_STREAM, &d, ERR_IO,
				 &err);
	call = grpc_request_new(fd, REPORT_METHOD, "\377", 1, 100, NULL, &err);
	for (int i = 0; call && i < 20 && grpc_request_next(call, &reply, &err) == 0; i++)
		turns(1);
	contains(err.msg, "gRPC status 3: the message does not decode");
	grpc_request_free(call);
	close_reporter();
}

static void test_socket(void)
{
	struct reporter *other;

	open_reporter();
	test("a socket that has vanished is there again with the next look");
	node_sh(&node, "rm run/" REPORT_SOCKET);
	look();
	ok(node_holds(&node, "-S run/" REPORT_SOCKET));
	report_free(follow(false));

	test("another daemon's is left alone, at a look and at the end");
	node_sh(&node, "rm run/" REPORT_SOCKET);
	other = reporter_new(loop, &node.host, &err);
	look();
	reporter_free(reporter);
	reporter = other;
	ok(node_holds(&node, "-S run/" REPORT_SOCKET));
	report_free(follow(false));
	close_reporter();

	test("one that a dead daemon has left is replaced");
	open_reporter();
	node_sh(&node, "cp -a run/" REPORT_SOCKET " run/left && rm run/" REPORT_SOCKET);
	reporter_free(reporter);
	node_sh(&node, "mv run/left run/" REPORT_SOCKET);
	reporter = reporter_new(loop, &node.host, &err);
	ok(reporter != NULL);
	report_free(follow(false));
	close_reporter();
}

int main(void)
{
	test_follow();
	test_slow();
	test_many();
	test_wrong();
	test_socket();
	return tap_end();
}
