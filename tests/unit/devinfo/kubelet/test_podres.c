/* SPDX-License-Identifier: Apache-2.0 */
/* test_podres.c - what a pod has, from recordings, scripted kubelets and a real gRPC server */
#include "tests/unit/podres.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>

#define P6 "\n\002p6\022\007default"	/* the request of Get for default/p6 */

static struct server srv;

static enum podres_answer ask(enum podres_method m, const char *name_space, const char *name)
{
	const struct host h = { .root = srv.root, .set = { .kubelet_socket = SOCKET } };
	const struct pod pod = { .name_space = name_space, .name = name };
	struct deadline d = deadline_in(10000);

	allocation_done(&got);
	err = (struct err){ 0 };
	return podres_ask(&h, m, &pod, &d, &got, &err);
}

/* -- facts -- */

static enum podres_answer ask_facts(const char *facts, const char *name)
{
	const struct pod pod = { .name_space = "default", .name = name };
	json_auto_t *o = json_loads(facts, 0, NULL);
	const struct host h = { .root = -1, .facts = o };
	struct deadline d = deadline_in(0);

	allocation_done(&got);
	err = (struct err){ 0 };
	return podres_ask(&h, PODRES_GET, &pod, &d, &got, &err);
}

static void test_facts(void)
{
#define OF_P "\"pod_namespace\": \"default\", \"pod_name\": \"p\"}"
#define DEVICE(id) "{\"resource\": \"" VF "\", \"id\": \"" id "\", "
	const char *facts = "{\"allocations\": ["
		DEVICE("v10") OF_P "," DEVICE("v2") OF_P ","
		DEVICE("v3") "\"pod_namespace\": \"other\", \"pod_name\": \"p\"},"
		DEVICE("v4") "\"allocatable\": true},"
		"{\"resource\": \"claim default/c\", \"id\": \"0000:01:10.0\","
		" \"driver\": \"d.example\", \"pool\": \"n\", \"claim_device\": \"vf-0\", " OF_P ","
		"{\"resource\": \"claim default/old\", \"id\": \"0000-01-10-2\", " OF_P "]}";

	test("a recorded node is not asked: its facts say what the pod had, in natural order");
	ok(ask_facts(facts, "p") == PODRES_FOUND);
	eq(ids(VF), "v2 v10");
	eq(claimed(0), "default/c d.example n vf-0 -");
	eq(claimed(1), "default/old - - 0000-01-10-2 -");
	ok(got.n_claimed == 2);
	eq(got.source, "PodResources Get");
	ok(ask_facts(facts, "none") == PODRES_FOUND);
	ok(got.n_devices == 0 && got.n_claimed == 0);

	test("of a node that was recorded without kubelet's answer there is none, with the reason");
	ok(ask_facts("{}", "p") == PODRES_FAILED);
	ok(err.code == ERR_PODRES);
	eq(err.msg, "kubelet was not asked when the node was recorded");
	ok(ask_facts("{\"node\": {\"kubelet_error\": \"no socket\"}, \"allocations\": []}", "p") ==
	   PODRES_FAILED);
	eq(err.msg, "no socket");
}

/* -- recordings -- */

static const char *recording;

static void play_recording(int fd, int nth)
{
	(void)nth;
	replay(fd, recording, 0);
}

static enum podres_answer ask_recorded(const char *file, enum podres_method m, const char *name)
{
	enum podres_answer answer;

	recording = file;
	server_start(&srv, play_recording, 1);
	answer = ask(m, "default", name);
	ok(server_stop(&srv) == 0);
	return answer;
}

static void test_recordings(void)
{
	test("a recorded kubelet's Get names the devices of the pod");
	ok(ask_recorded("tests/node/podresources/get.hex", PODRES_GET, "p6") == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 0000:03:02.1");
	eq(got.source, "PodResources Get");
	ok(got.n_devices == 2 && got.n_claimed == 0 && !*got.tried);
	eq(ids("example.com/v"), "");
	ok(allocation_has_resource(&got, VF) && !allocation_has_resource(&got, "example.com/v"));

	test("a pod unknown to a recorded kubelet is told from other errors, and quoted in the "
	     "details only");
	ok(ask_recorded("tests/node/podresources/get-missing.hex", PODRES_GET, "nosuch") ==
	   PODRES_NO_POD);
	ok(err.code == ERR_PODRES && err.sys == 0);
	eq(err.msg, "kubelet does not know pod default/nosuch");
	eq(err.details, "status 2: pod nosuch in namespace default not found");

	test("a recorded List is searched for the pod");
	ok(ask_recorded("tests/node/podresources/list.hex", PODRES_LIST, "p6") == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 0000:03:02.1");
	eq(got.source, "PodResources List");
	ok(ask_recorded("tests/node/podresources/list.hex", PODRES_LIST, "p5") == PODRES_FOUND);
	ok(got.n_devices == 0);
	ok(ask_recorded("tests/node/podresources/list.hex", PODRES_LIST, "p") == PODRES_NO_POD);
	eq(err.msg, "kubelet does not know pod default/p");
}

/* -- a recording of which there is only the JSON -- */

static int field_number(const char *name)
{
	static const char *const names[][5] = {
		{ "pod_resources", "name", "nodes", "cdi_devices", "resource_name" },
		{ "namespace", "devices", "device_ids", "claim_name", "driver_name" },
		{ "containers", "topology", "claim_namespace", "pool_name" },
		{ "claim_resources", "device_name" },
		{ "dynamic_resources", "share_id" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t j = 0; j < ARRAY_SIZE(names[i]); j++)
			if (names[i][j] && strcmp(names[i][j], name) == 0)
				return (int)i + 1;
	(void)printf("Bail out! no field %s\n", name);
	exit(1);
}

static void put_json(struct wire *w, json_t *o);

static void put_json_field(struct wire *w, int number, json_t *v)
{
	auto_wire struct wire inner = { 0 };
	json_t *item;
	size_t i;

	if (json_is_string(v)) {
		put_text(w, number, json_string_value(v));
		return;
	}
	if (json_is_object(v)) {
		put_json(&inner, v);
		put_field(w, number, inner.data, inner.len);
		return;
	}
	json_array_foreach(v, i, item)
		put_json_field(w, number, item);
}

static void put_json(struct wire *w, json_t *o)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
		put_json_field(w, field_number(key), v);
}

static void put_json_file(struct wire *w, const char *path)
{
	json_auto_t *doc = json_load_file(path, 0, NULL);

	if (!doc) {
		(void)printf("Bail out! %s\n", path);
		exit(1);
	}
	put_json(w, doc);
}

/* Does a line of the recording have these bytes? */
static bool recorded(const char *file, const struct wire *w)
{
	static char line[8192];
	static unsigned char bytes[4096];
	FILE *f = fopen(file, "re");
	bool found = false;

	while (f && fgets(line, sizeof(line), f)) {
		size_t n = line[0] == '<' ? unhex(line + 2, bytes, sizeof(bytes)) : 0;

		found |= memmem(bytes, n, w->data, w->len) != NULL;
	}
	if (f)
		(void)fclose(f);
	return found;
}

static void test_recorded_claim(void)
{
	const struct pod p8 = { .name_space = "default", .name = "p8" };
	auto_wire struct wire w = { 0 };

	test("what we encode from JSON is what kubelet sent, byte for byte");
	put_json_file(&w, "tests/node/podresources/get.json");
	ok(w.len == 92 && recorded("tests/node/podresources/get.hex", &w));
	wire_done(&w);
	put_json_file(&w, "tests/node/podresources/list.json");
	ok(w.len == 112 && recorded("tests/node/podresources/list.hex", &w));
	wire_done(&w);

	test("D26: a recorded claim is told with driver, pool, device and names of CDI");
	put_json_file(&w, "tests/node/podresources/get-claim.json");
	allocation_done(&got);
	ok(podres_decode(PODRES_GET, w.data, w.len, &p8, &got, &err) == PODRES_FOUND);
	ok(got.n_devices == 0 && got.n_claimed == 1);
	eq(claimed(0), "default/claim1 test-driver.cdi.k8s.io realnode device-00 - "
	   "test-driver.cdi.k8s.io/test=claim-3787e052-a284-4393-b443-5d452160577d-req0,"
	   "test-driver.cdi.k8s.io/metadata=3787e052-a284-4393-b443-5d452160577d_req0");
}

/* -- the scripted kubelet -- */

struct answer {
	const char *status, *message;	/* a refusal, or NULL */
	struct wire body;
};

static struct answer answer;
static const char *want_path, *want_request;

static void play(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 };

	(void)nth;
	request_read(fd, &r);
	expect(strcmp(r.path, want_path) == 0);
	expect(r.len == 5 + strlen(want_request) &&
	       memcmp(r.msg + 5, want_request, strlen(want_request)) == 0);
	if (answer.status)
		put_refusal(&w, answer.status, answer.message);
	else
		put_answer(&w, answer.body.data, answer.body.len);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

/* Ask about default/p6 and forget the answer. */
static enum podres_answer ask_played(enum podres_method m)
{
	static const char *const paths[] = { GET, LIST };
	enum podres_answer r;

	want_path = paths[m];
	want_request = m == PODRES_GET ? P6 : "";
	server_start(&srv, play, 1);
	r = ask(m, "default", "p6");
	ok(server_stop(&srv) == 0);
	wire_done(&answer.body);
	answer = (struct answer){ 0 };
	return r;
}

static void test_methods(void)
{
	auto_wire struct wire a = { 0 };

	test("each method has its path and its request, and is named as the source");
	put_devices(&a, VF, "v1", NULL);
	for (enum podres_method m = PODRES_GET; m <= PODRES_LIST; m++) {
		put_pod(&answer.body, "default", "p6", &a, NULL);
		ok(ask_played(m) == PODRES_FOUND);
		eq(ids(VF), "v1");
		eq(got.source, podres_name(m));
	}

	test("an entry without topology is decoded alike");
	put(&answer.body, "\n\050\n\002p6\022\007default\032\031\n\001c\022\024\n\016example.com/vf"
	    "\022\002v9", 42);
	ok(ask_played(PODRES_LIST) == PODRES_FOUND);
	eq(ids(VF), "v9");
}

static void expect_refusal(enum podres_method m, const char *status, const char *message,
			   enum podres_answer want, const char *msg)
{
	char details[128];

	answer = (struct answer){ .status = status, .message = message };
	ok(ask_played(m) == want);
	ok(err.code == (want == PODRES_AGAIN ? ERR_TRY_AGAIN : ERR_PODRES) && err.sys == 0);
	(void)snprintf(details, sizeof(details), "status %s: %s", status, message);
	expect_words(msg, details);
}

static void test_statuses(void)
{
	test("rate limit and unavailability ask to try again");
	expect_refusal(PODRES_GET, "8", "rejected by rate limit", PODRES_AGAIN,
		       "refused PodResources Get for pod default/p6 with status 8 "
		       "(RESOURCE_EXHAUSTED)");
	expect_refusal(PODRES_LIST, "14", "starting", PODRES_AGAIN,
		       "refused PodResources List for pod default/p6 with status 14 (UNAVAILABLE)");

	test("a method that is unimplemented, or disabled, is not offered");
	expect_refusal(PODRES_GET, "12", "unknown method Get", PODRES_NOT_OFFERED,
		       "status 12 (UNIMPLEMENTED)");
	expect_refusal(PODRES_GET, "2", "PodResources API Get method disabled", PODRES_NOT_OFFERED,
		       "status 2 (UNKNOWN)");
	expect_refusal(PODRES_LIST, "12", "unknown service", PODRES_NOT_OFFERED,
		       "PodResources List");

	test("a pod that is called disabled is not found, and Get is still offered");
	expect_refusal(PODRES_GET, "2", "pod disabled in namespace default not found",
		       PODRES_NO_POD, "kubelet does not know pod default/p6");

	test("status 5 is an unknown pod");
	expect_refusal(PODRES_GET, "5", "gone", PODRES_NO_POD,
		       "kubelet does not know pod default/p6");

	test("other statuses name method, pod, status and message");
	expect_refusal(PODRES_GET, "13", "it broke", PODRES_FAILED,
		       "Get for pod default/p6 with status 13 (INTERNAL)");
	expect_refusal(PODRES_GET, "2", "it broke", PODRES_FAILED, "status 2 (UNKNOWN)");
	expect_refusal(PODRES_LIST, "99", "new", PODRES_FAILED, "status 99 (no known status)");
}

/* -- no answer -- */

static void test_no_answer(void)
{
	char text[300];

	test("an absent socket keeps its errno for callers who know other ways");
	server_listen(&srv, 1);
	(void)unlinkat(srv.root, &SOCKET[1], 0);
	ok(ask(PODRES_GET, "default", "p6") == PODRES_FAILED);
	ok(err.code == ERR_PODRES && err.sys == ENOENT);
	expect_words("gRPC server '" SOCKET "'", "No such file");

	test("a pod name longer than Kubernetes allows is refused before anything is sent");
	memset(text, 'n', sizeof(text));
	text[254] = '\0';
	for (enum podres_method m = PODRES_GET; m <= PODRES_LIST; m++) {
		ok(ask(m, "default", text) == PODRES_FAILED);
		ok(err.code == ERR_PODRES && err.sys == EINVAL);
		ok(ask(m, text, "p6") == PODRES_FAILED);
		ok(err.code == ERR_PODRES && err.sys == EINVAL);
	}
	text[253] = '\0';
	ok(ask(PODRES_GET, text, text) == PODRES_FAILED && err.sys == ENOENT);
	(void)server_stop(&srv);
}

/* -- a large node -- */

#define LARGE_PODS 20000

/* Two containers with three devices each, 6.5 MB in all; the pod we look for is the last. */
static void play_large(int fd, int nth)
{
	static struct request r;
	auto_wire struct wire w = { 0 }, body = { 0 };

	(void)nth;
	for (int i = 0; i < LARGE_PODS; i++) {
		auto_wire struct wire first = { 0 }, second = { 0 };
		char name[64], id[32];

		put_text(&first, 1, "the-first-container-of-it");
		put_text(&second, 1, "a-sidecar-next-to-it");
		for (int n = 0; n < 6; n++) {
			(void)snprintf(id, sizeof(id), "%04x:%02x:%02x.%d", i, n, n, n);
			put_devices(n < 3 ? &first : &second, VF, id, NULL);
		}
		(void)snprintf(name, sizeof(name), "deployment-%05d-5d9c7b8f6-abcde", i);
		put_pod(&body, "default", i == LARGE_PODS - 1 ? "p6" : name, &first,
			&second);
	}
	expect(body.len > 6400000 && body.len < 6600000);
	request_read(fd, &r);
	put_answer(&w, body.data, body.len);
	wire_send(fd, &w, 0);
	wait_for_close(fd);
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { LARGE_MAX_KB = 1024 * 1024 };	/* it keeps what is freed for a while */
#else
enum { LARGE_MAX_KB = 32 * 1024 };
#endif

static void test_large(void)
{
	struct rusage usage;
	int status = -1;
	pid_t pid;

	test("a List of 20,000 pods is read in less than 32 MiB");
	server_start(&srv, play_large, 1);
	pid = fork();
	if (pid == 0)
		_exit(ask(PODRES_LIST, "default", "p6") == PODRES_FOUND && got.n_devices == 6 ? 0 :
												1);
	ok(wait4(pid, &status, 0, &usage) == pid && status == 0);
	ok(usage.ru_maxrss < LARGE_MAX_KB);
	(void)printf("# | List of %d pods | %ld kB RSS |\n", LARGE_PODS, usage.ru_maxrss);
	ok(server_stop(&srv) == 0);
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
	ok(ask(PODRES_GET, "default", "p6") == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 0000:03:02.1");
	ok(ask(PODRES_GET, "default", "p5") == PODRES_FOUND);
	ok(got.n_devices == 0);
	ok(ask(PODRES_GET, "kube-system", "p6") == PODRES_NO_POD);
	expect_words("kubelet does not know pod kube-system/p6",
		     "pod p6 in namespace kube-system not found");
	test("it answers List");
	ok(ask(PODRES_LIST, "default", "p6") == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 0000:03:02.1");
	kubelet_stop(pid);

	test("what it has not is not offered");
	pid = kubelet_start("no-methods");
	ok(ask(PODRES_LIST, "default", "p6") == PODRES_NOT_OFFERED);
	kubelet_stop(pid);

	test("nor is Get by one without it, or with it disabled");
	pid = kubelet_start("get-unimplemented");
	ok(ask(PODRES_GET, "default", "p6") == PODRES_NOT_OFFERED);
	kubelet_stop(pid);
	pid = kubelet_start("get-disabled");
	ok(ask(PODRES_GET, "default", "p6") == PODRES_NOT_OFFERED);
	kubelet_stop(pid);

	test("its answer of more than 16 MiB is refused");
	pid = kubelet_start("big");
	ok(ask(PODRES_GET, "default", "p6") == PODRES_FAILED);
	ok(err.code == ERR_PODRES && err.sys == EMSGSIZE);
	kubelet_stop(pid);

	test("its rate limit asks to try again");
	pid = kubelet_start("busy");
	ok(ask(PODRES_GET, "default", "p6") == PODRES_AGAIN);
	ok(err.code == ERR_TRY_AGAIN);
	kubelet_stop(pid);
}

int main(void)
{
	test_facts();
	test_recordings();
	test_recorded_claim();
	test_methods();
	test_statuses();
	test_no_answer();
	test_large();
	test_real_server();
	allocation_done(&got);
	return tap_end();
}
