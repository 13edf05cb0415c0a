/* SPDX-License-Identifier: Apache-2.0 */
/* test_allocate.c - what kubelet asks about devices of a recorded node with pods */
#include "daemon/plugin/allocate.h"

#include "base/log.h"
#include "daemon/plugin/deviceplugin.pb-c.h"
#include "tests/unit/logged.h"
#include "tests/unit/offered.h"

#define ALL "{'resourceList': [{'resourceName': 'vf', 'selectors': {'pfNames': ['ens4f0']}}]}"
#define JOURNAL "var/lib/cni/devinfo/"
#define SYS_PCI "sys/bus/pci/devices/"

/* A request: ids, "" ends a container, NULL the request. */
static size_t request(const char *const *ids, unsigned char *ret)
{
	unsigned char *at = ret, *begin = NULL;

	for (; *ids; ids++) {
		if (!begin) {
			*at++ = 0x0a;
			begin = at++;
		}
		if (**ids) {
			*at++ = 0x0a;
			*at++ = (unsigned char)strlen(*ids);
			memcpy(at, *ids, strlen(*ids));
			at += strlen(*ids);
		}
		*begin = (unsigned char)(at - begin - 1);
		if (!**ids)
			begin = NULL;
	}
	return (size_t)(at - ret);
}

#define ASK(...) request((const char *const[]){ __VA_ARGS__, NULL }, msg)

static struct offered_node n;
static unsigned char msg[512];

/* The status, and what the first environment variable of each container says: "id,id;id". */
static int allocate(size_t len, char ret[256], struct err *e)
{
	struct access_world w = offered_world(&n, 0);
	auto_message struct message m = { .len = 0 };
	V1beta1__AllocateResponse *r;
	int status = allocate_answer(&w, msg, len, &m, e);

	*ret = '\0';
	if (status != GRPC_OK)
		return status;
	r = v1beta1__allocate_response__unpack(NULL, m.len, m.data);
	for (size_t i = 0; r && i < r->n_container_responses; i++)
		(void)snprintf(ret + strlen(ret), 256 - strlen(ret), "%s%s", i ? ";" : "",
			       r->container_responses[i]->envs[0]->value);
	v1beta1__allocate_response__free_unpacked(r, NULL);
	return status;
}

static void test_given(void)
{
	struct err e = { 0 };
	char have[256];

	test("each container gets its devices, in order");
	keep_log();
	eqi(allocate(ASK("0000:01:10.6", "0000:01:10.0", "", "0000:01:10.2"), have, &e), GRPC_OK);
	eq(have, "0000:01:10.6,0000:01:10.0;0000:01:10.2");
	test("which is logged");
	ok(logged("level=info"));
	ok(logged("resource=intel.com/vf devices=0000:01:10.6,0000:01:10.0 msg=allocated"));
	ok(logged("devices=0000:01:10.2 msg=allocated"));
	test("a request for nothing gets nothing");
	eqi(allocate(0, have, &e), GRPC_OK);
	eq(have, "");
}

static void test_refused(void)
{
	struct offered *d = n.offer[0].list;
	struct err e = { 0 };
	char have[256];

	test("an id that is not known");
	keep_log();
	eqi(allocate(ASK("0000:01:10.6", "0000:09:00.0"), have, &e), GRPC_NOT_FOUND);
	eq(e.msg, "device 0000:09:00.0 of intel.com/vf is not known");
	ok(logged("msg=\"allocation refused\" why=\"device 0000:09:00.0"));

	test("one that is not well, with the reason");
	d[3].healthy = false;
	(void)snprintf(d[3].reason, sizeof(d[3].reason), "its PF is down");
	eqi(allocate(ASK("0000:01:10.6"), have, &e), GRPC_FAILED_PRECONDITION);
	eq(e.msg, "device 0000:01:10.6 of intel.com/vf cannot be used: its PF is down");
	test("but not with the name of a pod");
	d[3].names = true;
	(void)snprintf(d[3].reason, sizeof(d[3].reason), "pod default/x was given it");
	eqi(allocate(ASK("0000:01:10.6"), have, &e), GRPC_FAILED_PRECONDITION);
	eq(e.msg, "device 0000:01:10.6 of intel.com/vf cannot be used: the reason names a pod, "
		  "and is in the log of devinfod");
	ok(logged("private=\"pod default/x was given it\""));
	d[3].names = false;
	d[3].healthy = true;

	test("one that is asked for twice by a container");
	eqi(allocate(ASK("0000:01:10.6", "0000:01:10.6"), have, &e), GRPC_INVALID_ARGUMENT);
	eqi(allocate(ASK("0000:01:10.6", "", "0000:01:10.6"), have, &e), GRPC_OK);

	test("one that a live attachment has since the last look, without a word about whose");
	node_sh(&n.node, "mv " JOURNAL "away " JOURNAL "attachments");
	eqi(allocate(ASK("0000:01:10.0"), have, &e), GRPC_FAILED_PRECONDITION);
	eq(e.msg, "device 0000:01:10.0 of intel.com/vf is in use by another pod");
	eq(e.details, "");

	test("one that is gone since the list was sent");
	node_sh(&n.node, "mv " SYS_PCI "0000:01:10.6 " SYS_PCI "x");
	eqi(allocate(ASK("0000:01:10.6"), have, &e), GRPC_NOT_FOUND);
	eq(e.msg, "device 0000:01:10.6 is gone");
	node_sh(&n.node, "mv " SYS_PCI "x " SYS_PCI "0000:01:10.6");

	test("what is no request");
	msg[0] = 0x0b;
	eqi(allocate(1, have, &e), GRPC_INVALID_ARGUMENT);
	contains(e.msg, "does not decode");
}

/* A pod that ended a moment ago: the inventory is older than the journal. */
static void test_released(void)
{
	struct err e = { 0 };
	char have[256];

	test("what was in use in the last inventory may be free by now");
	n.offer[0].list[3].held = true;
	eqi(allocate(ASK("0000:01:10.6"), have, &e), GRPC_OK);
	n.offer[0].list[3].held = false;
}

static void test_preferred(void)
{
	struct access_world w = offered_world(&n, 0);
	auto_message struct message m = { .len = 0 }, bad = { .len = 0 };
	V1beta1__PreferredAllocationResponse *r;
	struct err e = { 0 };
	size_t len = ASK("0000:01:10.0", "0000:01:10.6");

	n.offer[0].list[0].held = true;
	test("of the available devices the free one is preferred");
	msg[len++] = 0x18;		/* one is wanted */
	msg[len++] = 1;
	msg[1] += 2;
	eqi(allocate_prefer(&w, msg, len, &m, &e), GRPC_OK);
	r = v1beta1__preferred_allocation_response__unpack(NULL, m.len, m.data);
	if (ok(r && r->n_container_responses == 1 &&
	       r->container_responses[0]->n_deviceids == 1))
		eq(r->container_responses[0]->deviceids[0], "0000:01:10.6");
	v1beta1__preferred_allocation_response__free_unpacked(r, NULL);
	test("more than there are cannot be preferred");
	msg[len - 1] = 0x7f;
	eqi(allocate_prefer(&w, msg, len, &bad, &e), GRPC_OK);
	test("what is no request is none");
	eqi(allocate_prefer(&w, msg, 3, &bad, &e), GRPC_INVALID_ARGUMENT);
}

static void test_check(void)
{
	struct access_world w = offered_world(&n, 0);
	struct offered *d = n.offer[0].list;
	const struct offered *found = NULL;
	struct err e = { 0 };

	test("a device that is known and well is found");
	eqi(allocate_check(&w, "0000:01:10.6", &found, &e), GRPC_OK);
	ok(found == &d[3]);
	test("one that is unknown, or not well, is refused");
	eqi(allocate_check(&w, "0000:09:00.0", &found, &e), GRPC_NOT_FOUND);
	d[3].healthy = false;
	eqi(allocate_check(&w, "0000:01:10.6", &found, &e), GRPC_FAILED_PRECONDITION);
	test("and so is the pod's own, with the reason");
	d[3].held = true;
	(void)snprintf(d[3].reason, sizeof(d[3].reason), "its PF eth0 is down");
	eqi(allocate_check(&w, "0000:01:10.6", &found, &e), GRPC_FAILED_PRECONDITION);
	eq(e.msg, "device 0000:01:10.6 of intel.com/vf cannot be used: its PF eth0 is down");
	d[3].held = false;
	d[3].healthy = true;
}

/* Names of CDI that no file has would fail in the runtime. */
static void test_cdi(void)
{
	static const char uses_vfio[] = "cd " SYS_PCI "0000:01:10.6 && "
		"ln -sfn ../../drivers/vfio-pci driver && "
		"mkdir -p ../../../../kernel/iommu_groups/77 && "
		"ln -sfn ../../../../kernel/iommu_groups/77 iommu_group";
	struct access_world w = offered_world(&n, 0);
	struct err e = { 0 };
	size_t len = ASK("0000:01:10.6");
	auto_message struct message refused = { .len = 0 }, given = { .len = 0 };

	w.use_cdi = true;
	node_sh(&n.node, uses_vfio);
	test("what the CDI specification cannot be written for is refused, with the reason");
	node_sh(&n.node, "mkdir -p var/run && touch var/run/cdi");
	eqi(allocate_answer(&w, msg, len, &refused, &e), GRPC_INTERNAL);
	contains(e.msg, "CDI specification of intel.com/vf");
	contains(e.msg, "/var/run/cdi");
	test("one that is missing is written before");
	node_sh(&n.node, "rm var/run/cdi");
	eqi(allocate_answer(&w, msg, len, &given, &e), GRPC_OK);
	ok(node_holds(&n.node, "-n \"$(grep 0000:01:10.6 var/run/cdi/*vf.json)\""));
}

int main(void)
{
	log_set_level(LOG_LEVEL_INFO);
	offered_open("fleet/igb-pods", "cd " JOURNAL " && mv attachments away", ALL, &n);
	if (!ok(n.offer[0].n == 4))
		return tap_end();
	test_given();
	test_refused();
	test_released();
	test_preferred();
	test_check();
	test_cdi();
	offered_close(&n);
	return tap_end();
}
