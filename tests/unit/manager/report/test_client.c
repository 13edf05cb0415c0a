/* SPDX-License-Identifier: Apache-2.0 */
/* test_client.c - the client of devinfod's socket, and daemons that are absent, slow and wrong */
#include "manager/report/report.h"
#include "tests/unit/grpc_server.h"
#include "tests/unit/tap.h"

#include <errno.h>

static struct server srv;
static struct err err;

/* The server's socket has another name: it is a link to it. */
static struct report_client *connect_to(bool past, unsigned int ms)
{
	struct host host = { .root = srv.root, .set = settings_default };
	struct deadline d = deadline_in(ms);

	host.set.run_dir = "/run";
	err = (struct err){ 0 };
	return report_connect(&host, past, &d, &err);
}

static void start(void (*play)(int fd, int nth))
{
	server_start(&srv, play, 1);
	if (mkdirat(srv.root, "run", 0755) < 0 ||
	    symlinkat(".." SOCKET, srv.root, "run/" REPORT_SOCKET) < 0)
		abort();
}

static void stop(struct report_client *c)
{
	report_free(c);
	(void)unlinkat(srv.root, "run/" REPORT_SOCKET, 0);
	(void)unlinkat(srv.root, "run", AT_REMOVEDIR);
	ok(server_stop(&srv) == 0);
}

static void put_report(struct wire *w, const struct report *r)
{
	auto_report_message struct report_message m = { .len = 0 };
	struct err e;

	if (report_encode(r, &m, &e) < 0)
		abort();
	put_message(w, 0, m.len, m.data, m.len);
}

static void play_two(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };
	const char *gone[] = { "r/d" };
	struct report_device d = { "r", "d", true, "", false, "", "", "", "", "", "", 1 };
	bool past = false;
	struct err e;

	(void)nth;
	request_read(fd, &r);
	expect(strstr(r.headers, ":path: " REPORT_METHOD "\n"));
	expect(report_request_decode(r.msg + 5, r.len - 5, &past, &e) == 0 && past);
	put_settings(&w);
	put_head(&w, "200");
	put_report(&w, &(struct report){ .complete = true, .devices = &d, .n_devices = 1 });
	put_report(&w, &(struct report){ .gone = gone, .n_gone = 1 });
	put_trailers(&w, "14", "devinfod ends");
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void play_silence(int fd, int nth)
{
	(void)nth;
	wait_for_close(fd);
}

static void play_nonsense(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };

	(void)nth;
	request_read(fd, &r);
	put_settings(&w);
	put_head(&w, "200");
	put_message(&w, 0, 1, "\377", 1);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static int next(struct report_client *c, unsigned int ms, struct report *ret)
{
	struct deadline d = deadline_in(ms);

	report_done(ret);
	return report_next(c, &d, ret, &err);
}

static void test_follow(void)
{
	auto_report struct report r = { .n_devices = 0 };
	struct report_client *c;

	test("the list comes, then what changes, then the end and why");
	start(play_two);
	c = connect_to(true, 5000);
	ok(c != NULL);
	if (!c)
		return;
	eqi(next(c, 5000, &r), 1);
	ok(r.complete && r.n_devices == 1 && strcmp(r.devices[0].id, "d") == 0);
	eqi(next(c, 5000, &r), 1);
	ok(!r.complete && r.n_devices == 0 && r.n_gone == 1 && strcmp(r.gone[0], "r/d") == 0);
	eqi(next(c, 5000, &r), -1);
	eqi(err.code, ERR_UNAVAILABLE);
	contains(err.msg, "devinfod ends");
	stop(c);

	test("one that says nothing is waited for in time");
	start(play_silence);
	c = connect_to(false, 5000);
	ok(c && next(c, 20, &r) == 0);
	ok(c && next(c, 0, &r) == 0);
	ok(c && report_events(c) == POLLIN && report_fd(c) >= 0);
	stop(c);

	test("one that speaks nonsense is told of");
	start(play_nonsense);
	c = connect_to(false, 5000);
	ok(c && next(c, 5000, &r) == -1);
	eqi(err.code, ERR_DECODE);
	begins(err.msg, "devinfod's report: ");
	stop(c);
}

static void test_absent(void)
{
	static const char said[] = "devinfod does not run here: nobody listens at "
				   "'/run/devinfod.sock'; start it, as with 'systemctl start "
				   "devinfod'";
	int listener;

	test("without a daemon that is said, with its socket and what to do");
	server_start(&srv, play_silence, 0);
	ok(!connect_to(false, 100));
	eq(err.msg, said);
	eqi(err.code, ERR_UNAVAILABLE);
	ok(server_stop(&srv) == 0);

	test("a socket that a dead one has left is the same");
	start(play_silence);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/run/dead", srv.dir);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    renameat(srv.root, "run/dead", srv.root, "run/" REPORT_SOCKET) < 0)
		abort();
	(void)close(listener);
	ok(!connect_to(false, 100));
	eq(err.msg, said);

	test("what is no socket is named");
	if (unlinkat(srv.root, "run/" REPORT_SOCKET, 0) < 0 ||
	    mkdirat(srv.root, "run/" REPORT_SOCKET, 0755) < 0)
		abort();
	ok(!connect_to(false, 100));
	contains(err.msg, "devinfod's socket '/run/devinfod.sock': the path is not a socket");
	(void)unlinkat(srv.root, "run/" REPORT_SOCKET, AT_REMOVEDIR);
	(void)unlinkat(srv.root, "run", AT_REMOVEDIR);
	kill(srv.pid, SIGKILL);
	(void)server_stop(&srv);
}

int main(void)
{
	test_follow();
	test_absent();
	return tap_end();
}
