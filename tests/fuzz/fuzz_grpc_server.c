/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_grpc_server.c - all that a gRPC client may send
 *
 * The input is what a client says behind its preface ("PRI * HTTP/2.0...").  It is sent at once,
 * and again in pieces, which SOCK_SEQPACKET keeps apart.  The service answers at once or later, by
 * the first byte of a message: whoever does this, no call is told twice that it is closed, and none
 * is forgotten.
 */
#include "devinfo/grpc/server.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>

enum { REQUEST_MAX = 512, CALLS_MAX = 3, PIECES = 32, STEPS_MAX = 10000 };

struct kept {
	struct grpc_call *calls[CALLS_MAX];
	size_t n;
};

static void closed(struct grpc_call *call, void *arg)
{
	struct kept *k = arg;

	for (size_t i = 0; i < k->n; i++)
		if (k->calls[i] == call) {
			k->calls[i] = k->calls[--k->n];
			return;
		}
	must(!"closed() of a call that nobody has");
}

static void begin(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	struct kept *k = arg;
	char text[REQUEST_MAX + 1] = "";

	accepted();
	must(len <= REQUEST_MAX);
	if (len > 0)
		memcpy(text, msg, len);
	if (text[0] == 'r') {
		grpc_call_end(call, GRPC_INVALID_ARGUMENT, text);
		return;
	}
	if (text[0] != 'k') {
		must(grpc_call_send(call, msg, len) == 0);
		grpc_call_end(call, GRPC_OK, NULL);
		return;
	}
	must(k->n < CALLS_MAX);
	k->calls[k->n++] = call;
	grpc_call_on_closed(call, closed, k);
	must(grpc_call_send(call, msg, len) == 0);
}

/* Each call under way gets news; every third time one of them ends. */
static void tell(struct kept *k, int step)
{
	for (size_t i = 0; i < k->n; i++)
		must(grpc_call_send(k->calls[i], &step, sizeof(step)) == 0);
	if (k->n > 0 && step % 3 == 2)
		grpc_call_end(k->calls[--k->n], GRPC_OK, "no more");
}

static void send_in_pieces(int fd, const char *text, size_t len, size_t piece)
{
	must(send(fd, NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN, MSG_DONTWAIT) > 0);
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;

		must(send(fd, text + at, n, MSG_DONTWAIT) == (ssize_t)n);
	}
	must(shutdown(fd, SHUT_WR) == 0);
}

static void serve(struct grpc_connection *c, int client, struct kept *k)
{
	static char heard[64 * 1024];
	struct err e = { .code = ERR_DEVICE };
	int rc = 0, steps = 0;

	while (rc == 0) {
		short events = grpc_connection_events(c);

		must(events == POLLIN || events == POLLOUT || events == (POLLIN | POLLOUT));
		must(steps < STEPS_MAX);
		rc = grpc_connection_go_on(c, events, &e);
		while (recv(client, heard, sizeof(heard), MSG_DONTWAIT) > 0)
			;
		if (rc == 0)
			tell(k, steps++);
	}
	must(rc == -1 && (e.code == ERR_OK || (e.code == ERR_IO && e.sys == EPROTO && *e.msg)));
}

static void play(const char *text, size_t len, size_t piece)
{
	struct kept k = { .n = 0 };
	const struct grpc_method methods[] = { { "/t/E", begin }, { "/t/F", begin } };
	const struct grpc_service service = {
		.methods = methods, .n = ARRAY_SIZE(methods), .max_request = REQUEST_MAX,
		.max_calls = CALLS_MAX, .arg = &k,
	};
	struct grpc_connection *c;
	struct err e = { 0 };
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	auto_close int client = pair[0];
	c = grpc_connection_new(pair[1], &service, &e);
	must(c);
	send_in_pieces(client, text, len, piece);
	serve(c, client, &k);
	grpc_connection_free(c);
	must(k.n == 0);
}

static void fuzz_one(const char *text, size_t len)
{
	play(text, len, len + 1);
	play(text, len, len / PIECES + 1);
}
