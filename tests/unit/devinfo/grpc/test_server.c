/* SPDX-License-Identifier: Apache-2.0 */
/* test_server.c - the server's half of gRPC against our own client and nghttp2's, as it should be */
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

int main(void)
{
	test_own_client();
	return tap_end();
}
