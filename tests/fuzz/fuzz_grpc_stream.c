/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_grpc_stream.c - all that a gRPC server may send in a stream of answers
 *
 * The input is the server's half of a connection, sent at once, and again in pieces: where the
 * pieces end makes no difference to the answers.
 */
#include "devinfo/grpc/client.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sys/socket.h>

#define METHOD "/devinfo.v1.Node/Watch"

enum { REPLY_MAX = 512, PIECES = 32, ROOM = 64 * 1024 };

struct heard {				/* all answers, one behind the other */
	unsigned char bytes[ROOM];
	size_t len, n;
};

static void send_in_pieces(int fd, const char *text, size_t len, size_t piece)
{
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;

		must(send(fd, text + at, n, MSG_DONTWAIT) == (ssize_t)n);
	}
	must(shutdown(fd, SHUT_WR) == 0);
}

static void hear(struct grpc_reply *r, struct heard *ret)
{
	must(r->grpc_status == GRPC_OK && r->body && r->len <= REPLY_MAX);
	if (r->len <= ROOM - ret->len) {
		memcpy(ret->bytes + ret->len, r->body, r->len);
		ret->len += r->len;
	}
	ret->n++;
	grpc_reply_done(r);
}

/* Until the end, which comes: the server has closed. */
static void follow(const char *text, size_t len, size_t piece, struct heard *ret)
{
	struct grpc_reply reply = { .len = 4711 };
	struct grpc_request *call;
	struct err e = { 0 };
	int pair[2], rc;

	*ret = (struct heard){ .n = 0 };
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	auto_close int servers = pair[1];
	call = grpc_request_new(pair[0], METHOD, "", 0, REPLY_MAX, NULL, &e);
	must(call);
	send_in_pieces(servers, text, len, piece);
	for (;;) {
		rc = grpc_request_next(call, &reply, &e);
		must_agree(rc, &e);
		if (rc < 0)
			break;
		if (rc > 0)
			hear(&reply, ret);
	}
	must(e.code == ERR_PODRES);
	must(e.sys == 0 || e.sys == ECONNRESET || e.sys == EPROTO || e.sys == EMSGSIZE);
	must(grpc_request_next(call, &reply, &e) == -1);
	grpc_request_free(call);
}

static void fuzz_one(const char *text, size_t len)
{
	static struct heard whole, pieces;

	follow(text, len, len + 1, &whole);
	follow(text, len, len / PIECES + 1, &pieces);
	must(whole.n == pieces.n && whole.len == pieces.len);
	must(memcmp(whole.bytes, pieces.bytes, whole.len) == 0);
	if (whole.n > 0)
		accepted();
}
