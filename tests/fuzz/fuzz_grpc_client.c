/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_grpc_client.c - all that a gRPC server may send
 *
 * The input is the server's half of a connection.  It is sent at once, and again in pieces (which
 * SOCK_SEQPACKET keeps apart): where the pieces end makes no difference to the answer.
 */
#include "devinfo/grpc/client.h"
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <errno.h>
#include <sys/socket.h>

#define METHOD "/v1.PodResourcesLister/Get"
#define REQUEST "\n\002p6\022\007default"

enum { REPLY_MAX = 512, PIECES = 32 /* the socket's buffer has room for these */ };

struct outcome {
	int rc;
	struct err err;
	struct grpc_reply reply;
};

static void send_in_pieces(int fd, const char *text, size_t len, size_t piece)
{
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;

		must(send(fd, text + at, n, MSG_DONTWAIT) == (ssize_t)n);
	}
	must(shutdown(fd, SHUT_WR) == 0);
}

static struct outcome call(const char *text, size_t len, size_t piece)
{
	struct deadline d = deadline_in(60000);
	struct outcome o = { .reply.len = 4711 };
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	auto_close int ours = pair[0], servers = pair[1];
	send_in_pieces(servers, text, len, piece);
	o.rc = grpc_unary_fd(ours, METHOD, REQUEST, strlen(REQUEST), REPLY_MAX, &d, &o.reply,
			     &o.err);
	return o;
}

static void check(const struct outcome *o)
{
	const struct grpc_reply *r = &o->reply;

	must_agree(o->rc, &o->err);
	if (o->rc < 0) {
		must(o->err.code == ERR_PODRES);
		must(o->err.sys == ECONNRESET || o->err.sys == EPROTO || o->err.sys == EMSGSIZE);
		must(!r->body && r->len == 4711);
		return;
	}
	if (r->body)
		accepted();
	must(r->grpc_status >= 0 && !r->body == (r->grpc_status != GRPC_OK));
	must(r->len <= REPLY_MAX);
	for (const char *p = r->grpc_message; *p; p++)
		must(isprint((unsigned char)*p));
}

static void same(const struct outcome *a, const struct outcome *b)
{
	must(a->rc == b->rc);
	must(a->reply.grpc_status == b->reply.grpc_status);
	must(strcmp(a->reply.grpc_message, b->reply.grpc_message) == 0);
	must(a->reply.len == b->reply.len);
	must(!a->reply.body || memcmp(a->reply.body, b->reply.body, a->reply.len) == 0);
}

static void fuzz_one(const char *text, size_t len)
{
	struct outcome whole = call(text, len, len + 1);
	struct outcome pieces = call(text, len, len / PIECES + 1);

	check(&whole);
	check(&pieces);
	same(&whole, &pieces);
	if (whole.rc == 0)
		grpc_reply_done(&whole.reply);
	if (pieces.rc == 0)
		grpc_reply_done(&pieces.reply);
}
