/* SPDX-License-Identifier: Apache-2.0 */
/* test_claim.c - which device is behind a device of a claim: the sources and their order */
#include "devinfo/kubelet/claim.h"
#include "tests/unit/dra.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#define DRIVER		"sriovnetwork.k8snetworkplumbingwg.io"
#define CLAIM_UID	"5b6e6a3c-41b0-4c1b-a9a5-0f3a3c2f1d11"
#define METADATA	PLUGINS DRIVER "/dra-device-metadata/default_claim1/vfs/metadata.json"
#define METADATA_OF(attributes)                                                              \
	"{\"apiVersion\":\"metadata.resource.k8s.io/v1alpha1\",\"kind\":\"DeviceMetadata\"," \
	"\"podClaimName\":\"net\",\"requests\":[{\"name\":\"vfs/a\",\"devices\":[{\"driver\":\""  \
	DRIVER "\",\"pool\":\"node1\",\"name\":\"0000-65-00-3\"," \
	"\"attributes\":{" attributes "}}]}]}"
#define RESOURCE	"\"k8s.cni.cncf.io/resourceName\":{\"string\":\"intel.com/vf\"}"
#define CDI(address)                                                                         \
	"{\"kind\":\"" DRIVER "/vf\",\"devices\":[{\"name\":\"" CLAIM_UID "-0000-65-00-3\"," \
	"\"containerEdits\":{\"env\":[\"SRIOVNETWORK_VF_DEVICE_0000_65_00_3=" address "\"]}}]}"

static struct fake_node n;
static struct claimed_fixture f;

static int resolve(struct claim_info *ret, struct err *e)
{
	const struct deadline d = deadline_in(20);

	*ret = (struct claim_info){ .id = "before", .source = "before" };
	return claim_resolve(&n.host, &f.it, &d, ret, e);
}

static void sriov_vf(void)
{
	claimed_init(&f, DRIVER, "node1", "0000-65-00-3");
	claimed_name(&f, DRIVER "/vf=" CLAIM_UID "-0000-65-00-3");
}

static void test_order(void)
{
	struct claim_info i;
	struct err e;

	node_open(NULL, &n);
	sriov_vf();
	test("a device of dra-driver-sriov is known by its name, if by nothing else");
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.3");
	eq(i.source, "DRA device name");
	eq(i.tried, "");

	test("its CDI specification comes first");
	node_write(&n, "/var/run/cdi/a.json", CDI("0000:65:00.4"));
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.4");
	eq(i.source, "CDI");
	eq(i.resource, "");

	test("and before it the metadata of its driver");
	node_write(&n, METADATA,
		   METADATA_OF("\"resource.kubernetes.io/pciBusID\":{\"string\":\"0000:65:00.5\"},"
			       RESOURCE));
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.5");
	eq(i.source, "DRA metadata");
	eq(i.resource, "intel.com/vf");
	eq(i.pod_claim, "net");
	eq(i.request, "vfs/a");

	test("metadata without an id still tells resource, claim and request");
	node_write(&n, METADATA, METADATA_OF(RESOURCE));
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.4");
	eq(i.source, "CDI");
	eq(i.resource, "intel.com/vf");
	eq(i.pod_claim, "net");
	eq(i.request, "vfs/a");

	test("a source that is damaged is named, and the next one asked");
	node_write(&n, METADATA, "{\"apiVersion\":");
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.4");
	eq(i.source, "CDI");
	contains(i.tried, METADATA ": object 1: not valid JSON");
	node_write(&n, "/var/run/cdi/a.json", "[" CDI("0000:65:00.4"));
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.3");
	eq(i.source, "DRA device name");
	contains(i.tried, "; /var/run/cdi/a.json: CDI specification: not valid JSON");
	node_close(&n);
}

static void test_names(void)
{
	static const struct {
		const char *device, *id;
	} cases[] = {
		{ "0000-af-1f-7", "0000:af:1f.7" },
		{ "0000-AF-1F-7", "0000:af:1f.7" },
		{ "10000-65-00-0", "10000:65:00.0" },
		{ "deadbeef-65-00-0", "deadbeef:65:00.0" },
	};
	static const char *const none[] = {
		"", "eth1", "device-00", "gpu-0", "pci-0000-65-00-3", "net-0000-65-00-3",
		"000-65-00-3", "123456789-65-00-3", "0000-65-00-8", "0000-65-00-a", "0000-65-00-33",
		"0000-65-00-", "0000-65-0-3", "0000-6-500-3", "0000_65_00_3", "0000:65:00.3",
		"0000-65-00-3-0", "g000-65-00-3", "0000-g5-00-3", "0000-65-0g-3", "-0000-65-00-3",
		"0000--65-00-3", "-------", "--------", "-----------", "0000-6--00-3",
	};
	struct claim_info i;
	struct err e;

	node_open(NULL, &n);
	test("a name dddd-bb-dd-f is a PCI address");
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		claimed_init(&f, "example.com", "node1", cases[k].device);
		ok(resolve(&i, &e) == 1);
		eq(i.id, cases[k].id);
	}
	test("any other name says nothing, and then the source is none");
	for (size_t k = 0; k < ARRAY_SIZE(none); k++) {
		claimed_init(&f, "example.com", "node1", none[k]);
		ok(resolve(&i, &e) == 0);
		eq(i.id, "");
		ok(!i.source);
	}
	node_close(&n);
}

/* Everything the recorded node has of the claim. */
static void record(void)
{
	static const char *const specs[] = {
		"test-driver.cdi.k8s.io-3787e052-a284-4393-b443-5d452160577d-req0.json",
		"test-driver.cdi.k8s.io_metadata_3787e052-a284-4393-b443-5d452160577d_req0.json",
	};
	char path[256];

	node_copy(&n, "metadata.json", PLUGINS "test-driver.cdi.k8s.io/dra-device-metadata/"
		  "default_claim1/req0/metadata.json");
	for (size_t k = 0; k < ARRAY_SIZE(specs); k++) {
		(void)snprintf(path, sizeof(path), "/var/run/cdi/%s", specs[k]);
		node_copy(&n, specs[k], path);
	}
}

static void test_recorded(void)
{
	struct claim_info i;
	struct err e;

	node_open(NULL, &n);
	record();
	test("C-FND-22: what is no network device is nothing, its metadata device neither");
	claimed_recorded(&f);
	ok(resolve(&i, &e) == 0);
	eq(i.id, "");
	eq(i.request, "req0");
	eq(i.tried, "");
	f.it.n_cdi = 0;
	claimed_name(&f, CDI_METADATA);
	ok(resolve(&i, &e) == 0);
	eq(i.id, "");

	test("before 1.31 neither");
	claimed_init(&f, "", "", "");
	claimed_name(&f, CDI_NAME);
	claimed_name(&f, CDI_METADATA);
	ok(resolve(&i, &e) == 0);
	eq(i.id, "");
	eq(i.request, "req0");
	eq(i.tried, "");
	node_close(&n);
}

static void test_node(void)
{
	struct rlimit was, few = { 0 };
	struct claim_info i;
	struct err e = { 0 };
	int r;

	node_open(NULL, &n);
	sriov_vf();
	node_write(&n, METADATA, METADATA_OF("\"pciAddress\":{\"string\":\"0000:65:00.5\"}"));
	test("what is wrong with the node is an error that names the device; nothing is guessed");
	ok(getrlimit(RLIMIT_NOFILE, &was) == 0);
	few.rlim_max = was.rlim_max;
	ok(setrlimit(RLIMIT_NOFILE, &few) == 0);
	r = resolve(&i, &e);
	ok(setrlimit(RLIMIT_NOFILE, &was) == 0);
	ok(r == -1 && e.code == ERR_IO && e.sys == EMFILE);
	begins(e.msg, "device '0000-65-00-3' of claim default/claim1: ");
	eq(i.id, "before");
	eq(i.source, "before");
	ok(resolve(&i, &e) == 1);
	eq(i.id, "0000:65:00.5");
	node_close(&n);
}

static void test_notes(void)
{
	char tried[CLAIM_TRIED_SIZE] = "", id[256];

	test("notes are parted, and end where there is no room");
	claim_note(tried, "%s", "one");
	claim_note(tried, "%d", 2);
	eq(tried, "one; 2");
	for (int k = 0; k < 1000; k++)
		claim_note(tried, "%s", "a note that fills it up");
	ok(strlen(tried) < sizeof(tried) && strlen(tried) > sizeof(tried) - 30);
	test("only PCI addresses become lower case");
	claim_set_id(id, "0000:AF:00.1");
	eq(id, "0000:af:00.1");
	claim_set_id(id, "pci:0000:AF:00.1");
	eq(id, "0000:af:00.1");
	claim_set_id(id, "Mlx5_core.SF.4");
	eq(id, "Mlx5_core.SF.4");
}

int main(void)
{
	test_order();
	test_names();
	test_recorded();
	test_node();
	test_notes();
	return tap_end();
}
