/* SPDX-License-Identifier: Apache-2.0 */
/* test_podres.c - what a pod has, from recordings, scripted kubelets and a real gRPC server */
#include "base/mem.h"
#include "devinfo/podres.h"
#include "tests/unit/allocation.h"
#include "tests/unit/podres_message.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>

#define VF "example.com/vf"
#define P6 "\n\002p6\022\007default"	/* the request of Get for default/p6 */

static struct server srv;
static struct allocation got;
static struct err err;

static enum podres_answer ask(enum podres_method m, const char *name_space, const char *name)
{
	const struct host h = { .root = srv.root, .set = { .kubelet_socket = SOCKET } };
	const struct pod pod = { .name_space = name_space, .name = name };
	struct deadline d = deadline_in(10000);

	allocation_done(&got);
	err = (struct err){ 0 };
	return podres_ask(&h, m, &pod, &d, &got, &err);
}

/* The body of an answer about default/p6, without a socket; it is empty afterwards. */
static enum podres_answer decode(enum podres_method m, struct wire *body)
{
	const struct pod pod = { .name_space = "default", .name = "p6" };
	enum podres_answer answer;

	allocation_done(&got);
	err = (struct err){ 0 };
	answer = podres_decode(m, body->data, body->len, &pod, &got, &err);
	wire_done(body);
	return answer;
}

static const char *ids(const char *resource)
{
	return allocation_ids(&got, resource);
}

/* A claimed device as "namespace/claim driver pool device share cdi,cdi", "-" for "". */
static const char *claimed(size_t i)
{
	static char text[2048];
	const struct claimed_device *c = &got.claimed[i];
	const char *const parts[] = { c->driver, c->pool, c->device, c->share };
	size_t used;

	if (i >= got.n_claimed)
		return "none";
	used = (size_t)snprintf(text, sizeof(text), "%s/%s", c->name_space, c->claim);
	for (size_t n = 0; n < ARRAY_SIZE(parts); n++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s",
					 *parts[n] ? parts[n] : "-");
	for (size_t n = 0; n < c->n_cdi; n++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%c%s", n ? ',' : ' ',
					 c->cdi[n]);
	return text;
}

/* It says so, in one line, and has left nothing in *ret. */
static void expect_words(const char *msg, const char *details)
{
	ok(strstr(err.msg, msg));
	ok(strstr(err.details, details));
	if (!strstr(err.msg, msg) || !strstr(err.details, details))
		(void)printf("#  code %d msg '%s' details '%s'\n", err.code, err.msg, err.details);
	ok(!strchr(err.msg, '\n') && !strstr(err.msg, "not found"));
	ok(got.n_devices == 0 && !got.devices && got.n_claimed == 0 && !got.claimed);
}

static void expect_refused(enum podres_method m, struct wire *body, int sys, const char *msg)
{
	ok(decode(m, body) == PODRES_FAILED);
	ok(err.code == ERR_PODRES && err.sys == sys);
	expect_words(msg, "");
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

	test("a recorded claim is told with driver, pool, device and names of CDI");
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
	static const char *const paths[] = { GET, LIST, LIST_V1ALPHA1 };
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
	for (enum podres_method m = PODRES_GET; m <= PODRES_LIST_V1ALPHA1; m++) {
		put_pod(&answer.body, "default", "p6", &a, NULL);
		ok(ask_played(m) == PODRES_FOUND);
		eq(ids(VF), "v1");
		eq(got.source, podres_name(m));
	}
	eq(podres_name(PODRES_LIST_V1ALPHA1), "PodResources v1alpha1 List");

	test("v1alpha1, which has one device an entry and no topology, is decoded alike");
	put(&answer.body, "\n\050\n\002p6\022\007default\032\031\n\001c\022\024\n\016example.com/vf"
	    "\022\002v9", 42);
	ok(ask_played(PODRES_LIST_V1ALPHA1) == PODRES_FOUND);
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
	expect_refusal(PODRES_LIST_V1ALPHA1, "12", "unknown service", PODRES_NOT_OFFERED,
		       "PodResources v1alpha1 List");

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

/* -- which ids, and their order -- */

static void test_order(void)
{
	auto_wire struct wire a = { 0 }, b = { 0 }, w = { 0 };

	test("ids are sorted in each container, containers keep their order, no id comes twice");
	put_text(&a, 1, "second-by-name");
	put_devices(&a, VF, "0000:03:10.1", NULL);
	put_devices(&a, "example.com/other", "0000:04:00.0", "0000:03:10.1", NULL);
	put_devices(&a, VF, "0000:03:1a.0", "0000:03:02.7", "0000:03:10.1", NULL);
	put_devices(&a, VF, "10000:03:02.7", NULL);
	put_text(&b, 1, "first-by-name");
	put_devices(&b, VF, "0000:02:00.0", "0000:03:02.7", NULL);
	put_pod(&w, "default", "p6", &a, &b);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.7 0000:03:10.1 0000:03:1a.0 10000:03:02.7 0000:02:00.0");

	test("an id of two resources is a device of each");
	eq(ids("example.com/other"), "0000:03:10.1 0000:04:00.0");
	ok(got.n_devices == 7);

	test("a device of two NUMA nodes, told once for each, is there once");
	wire_done(&a);
	for (int node = 0; node < 2; node++)
		put_devices(&a, VF, "A", "B", NULL);
	put_pod(&w, "default", "p6", &a, NULL);
	ok(decode(PODRES_LIST, &w) == PODRES_FOUND);
	eq(ids(VF), "A B");

	test("ids that are no PCI addresses come in natural order, after those that are");
	wire_done(&a);
	put_devices(&a, VF, "port10", "port9", "port1", "0000:03:02.0", "vdpa:vdpa2", "2", "10",
		    NULL);
	put_pod(&w, "default", "p6", &a, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 2 10 port1 port9 port10 vdpa:vdpa2");

	test("a pod without containers has no device");
	put_pod(&w, "default", "p6", NULL, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_devices == 0 && got.n_claimed == 0);
}

/* -- which pod -- */

static void test_pods(void)
{
	auto_wire struct wire right = { 0 }, wrong = { 0 }, w = { 0 };

	put_devices(&right, VF, "0000:03:02.5", NULL);
	put_devices(&wrong, VF, "0000:03:02.6", NULL);

	test("in a List namespace and name choose the pod");
	put_pod(&w, "other", "p6", &wrong, NULL);
	put_pod(&w, "default", "p66", &wrong, NULL);
	put_pod(&w, "default", "p6", &right, NULL);
	put_pod(&w, "default", "p", &wrong, NULL);
	put_field(&w, 1, "", 0);
	ok(decode(PODRES_LIST, &w) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.5");

	test("a pod that is missing in List is not known");
	put_pod(&w, "other", "p6", &wrong, NULL);
	ok(decode(PODRES_LIST, &w) == PODRES_NO_POD);
	expect_words("kubelet does not know pod default/p6", "");
	ok(decode(PODRES_LIST_V1ALPHA1, &w) == PODRES_NO_POD);	/* an empty answer */

	test("two pods of the name are ambiguous, whichever has devices: one has terminated");
	for (int devices = 0; devices < 4; devices++) {
		put_pod(&w, "default", "p6", devices & 1 ? &wrong : NULL, NULL);
		put_pod(&w, "other", "p6", NULL, NULL);
		put_pod(&w, "default", "p6", devices & 2 ? &right : NULL, NULL);
		ok(decode(PODRES_LIST, &w) == PODRES_AMBIGUOUS);
		expect_words("two pods default/p6", "");
	}

	test("a static pod goes by the name it has with its node");
	put_pod(&w, "kube-system", "cni-node1", &wrong, NULL);
	put_pod(&w, "default", "p6", NULL, NULL);
	put_pod(&w, "default", "p6-node1", &wrong, NULL);
	ok(decode(PODRES_LIST, &w) == PODRES_FOUND);
	ok(got.n_devices == 0);

	test("an answer to Get about another pod, about none or about two is refused");
	put_pod(&w, "default", "p7", NULL, NULL);
	expect_refused(PODRES_GET, &w, EPROTO, "is not about pod default/p6");
	put_pod(&w, "", "", NULL, NULL);
	expect_refused(PODRES_GET, &w, EPROTO, "is not about pod default/p6");
	expect_refused(PODRES_GET, &w, EPROTO, "is not about pod default/p6");	/* empty */
	put_pod(&w, "default", "p6", &right, NULL);
	put_pod(&w, "default", "p7", &wrong, NULL);
	expect_refused(PODRES_GET, &w, EPROTO, "is not about pod default/p6");
}

/* -- claims -- */

/* A ClaimResource; what is NULL is not there. */
static void put_claimed(struct wire *claim, const char *driver, const char *pool,
			const char *device, const char *share, const char *cdi)
{
	const char *const text[] = { driver, pool, device, share };
	auto_wire struct wire w = { 0 }, name = { 0 };

	if (cdi) {
		put_text(&name, 1, cdi);
		put_field(&w, 1, name.data, name.len);
	}
	for (int i = 0; i < 4; i++)
		if (text[i])
			put_text(&w, i + 2, text[i]);
	put_field(claim, 4, w.data, w.len);
}

/* A DynamicResource with what put_claimed() made, to a container. */
static void put_claim(struct wire *container, const char *name, struct wire *claimed)
{
	auto_wire struct wire w = { 0 };

	put_text(&w, 1, "class.example.com");	/* until 1.30 */
	put_text(&w, 2, name);
	put_text(&w, 3, "default");
	put(&w, claimed->data, claimed->len);
	put_field(container, 5, w.data, w.len);
	wire_done(claimed);
}

static void test_claims(void)
{
	auto_wire struct wire a = { 0 }, b = { 0 }, c = { 0 }, w = { 0 };

	test("claims of each generation: names of CDI only, then driver, pool and device, then "
	     "share ids");
	put_claimed(&c, NULL, NULL, NULL, NULL, "vendor.com/nic=one");
	put_claimed(&c, NULL, NULL, NULL, NULL, "vendor.com/nic=two");
	put_claim(&a, "old", &c);
	put_claimed(&c, "nic.vendor.com", "node1", "0000-03-02-1", NULL, "vendor.com/nic=3");
	put_claim(&a, "newer", &c);
	put_claimed(&c, "nic.vendor.com", "node1/rack.example.com", "nic0", "a1b2", NULL);
	put_claimed(&c, "nic.vendor.com", "node1/rack.example.com", "nic0", "c3d4", NULL);
	put_claim(&a, "newest", &c);
	put_devices(&a, VF, "v1", NULL);
	put_pod(&w, "default", "p6", &a, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_claimed == 5);
	eq(claimed(0), "default/old - - - - vendor.com/nic=one");
	eq(claimed(1), "default/old - - - - vendor.com/nic=two");
	eq(claimed(2), "default/newer nic.vendor.com node1 0000-03-02-1 - vendor.com/nic=3");
	eq(claimed(3), "default/newest nic.vendor.com node1/rack.example.com nic0 a1b2");
	eq(claimed(4), "default/newest nic.vendor.com node1/rack.example.com nic0 c3d4");
	eq(ids(VF), "v1");

	test("claims without a device, and devices of which nothing is said, are skipped");
	wire_done(&a);
	put_claim(&a, "empty", &c);
	put_claimed(&c, NULL, NULL, NULL, NULL, NULL);
	put_claimed(&c, "nic.vendor.com", "node1", NULL, NULL, NULL);
	put_claim(&a, "silent", &c);
	put_pod(&w, "default", "p6", &a, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_claimed == 0);

	test("a claim that two containers share is told once");
	wire_done(&a);
	put_claimed(&c, "nic.vendor.com", "node1", "nic0", NULL, "vendor.com/nic=3");
	put_claim(&a, "shared", &c);
	put_claimed(&c, NULL, NULL, NULL, NULL, "vendor.com/nic=4");
	put_claim(&a, "shared", &c);
	put(&b, a.data, a.len);
	put_pod(&w, "default", "p6", &a, &b);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_claimed == 2);

	test("claimed devices with a name that is none are left out, those next to them stay");
	wire_done(&a);
	put_claimed(&c, "../../etc", "node1", "nic0", NULL, NULL);
	put_claimed(&c, "nic.vendor.com", "node1/../x", "nic0", NULL, NULL);
	put_claimed(&c, "nic.vendor.com", "/node1", "nic0", NULL, NULL);
	put_claimed(&c, "nic.vendor.com", "node1", "nic/0", NULL, NULL);
	put_claimed(&c, "nic.vendor.com", "node1", "nic0", "a\nb", NULL);
	put_claimed(&c, "nic.vendor.com", "node1", "right", NULL, NULL);
	put_claim(&a, "c1", &c);
	put_claimed(&c, "nic.vendor.com", "node1", "nic0", NULL, NULL);
	put_claim(&a, "c1/../c2", &c);
	put_claimed(&c, "nic.vendor.com", "node1", "nic0", NULL, NULL);
	put_claim(&a, "", &c);
	put_pod(&w, "default", "p6", &a, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_claimed == 1);
	eq(claimed(0), "default/c1 nic.vendor.com node1 right -");
}

/* A device of a claim with these names of CDI, up to NULL. */
static enum podres_answer decode_cdi(const char *first, ...)
{
	auto_wire struct wire r = { 0 }, claim = { 0 }, container = { 0 }, w = { 0 };
	va_list ap;

	va_start(ap, first);
	for (const char *name = first; name; name = va_arg(ap, const char *)) {
		auto_wire struct wire cdi = { 0 };

		put_text(&cdi, 1, name);
		put_field(&r, 1, cdi.data, cdi.len);
	}
	va_end(ap);
	put_text(&r, 2, "nic.vendor.com");
	put_text(&r, 4, "nic0");
	put_field(&claim, 4, r.data, r.len);
	put_claim(&container, "c1", &claim);
	put_pod(&w, "default", "p6", &container, NULL);
	return decode(PODRES_GET, &w);
}

static void test_cdi(void)
{
	char text[300];

	test("names of CDI that are none are left out");
	ok(decode_cdi("vendor.com/class=a", "vendor.com", "vendor.com/class", "class=a", "/c=a",
		      "v/=a", "v/c=", "v/c=a b", "v/c=../x", "v/c/d=a", "../v/c=a",
		      "v_1/c-2.d=a:b.c_d-e", NULL) == PODRES_FOUND);
	eq(claimed(0), "default/c1 nic.vendor.com - nic0 - vendor.com/class=a,v_1/c-2.d=a:b.c_d-e");

	test("a name of CDI may have 255 bytes");
	memset(text, 'n', sizeof(text));
	memcpy(text, "v/c=", 4);
	text[256] = '\0';
	ok(decode_cdi(text, NULL) == PODRES_FOUND);
	ok(got.n_claimed == 1 && got.claimed[0].n_cdi == 0);
	text[255] = '\0';
	ok(decode_cdi(text, NULL) == PODRES_FOUND);
	ok(got.n_claimed == 1 && got.claimed[0].n_cdi == 1);
}

static void test_many_claims(void)
{
	auto_wire struct wire r = { 0 }, claim = { 0 }, container = { 0 }, w = { 0 };
	char text[64];

	test("more than 32 names of CDI of a device are not kept");
	for (int i = 0; i < 40; i++) {
		auto_wire struct wire cdi = { 0 };

		(void)snprintf(text, sizeof(text), "v/c=%d", i);
		put_text(&cdi, 1, text);
		put_field(&r, 1, cdi.data, cdi.len);
	}
	put_field(&claim, 4, r.data, r.len);
	put_claim(&container, "c1", &claim);
	put_pod(&w, "default", "p6", &container, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_claimed == 1 && got.claimed[0].n_cdi == ALLOCATION_MAX_CDI);

	test("512 devices of claims are the most a pod can have");
	for (int extra = 0; extra < 2; extra++) {
		wire_done(&container);
		for (int i = 0; i < ALLOCATION_MAX_CLAIMED + extra; i++) {
			(void)snprintf(text, sizeof(text), "nic%d", i);
			put_claimed(&claim, "nic.vendor.com", "node1", text, NULL, NULL);
		}
		put_claim(&container, "c1", &claim);
		put_pod(&w, "default", "p6", &container, NULL);
		if (extra) {
			expect_refused(PODRES_GET, &w, E2BIG, "more than 512 claimed devices");
			continue;
		}
		ok(decode(PODRES_GET, &w) == PODRES_FOUND);
		ok(got.n_claimed == ALLOCATION_MAX_CLAIMED);
	}
}

/* -- hostile answers -- */

/* A pod with this id, and one that is right, of VF. */
static enum podres_answer decode_id(const void *id, size_t len)
{
	auto_wire struct wire dev = { 0 }, container = { 0 }, w = { 0 };

	put_text(&dev, 1, VF);
	put_field(&dev, 2, id, len);
	put_text(&dev, 2, "0000:03:02.0");
	put_field(&container, 2, dev.data, dev.len);
	put_pod(&w, "default", "p6", &container, NULL);
	return decode(PODRES_GET, &w);
}

static void test_ids(void)
{
	static const char nul[] = "0000:03:02.1\0/../x";
	char text[300];

	test("an id that could not be a file name part is left out, and hides no other");
	ok(decode_id("../../etc/passwd", 16) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0");
	ok(decode_id("/etc/passwd", 11) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0");
	ok(decode_id("", 0) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0");
	ok(decode_id("a\nb\033c", 5) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0");

	test("a NUL does not hide the end of an id");
	ok(decode_id(nul, sizeof(nul) - 1) == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0");

	test("an id of 253 bytes is fine, longer ones are not cut to it");
	memset(text, 'a', sizeof(text));
	for (size_t len = 254; len <= sizeof(text); len++)
		if (decode_id(text, len) != PODRES_FOUND || got.n_devices != 1)
			break;
	eq(ids(VF), "0000:03:02.0");
	ok(decode_id(text, 253) == PODRES_FOUND);
	ok(got.n_devices == 2 && strlen(got.devices[1].id) == 253);
}

static void test_resources(void)
{
	auto_wire struct wire container = { 0 }, w = { 0 };

	test("a resource with a name that is none is left out, whatever it has");
	put_devices(&container, "example.com/v/f", "x", NULL);
	put_devices(&container, "../vf", "y", NULL);
	put_devices(&container, "", "z", NULL);
	put_devices(&container, VF, "v1", NULL);
	put_pod(&w, "default", "p6", &container, NULL);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_devices == 1);
	eq(ids(VF), "v1");
}

static void put_ids(struct wire *pod, int n, int different)
{
	auto_wire struct wire dev = { 0 }, container = { 0 };
	char text[16];

	put_text(&dev, 1, VF);
	for (int i = 0; i < n; i++) {
		(void)snprintf(text, sizeof(text), "dev%d", i % different);
		put_text(&dev, 2, text);
	}
	put_field(&container, 2, dev.data, dev.len);
	put_pod(pod, "default", "p6", &container, NULL);
}

static void test_limits(void)
{
	auto_wire struct wire bomb = { 0 }, w = { 0 };

	test("4096 devices are the most a pod can have");
	put_ids(&w, ALLOCATION_MAX_DEVICES, ALLOCATION_MAX_DEVICES);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_devices == ALLOCATION_MAX_DEVICES);
	eq(got.devices[10].id, "dev10");
	put_ids(&w, ALLOCATION_MAX_DEVICES + 1, ALLOCATION_MAX_DEVICES + 1);
	expect_refused(PODRES_GET, &w, E2BIG, "more than 4096 devices");

	test("the same few devices are not looked at without end");
	put_ids(&w, ALLOCATION_MAX_TOLD, 8);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	ok(got.n_devices == 8);
	put_ids(&w, ALLOCATION_MAX_TOLD + 1, 8);
	expect_refused(PODRES_GET, &w, E2BIG, "more than 65536 times");

	test("a message of 2 MiB that decodes to more than 64 MiB is refused");
	for (int i = 0; i < 1024 * 1024; i++)
		put(&bomb, "\032\0", 2);	/* empty containers */
	put_field(&w, 1, bomb.data, bomb.len);
	expect_refused(PODRES_GET, &w, ENOMEM, "needs more than 67108864 bytes when decoded");
	wire_done(&bomb);
	for (int i = 0; i < 2 * 1024 * 1024; i++)
		put(&w, "\n\0", 2);		/* empty pods */
	expect_refused(PODRES_LIST, &w, ENOMEM, "needs more than 67108864 bytes when decoded");
}

static void test_decoding(void)
{
	auto_wire struct wire full = { 0 }, container = { 0 }, w = { 0 };
	size_t found = 0;

	test("a message that is cut anywhere is refused, or another one, but never read beyond");
	put_text(&container, 1, "c");
	put_devices(&container, VF, "v1", NULL);
	put_pod(&full, "default", "p6", &container, NULL);
	for (size_t len = 0; len < full.len; len++) {
		put(&w, full.data, len);
		found += decode(PODRES_GET, &w) != PODRES_FAILED;
	}
	ok(found == 0);
	put(&w, full.data, full.len - 3);
	expect_refused(PODRES_GET, &w, EPROTO, "does not decode");
	put(&w, "\n\377\377", 3);
	expect_refused(PODRES_LIST, &w, EPROTO,
		      "answer to PodResources List does not decode (3 bytes)");

	test("so is one that is cut inside a pod, or inside a pod that is not ours");
	put_field(&w, 1, full.data + 2, full.len - 5);
	expect_refused(PODRES_GET, &w, EPROTO, "does not decode");
	put(&w, full.data, full.len);
	put_field(&w, 1, "\n\011x", 3);
	expect_refused(PODRES_LIST, &w, EPROTO, "does not decode");

	test("a field of another wire type than ours is refused");
	put_field(&w, 1, "\010\001", 2);	/* name as a number */
	expect_refused(PODRES_LIST, &w, EPROTO, "does not decode");
}

static void test_skew(void)
{
	auto_wire struct wire dev = { 0 }, container = { 0 }, pod = { 0 }, w = { 0 };

	test("fields we do not read are skipped: packed or not, of all wire types, at any level");
	put_text(&dev, 1, VF);
	put_text(&dev, 2, "v1");
	/* topology: node -1 */
	put(&dev, "\032\015\n\013\010\377\377\377\377\377\377\377\377\377\001", 15);
	put_field(&container, 2, dev.data, dev.len);
	put_field(&container, 3, "\001\002\200\001", 4);	/* cpu_ids, packed */
	put(&container, "\030\003\030\200\001", 5);		/* and not */
	put_field(&container, 4, "\n\006memory\020\200\200\001", 12);
	put_text(&pod, 1, "p6");
	put_text(&pod, 2, "default");
	put_field(&pod, 3, container.data, container.len);
	put_field(&pod, 4, "\001\002", 2);			/* cpu_ids of the pod, newer */
	put(&pod, "\040\003", 2);
	put(&pod, "\0559876", 5);				/* field 5 as 32 bits */
	put(&pod, "\06112345678", 9);				/* field 6 as 64 bits */
	put_field(&w, 1, pod.data, pod.len);
	put(&w, "\250\001\001", 3);				/* field 21 of the answer */
	put_field(&w, 2, "newer", 5);
	ok(decode(PODRES_GET, &w) == PODRES_FOUND);
	eq(ids(VF), "v1");

	test("fields may come in any order");
	wire_done(&dev);
	wire_done(&container);
	wire_done(&pod);
	put_text(&dev, 2, "v7");
	put_text(&dev, 1, VF);
	put_field(&container, 2, dev.data, dev.len);
	put_text(&container, 1, "c");
	put_field(&pod, 3, container.data, container.len);
	put_text(&pod, 2, "default");
	put_text(&pod, 1, "p6");
	put_field(&w, 1, pod.data, pod.len);
	ok(decode(PODRES_LIST, &w) == PODRES_FOUND);
	eq(ids(VF), "v7");
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
	for (enum podres_method m = PODRES_GET; m <= PODRES_LIST_V1ALPHA1; m++) {
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
	test("it answers List, of either version");
	ok(ask(PODRES_LIST, "default", "p6") == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 0000:03:02.1");
	ok(ask(PODRES_LIST_V1ALPHA1, "default", "p6") == PODRES_FOUND);
	eq(ids(VF), "0000:03:02.0 0000:03:02.1");
	kubelet_stop(pid);

	test("what it has not is not offered");
	pid = kubelet_start("v1alpha1");
	ok(ask(PODRES_LIST, "default", "p6") == PODRES_NOT_OFFERED);
	kubelet_stop(pid);
	pid = kubelet_start("no-methods");
	ok(ask(PODRES_LIST_V1ALPHA1, "default", "p6") == PODRES_NOT_OFFERED);
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
	test_recordings();
	test_recorded_claim();
	test_methods();
	test_statuses();
	test_order();
	test_pods();
	test_claims();
	test_cdi();
	test_many_claims();
	test_ids();
	test_resources();
	test_limits();
	test_decoding();
	test_skew();
	test_no_answer();
	test_large();
	test_real_server();
	allocation_done(&got);
	return tap_end();
}
