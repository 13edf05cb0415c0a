/* SPDX-License-Identifier: Apache-2.0 */
/* test_kubelet.c - which source is asked when, and for how long, in all kinds of trouble */
#include "base/mem.h"
#include "devinfo/kubelet/kubelet.h"
#include "tests/unit/allocation.h"
#include "tests/unit/podres_message.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <time.h>

#define VF "example.com/vf"
#define UID "2d9d1c3e-6f51-4b1c-9d6d-0f5f4a1f1e11"
#define OTHER "7b7e7a52-9c1b-4a39-8f0f-1f6a5e0f2c22"
#define STATIC "0123456789abcdef0123456789abcdef"
#define LONG_MS 10000	/* a deadline that no test is meant to see pass */
#define SOON_S 5	/* long before it */

static struct server srv;
static struct allocation got;
static struct err err;
static double took_s;

static double now_s(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int ask_pod(const struct pod *pod, const char *resource, unsigned int ms)
{
	const struct host h = {
		.root = srv.root, .set = { .kubelet_socket = SOCKET, .kubelet_dir = "/kubelet" },
	};
	double start = now_s();
	struct deadline d = deadline_in(ms);
	int r;

	allocation_done(&got);
	err = (struct err){ 0 };
	r = kubelet_allocation(&h, pod, resource, &d, &got, &err);
	took_s = now_s() - start;
	return r;
}

/* About default/p6; uid may be NULL. */
static int ask(const char *uid, unsigned int ms)
{
	const struct pod pod = { .name_space = "default", .name = "p6", .uid = uid };

	return ask_pod(&pod, VF, ms);
}

static const char *ids(void)
{
	return allocation_ids(&got, NULL);
}

static void has(const char *text, const char *part)
{
	contains(text, part);
	if (!strstr(text, part))
		(void)printf("#  have %s\n#  want %s\n", text, part);
}

static void expect_error(int rc, enum err_code code, const char *msg)
{
	ok(rc == -1);
	ok(err.code == code);
	has(err.msg, msg);
	ok(got.n_devices == 0 && !got.devices && !got.source);
}

static void found_by(int rc, const char *source, const char *want_ids)
{
	ok(rc == 1);
	if (rc < 0)
		(void)printf("#  code %d msg '%s' details '%s'\n", err.code, err.msg, err.details);
	eq(got.source ? got.source : "", source);
	eq(ids(), want_ids);
}

/* -- the scripted kubelet: a step for each connection, the last one for all further ones -- */

enum deed {
	REFUSE, KNOW, KNOW_NOT, KNOW_TWO, KNOW_WRONG, RESET, GO_AWAY, CUT, CLOSE, HANG, GARBAGE,
};

struct step {
	const char *path;
	enum deed deed;
	const char *status, *message;	/* of a refusal */
};

#define DOES(path, deed)	{ path, deed, NULL, NULL }
#define REFUSES(path, ...)	{ path, REFUSE, __VA_ARGS__ }

static const struct step *script;
static size_t steps;

/* A pod with a device and a claim. */
static void put_known(struct wire *body, const char *name, const char *id)
{
	static const char claim[] = "\022\002c1\032\007default"
				    "\042\021\022\011vendor.io\042\004nic0";
	auto_wire struct wire c = { 0 };

	put_devices(&c, VF, id, NULL);
	put_field(&c, 5, claim, sizeof(claim) - 1);
	put_pod(body, "default", name, &c, NULL);
}

static void put_deed(struct wire *w, const struct step *s)
{
	auto_wire struct wire body = { 0 };

	switch (s->deed) {
	case REFUSE:
		put_refusal(w, s->status, s->message);
		return;
	case RESET:
		put_settings(w);
		put_head(w, "200");
		put_frame(w, NGHTTP2_RST_STREAM, 0, 1, "\0\0\0\010", 4);
		return;
	case GO_AWAY:
		put_settings(w);
		put_frame(w, NGHTTP2_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8);
		return;
	case CUT:
		put_settings(w);
		put_head(w, "200");
		put_message(w, 0, 100, "not all", 7);
		return;
	case GARBAGE:
		put(w, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
		return;
	case KNOW:
		put_known(&body, "p6", "v1");
		put_known(&body, "p6-node1", "v2");
		break;
	case KNOW_TWO:
		put_known(&body, "p6", "v1");
		put_known(&body, "p6", "v2");
		break;
	case KNOW_WRONG:
		put_known(&body, "p7", "v1");
		break;
	default:
		break;
	}
	put_answer(w, body.data, body.len);
}

static void play(int fd, int nth)
{
	static struct request r;
	const struct step *s = &script[(size_t)nth < steps ? (size_t)nth : steps - 1];
	auto_wire struct wire w = { 0 };

	if (s->deed == CLOSE)
		return;
	request_read(fd, &r);
	expect(strcmp(r.path, s->path) == 0);
	if (s->deed == KNOW && strcmp(s->path, GET) == 0) {
		auto_wire struct wire body = { 0 };

		put_known(&body, memmem(r.msg, r.len, "-node1", 6) ? "p6-node1" : "p6", "v1");
		put_answer(&w, body.data, body.len);
	} else if (s->deed != HANG) {
		put_deed(&w, s);
	}
	wire_send(fd, &w, 0);
	if (s->deed != CUT)
		wait_for_close(fd);
}

/* Play these steps once each; every one of them has to be asked for. */
#define start(...)                                                           \
	do {                                                                 \
		static const struct step list_[] = { __VA_ARGS__ };          \
		script = list_;                                              \
		steps = ARRAY_SIZE(list_);                                   \
		server_start(&srv, play, (int)steps);                        \
	} while (0)

/* Play these steps, the last one again and again. */
#define start_endless(...)                                                   \
	do {                                                                 \
		static const struct step list_[] = { __VA_ARGS__ };          \
		script = list_;                                              \
		steps = ARRAY_SIZE(list_);                                   \
		server_start(&srv, play, 100000);                            \
	} while (0)

/* -- the checkpoint -- */

#define CHECKPOINT "kubelet/device-plugins/kubelet_internal_checkpoint"

static void write_file(const char *text)
{
	auto_close int fd = -1;

	(void)mkdirat(srv.root, "kubelet", 0755);
	(void)mkdirat(srv.root, "kubelet/device-plugins", 0755);
	fd = openat(srv.root, CHECKPOINT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
}

/* The pod of this UID has a device of this resource. */
static void checkpoint_of(const char *uid, const char *resource, const char *id)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"%s\","
		       "\"ContainerName\":\"c\",\"ResourceName\":\"%s\",\"DeviceIDs\":"
		       "{\"0\":[\"%s\"]}}]},\"Checksum\":1}", uid, resource, id);
	write_file(text);
}

static void checkpoint(const char *uid, const char *resource)
{
	checkpoint_of(uid, resource, "c1");
}

static void remove_files(void)
{
	(void)unlinkat(srv.root, CHECKPOINT, 0);
	(void)unlinkat(srv.root, "kubelet/device-plugins", AT_REMOVEDIR);
	(void)unlinkat(srv.root, "kubelet", AT_REMOVEDIR);
}

/* All steps were asked for, and no expect() failed. */
static void stop(void)
{
	remove_files();
	ok(server_stop(&srv) == 0);
}

/* For a server that goes on for ever. */
static void stop_endless(void)
{
	int status = -1;

	remove_files();
	(void)kill(srv.pid, SIGKILL);
	ok(waitpid(srv.pid, &status, 0) == srv.pid && WIFSIGNALED(status));
	srv.pid = -1;
	(void)server_stop(&srv);
}

/* -- sources in order -- */

#define UNIMPLEMENTED "12", "unknown method"
#define DISABLED "2", "PodResources API Get method disabled"

static void test_order(void)
{
	const struct pod p6 = { .name_space = "default", .name = "p6" };

	test("Get is asked first, and once, when it answers; claims come with the devices");
	start(DOES(GET, KNOW));
	checkpoint_of(UID, VF, "v1");
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	eq(got.tried, "");
	ok(got.n_claimed == 1);
	stop();

	test("a pod without what the caller looks for is known all the same");
	start(DOES(GET, KNOW));
	ok(ask_pod(&p6, "example.com/none", LONG_MS) == 1);
	eq(ids(), "v1");
	stop();

	test("List is asked when Get is unimplemented or disabled, and why is told");
	start(REFUSES(GET, UNIMPLEMENTED), DOES(LIST, KNOW));
	found_by(ask(UID, LONG_MS), "PodResources List", "v1");
	eq(got.tried, "PodResources Get: status 12: unknown method");
	stop();
	start(REFUSES(GET, DISABLED), DOES(LIST, KNOW));
	found_by(ask(UID, LONG_MS), "PodResources List", "v1");
	eq(got.tried, "PodResources Get: status 2: PodResources API Get method disabled");
	stop();

	test("the checkpoint is read when neither is there");
	start(REFUSES(GET, UNIMPLEMENTED), REFUSES(LIST, UNIMPLEMENTED));
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	eq(got.tried, "PodResources Get: status 12: unknown method; "
	   "PodResources List: status 12: unknown method");
	stop();

	test("a kubelet without any is an error that names all three");
	start(REFUSES(GET, UNIMPLEMENTED), REFUSES(LIST, UNIMPLEMENTED));
	checkpoint(OTHER, VF);
	expect_error(ask(UID, LONG_MS), ERR_PODRES,
		     "PodResources List for pod default/p6 with status");
	has(err.details, "PodResources Get: status 12");
	has(err.details, "; PodResources List: status 12");
	has(err.details, "; kubelet's checkpoint knows no pod of UID " UID);
	stop();

	test("what is not offered is not asked again, however often the next one is");
	start(REFUSES(GET, DISABLED), REFUSES(LIST, "8", "rejected by rate limit"),
	      DOES(LIST, RESET), DOES(LIST, KNOW));
	found_by(ask(NULL, LONG_MS), "PodResources List", "v1");
	stop();
}

static void test_static_pod(void)
{
	struct pod pod = { .name_space = "default", .name = "p6-node1", .uid = STATIC };

	test("a static pod, called NAME-NODENAME and with a hash for a UID, is found everywhere");
	start(DOES(GET, KNOW));
	found_by(ask_pod(&pod, VF, LONG_MS), "PodResources Get", "v1");
	stop();
	start(REFUSES(GET, DISABLED), DOES(LIST, KNOW));
	found_by(ask_pod(&pod, VF, LONG_MS), "PodResources List", "v2");
	stop();
	start(REFUSES(GET, "13", "broken"));
	checkpoint(STATIC, VF);
	found_by(ask_pod(&pod, VF, LONG_MS), "kubelet's checkpoint", "c1");
	stop();
}

/* -- patience -- */

static void test_busy(void)
{
	test("a kubelet beyond its rate limit, or starting, is asked again");
	start(REFUSES(GET, "8", "rejected by rate limit"),
	      REFUSES(GET, "8", "rejected by rate limit"), REFUSES(GET, "14", "starting"),
	      DOES(GET, KNOW));
	checkpoint_of(UID, VF, "v1");
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	eq(got.tried, "");
	stop();

	test("so is one that is gone in the middle of a call");
	start(DOES(GET, RESET), DOES(GET, GO_AWAY), DOES(GET, CUT), DOES(GET, CLOSE),
	      DOES(GET, KNOW));
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	stop();

	test("at the deadline the last refusal is told, although it passed while nobody was asked");
	start_endless(REFUSES(GET, "8", "rejected by rate limit"));
	expect_error(ask(NULL, 300), ERR_TRY_AGAIN,
		     "PodResources Get for pod default/p6 with status 8 (RESOURCE_EXHAUSTED)");
	has(err.details, "PodResources Get: status 8: rejected by rate limit (asked ");
	has(err.details, "; kubelet's checkpoint is not read, as the pod's UID is not known");
	ok(took_s < SOON_S);
	stop_endless();

	test("and although the last call had no answer at all");
	start(REFUSES(GET, "8", "rejected by rate limit"), DOES(GET, HANG));
	expect_error(ask(NULL, 300), ERR_TRY_AGAIN, "RESOURCE_EXHAUSTED");
	has(err.details, "status 8: rejected by rate limit (asked 2 times)");
	stop();

	test("the checkpoint is better than nothing then");
	start_endless(REFUSES(GET, "8", "rejected by rate limit"));
	checkpoint(UID, VF);
	found_by(ask(UID, 300), "kubelet's checkpoint", "c1");
	has(got.tried, "PodResources Get: status 8: rejected by rate limit (asked ");
	stop_endless();
}

static void test_silent(void)
{
	test("a kubelet that hangs is waited for until the deadline, then asked for later");
	start(DOES(GET, HANG));
	expect_error(ask(NULL, 200), ERR_TRY_AGAIN, "PodResources Get for pod default/p6: gRPC");
	has(err.msg, "the server did not answer in time");
	has(err.details, "PodResources Get: gRPC server");
	has(err.details, "timed out");
	has(err.details, "; kubelet's checkpoint is not read");
	stop();

	test("unless the checkpoint can tell");
	start(DOES(GET, HANG));
	checkpoint(UID, VF);
	found_by(ask(UID, 200), "kubelet's checkpoint", "c1");
	stop();

	test("a deadline that has passed is no reason to fail with something else");
	start(DOES(GET, HANG));
	expect_error(ask(NULL, 0), ERR_TRY_AGAIN, "in time");
	kill(srv.pid, SIGKILL);
	(void)server_stop(&srv);
}

static void test_pod_unknown(void)
{
	static const char not_found[] = "pod p6 in namespace default not found";

	test("a pod that kubelet does not know yet is asked for again");
	start(REFUSES(GET, "2", not_found), REFUSES(GET, "5", not_found), DOES(GET, KNOW));
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	stop();
	start(REFUSES(GET, DISABLED), DOES(LIST, KNOW_NOT), DOES(LIST, KNOW));
	found_by(ask(UID, LONG_MS), "PodResources List", "v1");
	stop();

	test("but not for long");
	start_endless(REFUSES(GET, "2", not_found));
	expect_error(ask(UID, LONG_MS), ERR_PODRES, "kubelet does not know pod default/p6");
	ok(took_s < SOON_S);
	has(err.details, "PodResources Get: status 2: pod p6 in namespace default not found "
	    "(asked ");
	has(err.details, "checkpoint");
	stop_endless();

	test("then its checkpoint tells, by the UID, what it has not got to yet");
	start_endless(REFUSES(GET, "2", not_found));
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	ok(took_s < SOON_S);
	stop_endless();
}

static void test_ambiguous(void)
{
	test("of two pods of one name the checkpoint tells the right one, and no claims");
	start(REFUSES(GET, DISABLED), DOES(LIST, KNOW_TWO));
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	ok(got.n_claimed == 0 && took_s < SOON_S);
	has(got.tried, "PodResources List: kubelet lists two pods default/p6");
	stop();

	test("without it kubelet is asked until one is gone");
	start(REFUSES(GET, DISABLED), DOES(LIST, KNOW_TWO), DOES(LIST, KNOW));
	checkpoint(OTHER, VF);
	found_by(ask(UID, LONG_MS), "PodResources List", "v1");
	stop();

	test("devices that the checkpoint does not have of this UID are those of another pod");
	start(DOES(GET, KNOW));
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	ok(got.n_claimed == 0);
	has(got.tried, "PodResources Get: kubelet tells of another pod default/p6: the one of UID "
	    UID " was not given " VF " v1");
	stop();
	start(REFUSES(GET, DISABLED), DOES(LIST, KNOW));
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	stop();
	start_endless(DOES(GET, KNOW));
	checkpoint_of(UID, "example.com/other", "v1");
	expect_error(ask(UID, LONG_MS), ERR_TRY_AGAIN, "kubelet tells of another pod default/p6");
	ok(took_s < SOON_S);
	stop_endless();
	test("of a UID that the checkpoint does not know, or that we do not, nothing can be said");
	start(DOES(GET, KNOW));
	checkpoint(OTHER, VF);
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	stop();
	start(DOES(GET, KNOW));
	checkpoint(UID, VF);
	found_by(ask(NULL, LONG_MS), "PodResources Get", "v1");
	stop();
	start(DOES(GET, KNOW));
	write_file("{");
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	stop();

	test("but not for long: there is no guessing, a later call may succeed");
	start_endless(REFUSES(GET, DISABLED), DOES(LIST, KNOW_TWO));
	expect_error(ask(NULL, LONG_MS), ERR_TRY_AGAIN, "kubelet lists two pods default/p6");
	ok(took_s < SOON_S);
	stop_endless();
}

static void test_broken(void)
{
	static const struct {
		struct step step;
		const char *msg;
	} cases[] = {
		{ DOES(GET, GARBAGE), "HTTP/2" },
		{ DOES(GET, KNOW_WRONG), "is not about pod default/p6" },
		{ REFUSES(GET, "13", "it broke"), "status 13 (INTERNAL)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test("an answer that makes no sense is an error at once");
		script = &cases[i].step;
		steps = 1;
		server_start(&srv, play, 1);
		write_file("{\"Data\":7}");
		expect_error(ask(UID, LONG_MS), ERR_PODRES, cases[i].msg);
		ok(took_s < SOON_S);
		has(err.details, "; kubelet's checkpoint: Data: expected an object");
		stop();

		test("unless the checkpoint can tell");
		server_start(&srv, play, 1);
		checkpoint(UID, VF);
		found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
		stop();
	}
}

/* -- the socket -- */

/* Nobody listens there any more. */
static void refuse_connections(void)
{
	server_listen(&srv, 1);
	(void)close(srv.listener);
	srv.listener = -1;
}

/* Listen again in a moment, as kubelet does: a new socket in place of the old one. */
static void listen_later(unsigned int ms)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s%s", srv.dir, SOCKET);
	(void)fflush(stdout);
	srv.pid = fork();
	if (srv.pid != 0)
		return;
	(void)alarm(30);
	(void)usleep(ms * 1000);
	(void)unlink(addr.sun_path);
	srv.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	expect(bind(srv.listener, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	expect(listen(srv.listener, 8) == 0);
	play(accept(srv.listener, NULL, NULL), 0);
	_exit(expect_failed);
}

static void test_socket(void)
{
	static const struct step know = DOES(GET, KNOW);
	const struct pod p6 = { .name_space = "default", .name = "p6", .uid = UID };

	script = &know;
	steps = 1;

	test("a kubelet that restarts is waited for, whether it has left a socket or none");
	refuse_connections();
	listen_later(150);
	found_by(ask(NULL, LONG_MS), "PodResources Get", "v1");
	stop();
	refuse_connections();
	(void)unlinkat(srv.root, &SOCKET[1], 0);
	listen_later(150);
	found_by(ask(NULL, LONG_MS), "PodResources Get", "v1");
	stop();

	test("a socket that is stale or absent is no reason to wait when the checkpoint can tell");
	refuse_connections();
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	ok(took_s < SOON_S);
	has(got.tried, "PodResources Get: gRPC server '" SOCKET "': connect: Connection refused");
	(void)unlinkat(srv.root, &SOCKET[1], 0);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	ok(took_s < SOON_S);

	test("for anything, any device will do");
	checkpoint(UID, "example.com/other");
	ok(ask_pod(&p6, NULL, LONG_MS) == 1);
	eq(ids(), "c1");

	test("a checkpoint without this pod may be old: kubelet is waited for");
	checkpoint(OTHER, VF);
	listen_later(150);
	found_by(ask(UID, LONG_MS), "PodResources Get", "v1");
	stop();

	test("an absent socket is waited for a moment only");
	refuse_connections();
	(void)unlinkat(srv.root, &SOCKET[1], 0);
	checkpoint(UID, "example.com/other");
	expect_error(ask(UID, LONG_MS), ERR_PODRES, "PodResources Get for pod default/p6: gRPC");
	ok(err.sys == ENOENT && took_s < SOON_S);
	has(err.details, "No such file or directory");
	has(err.details, "; kubelet's checkpoint has no device of " VF " for pod " UID);
	expect_error(ask(UID, 50), ERR_PODRES, "PodResources Get for pod default/p6: gRPC");

	test("what is no socket is an error at once, unless the checkpoint can tell");
	(void)close(openat(srv.root, &SOCKET[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	expect_error(ask(UID, LONG_MS), ERR_PODRES, "not a socket");
	ok(err.sys == ENOTSOCK && took_s < SOON_S);
	checkpoint(UID, VF);
	found_by(ask(UID, LONG_MS), "kubelet's checkpoint", "c1");
	stop();

	test("a stale socket is waited for until the deadline, and then asked for later");
	refuse_connections();
	checkpoint(OTHER, VF);
	expect_error(ask(UID, 1500), ERR_TRY_AGAIN, "connect");
	ok(err.sys == ECONNREFUSED);
	has(err.details, "Connection refused (asked ");
	has(err.details, "; kubelet's checkpoint knows no pod of UID " UID);
	stop();
}

/* -- kubelet's rate limit, as it is: 10 at once, 100 a second -- */

static void play_limited(int fd, int nth)
{
	static struct request r;
	static double tokens = 10, last;
	auto_wire struct wire w = { 0 }, body = { 0 };
	double now = now_s();

	tokens += nth > 0 ? (now - last) * 100 : 0;
	last = now;
	if (tokens > 10)
		tokens = 10;
	request_read(fd, &r);
	if (tokens < 1) {
		put_refusal(&w, "8", "rejected by rate limit");
	} else {
		tokens--;
		put_known(&body, "p6", "v1");
		put_answer(&w, body.data, body.len);
	}
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void test_many(void)
{
	enum { ASKING = 40 };
	int told = 0;

	test("40 who ask at once are all told, in spite of kubelet's rate limit");
	server_start(&srv, play_limited, 100000);
	for (int i = 0; i < ASKING; i++)
		if (fork() == 0)
			_exit(ask(NULL, LONG_MS) == 1 ? 0 : 1);
	for (int i = 0; i < ASKING; i++) {
		int status = -1;

		told += wait(&status) > 0 && status == 0;
	}
	ok(told == ASKING);
	stop_endless();
}

/* -- being told to stop -- */

static void interrupt_later(unsigned int ms)
{
	pid_t parent = getpid();

	(void)fflush(stdout);
	if (fork() != 0)
		return;
	(void)usleep(ms * 1000);
	(void)kill(parent, SIGTERM);
	_exit(0);
}

static void test_interrupt(void)
{
	test("a signal ends the wait for an answer, and the wait between two questions");
	start(DOES(GET, HANG));
	checkpoint(UID, VF);
	deadline_catch_signals();
	interrupt_later(100);
	expect_error(ask(UID, LONG_MS), ERR_INTERRUPTED, "");
	ok(took_s < SOON_S);
	stop();
	start_endless(REFUSES(GET, "8", "rejected by rate limit"));
	checkpoint(UID, VF);
	deadline_catch_signals();
	interrupt_later(400);
	expect_error(ask(UID, LONG_MS), ERR_INTERRUPTED, "");
	ok(took_s < SOON_S);
	stop_endless();
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	test_order();
	test_static_pod();
	test_busy();
	test_silent();
	test_pod_unknown();
	test_ambiguous();
	test_broken();
	test_socket();
	test_many();
	test_interrupt();
	allocation_done(&got);
	return tap_end();
}
