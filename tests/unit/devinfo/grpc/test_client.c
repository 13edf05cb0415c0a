/* SPDX-License-Identifier: Apache-2.0 */
/* test_client.c - one unary call against recordings of a kubelet and servers that err */
#include "devinfo/grpc/client.h"
#include "tests/unit/grpc_server.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define METHOD "/v1.PodResourcesLister/Get"
#define GET_P6 "\n\002p6\022\007default"	/* the request of get.hex */

static struct server srv;
static struct grpc_reply reply;
static struct err err;

static int call_limited(size_t max, unsigned int ms)
{
	struct deadline d = deadline_in(ms);

	grpc_reply_done(&reply);
	err = (struct err){ 0 };
	return grpc_unary(srv.root, SOCKET, METHOD, GET_P6, strlen(GET_P6), max, &d, &reply, &err);
}

/* One call to a server that plays this. */
static int call(void (*play)(int fd, int nth))
{
	int rc;

	server_start(&srv, play, 1);
	rc = call_limited(16 << 20, 10000);
	ok(server_stop(&srv) == 0);
	return rc;
}

static void expect_error(void (*play)(int fd, int nth), int sys, const char *text)
{
	ok(call(play) == -1);
	ok(err.code == ERR_PODRES);
	ok(err.sys == sys);
	contains(err.msg, text);
	ok(strstr(err.msg, "gRPC server '" SOCKET "'") && !strchr(err.msg, '\n'));
	if (err.sys != sys || !strstr(err.msg, text))
		(void)printf("#  sys %d msg '%s' details '%s'\n", err.sys, err.msg, err.details);
	ok(!reply.body && reply.grpc_status == 0);
}

static int body_has(const char *text)
{
	return reply.body && memmem(reply.body, reply.len, text, strlen(text));
}

/* -- recordings -- */

static void play_get(int fd, int nth)
{
	(void)nth;
	replay(fd, "tests/node/podresources/get.hex", 0);
}

static void play_get_trickle(int fd, int nth)
{
	(void)nth;
	replay(fd, "tests/node/podresources/get.hex", 1);
}

static void play_get_missing(int fd, int nth)
{
	(void)nth;
	replay(fd, "tests/node/podresources/get-missing.hex", 0);
}

static void play_list(int fd, int nth)
{
	(void)nth;
	replay(fd, "tests/node/podresources/list.hex", 0);
}

static void test_recordings(void)
{
	test("a recorded Get gives the message of the kubelet");
	ok(call(play_get) == 0);
	ok(reply.grpc_status == GRPC_OK && reply.len == 92 && body_has("0000:03:02.1"));
	eq(reply.grpc_message, "");

	test("a recorded List gives the message of the kubelet");
	ok(call(play_list) == 0);
	ok(reply.grpc_status == GRPC_OK && reply.len == 112 && body_has("0000:03:02.0"));

	test("a recorded refusal, one frame alone, is an answer with a status");
	ok(call(play_get_missing) == 0);
	ok(reply.grpc_status == GRPC_UNKNOWN && !reply.body && reply.len == 0);
	eq(reply.grpc_message, "pod nosuch in namespace default not found");

	test("an answer that comes byte by byte is the same answer");
	ok(call(play_get_trickle) == 0);
	ok(reply.grpc_status == GRPC_OK && reply.len == 92 && body_has("0000:03:02.1"));
}

/* -- the request -- */

static void play_request(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };
	const char want[] = "\0\0\0\0\015" GET_P6;
	char *timeout;

	(void)nth;
	request_read(fd, &r);
	expect(r.reads == 1);
	expect(r.saw_window_update);
	expect(r.len == sizeof(want) - 1 && memcmp(r.msg, want, r.len) == 0);
	timeout = strstr(r.headers, "grpc-timeout: ");
	expect(timeout);
	if (timeout) {
		char unit = 0;
		unsigned int n = 0;

		expect(sscanf(timeout, "grpc-timeout: %8u%c\n", &n, &unit) == 2);
		expect(unit == 'm' && n > 5000 && n <= 10050);
		*timeout = '\0';
	}
	expect(strcmp(r.headers, ":method: POST\n:scheme: http\n:path: " METHOD "\n"
				 ":authority: localhost\ncontent-type: application/grpc\n"
				 "te: trailers\n") == 0);
	put_answer(&w, "ok", 2);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void play_long_request(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };

	(void)nth;
	(void)usleep(20000);
	request_read(fd, &r);
	expect(r.len == 5 + 60000 && r.msg[5] == 'x' && r.msg[60004] == 'x');
	expect(r.msg[2] == 0 && r.msg[3] == 0xea && r.msg[4] == 0x60);
	expect(strstr(r.headers, "grpc-timeout: 3600") || strstr(r.headers, "grpc-timeout: 3599"));
	expect(strstr(r.headers, "S\n"));
	put_answer(&w, NULL, 0);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void test_request(void)
{
	static char big[60000];
	struct deadline d = deadline_in(360000000);

	test("preface, settings, window, headers and message leave in one write");
	ok(call(play_request) == 0);
	ok(reply.len == 2 && body_has("ok"));

	test("a request of several frames arrives, and a very long time is told in seconds");
	memset(big, 'x', sizeof(big));
	grpc_reply_done(&reply);
	server_start(&srv, play_long_request, 1);
	ok(grpc_unary(srv.root, SOCKET, METHOD, big, sizeof(big), 100, &d, &reply, &err) == 0);
	ok(reply.body && reply.len == 0);
	ok(server_stop(&srv) == 0);
}

/* -- answers -- */

static struct wire next;	/* what play_wire sends after the request */

static void play_wire(int fd, int nth)
{
	static struct request r;

	(void)nth;
	request_read(fd, &r);
	wire_send(fd, &next, 0);
	wait_for_close(fd);
}

static void play_wire_and_close(int fd, int nth)
{
	static struct request r;

	(void)nth;
	request_read(fd, &r);
	wire_send(fd, &next, 0);
}

static void play_ping(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };
	unsigned char buf[256];
	ssize_t n = 0;

	(void)nth;
	request_read(fd, &r);
	put_settings(&w);
	put_frame(&w, NGHTTP2_PING, 0, 0, "\002\004\020\020\011\016\007\007", 8);
	wire_send(fd, &w, 0);
	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0 && !memmem(buf, (size_t)n, "\006\001\0\0\0\0\002\004\020\020", 10));
	expect(n > 0);
	w.len = 0;
	put_head(&w, "200");
	put_message(&w, 0, 4, "pong", 4);
	put_trailers(&w, "0", "");
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void test_answers(void)
{
	static char big[8 << 20];

	test("a PING is acknowledged before the answer");
	ok(call(play_ping) == 0);
	ok(body_has("pong"));

	test("8 MiB arrive from a server that never sees a window update");
	memset(big, 'y', sizeof(big));
	wire_done(&next);
	put_answer(&next, big, sizeof(big));
	ok(call(play_wire) == 0);
	ok(reply.len == sizeof(big) && reply.body && memcmp(reply.body, big, sizeof(big)) == 0);

	test("an answer may have exactly the largest size, and no byte more");
	server_start(&srv, play_wire, 2);
	ok(call_limited(sizeof(big), 10000) == 0);
	ok(reply.len == sizeof(big));
	ok(call_limited(sizeof(big) - 1, 10000) == -1);
	ok(err.code == ERR_PODRES && err.sys == EMSGSIZE);
	contains(err.msg, "8388608 bytes, more than 8388607");
	ok(server_stop(&srv) == 0);

	test("an answer counts although the server closes without having read our last frames");
	wire_done(&next);
	put_answer(&next, "done", 4);
	ok(call(play_wire_and_close) == 0);
	ok(body_has("done"));

	test("a message of zero bytes is a message");
	wire_done(&next);
	put_answer(&next, NULL, 0);
	ok(call(play_wire) == 0);
	ok(reply.body && reply.len == 0);

	test("a graceful GOAWAY lets the answer through");
	wire_done(&next);
	put_settings(&next);
	put_frame(&next, NGHTTP2_GOAWAY, 0, 0, "\x7f\xff\xff\xff\0\0\0\0", 8);
	put_head(&next, "200");
	put_message(&next, 0, 2, "ok", 2);
	put_trailers(&next, "0", "");
	put_frame(&next, NGHTTP2_RST_STREAM, 0, 1, "\0\0\0\0", 4);
	ok(call(play_wire) == 0);
	ok(body_has("ok"));

	test("a message with an error status is dropped");
	wire_done(&next);
	put_settings(&next);
	put_head(&next, "200");
	put_message(&next, 0, 2, "no", 2);
	put_trailers(&next, "13", "late");
	ok(call(play_wire) == 0);
	ok(reply.grpc_status == 13 && !reply.body);
	eq(reply.grpc_message, "late");
}

static void expect_message(const char *sent, const char *want)
{
	wire_done(&next);
	put_refusal(&next, "9", sent);
	ok(call(play_wire) == 0);
	ok(reply.grpc_status == 9);
	eq(reply.grpc_message, want);
}

static void test_messages(void)
{
	char longest[127];

	test("grpc-message is percent-decoded, leniently, into one printable line");
	expect_message("100%25 of%20it", "100% of it");
	expect_message("two%0Alines%00", "two lines ");
	expect_message("%C3%bc %e", "?? %e");
	expect_message("%zz%4", "%zz%4");
	expect_message("%4a%4B", "JK");
	memset(longest, 'm', 126);
	longest[126] = '\0';
	expect_message(longest, longest);
}

/* -- faults -- */

static void play_close_at_once(int fd, int nth)
{
	(void)fd, (void)nth;
}

static void play_silence(int fd, int nth)
{
	(void)nth;
	wait_for_close(fd);
}

static void expect_fault(int sys, const char *text)
{
	expect_error(play_wire, sys, text);
	wire_done(&next);
}

static void test_closing(void)
{
	test("a server that closes at once, or after the request, is reported as ECONNRESET");
	wire_done(&next);
	expect_error(play_close_at_once, ECONNRESET, "closed the connection before");
	expect_error(play_wire_and_close, ECONNRESET, "closed the connection before");

	test("so is one that closes inside the message");
	put_settings(&next);
	put_head(&next, "200");
	put_message(&next, 0, 100, "half", 4);
	expect_error(play_wire_and_close, ECONNRESET, "closed the connection before");
	wire_done(&next);

	test("GOAWAY and RST_STREAM are told by name");
	put_settings(&next);
	put_frame(&next, NGHTTP2_GOAWAY, 0, 0, "\0\0\0\001\0\0\0\013", 8);
	expect_fault(ECONNRESET, "GOAWAY (ENHANCE_YOUR_CALM)");
	put_settings(&next);
	put_frame(&next, NGHTTP2_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8);
	expect_fault(ECONNRESET, "GOAWAY (NO_ERROR)");
	put_settings(&next);
	put_frame(&next, NGHTTP2_RST_STREAM, 0, 1, "\0\0\0\010", 4);
	expect_fault(ECONNRESET, "aborted the call (CANCEL)");
}

static void test_framing(void)
{
	test("what is not HTTP/2 is an error");
	put(&next, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", 47);
	expect_fault(EPROTO, "is not valid HTTP/2");
	for (int i = 0; i < 4096; i++)
		put(&next, &(unsigned char){ (unsigned char)(i * 37) }, 1);
	expect_fault(EPROTO, "is not valid HTTP/2");
	put_settings(&next);
	put_frame(&next, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
		  "\xff\xff\xff\xff\xff\xff", 6);
	expect_fault(EPROTO, "is not valid HTTP/2");

	test("a header that HTTP/2 forbids is an error");
	put_settings(&next);
	put_head(&next, "abc");
	expect_fault(EPROTO, "breaks HTTP/2");

	test("any HTTP status but 200 is an error, even with a grpc-status");
	put_settings(&next);
	put_head(&next, "415");
	put_trailers(&next, "3", "");
	expect_fault(EPROTO, "HTTP status 415");

	test("an answer without grpc-status, or with a strange one, is an error");
	auto_wire struct wire h = { 0 };
	put_header(&h, "x", "y");
	put_settings(&next);
	put_head(&next, "200");
	put_frame(&next, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1,
		  h.data, h.len);
	expect_fault(EPROTO, "without a grpc-status");
	put_settings(&next);
	put_head(&next, "200");
	put_frame(&next, NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, 1, "\0\0\0\0\0", 5);
	expect_fault(EPROTO, "without a grpc-status");
	put_refusal(&next, "-1", "");
	expect_fault(EPROTO, "grpc-status is not a number");
	put_refusal(&next, "1234567890", "");
	expect_fault(EPROTO, "grpc-status is not a number");

	test("a compressed message is an error");
	put_settings(&next);
	put_head(&next, "200");
	put_message(&next, 1, 2, "zz", 2);
	expect_fault(EPROTO, "is compressed");

	test("an announced length beyond the limit is refused before the message");
	put_settings(&next);
	put_head(&next, "200");
	put_message(&next, 0, UINT32_MAX, "z", 1);
	expect_fault(EMSGSIZE, "4294967295 bytes, more than 16777216");

	test("too few and too many bytes of a message are errors");
	put_settings(&next);
	put_head(&next, "200");
	put_message(&next, 0, 3, "zz", 2);
	put_trailers(&next, "0", "");
	expect_fault(EPROTO, "ended inside its message");
	put_refusal(&next, "0", "");
	expect_fault(EPROTO, "ended inside its message");
	put_settings(&next);
	put_head(&next, "200");
	put_message(&next, 0, 2, "zzz", 3);
	put_trailers(&next, "0", "");
	expect_fault(EPROTO, "beyond the end of the message");
}

/* -- the socket -- */

static void expect_no_socket(const char *path, int sys)
{
	struct deadline d = deadline_in(5000);

	err = (struct err){ 0 };
	ok(grpc_unary(srv.root, path, METHOD, NULL, 0, 100, &d, &reply, &err) == -1);
	ok(err.code == ERR_PODRES && err.sys == sys);
	contains(err.msg, path);
	ok(deadline_left_ms(&d) > 4000);
}

static void play_ok(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };

	(void)nth;
	request_read(fd, &r);
	put_answer(&w, "ok", 2);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void test_paths(void)
{
	struct deadline d = deadline_in(5000);
	char path[128] = "/", name[80];

	server_start(&srv, play_ok, 2);

	test("an absent path, a FIFO, a file and a directory are told from a socket, at once");
	ok(mkfifoat(srv.root, "fifo", 0600) == 0);
	ok(close(openat(srv.root, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
	expect_no_socket("/absent", ENOENT);
	expect_no_socket("/fifo", ENOTSOCK);
	expect_no_socket("/file", ENOTSOCK);
	expect_no_socket("/file/x", ENOTDIR);
	expect_no_socket("/", ENOTSOCK);

	test("a symbolic link is followed inside the root, an absolute one too");
	ok(symlinkat(SOCKET, srv.root, "link") == 0);
	ok(grpc_unary(srv.root, "/link", METHOD, NULL, 0, 100, &d, &reply, &err) == 0);
	ok(body_has("ok"));
	grpc_reply_done(&reply);

	test("the path may be longer than an address of a socket");
	memset(name, 'd', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ok(mkdirat(srv.root, name, 0700) == 0);
	(void)snprintf(path, sizeof(path), "/%s/../././././././././././././././.%s", name, SOCKET);
	ok(strlen(path) > 107);
	ok(grpc_unary(srv.root, path, METHOD, NULL, 0, 100, &d, &reply, &err) == 0);
	ok(body_has("ok"));
	grpc_reply_done(&reply);

	test("a socket where nobody listens any more is ECONNREFUSED");
	(void)close(srv.listener);
	ok(waitpid(srv.pid, NULL, 0) == srv.pid);
	srv.pid = -1;
	expect_no_socket(SOCKET, ECONNREFUSED);
	(void)unlinkat(srv.root, "fifo", 0);
	(void)unlinkat(srv.root, "file", 0);
	(void)unlinkat(srv.root, "link", 0);
	(void)unlinkat(srv.root, name, AT_REMOVEDIR);
	(void)server_stop(&srv);
}

/* -- time and signals -- */

static void test_time(void)
{
	int waiting[4];
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct deadline d;

	test("a silent server is given up at the deadline, with ETIMEDOUT");
	server_start(&srv, play_silence, 1);
	d = deadline_in(1000);
	ok(call_limited(100, 200) == -1);
	ok(err.code == ERR_PODRES && err.sys == ETIMEDOUT);
	contains(err.msg, "in time");
	ok(deadline_left_ms(&d) > 0 && deadline_left_ms(&d) <= 810);
	ok(server_stop(&srv) == 0);

	test("so is one whose queue of connections stays full");
	server_listen(&srv, 0);
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s%s", srv.dir, SOCKET);
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)connect(waiting[i], (struct sockaddr *)&addr, sizeof(addr));
	}
	ok(call_limited(100, 100) == -1);
	ok(err.code == ERR_PODRES && err.sys == ETIMEDOUT);
	contains(err.msg, "accepts nobody");
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
		(void)close(waiting[i]);
	(void)server_stop(&srv);

	test("a signal ends the wait long before the deadline");
	deadline_catch_signals();
	server_start(&srv, play_silence, 1);
	pid_t pid = fork();
	if (pid == 0) {
		(void)usleep(100000);
		(void)kill(getppid(), SIGTERM);
		_exit(0);
	}
	d = deadline_in(10000);
	ok(call_limited(100, 10000) == -1);
	ok(err.code == ERR_INTERRUPTED);
	deadline_catch_signals();
	ok(deadline_left_ms(&d) > 8000);
	ok(waitpid(pid, NULL, 0) == pid);
	ok(server_stop(&srv) == 0);
}

/*
 * -- each point --
 *
 * What a kubelet was recorded to say, with one thing wrong at each place there is in turn.  The
 * client must come back in time with an error or with the answer that was recorded.
 */

enum { SOON_MS = 4, FAULTS_MAX = 4096 };

static const char *const recorded[] = {
	"tests/node/podresources/get.hex",
	"tests/node/podresources/get-missing.hex",
	"tests/node/podresources/list.hex",
};

static struct wire said;		/* by the kubelet */
static struct grpc_reply right;		/* what that means */
static struct fault {
	size_t at;			/* offset in said */
	unsigned char flip;		/* what of the byte there */
	const struct wire *insert;	/* or what comes before it */
	bool cut;			/* or nothing more comes */
	bool open;			/* the connection stays */
} faults[FAULTS_MAX];
static int n_faults;

static void fault_add(struct fault f)
{
	if (n_faults == FAULTS_MAX)
		abort();
	faults[n_faults++] = f;
}

/* Closed in one direction only: the client shall get what was sent. */
static void play_fault(int fd, int nth)
{
	static struct request r;
	const struct fault *f = &faults[nth];
	auto_wire struct wire w = { 0 };

	put(&w, said.data, f->at);
	if (f->insert)
		put(&w, f->insert->data, f->insert->len);
	if (!f->cut)
		put(&w, said.data + f->at, said.len - f->at);
	if (f->flip)
		w.data[f->at] ^= f->flip;
	request_read(fd, &r);
	wire_send(fd, &w, 0);
	if (!f->open)
		(void)shutdown(fd, SHUT_WR);
	wait_for_close(fd);
}

/*
 * Is it the recorded answer?  A byte changed inside the message, which nothing protects, is a byte
 * changed in the answer and no other.
 */
static bool reply_is_right(const struct fault *f)
{
	size_t differ = 0;

	if (reply.grpc_status != right.grpc_status || reply.len != right.len)
		return false;
	for (size_t i = 0; i < right.len; i++)
		if (reply.body[i] != right.body[i])
			differ += (reply.body[i] ^ right.body[i]) == f->flip ? 1 : right.len;
	return differ <= 1;
}

enum outcome { OUTCOME_WRONG, OUTCOME_RIGHT, OUTCOME_REFUSED, OUTCOME_CLOSED, OUTCOME_LATE,
	       OUTCOME_BROKEN };

/* What came of one call; REFUSED is a status that is an error where the recorded one is not. */
static enum outcome outcome_of(int rc, const struct fault *f)
{
	if (rc == 0 && reply_is_right(f))
		return OUTCOME_RIGHT;
	if (rc == 0)
		return reply.grpc_status != GRPC_OK ? OUTCOME_REFUSED : OUTCOME_WRONG;
	if (rc != -1 || err.code != ERR_PODRES || reply.body || err.msg[0] == '\0')
		return OUTCOME_WRONG;
	return err.sys == ECONNRESET  ? OUTCOME_CLOSED :
	       err.sys == ETIMEDOUT   ? OUTCOME_LATE :
	       err.sys == EPROTO || err.sys == EMSGSIZE ? OUTCOME_BROKEN :
							  OUTCOME_WRONG;
}

/* Play all faults; how often each outcome was. */
static void play_faults(unsigned int ms, int count[OUTCOME_BROKEN + 1])
{
	memset(count, 0, sizeof(*count) * (OUTCOME_BROKEN + 1));
	server_start(&srv, play_fault, n_faults);
	for (int i = 0; i < n_faults; i++) {
		struct deadline d = deadline_in(5000);
		enum outcome outcome = outcome_of(call_limited(16 << 20, ms), &faults[i]);

		if (deadline_left_ms(&d) == 0)
			outcome = OUTCOME_WRONG;
		count[outcome]++;
		if (outcome == OUTCOME_WRONG)
			(void)printf("#  at %zu of %zu, flip %02x: status %d, %zu bytes, code %d "
				     "sys %d '%s'\n", faults[i].at, said.len, faults[i].flip,
				     reply.grpc_status, reply.len, err.code, err.sys, err.msg);
	}
	if (faults[0].open)	/* who waits so shortly may have left before it came to a call */
		(void)kill(srv.pid, SIGKILL);
	ok(server_stop(&srv) == 0 || faults[0].open);
	ok(count[OUTCOME_WRONG] == 0);
}

/* Offsets of the frames, the end included; how many. */
static int frames_of(const struct wire *w, size_t offsets[16])
{
	int n = 0;

	for (size_t at = 0; at < w->len; at = frame_end(w, at))
		offsets[n++] = at;
	offsets[n] = w->len;
	return n;
}

static void test_cut(void)
{
	int count[OUTCOME_BROKEN + 1];

	test("a kubelet that closes after any byte is ECONNRESET, and the whole is the answer");
	n_faults = 0;
	for (size_t i = 0; i <= said.len; i++)
		fault_add((struct fault){ .at = i, .cut = true });
	play_faults(10000, count);
	ok(count[OUTCOME_CLOSED] == n_faults - 1);
	ok(count[OUTCOME_RIGHT] == 1);

	test("one that falls silent after any byte is ETIMEDOUT");
	n_faults = 0;
	for (size_t i = 0; i < said.len; i++)
		fault_add((struct fault){ .at = i, .cut = true, .open = true });
	play_faults(SOON_MS, count);
	ok(count[OUTCOME_LATE] == n_faults);
}

/* One more frame before each of the recorded ones; the last would come after the answer. */
static void insert_everywhere(int type, int stream, const void *payload, size_t len,
			      enum outcome want)
{
	auto_wire struct wire frame = { 0 };
	int count[OUTCOME_BROKEN + 1], n;
	size_t offsets[16];

	put_frame(&frame, type, 0, stream, payload, len);
	n = frames_of(&said, offsets);
	n_faults = 0;
	/* not before the first frame, which must be SETTINGS */
	for (int i = 1; i < n; i++)
		fault_add((struct fault){ .at = offsets[i], .insert = &frame });
	play_faults(10000, count);
	ok(count[want] == n_faults);
}

static void test_insert(void)
{
	test("RST_STREAM and GOAWAY are ECONNRESET between any two frames, whatever their code");
	insert_everywhere(NGHTTP2_RST_STREAM, 1, "\0\0\0\0", 4, OUTCOME_CLOSED);
	insert_everywhere(NGHTTP2_RST_STREAM, 1, "\0\0\0\010", 4, OUTCOME_CLOSED);
	insert_everywhere(NGHTTP2_RST_STREAM, 1, "\377\377\377\377", 4, OUTCOME_CLOSED);
	insert_everywhere(NGHTTP2_GOAWAY, 0, "\0\0\0\001\0\0\0\002", 8, OUTCOME_CLOSED);
	insert_everywhere(NGHTTP2_GOAWAY, 0, "\0\0\0\0\0\0\0\0", 8, OUTCOME_CLOSED);

	test("a GOAWAY that spares our call changes nothing, nor does what there may always be");
	insert_everywhere(NGHTTP2_GOAWAY, 0, "\177\377\377\377\0\0\0\0", 8, OUTCOME_RIGHT);
	insert_everywhere(NGHTTP2_PING, 0, "pingpong", 8, OUTCOME_RIGHT);
	insert_everywhere(NGHTTP2_SETTINGS, 0, "\0\004\0\0\0\001", 6, OUTCOME_RIGHT);
	insert_everywhere(NGHTTP2_WINDOW_UPDATE, 0, "\0\0\377\377", 4, OUTCOME_RIGHT);
	insert_everywhere(0x77, 1, "unknown", 7, OUTCOME_RIGHT);

	test("a window that is opened by nothing or too far, and a frame cut short, break HTTP/2");
	insert_everywhere(NGHTTP2_WINDOW_UPDATE, 0, "\0\0\0\0", 4, OUTCOME_BROKEN);
	insert_everywhere(NGHTTP2_WINDOW_UPDATE, 0, "\177\377\377\377", 4, OUTCOME_BROKEN);
	insert_everywhere(NGHTTP2_PING, 0, "ping", 4, OUTCOME_BROKEN);
	insert_everywhere(NGHTTP2_SETTINGS, 0, "\0\004\377\377\377\377", 6, OUTCOME_BROKEN);
	insert_everywhere(NGHTTP2_CONTINUATION, 1, "", 0, OUTCOME_BROKEN);
	insert_everywhere(NGHTTP2_PUSH_PROMISE, 1, "\0\0\0\002", 4, OUTCOME_BROKEN);
}

static void test_flip(void)
{
	static const unsigned char flips[] = { 0x01, 0x02, 0x04, 0x08, 0x20, 0x80, 0xff };
	int count[OUTCOME_BROKEN + 1];

	test("no byte that is changed makes another answer of it");
	n_faults = 0;
	for (size_t i = 0; i < said.len; i++)
		for (size_t j = 0; j < ARRAY_SIZE(flips); j++)
			fault_add((struct fault){ .at = i, .flip = flips[j] });
	play_faults(10000, count);
	ok(count[OUTCOME_LATE] == 0);
	ok(count[OUTCOME_BROKEN] > n_faults / 4);
	ok(count[OUTCOME_CLOSED] > 0);
	ok(count[OUTCOME_RIGHT] > 0);
}

/* Up to the end of the answer: what followed was for the next call on that connection. */
static void said_load(const char *file)
{
	size_t at = 0;

	wire_done(&said);
	put_recording(&said, file);
	while (said.data[at + 3] != NGHTTP2_HEADERS ||
	       !(said.data[at + 4] & NGHTTP2_FLAG_END_STREAM))
		at = frame_end(&said, at);
	said.len = frame_end(&said, at);
}

static void test_each_point(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
		said_load(recorded[i]);
		test("the whole of a recording is an answer");
		n_faults = 0;
		fault_add((struct fault){ .at = said.len });
		server_start(&srv, play_fault, 1);
		ok(call_limited(16 << 20, 10000) == 0);
		ok(server_stop(&srv) == 0);
		grpc_reply_done(&right);
		right = reply;
		reply = (struct grpc_reply){ 0 };
		test_cut();
		test_insert();
		test_flip();
	}
	grpc_reply_done(&right);
	wire_done(&said);
}

/* -- without end -- */

static struct wire opening, again;	/* what comes once, and what then comes for ever */

static void play_endless(int fd, int nth)
{
	static struct request r;
	const struct wire *w = &opening;

	(void)nth;
	request_read(fd, &r);
	for (size_t at = 0;;) {
		ssize_t n = write(fd, w->data + at, w->len - at);

		if (n < 0)
			return;
		at += (size_t)n;
		if (at == w->len) {
			w = &again;
			at = 0;
		}
	}
}

/* No end of it: an error at a limit, long before the deadline, and it needs no memory. */
static void expect_end(void)
{
	server_start(&srv, play_endless, 1);
	ok(call_limited(16 << 20, 60000) == -1);
	ok(err.code == ERR_PODRES && err.sys == EPROTO);
	ok(server_stop(&srv) == 0);
	wire_done(&opening);
	wire_done(&again);
}

static void test_endless(void)
{
	auto_wire struct wire h = { 0 };

	test("PINGs, SETTINGS, window updates and empty DATA without end are an error at a limit");
	put_settings(&opening);
	put_frame(&again, NGHTTP2_PING, 0, 0, "pingpong", 8);
	expect_end();
	put_settings(&opening);
	put_frame(&again, NGHTTP2_SETTINGS, 0, 0, NULL, 0);
	expect_end();
	put_settings(&opening);
	put_frame(&again, NGHTTP2_WINDOW_UPDATE, 0, 0, "\0\0\0\001", 4);
	expect_end();
	put_settings(&opening);
	put_head(&opening, "200");
	put_frame(&again, NGHTTP2_DATA, 0, 1, NULL, 0);
	expect_end();

	test("so are interim responses, and headers that never end");
	put_settings(&opening);
	put_head(&again, "103");
	expect_end();
	put_settings(&opening);
	put_header(&h, ":status", "200");
	put_frame(&opening, NGHTTP2_HEADERS, 0, 1, h.data, h.len);
	wire_done(&h);
	put_header(&h, "x", "y");
	put_frame(&again, NGHTTP2_CONTINUATION, 0, 1, h.data, h.len);
	expect_end();

	test("bytes without end after a promised message are refused at its end");
	put_settings(&opening);
	put_head(&opening, "200");
	put_message(&opening, 0, 100, "z", 1);
	put_frame(&again, NGHTTP2_DATA, 0, 1, "z", 1);
	server_start(&srv, play_endless, 1);
	ok(call_limited(16 << 20, 10000) == -1);
	ok(err.code == ERR_PODRES && err.sys == EPROTO);
	contains(err.msg, "beyond the end of the message");
	ok(server_stop(&srv) == 0);
	wire_done(&opening);
	wire_done(&again);

	test("an answer in the smallest frames is none of that");
	put_settings(&next);
	put_head(&next, "200");
	put_frame(&next, NGHTTP2_DATA, 0, 1, "\0\0\001\0\0", 5);
	for (int i = 0; i < 65536; i++)
		put_frame(&next, NGHTTP2_DATA, 0, 1, "x", 1);
	put_trailers(&next, "0", "");
	ok(call(play_wire) == 0 && reply.len == 65536);
	wire_done(&next);
}

/* -- a greeting -- */

static int probe(void (*play)(int fd, int nth), unsigned int ms)
{
	struct deadline d = deadline_in(ms);
	int rc;

	err = (struct err){ 0 };
	server_start(&srv, play, 1);
	rc = grpc_probe(srv.root, SOCKET, &d, &err);
	ok(server_stop(&srv) == 0);
	return rc;
}

/* As grpc-go: at once, whatever the client says, which must not be a call. */
static void play_greeting(int fd, int nth)
{
	static unsigned char told[4096];
	auto_wire struct wire w = { 0 };
	size_t len = 0, at = NGHTTP2_CLIENT_MAGIC_LEN;
	ssize_t n;

	(void)nth;
	put_settings(&w);
	wire_send(fd, &w, 0);
	while ((n = read(fd, told + len, sizeof(told) - len)) > 0)
		len += (size_t)n;
	expect(memcmp(told, NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN) == 0);
	for (; at + 9 <= len; at += 9 + (size_t)told[at + 2])
		expect(told[at + 3] != NGHTTP2_HEADERS && told[at + 3] != NGHTTP2_DATA);
}

static void play_garbage(int fd, int nth)
{
	static const char text[] = "HTTP/1.1 400 Bad Request\r\n\r\n";

	(void)nth;
	(void)!write(fd, text, sizeof(text) - 1);
	wait_for_close(fd);
}

static void play_end(int fd, int nth)
{
	(void)fd, (void)nth;
}

static void test_probe(void)
{
	test("a server that greets is there, and is asked nothing");
	ok(probe(play_greeting, 10000) == 0);
	test("one that is silent, closes, or speaks something else is not");
	ok(probe(play_silence, 100) == -1 && err.sys == ETIMEDOUT);
	ok(probe(play_end, 10000) == -1 && (err.sys == ECONNRESET || err.sys == EPIPE));
	ok(probe(play_garbage, 10000) == -1 && err.sys == EPROTO);
}

/* -- in steps -- */

/* A call, the server's end of its socket in *peer. */
static struct grpc_request *step_begin(size_t req_len, unsigned int ms, int *peer)
{
	static unsigned char req[1 << 20];
	struct deadline d = deadline_in(ms);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	*peer = pair[1];
	err = (struct err){ 0 };
	grpc_reply_done(&reply);
	return grpc_request_new(pair[0], METHOD, req, req_len, 100, &d, &err);
}

static size_t drain(int fd)
{
	static unsigned char buf[1 << 16];
	size_t all = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		all += (size_t)n;
	return all;
}

static void step_end(struct grpc_request *r, int peer)
{
	int fd = grpc_request_fd(r);

	grpc_request_free(r);
	ok(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	(void)close(peer);
}

static void test_steps(void)
{
	auto_wire struct wire w = { 0 };
	struct grpc_request *r;
	size_t taken = 0;
	int peer, rc = 0;

	test("a call in steps has left before its first step, and waits for the answer");
	r = step_begin(10, 10000, &peer);
	ok(r && drain(peer) > 50);
	eqi(grpc_request_events(r), POLLIN);
	ok(grpc_request_go_on(r, &reply, &err) == 0);
	put_answer(&w, "ok", 2);
	ok(write(peer, w.data, 60) == 60);
	ok(grpc_request_go_on(r, &reply, &err) == 0 && !reply.body);
	ok(write(peer, w.data + 60, w.len - 60) == (ssize_t)(w.len - 60));
	ok(grpc_request_go_on(r, &reply, &err) == 1);
	ok(reply.grpc_status == GRPC_OK && reply.len == 2 && body_has("ok"));
	step_end(r, peer);

	test("a request that is more than the socket takes leaves step by step");
	r = step_begin(1 << 20, 10000, &peer);
	w.len = 0;
	put_frame(&w, NGHTTP2_SETTINGS, 0, 0, "\0\4\177\377\377\377", 6);
	put_frame(&w, NGHTTP2_WINDOW_UPDATE, 0, 0, "\100\0\0\0", 4);
	ok(write(peer, w.data, w.len) == (ssize_t)w.len);
	ok(grpc_request_go_on(r, &reply, &err) == 0);
	eqi(grpc_request_events(r), POLLIN | POLLOUT);
	while (rc == 0 && grpc_request_events(r) & POLLOUT) {
		taken += drain(peer);
		rc = grpc_request_go_on(r, &reply, &err);
	}
	ok(rc == 0 && taken + drain(peer) > 1 << 20);
	step_end(r, peer);

	test("a step says that it is late, or that the server has gone, and which call it was");
	r = step_begin(10, 20, &peer);
	(void)usleep(25000);
	ok(grpc_request_go_on(r, &reply, &err) == -1);
	ok(err.code == ERR_PODRES && err.sys == ETIMEDOUT);
	begins(err.msg, METHOD ": ");
	step_end(r, peer);
	r = step_begin(10, 10000, &peer);
	(void)shutdown(peer, SHUT_RDWR);
	ok(grpc_request_go_on(r, &reply, &err) == -1);
	ok(err.code == ERR_PODRES && err.sys == ECONNRESET);
	step_end(r, peer);
	grpc_request_free(NULL);

	test("who blocks keeps the socket");
	int pair[2];
	struct deadline soon = deadline_in(20);
	ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	ok(grpc_unary_fd(pair[0], METHOD, NULL, 0, 100, &soon, &reply, &err) == -1);
	ok(err.sys == ETIMEDOUT && close(pair[0]) == 0 && close(pair[1]) == 0);
}

int main(void)
{
	test_recordings();
	test_request();
	test_answers();
	test_messages();
	test_closing();
	test_framing();
	test_paths();
	test_time();
	test_each_point();
	test_endless();
	test_probe();
	test_steps();
	grpc_reply_done(&reply);
	wire_done(&next);
	return tap_end();
}
