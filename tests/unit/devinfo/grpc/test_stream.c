/* SPDX-License-Identifier: Apache-2.0 */
/* test_stream.c - a call whose answers come one by one, from servers that are right and wrong */
#include "devinfo/grpc/client.h"
#include "tests/unit/grpc_server.h"
#include "tests/unit/tap.h"

#include "base/mem.h"

#include <errno.h>

#define METHOD "/devinfo.v1.Node/Watch"

enum { MAX_ANSWER = 1000 };

static struct err err;
static struct grpc_request *call;
static int peer;
static char got[2048];

static void begin(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	peer = pair[1];
	err = (struct err){ 0 };
	call = grpc_request_new(pair[0], METHOD, "", 0, MAX_ANSWER, NULL, &err);
	if (!call)
		abort();
}

static void end(void)
{
	grpc_request_free(call);
	(void)close(peer);
}

/* The next answer is in `got`, as text. */
static int next(void)
{
	auto_grpc_reply struct grpc_reply reply = { .len = 0 };
	int rc = grpc_request_next(call, &reply, &err);

	*got = '\0';
	if (rc > 0 && reply.len < sizeof(got)) {
		memcpy(got, reply.body, reply.len);
		got[reply.len] = '\0';
	}
	return rc;
}

/* Wait as who follows it does: until there is an answer, or the end. */
static int await(void)
{
	int rc = next();

	while (rc == 0) {
		struct pollfd p = { .fd = grpc_request_fd(call),
				    .events = grpc_request_events(call) };

		if (poll(&p, 1, 5000) != 1)
			return 0;
		rc = next();
	}
	return rc;
}

static void say(const struct wire *w, size_t from, size_t len)
{
	if (send(peer, w->data + from, len, MSG_NOSIGNAL) != (ssize_t)len)
		abort();
}

static void put_begin(struct wire *w)
{
	put_settings(w);
	put_head(w, "200");
}

/* -- answers -- */

static void test_answers(void)
{
	auto_wire struct wire w = { 0 };
	static struct request r;

	test("a stream asks without a time, and with its message");
	begin();
	request_read(peer, &r);
	ok(strstr(r.headers, ":path: " METHOD "\n") && !strstr(r.headers, "grpc-timeout"));
	eqi((long long)r.len, 5);

	test("nothing has come yet, then two answers at once are taken one by one");
	eqi(next(), 0);
	put_begin(&w);
	put_message(&w, 0, 3, "one", 3);
	put_message(&w, 0, 5, "seven", 5);
	say(&w, 0, w.len);
	eqi(await(), 1);
	eq(got, "one");
	eqi(next(), 1);
	eq(got, "seven");
	eqi(next(), 0);

	test("an empty answer is one, too");
	w.len = 0;
	put_message(&w, 0, 0, "", 0);
	say(&w, 0, w.len);
	eqi(await(), 1);
	eq(got, "");

	test("the end says so, after the last answer");
	w.len = 0;
	put_message(&w, 0, 4, "last", 4);
	put_trailers(&w, "0", "");
	say(&w, 0, w.len);
	eqi(await(), 1);
	eq(got, "last");
	eqi(await(), -1);
	eq(err.msg, METHOD ": the server has ended the stream");
	ok(err.code == ERR_PODRES && err.sys == 0);
	end();
}

static void test_pieces(void)
{
	auto_wire struct wire w = { 0 };
	int answers = 0;

	test("answers that come byte by byte are the same answers");
	put_begin(&w);
	put_message(&w, 0, 3, "one", 3);
	put_message(&w, 0, 0, "", 0);
	put_message(&w, 0, 3, "two", 3);
	begin();
	for (size_t i = 0; i < w.len; i++) {
		say(&w, i, 1);
		if (next() == 1)
			answers++;
	}
	eqi(answers, 3);
	eq(got, "two");
	end();
}

static void test_many(void)
{
	auto_wire struct wire w = { 0 };
	char text[MAX_ANSWER];

	test("a stream may say any number of answers, of any sum");
	memset(text, 'x', sizeof(text));
	begin();
	put_begin(&w);
	say(&w, 0, w.len);
	w.len = 0;
	put_message(&w, 0, sizeof(text), text, sizeof(text));
	for (int i = 0; i < 3000; i++) {
		say(&w, 0, w.len);
		if (await() != 1 || strlen(got) != sizeof(text))
			break;
		if (i == 2999)
			ok(true);
		/* the window is opened again and again: who does not read its updates is stuck */
		for (char drop[4096]; read(peer, drop, sizeof(drop)) > 0;)
			;
	}
	eqi(strlen(got), sizeof(text));
	end();
}

/* -- who errs -- */

static void expect_end(struct wire *w, int sys, const char *text)
{
	int rc;

	begin();
	say(w, 0, w->len);
	(void)shutdown(peer, SHUT_WR);
	rc = await();
	eqi(rc, -1);
	eqi(err.sys, sys);
	contains(err.msg, text);
	end();
	w->len = 0;
}

static void test_wrong(void)
{
	auto_wire struct wire w = { 0 };

	test("a server that closes has ended it");
	put_begin(&w);
	expect_end(&w, ECONNRESET, "closed the connection");

	test("a status that is an error is told, with its message");
	put_refusal(&w, "8", "too many follow");
	expect_end(&w, 0, "gRPC status 8: too many follow");

	test("an answer that is too large is refused before it has come");
	put_begin(&w);
	put_message(&w, 0, MAX_ANSWER + 1, "x", 1);
	expect_end(&w, EMSGSIZE, "has 1001 bytes, more than 1000");

	test("a compressed answer is refused");
	put_begin(&w);
	put_message(&w, 1, 3, "one", 3);
	expect_end(&w, EPROTO, "compressed");

	test("a stream that ends inside an answer is broken");
	put_begin(&w);
	put_message(&w, 0, 5, "on", 2);
	put_trailers(&w, "0", "");
	expect_end(&w, EPROTO, "ended inside an answer");

	test("so is one of another status of HTTP");
	put_settings(&w);
	put_head(&w, "404");
	put_trailers(&w, "0", "");
	expect_end(&w, EPROTO, "HTTP status 404");

	test("so is what is not HTTP/2");
	put(&w, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
	expect_end(&w, EPROTO, METHOD);
}

/* In one read: an answer, and what breaks the protocol. */
static void test_last(void)
{
	auto_wire struct wire w = { 0 };

	test("an answer that came before something went wrong is taken first");
	begin();
	put_begin(&w);
	put_message(&w, 0, 4, "last", 4);
	put_frame(&w, NGHTTP2_RST_STREAM, 0, 1, "\0\0\0\2", 4);
	say(&w, 0, w.len);
	eqi(await(), 1);
	eq(got, "last");
	eqi(await(), -1);
	eqi(err.sys, ECONNRESET);
	contains(err.msg, "the server aborted the call");
	eqi(next(), -1);
	end();
}

static void test_flood(void)
{
	auto_wire struct wire w = { 0 };
	int rc = 0;

	test("frames without an answer are a flood after a MiB");
	begin();
	put_begin(&w);
	say(&w, 0, w.len);
	w.len = 0;
	for (int i = 0; i < 1000; i++)
		put_frame(&w, NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, "12345678", 8);
	for (int i = 0; i < 100 && rc == 0; i++) {
		say(&w, 0, w.len);
		rc = next();
	}
	eqi(rc, -1);
	eqi(err.sys, EPROTO);
	contains(err.msg, "frames that are no answer");
	end();
}

int main(void)
{
	test_answers();
	test_pieces();
	test_many();
	test_wrong();
	test_last();
	test_flood();
	return tap_end();
}
