/* SPDX-License-Identifier: Apache-2.0 */
/* test_podres_decode.c - which pod, which devices: answers that are old, new, wrong or hostile */
#include "tests/unit/podres.h"

#include <errno.h>

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

static void expect_refused(enum podres_method m, struct wire *body, int sys, const char *msg)
{
	ok(decode(m, body) == PODRES_FAILED);
	ok(err.code == ERR_PODRES && err.sys == sys);
	expect_words(msg, "");
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

	test("C-FND-05: a device of two NUMA nodes, told once for each, is there once");
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
	ok(decode(PODRES_LIST, &w) == PODRES_NO_POD);	/* an empty answer */

	test("two pods of the name are ambiguous, whichever has devices: one has terminated");
	for (int devices = 0; devices < 4; devices++) {
		put_pod(&w, "default", "p6", devices & 1 ? &wrong : NULL, NULL);
		put_pod(&w, "other", "p6", NULL, NULL);
		put_pod(&w, "default", "p6", devices & 2 ? &right : NULL, NULL);
		ok(decode(PODRES_LIST, &w) == PODRES_AMBIGUOUS);
		expect_words("two pods default/p6", "");
	}

	test("C-FND-09: a static pod goes by the name it has with its node");
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

/* -- all devices of all pods -- */

static char told[1024];
static int told_until;

static int tell(const struct podres_device *d, void *arg, struct err *e)
{
	size_t at = strlen(told);

	(void)arg;
	if (d->device)
		(void)snprintf(told + at, sizeof(told) - at, "%s/%s:%s %s=%s\n", d->name_space,
			       d->pod, d->container, d->device->resource, d->device->id);
	else
		(void)snprintf(told + at, sizeof(told) - at, "%s/%s:%s %s/%s %s %s\n",
			       d->name_space, d->pod, d->container, d->claimed->name_space,
			       d->claimed->claim, d->claimed->driver, d->claimed->device);
	return --told_until == 0 ? err_set(e, ERR_PODRES, E2BIG, "enough") : 0;
}

/* The body is empty afterwards. */
static int each(enum podres_method m, struct wire *body)
{
	int r;

	*told = '\0';
	err = (struct err){ 0 };
	r = podres_each_decode(m, body->data, body->len, tell, NULL, &err);
	wire_done(body);
	return r;
}

static void put_allocatable(struct wire *answer, const char *resource, const char *id)
{
	auto_wire struct wire w = { 0 };

	put_text(&w, 1, resource);
	put_text(&w, 2, id);
	put_field(&w, 3, "\012\0", 2);
	put_field(answer, 1, w.data, w.len);
}

static void test_each(void)
{
	auto_wire struct wire a = { 0 }, b = { 0 }, claim = { 0 }, w = { 0 };

	test("every device of every pod is told, with its container");
	put_text(&a, 1, "main");
	put_devices(&a, VF, "0000:03:10.1", "0000:03:02.7", NULL);
	put_devices(&a, VF, "0000:03:10.1", NULL);
	put_text(&claim, 2, "net");
	put_text(&claim, 3, "default");
	put_claimed(&claim, "sriov.example.com", "node", "vf-3", NULL, NULL);
	put_field(&a, 5, claim.data, claim.len);
	put_text(&b, 1, "side");
	put_devices(&b, "example.com/other", "x", NULL);
	put_pod(&w, "default", "p6", &a, &b);
	put_pod(&w, "kube-system", "none", NULL, NULL);
	put_pod(&w, "kube-system", "p7", &b, NULL);
	ok(each(PODRES_LIST, &w) == 0);
	eq(told, "default/p6:main example.com/vf=0000:03:02.7\n"
		 "default/p6:main example.com/vf=0000:03:10.1\n"
		 "default/p6:main default/net sriov.example.com vf-3\n"
		 "default/p6:side example.com/other=x\n"
		 "kube-system/p7:side example.com/other=x\n");

	test("what could be given is nobody's, and told once for each entry");
	put_allocatable(&w, VF, "0000:03:02.7");
	put_allocatable(&w, VF, "0000:03:02.7");
	put_allocatable(&w, "no resource", "x");
	put_allocatable(&w, VF, "../x");
	ok(each(PODRES_ALLOCATABLE, &w) == 0);
	eq(told, "/: example.com/vf=0000:03:02.7\n/: example.com/vf=0000:03:02.7\n");

	test("a pod whose name is none is left out");
	put_pod(&w, "Default", "p6", &b, NULL);
	put_pod(&w, "default", "a/b", &b, NULL);
	ok(each(PODRES_LIST, &w) == 0);
	eq(told, "");

	test("who has had enough ends it, with his error");
	put_pod(&w, "default", "p6", &a, &b);
	told_until = 2;
	ok(each(PODRES_LIST, &w) == -1 && err.sys == E2BIG);
	ok(strstr(told, "0000:03:10.1") && !strstr(told, "side"));
	told_until = 0;

	test("an entry that is torn ends it, too");
	for (enum podres_method m = PODRES_LIST; m <= PODRES_ALLOCATABLE; m++) {
		put_field(&w, 1, "\012\177x", 3);
		ok(each(m, &w) == -1 && err.code == ERR_PODRES && err.sys == EPROTO);
		contains(err.msg, podres_name(m));
	}
	test("so does an answer that is none, and an empty one has no devices");
	put(&w, "\377", 1);
	ok(each(PODRES_ALLOCATABLE, &w) == -1 && err.sys == EPROTO);
	ok(each(PODRES_ALLOCATABLE, &w) == 0 && !*told);
}

int main(void)
{
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
	test_each();
	allocation_done(&got);
	return tap_end();
}
