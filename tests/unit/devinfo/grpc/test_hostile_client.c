/* SPDX-License-Identifier: Apache-2.0 */
/* test_hostile_client.c - the server's half of gRPC against clients that flood or stall it */
#include "base/deadline.h"
#include "base/mem.h"
#include "devinfo/grpc/server.h"
#include "tests/unit/grpc_client.h"
#include "tests/unit/grpc_server.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <malloc.h>
#include <sys/ioctl.h>

enum { MEBI = 1024 * 1024 };

static int n_begun;
static bool minute_over;
static struct grpc_call *kept;

int __real_deadline_left_ms(const struct deadline *d);
int __wrap_deadline_left_ms(const struct deadline *d);

/* A minute passes when the test says so. */
int __wrap_deadline_left_ms(const struct deadline *d)
{
	if (!minute_over)
		return __real_deadline_left_ms(d);
	minute_over = false;
	return 0;
}

void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__wrap_calloc(size_t n, size_t len);
int __wrap_nghttp2_submit_response(nghttp2_session *session, int32_t stream, const nghttp2_nv *nv,
				   size_t n, const nghttp2_data_provider *provider);
int __real_nghttp2_submit_response(nghttp2_session *session, int32_t stream, const nghttp2_nv *nv,
				   size_t n, const nghttp2_data_provider *provider);

/* The next so manieth of each fails; 0: none. */
static struct {
	int malloc, calloc, submit;
} fail;

static bool fails(int *next)
{
	return *next > 0 && --*next == 0;
}

void *__wrap_malloc(size_t len)
{
	return fails(&fail.malloc) ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
	return fails(&fail.calloc) ? NULL : __real_calloc(n, len);
}

int __wrap_nghttp2_submit_response(nghttp2_session *session, int32_t stream, const nghttp2_nv *nv,
				   size_t n, const nghttp2_data_provider *provider)
{
	if (fails(&fail.submit))
		return NGHTTP2_ERR_NOMEM;
	return __real_nghttp2_submit_response(session, stream, nv, n, provider);
}

static void answer(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	(void)arg;
	n_begun++;
	if (grpc_call_send(call, msg, len) == 0)
		grpc_call_end(call, GRPC_OK, NULL);
}

static void refuse(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	(void)msg, (void)len, (void)arg;
	n_begun++;
	grpc_call_end(call, GRPC_UNAVAILABLE, NULL);
}

static void keep(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	(void)msg, (void)len, (void)arg;
	kept = call;
}

static const struct grpc_method methods[] = {
	{ "/test.Test/Echo", answer },
	{ "/test.Test/Keep", keep },
	{ "/test.Test/Refuse", refuse },
};

static const struct grpc_service service = {
	.methods = methods, .n = ARRAY_SIZE(methods), .max_request = 100000, .max_calls = 4,
};

/* A client of bytes alone. */
static struct peers *raw(void)
{
	struct peers *p = peers_make(&service, 0);

	nghttp2_session_del(p->client);
	p->client = NULL;
	n_begun = 0;
	return p;
}

static void put_greeting(struct wire *w)
{
	put(w, NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN);
	put_settings(w);
}

static void put_request(struct wire *w, int id, const char *path, int flags)
{
	auto_wire struct wire h = { 0 };

	put_header(&h, ":method", "POST");
	put_header(&h, ":scheme", "http");
	put_header(&h, ":path", path);
	put_header(&h, ":authority", "localhost");
	put_header(&h, "content-type", "application/grpc");
	put_frame(w, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | flags, id, h.data, h.len);
}

/* Bytes to the server as far as there is a server, which goes on beside. */
static void feed(struct peers *p, const struct wire *w, size_t step)
{
	for (size_t at = 0; at < w->len && p->server;) {
		size_t rest = w->len - at;
		ssize_t n = send(p->fd, w->data + at, rest < step ? rest : step, MSG_NOSIGNAL);

		if (n > 0)
			at += (size_t)n;
		pump(p);
	}
	pump(p);
}

/* Send a frame again and again; how many bytes the server has put up with, up to 4 MiB. */
static size_t flood(struct peers *p, const struct wire *frames)
{
	size_t sent = 0;

	for (; sent < 4 * MEBI && p->server; sent += frames->len)
		feed(p, frames, SIZE_MAX);
	return sent;
}

static void expect_broken(struct peers *p, const char *text)
{
	ok(!p->server);
	ok(p->err.code == ERR_IO && p->err.sys == EPROTO);
	contains(p->err.msg, text);
	peers_free(p);
}

/* -- what is not HTTP/2 -- */

static void test_framing(void)
{
	auto_wire struct wire http1 = { 0 }, w = { 0 };
	struct peers *p = raw();

	test("what is not HTTP/2 ends the connection");
	put(&http1, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35);
	feed(p, &http1, SIZE_MAX);
	expect_broken(p, "broke HTTP/2");

	test("so does a frame that is too large, or comes where it may not");
	put_greeting(&w);
	put_frame(&w, NGHTTP2_DATA, 0, 1, "x", 1);
	p = raw();
	feed(p, &w, SIZE_MAX);
	expect_broken(p, "broke HTTP/2: DATA: stream in idle");
	w.len = 0;
	put_greeting(&w);
	put_request(&w, 1, "/test.Test/Echo", 0);
	put(&w, "\1\0\0\0\0\0\0\0\1", 9);		/* of 65536 bytes */
	p = raw();
	feed(p, &w, SIZE_MAX);
	expect_broken(p, "broke HTTP/2: too large frame size");
}

static void test_pieces(void)
{
	auto_wire struct wire w = { 0 };
	struct peers *p = raw();

	test("a request that comes byte by byte is a request");
	put_greeting(&w);
	put_request(&w, 1, "/test.Test/Echo", 0);
	put_frame(&w, NGHTTP2_DATA, 0, 1, "\0\0\0\0\4ab", 7);
	feed(p, &w, 1);
	ok(p->server && n_begun == 0);
	w.len = 0;
	put_frame(&w, NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, 1, "cd", 2);
	feed(p, &w, 1);
	ok(p->server && n_begun == 1);
	peers_free(p);

	test("half a request, and then no client, is none");
	w.len = 0;
	put_greeting(&w);
	put_request(&w, 1, "/test.Test/Echo", 0);
	put_frame(&w, NGHTTP2_DATA, 0, 1, "\0\0\0\0\4ab", 7);
	p = raw();
	feed(p, &w, SIZE_MAX);
	peers_client_ends(p);
	pump(p);
	ok(!p->server && p->err.code == ERR_OK && n_begun == 0);
	peers_free(p);
}

/* -- floods -- */

static void expect_flood(const struct wire *before, const struct wire *frame)
{
	struct peers *p = raw();
	size_t sent;

	feed(p, before, SIZE_MAX);
	ok(p->server);
	sent = flood(p, frame);
	ok(sent > MEBI - 1024 && sent < MEBI + 32 * 1024);
	expect_broken(p, "sent over 1048576 bytes of frames that are no request");
}

static void test_floods(void)
{
	auto_wire struct wire greeting = { 0 }, w = { 0 };

	put_greeting(&greeting);
	test("PING without end is a flood");
	put_frame(&w, NGHTTP2_PING, 0, 0, "pingpong", 8);
	expect_flood(&greeting, &w);

	test("so is SETTINGS");
	w.len = 0;
	put_frame(&w, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\0\0\1", 6);
	expect_flood(&greeting, &w);

	test("so are PRIORITY, and frames that nobody knows");
	w.len = 0;
	put_frame(&w, NGHTTP2_PRIORITY, 0, 9, "\0\0\0\0\1", 5);
	put_frame(&w, 0x77, 0, 0, "unknown", 7);
	expect_flood(&greeting, &w);

	test("so is DATA with nothing in it");
	w.len = 0;
	put_request(&greeting, 1, "/test.Test/Echo", 0);
	put_frame(&w, NGHTTP2_DATA, 0, 1, NULL, 0);
	expect_flood(&greeting, &w);

	test("and DATA of a call that has been refused");
	w.len = 0;
	put_frame(&w, NGHTTP2_DATA, 0, 3, "xxxxxxxx", 8);
	put_request(&greeting, 3, "/test.Test/Nothing", 0);
	expect_flood(&greeting, &w);
}

static void test_resets(void)
{
	struct peers *p = peers_make(&service, 0);
	int i, n;

	test("calls that are begun and given up at once are a flood");
	pump(p);
	for (i = 0; i < ANSWERS_MAX && p->server; i++) {
		n = peers_ask_so(p, (struct ask){ .method = "POST", .path = "/test.Test/Echo",
						  .type = "application/grpc", .open = 1 });
		pump(p);
		if (nghttp2_submit_rst_stream(p->client, 0, p->answers[n].stream, 8) != 0)
			break;
		pump(p);
	}
	ok(i > 900 && i < ANSWERS_MAX);
	expect_broken(p, "broke HTTP/2");
}

static void test_headers(void)
{
	auto_wire struct wire w = { 0 }, h = { 0 }, part = { 0 };
	struct peers *p = raw();

	test("headers without end are bounded");
	put_greeting(&w);
	put_header(&h, ":method", "POST");
	put_frame(&w, NGHTTP2_HEADERS, 0, 1, h.data, h.len);
	for (int i = 0; i < 100; i++)
		put_header(&part, "x-filler", "of no use, but for its length, which is some fifty");
	for (int i = 0; i < 100; i++)
		put_frame(&w, NGHTTP2_CONTINUATION, 0, 1, part.data, part.len);
	feed(p, &w, SIZE_MAX);
	expect_broken(p, "broke HTTP/2");

	test("so are empty ones");
	w.len = 0;
	put_greeting(&w);
	put_frame(&w, NGHTTP2_HEADERS, 0, 1, h.data, h.len);
	for (int i = 0; i < 20; i++)
		put_frame(&w, NGHTTP2_CONTINUATION, 0, 1, NULL, 0);
	p = raw();
	feed(p, &w, SIZE_MAX);
	expect_broken(p, "broke HTTP/2");
}

/* -- what is no flood -- */

static void test_paid(void)
{
	struct peers *p = peers_make(&service, 0);
	auto_wire struct wire pings = { 0 };
	size_t sent = 0;

	test("a client that also asks may send as much as it likes");
	for (int i = 0; i < 20000; i++)
		put_frame(&pings, NGHTTP2_PING, 0, 0, "pingpong", 8);
	for (int i = 0; i < 8; i++, sent += pings.len) {
		(void)peers_ask(p, "/test.Test/Refuse", NULL, 0);
		pump(p);
		feed(p, &pings, SIZE_MAX);
	}
	ok(sent > 2 * MEBI && p->server && n_begun == 8);

	test("so may one that listens");
	kept = NULL;
	(void)peers_ask(p, "/test.Test/Keep", NULL, 0);
	for (int i = 0; i < 8; i++) {
		pump(p);
		if (kept && grpc_call_send(kept, "news", 4) < 0)
			kept = NULL;
		pump(p);
		feed(p, &pings, SIZE_MAX);
	}
	ok(kept && p->server);
	feed(p, &pings, SIZE_MAX);
	feed(p, &pings, SIZE_MAX);
	feed(p, &pings, SIZE_MAX);
	ok(!p->server);
	peers_free(p);
}

static void test_minute(void)
{
	auto_wire struct wire greeting = { 0 }, pings = { 0 };
	struct peers *p = raw();

	test("what a client may send for nothing it may send again after a minute");
	put_greeting(&greeting);
	for (int i = 0; i < 50000; i++)
		put_frame(&pings, NGHTTP2_PING, 0, 0, "pingpong", 8);
	feed(p, &greeting, SIZE_MAX);
	for (int i = 0; i < 4; i++, minute_over = true)
		feed(p, &pings, SIZE_MAX);
	ok(p->server);
	minute_over = false;
	feed(p, &pings, SIZE_MAX);
	expect_broken(p, "sent over 1048576 bytes");
}

static void test_large_request(void)
{
	static const struct grpc_service large = {
		.methods = methods, .n = ARRAY_SIZE(methods), .max_request = 4 * MEBI,
		.max_calls = 4,
	};
	struct peers *p = peers_make(&large, 0);
	auto_free char *big = calloc(1, 4 * MEBI);

	test("a large request is no flood");
	ok(big);
	(void)peers_ask(p, "/test.Test/Echo", big, 4 * MEBI);
	pump(p);
	eqi(p->answers[0].grpc_status, GRPC_OK);
	eqi(p->answers[0].len, 5 + 4 * MEBI);
	peers_free(p);
}

/* -- who does not read -- */

/* Write until nobody takes anything: how many bytes. */
static size_t stuff(struct peers *p, const struct wire *frame)
{
	size_t sent = 0;

	for (int quiet = 0; quiet < 3 && sent < 8 * MEBI;) {
		ssize_t n = send(p->fd, frame->data, frame->len, MSG_NOSIGNAL);

		sent += n > 0 ? (size_t)n : 0;
		quiet = peers_server_step(p) || n > 0 ? 0 : quiet + 1;
	}
	return sent;
}

static size_t memory(void)
{
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Bytes for the server that wait in its socket. */
static size_t unread(const struct peers *p)
{
	int n = -1;

	ok(ioctl(grpc_connection_fd(p->server), FIONREAD, &n) == 0);
	return (size_t)n;
}

static void expect_not_read(const struct wire *greeting, const struct wire *frame)
{
	struct peers *p = raw();
	size_t before, sent;

	p->deaf = 1;
	feed(p, greeting, SIZE_MAX);
	before = memory();
	sent = stuff(p, frame);
	ok(p->server);
	if (!p->server) {
		peers_free(p);
		return;
	}
	ok(sent < MEBI);
	ok(memory() < before + 512 * 1024);
	eqi(grpc_connection_events(p->server), POLLOUT);
	before = unread(p);
	ok(grpc_connection_go_on(p->server, POLLIN, &p->err) == 0);
	ok(before > 0 && unread(p) == before);

	test("... until it reads again, or goes");
	p->deaf = 0;
	pump(p);
	ok(p->server && (grpc_connection_events(p->server) & POLLIN));
	p->deaf = 1;
	(void)stuff(p, frame);
	peers_client_ends(p);
	pump(p);
	ok(!p->server && p->err.code == ERR_OK);
	peers_free(p);
}

static void test_deaf(void)
{
	auto_wire struct wire greeting = { 0 }, w = { 0 };
	auto_free char *big = calloc(1, MEBI);
	struct peers *p;

	put_greeting(&greeting);
	test("who does not read what it asks for is not read from");
	put_frame(&w, NGHTTP2_PING, 0, 0, "pingpong", 8);
	expect_not_read(&greeting, &w);
	test("nor is it when that is answers");
	w.len = 0;
	put_frame(&w, NGHTTP2_SETTINGS, 0, 0, NULL, 0);
	expect_not_read(&greeting, &w);

	test("a message of which the socket takes a part goes on when there is room");
	p = peers_make(&service, 8 * MEBI);
	ok(nghttp2_session_set_local_window_size(p->client, 0, 0, 8 * MEBI) == 0);
	kept = NULL;
	(void)peers_ask(p, "/test.Test/Keep", NULL, 0);
	pump(p);
	p->deaf = 1;
	ok(kept && big && grpc_call_send(kept, big, MEBI) == 0);
	pump(p);
	eqi(grpc_connection_events(p->server), POLLOUT);
	ok(grpc_call_send(kept, "newest", 6) == 0);
	p->deaf = 0;
	pump(p);
	eqi(p->answers[0].len, 5 + MEBI + 5 + 6);
	peers_free(p);
}

/* -- no memory -- */

static struct answer *ask(struct peers *p, int *next, int nth)
{
	int n = peers_ask(p, "/test.Test/Echo", "x", 1);

	*next = nth;
	pump(p);
	eqi(*next, 0);
	return &p->answers[n];
}

static void test_no_memory(void)
{
	struct peers *p = peers_make(&service, 0);
	struct err e = { 0 };
	int fd = dup(0);

	test("a connection for which there is no memory is none, and its socket is closed");
	fail.calloc = 1;
	ok(!grpc_connection_new(fd, &service, &e));
	ok(e.code == ERR_IO && e.sys == ENOMEM);
	ok(close(fd) == -1 && errno == EBADF);

	test("a call for which there is none is reset, or refused, and the next one served");
	pump(p);
	eqi(ask(p, &fail.calloc, 1)->error, NGHTTP2_INTERNAL_ERROR);
	eqi(ask(p, &fail.malloc, 1)->grpc_status, GRPC_RESOURCE_EXHAUSTED);
	eqi(ask(p, &fail.malloc, 2)->grpc_status, GRPC_RESOURCE_EXHAUSTED);
	eqi(ask(p, &fail.malloc, 0)->grpc_status, GRPC_OK);

	test("an answer for which nghttp2 has none ends the connection");
	(void)ask(p, &fail.submit, 1);
	ok(!p->server && p->err.code == ERR_IO && p->err.sys == ENOMEM);
	peers_free(p);

	test("also one that is sent later, when nothing else is to be said");
	p = peers_make(&service, 0);
	kept = NULL;
	(void)peers_ask(p, "/test.Test/Keep", NULL, 0);
	pump(p);
	fail.submit = 1;
	ok(kept && grpc_call_send(kept, "x", 1) == 0);
	pump(p);
	ok(!p->server && p->err.code == ERR_IO && p->err.sys == ENOMEM);
	peers_free(p);
}

int main(void)
{
	test_framing();
	test_pieces();
	test_floods();
	test_resets();
	test_headers();
	test_paid();
	test_minute();
	test_large_request();
	test_deaf();
	test_no_memory();
	return tap_end();
}
