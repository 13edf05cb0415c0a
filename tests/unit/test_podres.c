/* SPDX-License-Identifier: Apache-2.0 */
/* test_podres.c - the devices of a pod, from scripted kubelets and from a real gRPC server */
#include "devinfo/podres.h"
#include "tests/unit/grpc_server.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>

#define VF "example.com/vf"
#define GET "/v1.PodResourcesLister/Get"
#define LIST "/v1.PodResourcesLister/List"

static struct server srv;
static struct podres_devices devs;
static struct err err;

static int ask(const char *name_space, const char *name, const char *resource)
{
	const struct host h = { .root = srv.root, .set = { .kubelet_socket = SOCKET } };
	const struct podres_pod pod = { name_space, name };
	struct deadline d = deadline_in(10000);

	podres_devices_done(&devs);
	err = (struct err){ 0 };
	return podres_devices(&h, &pod, resource, &d, &devs, &err);
}

/* The ids in their order, with blanks between. */
static const char *ids(void)
{
	static char text[1024];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < devs.count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 devs.ids[i]);
	return text;
}

/* -- messages -- */

static void put_field(struct wire *w, int number, const void *data, size_t len)
{
	unsigned char head[6] = { (unsigned char)(number << 3 | 2) };
	size_t n = 1;

	for (size_t rest = len; n == 1 || rest > 0; rest >>= 7)
		head[n++] = (unsigned char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
	put(w, head, n);
	put(w, data, len);
}

static void put_text(struct wire *w, int number, const char *text)
{
	put_field(w, number, text, strlen(text));
}

/* One ContainerDevices with these ids (up to NULL), and a topology that nobody reads. */
static void put_devices(struct wire *container, const char *resource, ...)
{
	auto_wire struct wire w = { 0 };
	va_list ap;

	put_text(&w, 1, resource);
	va_start(ap, resource);
	for (const char *id; (id = va_arg(ap, const char *));)
		put_text(&w, 2, id);
	va_end(ap);
	put_field(&w, 3, "\012\0", 2);
	put_field(container, 2, w.data, w.len);
}

/* A PodResources with up to two containers, as field 1 of an answer; newer fields are there too. */
static void put_pod(struct wire *answer, const char *name_space, const char *name,
		    const struct wire *first, const struct wire *second)
{
	auto_wire struct wire w = { 0 };

	put_text(&w, 1, name);
	put_text(&w, 2, name_space);
	if (first)
		put_field(&w, 3, first->data, first->len);
	if (second)
		put_field(&w, 3, second->data, second->len);
	put_field(&w, 4, "\001\002", 2);
	put_field(&w, 77, "newer", 5);
	put_field(answer, 1, w.data, w.len);
}

/* -- the scripted kubelet: what it answers to Get and to List -- */

struct answer {
	const char *status, *message;	/* a refusal, or NULL */
	struct wire body;
};

static struct answer get, list;
static const char *want_pod;		/* the request of Get, or NULL */

static void play(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };
	const struct answer *a;

	request_read(fd, &r);
	expect(strcmp(r.path, nth == 0 ? GET : LIST) == 0);
	a = nth == 0 ? &get : &list;
	if (nth == 0 && want_pod)
		expect(r.len == 5 + strlen(want_pod) &&
		       memcmp(r.msg + 5, want_pod, strlen(want_pod)) == 0);
	if (nth == 1)
		expect(r.len == 5);
	if (a->status)
		put_refusal(&w, a->status, a->message);
	else
		put_answer(&w, a->body.data, a->body.len);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

/* Ask about default/p6 and forget the answers. */
static int ask_played(int calls)
{
	int rc;

	server_start(&srv, play, calls);
	rc = ask("default", "p6", VF);
	ok(server_stop(&srv) == 0);
	wire_done(&get.body);
	wire_done(&list.body);
	get = list = (struct answer){ 0 };
	return rc;
}

static void expect_error(int calls, enum err_code code, const char *msg, const char *details)
{
	ok(ask_played(calls) == -1);
	ok(err.code == code);
	ok(strstr(err.msg, msg));
	ok(strstr(err.details, details));
	if (err.code != code || !strstr(err.msg, msg) || !strstr(err.details, details))
		(void)printf("#  code %d msg '%s' details '%s'\n", err.code, err.msg, err.details);
	ok(!strstr(err.msg, "not found"));
	ok(devs.count == 0 && !devs.ids);
}

/* -- recordings -- */

static void play_recorded_get(int fd, int nth)
{
	(void)nth;
	replay(fd, "tests/node/podresources/get.hex", 0);
}

static void play_recorded_miss(int fd, int nth)
{
	(void)nth;
	replay(fd, "tests/node/podresources/get-missing.hex", 0);
}

static void play_recorded_list(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };

	if (nth == 1) {
		replay(fd, "tests/node/podresources/list.hex", 0);
		return;
	}
	request_read(fd, &r);
	put_refusal(&w, "2", "PodResources API Get method disabled");
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

static void test_recordings(void)
{
	test("a recorded kubelet's Get names the devices of the pod");
	server_start(&srv, play_recorded_get, 1);
	ok(ask("default", "p6", VF) == 1);
	eq(ids(), "0000:03:02.0 0000:03:02.1");
	eq(devs.source, "PodResources Get");
	ok(server_stop(&srv) == 0);

	test("a resource the pod has not asked for gives no device and no error");
	server_start(&srv, play_recorded_get, 1);
	ok(ask("default", "p6", "example.com/v") == 0);
	ok(devs.count == 0);
	eq(devs.source, "PodResources Get");
	ok(server_stop(&srv) == 0);

	test("a pod unknown to a recorded kubelet is an error that quotes it in the details only");
	server_start(&srv, play_recorded_miss, 1);
	ok(ask("default", "nosuch", VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == 0);
	eq(err.msg, "kubelet does not know pod default/nosuch");
	ok(strstr(err.details, "pod nosuch in namespace default not found"));
	ok(server_stop(&srv) == 0);

	test("a recorded List is searched for the pod when Get is disabled");
	server_start(&srv, play_recorded_list, 2);
	ok(ask("default", "p6", VF) == 1);
	eq(ids(), "0000:03:02.0 0000:03:02.1");
	eq(devs.source, "PodResources List");
	ok(server_stop(&srv) == 0);
	server_start(&srv, play_recorded_list, 2);
	ok(ask("default", "p5", VF) == 0);
	ok(server_stop(&srv) == 0);
}

/* -- which ids, and their order -- */

static void test_order(void)
{
	auto_wire struct wire a = { 0 }, b = { 0 };

	test("ids are sorted in each container, containers keep their order, no id comes twice");
	put_text(&a, 1, "second-by-name");
	put_devices(&a, VF, "0000:03:10.1", NULL);
	put_devices(&a, "example.com/other", "0000:04:00.0", NULL);
	put_devices(&a, VF, "0000:03:1a.0", "0000:03:02.7", "0000:03:10.1", NULL);
	put_devices(&a, VF, "10000:03:02.7", NULL);
	put_text(&b, 1, "first-by-name");
	put_devices(&b, VF, "0000:02:00.0", "0000:03:02.7", NULL);
	put_pod(&get.body, "default", "p6", &a, &b);
	want_pod = "\n\002p6\022\007default";
	ok(ask_played(1) == 1);
	want_pod = NULL;
	eq(ids(), "0000:03:02.7 0000:03:10.1 0000:03:1a.0 10000:03:02.7 0000:02:00.0");

	test("ids that are no PCI addresses come in natural order, after those that are");
	wire_done(&a);
	put_devices(&a, VF, "port10", "port9", "port1", "0000:03:02.0", "vdpa:vdpa2", NULL);
	put_pod(&get.body, "default", "p6", &a, NULL);
	ok(ask_played(1) == 1);
	eq(ids(), "0000:03:02.0 port1 port9 port10 vdpa:vdpa2");

	test("a pod without containers has no device");
	put_pod(&get.body, "default", "p6", NULL, NULL);
	ok(ask_played(1) == 0);
	ok(devs.count == 0);
}

/* -- Get, then List -- */

static void test_fallback(void)
{
	auto_wire struct wire right = { 0 }, wrong = { 0 };

	put_devices(&right, VF, "0000:03:02.5", NULL);
	put_devices(&wrong, VF, "0000:03:02.6", NULL);

	test("List is asked when Get is unimplemented; namespace and name choose the pod");
	get = (struct answer){ .status = "12", .message = "unknown method Get" };
	put_pod(&list.body, "other", "p6", &wrong, NULL);
	put_pod(&list.body, "default", "p66", &wrong, NULL);
	put_pod(&list.body, "default", "p6", &right, NULL);
	put_pod(&list.body, "default", "p", &wrong, NULL);
	ok(ask_played(2) == 1);
	eq(ids(), "0000:03:02.5");
	eq(devs.source, "PodResources List");

	test("a pod that is missing in List is an error");
	get = (struct answer){ .status = "12", .message = "" };
	put_pod(&list.body, "other", "p6", &wrong, NULL);
	expect_error(2, ERR_PODRES, "kubelet does not know pod default/p6", "");

	test("a terminated pod of the same name without devices is no obstacle");
	get = (struct answer){ .status = "12", .message = "" };
	put_pod(&list.body, "default", "p6", NULL, NULL);
	put_pod(&list.body, "default", "p6", &right, NULL);
	ok(ask_played(2) == 1);
	eq(ids(), "0000:03:02.5");

	test("one that still has devices is: no device is better than that of another pod");
	get = (struct answer){ .status = "12", .message = "" };
	put_pod(&list.body, "default", "p6", &wrong, NULL);
	put_pod(&list.body, "default", "p6", &right, NULL);
	expect_error(2, ERR_TRY_AGAIN, "two pods default/p6", "");

	test("an id that is wrong in List is an error as well");
	get = (struct answer){ .status = "12", .message = "" };
	wire_done(&wrong);
	put_devices(&wrong, VF, "/etc/passwd", NULL);
	put_pod(&list.body, "default", "p6", &wrong, NULL);
	expect_error(2, ERR_PODRES, "device '/etc/passwd'", "");

	test("a kubelet with neither is told as such");
	get = (struct answer){ .status = "12", .message = "" };
	list = (struct answer){ .status = "12", .message = "" };
	expect_error(2, ERR_PODRES, "neither Get nor List", "");

	test("a refusal of List is told as one of List");
	get = (struct answer){ .status = "12", .message = "" };
	list = (struct answer){ .status = "7", .message = "no" };
	expect_error(2, ERR_PODRES, "refused PodResources List", "List answered status 7: no");
}

static void test_statuses(void)
{
	test("rate limit and unavailability ask to try again");
	get = (struct answer){ .status = "8", .message = "rejected by rate limit" };
	expect_error(1, ERR_TRY_AGAIN, "Get for pod default/p6 with status 8 (RESOURCE_EXHAUSTED)",
		     "Get answered status 8: rejected by rate limit");
	get = (struct answer){ .status = "14", .message = "starting" };
	expect_error(1, ERR_TRY_AGAIN, "status 14 (UNAVAILABLE)", "starting");

	test("other statuses name method, pod, status and message");
	get = (struct answer){ .status = "13", .message = "it broke" };
	expect_error(1, ERR_PODRES, "Get for pod default/p6 with status 13 (INTERNAL)", "it broke");
	get = (struct answer){ .status = "2", .message = "it broke" };
	expect_error(1, ERR_PODRES, "status 2 (UNKNOWN)", "it broke");
	get = (struct answer){ .status = "99", .message = "new" };
	expect_error(1, ERR_PODRES, "status 99 (no known status)", "new");

	test("status 5 is an unknown pod");
	get = (struct answer){ .status = "5", .message = "gone" };
	expect_error(1, ERR_PODRES, "kubelet does not know pod default/p6", "gone");
}

/* -- hostile answers -- */

static void expect_bad_id(const void *id, size_t len, const char *msg)
{
	auto_wire struct wire dev = { 0 }, container = { 0 };

	put_text(&dev, 1, VF);
	put_text(&dev, 2, "0000:03:02.0");
	put_field(&dev, 2, id, len);
	put_field(&container, 2, dev.data, dev.len);
	put_pod(&get.body, "default", "p6", &container, NULL);
	expect_error(1, ERR_PODRES, msg, "");
}

static void test_ids(void)
{
	auto_wire struct wire dev = { 0 }, container = { 0 };
	char text[300];

	test("an id that could not be a file name part is refused and shown");
	expect_bad_id("../../etc/passwd", 16, "device '../../etc/passwd'");
	expect_bad_id("", 0, "device ''");
	expect_bad_id("a\nb\033c", 5, "device 'a?b?c'");

	test("a NUL does not hide the end of an id");
	expect_bad_id("0000:03:02.1\0/../x", 18, "device '0000:03:02.1?/../x'");

	test("an id of 253 bytes is fine, one of 254 is not");
	memset(text, 'a', sizeof(text));
	expect_bad_id(text, 254, "device 'aaaaaaaa");
	put_text(&dev, 1, VF);
	put_field(&dev, 2, text, 253);
	put_field(&container, 2, dev.data, dev.len);
	put_pod(&get.body, "default", "p6", &container, NULL);
	ok(ask_played(1) == 1);
	ok(devs.count == 1 && strlen(devs.ids[0]) == 253);

	test("4096 ids are the most a pod can have of a resource");
	for (int extra = 0; extra < 2; extra++) {
		wire_done(&dev);
		wire_done(&container);
		put_text(&dev, 1, VF);
		for (int i = 0; i < PODRES_MAX_IDS + extra; i++) {
			(void)snprintf(text, sizeof(text), "dev%d", i);
			put_text(&dev, 2, text);
		}
		put_field(&container, 2, dev.data, dev.len);
		put_pod(&get.body, "default", "p6", &container, NULL);
		if (extra) {
			expect_error(1, ERR_PODRES, "more than 4096 devices", "");
			continue;
		}
		ok(ask_played(1) == 1);
		ok(devs.count == PODRES_MAX_IDS);
		eq(devs.ids[10], "dev10");
	}
}

static void test_decoding(void)
{
	auto_wire struct wire bomb = { 0 };

	test("an answer about another pod is refused");
	put_pod(&get.body, "default", "p7", NULL, NULL);
	expect_error(1, ERR_PODRES, "is not about pod default/p6", "");
	put_pod(&get.body, "", "", NULL, NULL);
	expect_error(1, ERR_PODRES, "is not about pod default/p6", "");
	expect_error(1, ERR_PODRES, "is not about pod default/p6", "");	/* an empty answer */

	test("a message that is cut is refused, of Get and of List");
	put_pod(&get.body, "default", "p6", NULL, NULL);
	get.body.len -= 3;
	expect_error(1, ERR_PODRES, "does not decode", "");
	get = (struct answer){ .status = "12", .message = "" };
	put(&list.body, "\n\377\377", 3);
	expect_error(2, ERR_PODRES, "answer to List (3 bytes) does not decode", "");

	test("a message of 2 MiB that decodes to more than 64 MiB is refused");
	for (int i = 0; i < 1024 * 1024; i++)
		put(&bomb, "\032\0", 2);	/* empty containers */
	put_field(&get.body, 1, bomb.data, bomb.len);
	expect_error(1, ERR_PODRES, "needs more than 67108864 bytes when decoded", "");
}

static void test_no_answer(void)
{
	char text[300];

	test("an absent socket keeps its errno for callers who know other ways");
	server_listen(&srv, 1);
	(void)unlinkat(srv.root, &SOCKET[1], 0);
	ok(ask("default", "p6", VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == ENOENT);
	ok(strstr(err.msg, "PodResources Get for pod default/p6: gRPC server '" SOCKET "'"));

	test("a pod name longer than Kubernetes allows is refused before anything is sent");
	memset(text, 'n', sizeof(text));
	text[254] = '\0';
	ok(ask("default", text, VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == EINVAL);
	ok(ask(text, "p6", VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == EINVAL);
	(void)server_stop(&srv);
}

/* -- a real gRPC server -- */

static pid_t kubelet_start(const char *mode)
{
	char path[128], line[16] = "";
	FILE *ready;
	int out[2];
	pid_t pid;

	server_listen(&srv, 1);		/* for the directory; kubelet.py replaces the socket */
	(void)snprintf(path, sizeof(path), "%s%s", srv.dir, SOCKET);
	if (pipe2(out, O_CLOEXEC) < 0)
		abort();
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)dup2(out[1], STDOUT_FILENO);
		(void)execl("/usr/bin/python3", "python3", "tests/fake/kubelet.py", "--socket",
			    path, "--state", "tests/node/podresources/list.json", "--mode", mode,
			    NULL);
		_exit(127);
	}
	(void)close(out[1]);
	ready = fdopen(out[0], "r");
	ok(ready && fgets(line, sizeof(line), ready));
	eq(line, "ready\n");
	if (ready)
		(void)fclose(ready);
	return pid;
}

static void kubelet_stop(pid_t pid)
{
	int status = -1;

	(void)kill(pid, SIGTERM);
	ok(waitpid(pid, &status, 0) == pid && status == 0);
	(void)server_stop(&srv);
}

static void test_real_server(void)
{
	pid_t pid;

	test("a real gRPC server answers Get");
	pid = kubelet_start("ok");
	ok(ask("default", "p6", VF) == 1);
	eq(ids(), "0000:03:02.0 0000:03:02.1");
	ok(ask("default", "p5", VF) == 0);
	eq(devs.source, "PodResources Get");
	ok(ask("kube-system", "p6", VF) == -1);
	eq(err.msg, "kubelet does not know pod kube-system/p6");
	ok(strstr(err.details, "pod p6 in namespace kube-system not found"));
	kubelet_stop(pid);

	test("one without Get answers List");
	pid = kubelet_start("get-unimplemented");
	ok(ask("default", "p6", VF) == 1);
	eq(ids(), "0000:03:02.0 0000:03:02.1");
	eq(devs.source, "PodResources List");
	kubelet_stop(pid);

	test("so does one that has Get disabled");
	pid = kubelet_start("get-disabled");
	ok(ask("default", "p6", VF) == 1);
	eq(devs.source, "PodResources List");
	kubelet_stop(pid);

	test("its answer of more than 16 MiB is refused");
	pid = kubelet_start("big");
	ok(ask("default", "p6", VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == EMSGSIZE);
	kubelet_stop(pid);

	test("its rate limit asks to try again");
	pid = kubelet_start("rate-limit");
	ok(ask("default", "p6", VF) == -1);
	ok(err.code == ERR_TRY_AGAIN);
	kubelet_stop(pid);

	test("a server that speaks HTTP/1.1 is told as such");
	pid = kubelet_start("garbage");
	ok(ask("default", "p6", VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == EPROTO);
	kubelet_stop(pid);

	test("a server that closes early is told as such");
	pid = kubelet_start("close-early");
	ok(ask("default", "p6", VF) == -1);
	ok(err.code == ERR_PODRES && err.sys == ECONNRESET);
	kubelet_stop(pid);
}

int main(void)
{
	test_recordings();
	test_order();
	test_fallback();
	test_statuses();
	test_ids();
	test_decoding();
	test_no_answer();
	test_real_server();
	podres_devices_done(&devs);
	return tap_end();
}
