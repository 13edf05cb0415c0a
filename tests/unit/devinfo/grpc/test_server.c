/* SPDX-License-Identifier: Apache-2.0 */
/* test_server.c - the server's half of gRPC against our own client and nghttp2's */
#include "devinfo/grpc/client.h"
#include "devinfo/grpc/server.h"
#include "tests/unit/grpc_client.h"
#include "tests/unit/tap.h"

#include <errno.h>

/* -- a service -- */

static struct grpc_call *kept[16];
static int n_kept, n_closed;
static char asked[64];

static void answer_echo(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	ok(arg == asked);
	if (grpc_call_send(call, msg, len) == 0)
		grpc_call_end(call, GRPC_OK, NULL);
}

static void answer_refusal(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	char text[512];

	(void)arg;
	(void)snprintf(text, sizeof(text), "%.*s", (int)len, (const char *)msg);
	grpc_call_end(call, GRPC_NOT_FOUND, text);
}

static void note_closed(struct grpc_call *call, void *arg)
{
	ok(arg == kept);
	n_closed++;
	for (int i = 0; i < n_kept; i++)
		if (kept[i] == call)
			kept[i] = NULL;
}

static void keep(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	(void)arg;
	(void)snprintf(asked, sizeof(asked), "%.*s", (int)len, (const char *)msg);
	grpc_call_on_closed(call, note_closed, kept);
	kept[n_kept++] = call;
}

static const struct grpc_method methods[] = {
	{ "/test.Test/Echo", answer_echo },
	{ "/test.Test/Refuse", answer_refusal },
	{ "/test.Test/Keep", keep },
};

static const struct grpc_service service = {
	.methods = methods, .n = ARRAY_SIZE(methods), .max_request = 100000, .max_calls = 4,
	.arg = asked,
};

static void begin(void)
{
	n_kept = n_closed = 0;
	asked[0] = '\0';
}

/* -- our own client -- */

/* One call by our own client, in steps, with the server beside it. */
static int call(const char *method, const void *msg, size_t len, struct grpc_reply *ret,
		struct err *e)
{
	struct peers *p = peers_make(&service, 0);
	struct deadline d = deadline_in(10000);
	struct grpc_request *r;
	int rc = 0, steps = 0;

	nghttp2_session_del(p->client);
	p->client = NULL;
	r = grpc_request_new(p->fd, method, msg, len, 200000, &d, e);
	ok(r && grpc_request_fd(r) == p->fd);
	while (r && rc == 0 && steps++ < 1000) {
		(void)peers_server_step(p);
		if (ready(grpc_request_fd(r), grpc_request_events(r)))
			rc = grpc_request_go_on(r, ret, e);
	}
	ok(steps < 1000);
	grpc_request_free(r);
	p->fd = -1;
	while (peers_server_step(p))
		;
	ok(!p->server && p->err.code == ERR_OK);
	peers_free(p);
	return rc;
}

static void test_own_client(void)
{
	auto_grpc_reply struct grpc_reply r = { 0 };
	static unsigned char big[100000];
	struct err e = { 0 };

	begin();
	test("a message is answered by a message");
	ok(call("/test.Test/Echo", "hello", 5, &r, &e) == 1);
	ok(r.grpc_status == GRPC_OK && r.len == 5 && r.body && memcmp(r.body, "hello", 5) == 0);
	grpc_reply_done(&r);

	test("so is one of zero bytes");
	ok(call("/test.Test/Echo", NULL, 0, &r, &e) == 1);
	ok(r.grpc_status == GRPC_OK && r.len == 0 && r.body);
	grpc_reply_done(&r);

	test("and the largest one, which needs more than the first window");
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (unsigned char)(i * 7);
	ok(call("/test.Test/Echo", big, sizeof(big), &r, &e) == 1);
	ok(r.grpc_status == GRPC_OK && r.len == sizeof(big) && r.body &&
	   memcmp(r.body, big, sizeof(big)) == 0);
	grpc_reply_done(&r);

	test("an error is a status with a message");
	ok(call("/test.Test/Refuse", "no such device: 100%", 20, &r, &e) == 1);
	ok(r.grpc_status == GRPC_NOT_FOUND && !r.body);
	eq(r.grpc_message, "no such device: 100%");

	test("a method that nobody has is UNIMPLEMENTED");
	ok(call("/test.Test/Nothing", "x", 1, &r, &e) == 1);
	eqi(r.grpc_status, GRPC_UNIMPLEMENTED);
	eq(r.grpc_message, "unknown method");
}

/* -- answers -- */

/* One call, and what came of it; the connection stays. */
static struct answer *ask(struct peers *p, struct ask a)
{
	int n = peers_ask_so(p, a);

	pump(p);
	return &p->answers[n];
}

static struct answer *ask_path(struct peers *p, const char *path, const char *text)
{
	int n = peers_ask(p, path, text, strlen(text));

	pump(p);
	return &p->answers[n];
}

static void expect_refused(struct peers *p, struct ask how, int http, int status)
{
	const struct answer *a = ask(p, how);

	eqi(a->http_status, http);
	eqi(a->grpc_status, status);
	eqi(a->headers, 1);
	eqi(a->closed, 1);
	eqi(a->error, NGHTTP2_NO_ERROR);
	eqi(a->len, 0);
	ok(a->message[0] != '\0');
	ok(p->server);
}

#define GOOD .method = "POST", .path = "/test.Test/Echo", .type = "application/grpc"

static void test_refusals(void)
{
	static const unsigned char large[] = "\0\0\1\206\241x";	/* 100001 */
	struct peers *p = peers_make(&service, 0);

	begin();
	test("an unknown method, of which nothing more is taken, is UNIMPLEMENTED");
	expect_refused(p, (struct ask){ .method = "POST", .path = "/test.Test/Ech",
					.type = "application/grpc", .open = 1 }, 200, 12);
	expect_refused(p, (struct ask){ .method = "POST", .path = "/test.Test/Ech",
					.type = "application/grpc", .len = 7,
					.body = "\0\0\0\0\2ok" }, 200, 12);
	test("what is not gRPC is told by HTTP's status");
	expect_refused(p, (struct ask){ .method = "POST", .path = "/test.Test/Echo",
					.type = "application/json" }, 415, 3);
	expect_refused(p, (struct ask){ .method = "POST", .path = "/test.Test/Echo",
					.type = "application/grpcish" }, 415, 3);
	expect_refused(p, (struct ask){ .method = "POST", .path = "/test.Test/Echo" }, 415, 3);
	expect_refused(p, (struct ask){ .method = "GET", .path = "/test.Test/Echo",
					.type = "application/grpc" }, 405, 13);

	test("what is compressed is UNIMPLEMENTED, by its header or its flag");
	expect_refused(p, (struct ask){ GOOD, .encoding = "gzip" }, 200, 12);
	expect_refused(p, (struct ask){ GOOD, .body = "\1\0\0\0\0", .len = 5 }, 200, 12);

	test("a message that is too large is refused by its prefix");
	expect_refused(p, (struct ask){ GOOD, .body = large, .len = 6, .open = 1 }, 200, 8);
	expect_refused(p, (struct ask){ GOOD, .body = "\0\377\377\377\377", .len = 5 }, 200, 8);

	test("a request is one whole message, no less and no more");
	expect_refused(p, (struct ask){ GOOD, .body = "\0\0\0\0\3ab", .len = 7 }, 200, 13);
	expect_refused(p, (struct ask){ GOOD, .body = "\0\0\0\0\2abc", .len = 8 }, 200, 13);
	expect_refused(p, (struct ask){ GOOD, .body = "\0\0\0\0\0\0\0\0\0\0", .len = 10 }, 200, 13);
	expect_refused(p, (struct ask){ GOOD, .body = "\0\0", .len = 2 }, 200, 13);
	expect_refused(p, (struct ask){ GOOD }, 200, 13);

	test("after all that the connection serves a right one, whatever the type's suffix");
	const struct answer *a = ask(p, (struct ask){ .method = "POST", .path = "/test.Test/Echo",
						      .type = "application/grpc+proto",
						      .encoding = "identity", .len = 7,
						      .body = "\0\0\0\0\2ok" });
	eqi(a->grpc_status, GRPC_OK);
	eqi(a->http_status, 200);
	ok(a->len == 7 && memcmp(a->data, "\0\0\0\0\2ok", 7) == 0);
	peers_free(p);
}

static void test_messages(void)
{
	struct peers *p = peers_make(&service, 0);
	const struct answer *a;
	char text[501];

	test("a status alone is one frame, \"trailers only\"");
	eqi(ask_path(p, "/test.Test/Refuse", "")->headers, 1);

	test("grpc-message is percent-encoded");
	eq(ask_path(p, "/test.Test/Refuse", "two\nlines")->message, "two%0Alines");
	eq(ask_path(p, "/test.Test/Refuse", "100% \303\274")->message, "100%25 %C3%BC");
	eq(ask_path(p, "/test.Test/Refuse", " ~ ")->message, "%20~%20");
	eq(ask_path(p, "/test.Test/Refuse", "")->message, "");

	test("one that is too long ends between two characters as they are sent");
	memset(text, '\n', 500);
	text[500] = '\0';
	a = ask_path(p, "/test.Test/Refuse", text);
	eqi(a->grpc_status, GRPC_NOT_FOUND);
	ok(strlen(a->message) == 1023 && strcmp(a->message + 1020, "%0A") == 0);
	peers_free(p);
}

static void test_many(void)
{
	struct peers *p = peers_make(&service, 0);
	int wrong = 0;

	test("a connection serves 1000 calls, one after the other and some at once");
	begin();
	pump(p);
	for (int i = 0; i < 1000; i++) {
		(void)peers_ask(p, "/test.Test/Echo", &i, sizeof(i));
		if (i % 3 == 0)
			pump(p);
	}
	pump(p);
	for (int i = 0; i < 1000; i++)
		wrong += p->answers[i].grpc_status != GRPC_OK || p->answers[i].len != 9 ||
			 memcmp(p->answers[i].data + 5, &i, sizeof(i)) != 0;
	eqi(wrong, 0);
	ok(p->server);
	peers_free(p);
}

/* -- streams -- */

/* A call that is kept, and its answer. */
static struct answer *stream(struct peers *p)
{
	struct answer *a = ask_path(p, "/test.Test/Keep", "watch");

	eq(asked, "watch");
	ok(n_kept > 0 && kept[n_kept - 1]);
	eqi(a->http_status, -1);
	return a;
}

static void send_text(struct peers *p, const char *text)
{
	ok(grpc_call_send(kept[n_kept - 1], text, strlen(text)) == 0);
	ok(grpc_connection_events(p->server) & (POLLIN | POLLOUT));
}

static void test_stream(void)
{
	struct peers *p = peers_make(&service, 0);
	struct answer *a;

	begin();
	test("messages of a stream arrive one after the other, and then its status");
	a = stream(p);
	send_text(p, "one");
	ok(grpc_connection_events(p->server) & POLLOUT);
	pump(p);
	ok(a->len == 8 && memcmp(a->data, "\0\0\0\0\3one", 8) == 0);
	eqi(a->http_status, 200);
	send_text(p, "two");
	pump(p);
	ok(a->len == 16 && memcmp(a->data + 8, "\0\0\0\0\3two", 8) == 0);
	eqi(a->grpc_status, -1);
	grpc_call_end(kept[0], GRPC_UNAVAILABLE, "going away");
	pump(p);
	eqi(a->grpc_status, GRPC_UNAVAILABLE);
	eq(a->message, "going away");
	ok(a->closed && a->len == 16 && n_closed == 0);

	test("what has not begun to leave is replaced");
	a = stream(p);
	send_text(p, "old");
	send_text(p, "new");
	pump(p);
	ok(a->len == 8 && memcmp(a->data + 5, "new", 3) == 0);

	test("a stream ends after its last message");
	send_text(p, "last");
	grpc_call_end(kept[1], GRPC_OK, NULL);
	pump(p);
	ok(a->len == 17 && memcmp(a->data + 13, "last", 4) == 0);
	ok(a->closed && a->grpc_status == GRPC_OK);
	eq(a->message, "");

	test("a message that cannot be ends the call, RESOURCE_EXHAUSTED");
	a = stream(p);
	ok(grpc_call_send(kept[2], "x", (size_t)1 << 32) == -1);
	pump(p);
	eqi(a->grpc_status, GRPC_RESOURCE_EXHAUSTED);
	ok(a->closed && n_closed == 0 && p->server);
	peers_free(p);
}

static void open_window(struct peers *p, const struct answer *a, int bytes)
{
	ok(nghttp2_submit_window_update(p->client, 0, a->stream, bytes) == 0);
	pump(p);
}

static void test_slow_reader(void)
{
	struct peers *p = peers_make(&service, 6);
	struct answer *a;
	char text[16];

	begin();
	test("a client that reads slowly gets what has begun, and then the newest");
	a = stream(p);
	send_text(p, "first");
	pump(p);
	eqi(a->len, 6);
	for (int i = 0; i < 10000; i++) {
		(void)snprintf(text, sizeof(text), "%05d", i);
		if (grpc_call_send(kept[0], text, 5) < 0)
			break;
	}
	pump(p);
	eqi(a->len, 6);
	open_window(p, a, 4);
	ok(a->len == 10 && memcmp(a->data, "\0\0\0\0\5first", 10) == 0);
	open_window(p, a, 1000);
	ok(a->len == 20 && memcmp(a->data + 10, "\0\0\0\0\00509999", 10) == 0);

	test("and the end of a stream waits for it");
	open_window(p, a, 1);
	a = stream(p);
	send_text(p, "123456");
	pump(p);
	send_text(p, "newest");
	grpc_call_end(kept[1], GRPC_OK, NULL);
	pump(p);
	ok(a->len == 6 && a->grpc_status == -1);
	open_window(p, a, 15);
	ok(a->len == 21 && a->grpc_status == -1);
	open_window(p, a, 1);
	ok(a->len == 22 && memcmp(a->data + 16, "newest", 6) == 0);
	ok(a->closed && a->grpc_status == GRPC_OK && n_closed == 0);
	peers_free(p);
}

/* -- endings -- */

static void test_cancel(void)
{
	struct peers *p = peers_make(&service, 0);
	const struct answer *a;

	begin();
	test("a call that the client gives up is told, once, and others go on");
	a = stream(p);
	(void)stream(p);
	send_text(p, "x");
	pump(p);
	ok(nghttp2_submit_rst_stream(p->client, 0, a->stream, NGHTTP2_CANCEL) == 0);
	pump(p);
	ok(n_closed == 1 && !kept[0] && kept[1]);
	send_text(p, "y");
	pump(p);
	ok(p->answers[1].len == 12);

	test("so is each call of a client that goes, which is no error");
	(void)stream(p);
	peers_client_ends(p);
	pump(p);
	ok(n_closed == 3 && !kept[1] && !kept[2]);
	ok(!p->server && p->err.code == ERR_OK);
	peers_free(p);

	test("and of a connection that is freed; but none that has ended");
	p = peers_make(&service, 0);
	begin();
	(void)stream(p);
	(void)stream(p);
	grpc_call_end(kept[0], GRPC_OK, NULL);
	peers_server_ends(p);
	ok(n_closed == 1 && kept[0] && !kept[1]);
	pump(p);
	peers_free(p);
	grpc_connection_free(NULL);
}

static void test_goaway(void)
{
	struct peers *p = peers_make(&service, 0);
	const struct answer *a;

	begin();
	test("a client that says GOAWAY gets the answer of its call, then the connection ends");
	a = stream(p);
	ok(nghttp2_submit_goaway(p->client, 0, 0, NGHTTP2_NO_ERROR, NULL, 0) == 0);
	pump(p);
	ok(p->server && n_closed == 0);
	send_text(p, "bye");
	grpc_call_end(kept[0], GRPC_OK, NULL);
	pump(p);
	ok(a->len == 8 && a->grpc_status == GRPC_OK);
	ok(!p->server && p->err.code == ERR_OK);
	eqi(p->goaway, -1);
	peers_free(p);
}

static void test_max_calls(void)
{
	struct peers *p = peers_make(&service, 0);
	int refused = 0;

	begin();
	test("one call more than there may be is refused, though the client knows of no limit yet");
	for (int i = 0; i < 6; i++)
		(void)peers_ask(p, "/test.Test/Keep", NULL, 0);
	pump(p);
	eqi(n_kept, 4);
	for (int i = 0; i < 6; i++)
		refused += p->answers[i].error == NGHTTP2_REFUSED_STREAM;
	eqi(refused, 2);

	test("one that knows the limit waits");
	(void)peers_ask(p, "/test.Test/Keep", NULL, 0);
	pump(p);
	eqi(n_kept, 4);
	grpc_call_end(kept[2], GRPC_OK, NULL);
	pump(p);
	eqi(n_kept, 5);
	peers_free(p);
}

int main(void)
{
	test_own_client();
	test_refusals();
	test_messages();
	test_many();
	test_stream();
	test_slow_reader();
	test_cancel();
	test_goaway();
	test_max_calls();
	return tap_end();
}
