/* SPDX-License-Identifier: Apache-2.0 */
/* test_metadata.c - files of DRA drivers about the devices of a request, proper and hostile ones */
#include "devinfo/kubelet/metadata.h"
#include "tests/unit/dra.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLAIM_DIR	PLUGINS "test-driver.cdi.k8s.io/dra-device-metadata/default_claim1"
#define HEAD                                                  \
	"{\"apiVersion\":\"metadata.resource.k8s.io/v1alpha1\"," \
	"\"kind\":\"DeviceMetadata\","
#define DEVICE(attributes)                                                            \
	"{\"driver\":\"test-driver.cdi.k8s.io\",\"pool\":\"realnode\",\"name\":\"device-00\"," \
	"\"attributes\":" attributes "}"
#define REQUEST(name, devices)	"{\"name\":\"" name "\",\"devices\":[" devices "]}"
#define FILE_OF(attributes)	HEAD "\"requests\":[" REQUEST("req0", DEVICE(attributes)) "]}"
#define TEXT(name, value)	"\"" name "\":{\"string\":\"" value "\"}"
#define NETWORK_ID(value)	TEXT("k8s.cni.cncf.io/deviceID", value)
#define BUS_ID(value)		TEXT("resource.kubernetes.io/pciBusID", value)

static struct fake_node n;
static struct claimed_fixture f;

/* What is found in a text for the recorded device. */
static int parse(const char *text, struct claim_info *ret)
{
	struct err e = { 0 };
	int r;

	*ret = (struct claim_info){ 0 };
	r = metadata_parse(text, strlen(text), &f.it, ret, &e);
	if (r < 0)
		(void)snprintf(ret->tried, sizeof(ret->tried), "%s", e.msg);
	return r;
}

static int find(unsigned int ms, struct claim_info *ret, struct err *e)
{
	const struct deadline d = deadline_in(ms);

	*ret = (struct claim_info){ 0 };
	return metadata_find(&n.host, &f.it, &d, ret, e);
}

static bool notes(const struct claim_info *i, const char *words)
{
	if (strstr(i->tried, words))
		return true;
	(void)printf("# tried: %s\n", i->tried);
	return false;
}

static void test_recorded(void)
{
	struct claim_info i;
	struct err e;

	claimed_recorded(&f);
	node_open(NULL, &n);
	test("without a file nothing is known");
	ok(find(0, &i, &e) == 0 && !*i.tried);
	node_sh(&n, "mkdir -p ." CLAIM_DIR);
	ok(find(0, &i, &e) == 0 && !*i.tried);
	node_sh(&n, "mkdir ." CLAIM_DIR "/req0");
	ok(find(0, &i, &e) == 0 && !*i.tried);

	test("the file of a real driver is found, and has no id of a network device");
	node_copy(&n, "metadata.json", CLAIM_DIR "/req0/metadata.json");
	ok(find(0, &i, &e) == 1);
	eq(i.id, "");
	eq(i.request, "req0");
	eq(i.resource, "");
	eq(i.pod_claim, "");
	eq(i.tried, "");

	test("another driver, pool, device, claim or namespace has none");
	f.pool[0] = 'x';
	ok(find(0, &i, &e) == 0);
	claimed_recorded(&f);
	f.device[0] = 'x';
	ok(find(0, &i, &e) == 0);
	claimed_recorded(&f);
	f.driver[0] = 'x';
	ok(find(0, &i, &e) == 0);
	claimed_recorded(&f);
	f.claim[0] = 'x';
	ok(find(0, &i, &e) == 0);
	claimed_recorded(&f);
	f.name_space[0] = 'x';
	ok(find(0, &i, &e) == 0);
	claimed_recorded(&f);
	ok(find(0, &i, &e) == 1);
	node_close(&n);
}

static void test_precedence(void)
{
	static const struct {
		const char *attributes, *id;
	} cases[] = {
		{ "{" NETWORK_ID("mlx5_core.sf.4") "," BUS_ID("0000:03:02.1") "}",
		  "mlx5_core.sf.4" },
		{ "{" TEXT("dra.net/pciAddress", "0000:03:02.3") ","
		  TEXT("test-driver.cdi.k8s.io/pciAddress", "0000:03:02.2") ","
		  BUS_ID("0000:03:02.1") "}", "0000:03:02.1" },
		{ "{" TEXT("dra.net/pciAddress", "0000:03:02.3") ","
		  TEXT("test-driver.cdi.k8s.io/pciAddress", "0000:03:02.2") "}",
		  "0000:03:02.2" },
		{ "{" TEXT("dra.net/pciAddress", "0000:03:02.3") "}", "0000:03:02.3" },
		/* without a domain it is the driver's */
		{ "{" TEXT("pciAddress", "0000:03:02.2") "}", "0000:03:02.2" },
		{ "{" TEXT("deviceID", "mlx5_core.sf.4") "," TEXT("pciBusID", "0000:03:02.1") "}",
		  "" },
		/* and another driver's attribute is nothing to us */
		{ "{" TEXT("example.com/pciAddress", "0000:03:02.2") "}", "" },
		{ "{" NETWORK_ID("0000:AF:02.1") "}", "0000:af:02.1" },
		/* as DPDK and devlink spell it */
		{ "{" NETWORK_ID("pci:0000:AF:02.1") "}", "0000:af:02.1" },
		{ "{" BUS_ID("pci:0000:af:02.1") "}", "0000:af:02.1" },
		{ "{" TEXT("pciAddress", "pci/0000:af:02.1") "}", "0000:af:02.1" },
		{ "{" BUS_ID("10000:E1:1F.7") "}", "10000:e1:1f.7" },
		{ "{}", "" },
	};
	struct claim_info i;

	claimed_recorded(&f);
	test("attributes that tell the id have an order, and PCI addresses become lower case");
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		auto_free char *text = NULL;

		if (asprintf(&text,
			     HEAD "\"requests\":[{\"name\":\"req0\",\"devices\":[{\"driver\":"
				  "\"test-driver.cdi.k8s.io\",\"pool\":\"realnode\",\"name\":"
				  "\"device-00\",\"attributes\":%s}]}]}",
			     cases[k].attributes) < 0)
			bail_out("memory");
		ok(parse(text, &i) == 1);
		eq(i.id, cases[k].id);
		eq(i.tried, "");
	}
	test("a driver whose domain is k8s.cni.cncf.io can leave it out");
	(void)snprintf(f.driver, sizeof(f.driver), "k8s.cni.cncf.io");
	ok(parse(HEAD "\"requests\":[{\"name\":\"r\",\"devices\":[{\"driver\":\"k8s.cni.cncf.io\","
		 "\"pool\":\"realnode\",\"name\":\"device-00\",\"attributes\":{"
		 TEXT("deviceID", "vf7") "}}]}]}", &i) == 1);
	eq(i.id, "vf7");
}

static void test_invalid_ids(void)
{
	static const char *const bad[] = {
		"", "../../etc/passwd", "a//b", "/dev/null", "a b", "a\\nb", ".x", "0000:03:02.1;x",
	};
	struct claim_info i;

	claimed_recorded(&f);
	test("an id that cannot be one is noted, and the next attribute looked at");
	for (size_t k = 0; k < ARRAY_SIZE(bad); k++) {
		auto_free char *text = NULL;

		if (asprintf(&text,
			     HEAD "\"requests\":[{\"name\":\"req0\",\"devices\":[{\"driver\":"
				  "\"test-driver.cdi.k8s.io\",\"pool\":\"realnode\",\"name\":"
				  "\"device-00\",\"attributes\":{\"k8s.cni.cncf.io/deviceID\":"
				  "{\"string\":\"%s\"}," BUS_ID("0000:03:02.1") "}}]}]}",
			     bad[k]) < 0)
			bail_out("memory");
		ok(parse(text, &i) == 1);
		eq(i.id, "0000:03:02.1");
		ok(notes(&i, "k8s.cni.cncf.io/deviceID"));
	}
	test("where a PCI address belongs, another id does not count");
	ok(parse(FILE_OF("{" BUS_ID("mlx5_core.sf.4") "," TEXT("pciAddress", "3:2.1") ","
			 TEXT("dra.net/pciAddress", "eth1") "}"), &i) == 1);
	eq(i.id, "");
	ok(notes(&i, "resource.kubernetes.io/pciBusID 'mlx5_core.sf.4' is not a device id"));
	ok(notes(&i, "test-driver.cdi.k8s.io/pciAddress '3:2.1'"));
	ok(notes(&i, "dra.net/pciAddress 'eth1'"));

	test("only attributes of the kind string count");
	ok(parse(FILE_OF("{\"k8s.cni.cncf.io/deviceID\":{\"int\":7},"
			 "\"resource.kubernetes.io/pciBusID\":{\"version\":\"0000:03:02.1\"},"
			 "\"pciAddress\":{\"bool\":true},"
			 "\"dra.net/pciAddress\":{\"strings\":[\"0000:03:02.1\"]}}"), &i) == 1);
	eq(i.id, "");
}

/* What drivers of Kubernetes 1.37 write; of 1.36 they wrote the second object alone. */
#define OF_VERSION(version, id)                                                          \
	"{\n  \"kind\": \"DeviceMetadata\",\n"                                            \
	"  \"apiVersion\": \"metadata.resource.k8s.io/" version "\",\n"                     \
	"  \"metadata\": {\n    \"name\": \"claim1\",\n    \"namespace\": \"default\",\n"     \
	"    \"uid\": \"3787e052\",\n    \"generation\": 2\n  },\n"                         \
	"  \"podClaimName\": \"nics\",\n  \"requests\": [\n    "                              \
	REQUEST("nic/fast", "{\"driver\":\"test-driver.cdi.k8s.io\",\"pool\":\"realnode\"," \
		"\"name\":\"device-00\",\"attributes\":{" NETWORK_ID(id) ","                   \
		TEXT("k8s.cni.cncf.io/resourceName", "intel.com/vf") "},\"networkData\":"      \
		"{\"interfaceName\":\"net1\",\"ips\":[\"10.1.0.2/24\"]}}") "\n  ]\n}\n"

static void test_versions(void)
{
	static const char *const streams[] = {
		OF_VERSION("v1beta1", "vf1"), OF_VERSION("v1alpha1", "vf1"),
		OF_VERSION("v1beta1", "vf1") OF_VERSION("v1alpha1", "vf2"),
		OF_VERSION("v1", "vf2") OF_VERSION("v1beta1", "vf1"),
	};
	struct claim_info i;
	struct err e;

	claimed_recorded(&f);
	test("D51: metadata of Kubernetes 1.37, v1beta1, is read as that of 1.36 is");
	for (size_t k = 0; k < ARRAY_SIZE(streams); k++) {
		ok(parse(streams[k], &i) == 1);
		eq(i.id, "vf1");
		eq(i.resource, "intel.com/vf");
		eq(i.pod_claim, "nics");
		eq(i.request, "nic/fast");
		eq(i.tried, "");
	}
	test("D33: its file has the name of the request without that of the subrequest");
	node_open(NULL, &n);
	node_write(&n, CLAIM_DIR "/nic/metadata.json", streams[0]);
	ok(find(0, &i, &e) == 1);
	eq(i.id, "vf1");
	eq(i.request, "nic/fast");
	eq(i.tried, "");
	node_close(&n);
}

/* A broken tail is of nobody's interest when the object before it told all. */
static void test_broken_tail(void)
{
	static const char *const tails[] = {
		"{\"apiVersion\":", "}", "]]]", "rubbish", "\xff\xfe", "{\"a\":1,\"a\":2}",
	};
	static const char good[] = OF_VERSION("v1beta1", "vf1");
	struct claim_info i;

	claimed_recorded(&f);
	test("a stream with a broken tail gives the good objects before it");
	for (size_t k = 0; k < ARRAY_SIZE(tails); k++) {
		auto_free char *text = NULL, *large = calloc(1, METADATA_MAX);

		if (!large || asprintf(&text, "%s%s", good, tails[k]) < 0)
			bail_out("memory");
		ok(parse(text, &i) == 1);
		eq(i.id, "vf1");
		eq(i.request, "nic/fast");
		memset(large, '[', METADATA_MAX - 1);
		memcpy(large, good, strlen(good));
		ok(parse(large, &i) == 1);
		eq(i.id, "vf1");
	}
	test("one without, before the object, is torn, and the error counts the objects");
	ok(parse("{}{\"apiVersion\":", &i) == -1);
	eq(i.tried, "object 2: not valid JSON");
}

static void test_names(void)
{
	char name[400], *text = NULL;
	struct claim_info i;

	claimed_recorded(&f);
	test("resource name, request and the pod's name of the claim are told");
	ok(parse(HEAD "\"podClaimName\":\"fast-net\",\"requests\":["
		 REQUEST("vfs/small", DEVICE("{" TEXT("k8s.cni.cncf.io/resourceName",
						      "intel.com/vf") "}")) "]}", &i) == 1);
	eq(i.resource, "intel.com/vf");
	eq(i.request, "vfs/small");
	eq(i.pod_claim, "fast-net");
	eq(i.tried, "");

	test("and left out, with a note, when they are none");
	ok(parse(HEAD "\"podClaimName\":\"../x\",\"requests\":["
		 REQUEST("/..", DEVICE("{" TEXT("k8s.cni.cncf.io/resourceName", "../../x") ","
				       NETWORK_ID("vf1") "}")) "]}", &i) == 1);
	eq(i.resource, "");
	eq(i.request, "");
	eq(i.pod_claim, "");
	eq(i.id, "vf1");
	ok(notes(&i, "resourceName '../../x'") && notes(&i, "podClaimName '../x'") &&
	   notes(&i, "request '/..'"));
	memset(name, 'r', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (asprintf(&text, HEAD "\"requests\":[{\"name\":\"%s\",\"devices\":[" DEVICE("{}") "]}]}",
		     name) < 0)
		bail_out("memory");
	ok(parse(text, &i) == 1);
	eq(i.request, "");
	free(text);
}

static void test_stream(void)
{
	static const char *const unknown[] = {
		"{\"apiVersion\":\"metadata.resource.k8s.io/v9\",\"kind\":\"DeviceMetadata\","
		"\"requests\":[" REQUEST("req0", DEVICE("{" NETWORK_ID("vf9") "}")) "]}",
		"{\"apiVersion\":\"metadata.resource.k8s.io/v1alpha1\",\"kind\":\"Other\","
		"\"requests\":[" REQUEST("req0", DEVICE("{" NETWORK_ID("vf9") "}")) "]}",
		"{\"kind\":\"DeviceMetadata\"}", "{}", "[]", "[[1]]",
		"{\"apiVersion\":7,\"kind\":[\"DeviceMetadata\"]}",
	};
	struct claim_info i;
	size_t refused = 0;
	char *text = NULL;

	claimed_recorded(&f);
	test("objects of an unknown version or kind are skipped");
	for (size_t k = 0; k < ARRAY_SIZE(unknown); k++) {
		if (asprintf(&text, "%s\n%s\n%s", unknown[k], FILE_OF("{" NETWORK_ID("vf1") "}"),
			     unknown[k]) < 0)
			bail_out("memory");
		ok(parse(text, &i) == 1);
		eq(i.id, "vf1");
		eq(i.tried, "");
		free(text);
	}
	test("a file of nothing else says nothing, and that is noted");
	for (size_t k = 0; k < ARRAY_SIZE(unknown); k++) {
		ok(parse(unknown[k], &i) == 0);
		ok(notes(&i, "expected DeviceMetadata of metadata.resource.k8s.io/v1beta1 or "
			     "v1alpha1, got "));
		eq(i.id, "");
	}
	ok(parse(unknown[0], &i) == 0 &&
	   notes(&i, "got DeviceMetadata of metadata.resource.k8s.io/v9"));
	ok(parse(unknown[1], &i) == 0 &&
	   notes(&i, "got Other of metadata.resource.k8s.io/v1alpha1"));
	ok(parse("{}", &i) == 0 && notes(&i, "got an object of no apiVersion"));
	test("of two objects of a known version the first with the device counts");
	ok(parse(HEAD "\"requests\":[]}" FILE_OF("{" NETWORK_ID("vf1") "}")
		 FILE_OF("{" NETWORK_ID("vf2") "}"), &i) == 1);
	eq(i.id, "vf1");
	ok(parse(FILE_OF("{" NETWORK_ID("vf1") "}") HEAD "\"requests\":[]}", &i) == 1);
	eq(i.id, "vf1");

	test("a stream that is torn anywhere is none, and leaves what was known");
	text = recorded("metadata.json");
	for (; refused < strlen(text) && text[refused + 2]; refused++) {	/* all but "}\n" */
		struct claim_info before = { .request = "as it was" };
		struct err e = { 0 };

		if (metadata_parse(text, refused, &f.it, &before, &e) != -1 ||
		    strcmp(before.request, "as it was") != 0 || e.code != ERR_DEVINFO)
			break;
	}
	ok(refused > 100 && refused == strlen(text) - 2);
	ok(parse(text, &i) == 1);
	free(text);
	ok(parse(" \n", &i) == -1);
	eq(i.tried, "the file is empty");

	test("the number of objects is bounded");
	ok(parse("{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}" FILE_OF("{" NETWORK_ID("vf1") "}"), &i) == 1);
	ok(parse("{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}" FILE_OF("{" NETWORK_ID("vf1") "}"), &i) ==
	   -1);
	eq(i.tried, "over 16 objects");
}

/* One object of a generation, of the device with these attributes or of none. */
#define GENERATION(n, requests)                                                            \
	HEAD "\"metadata\":{\"name\":\"claim1\",\"generation\":" n "},"                          \
	     "\"requests\":[" requests "]}"
#define WITH(id)	REQUEST("req0", DEVICE("{" NETWORK_ID(id) "}"))
#define WITHOUT		REQUEST("req0", "{\"driver\":\"test-driver.cdi.k8s.io\","            \
				"\"pool\":\"realnode\",\"name\":\"device-00\"}")

static void test_generations(void)
{
	static const char *const newer[] = {
		GENERATION("1", WITH("vf1")) GENERATION("2", WITH("vf2")),
		GENERATION("2", WITH("vf2")) GENERATION("1", WITH("vf1")),
		GENERATION("1", WITHOUT) GENERATION("2", WITH("vf2")) GENERATION("2", WITH("vf3")),
		GENERATION("1", WITH("vf1")) GENERATION("2", "") GENERATION("2", WITH("vf2")),
		GENERATION("-7", WITH("vf1")) GENERATION("1", WITH("vf2")),
		GENERATION("2", WITH("vf2")) GENERATION("\"3\"", WITH("vf1")),
	};
	struct claim_info i;

	claimed_recorded(&f);
	test("D52: of several generations the highest counts, wherever it is");
	for (size_t k = 0; k < ARRAY_SIZE(newer); k++) {
		ok(parse(newer[k], &i) == 1);
		eq(i.id, "vf2");
		eq(i.tried, "");
	}
	test("also when the device is not in it any more, or is another claim's");
	ok(parse(GENERATION("1", WITH("vf1")) GENERATION("2", ""), &i) == 0 && !*i.id);
	ok(parse(GENERATION("1", WITH("vf1")) HEAD "\"metadata\":{\"name\":\"x\","
		 "\"generation\":2},\"requests\":[" WITH("vf1") "]}", &i) == 0 && !*i.id);
	ok(notes(&i, "it is another claim's"));
	test("a torn object behind it is not missed");
	ok(parse(GENERATION("2", WITH("vf2")) GENERATION("1", WITH("vf1")) "{", &i) == 1);
	eq(i.id, "vf2");
	ok(parse(GENERATION("1", WITH("vf1")) GENERATION("2", "") "{", &i) == -1);
}

static void test_matching(void)
{
	struct claim_info i;

	claimed_recorded(&f);
	test("the device is found among others");
	ok(parse(HEAD "\"requests\":[" REQUEST("a", "") ","
		 REQUEST("b", "{\"driver\":\"test-driver.cdi.k8s.io\",\"pool\":\"realnode\","
			      "\"name\":\"device-01\",\"attributes\":{" NETWORK_ID("vf9") "}}")
		 "," REQUEST("c", "{\"driver\":\"test-driver.cdi.k8s.io\",\"pool\":\"other\","
				  "\"name\":\"device-00\"},"
				  DEVICE("{" NETWORK_ID("vf1") "}")) "]}", &i) == 1);
	eq(i.id, "vf1");
	eq(i.request, "c");

	test("the same device in two requests is that of the first");
	ok(parse(HEAD "\"requests\":[" REQUEST("b", DEVICE("{" NETWORK_ID("vf1") "}")) ","
		 REQUEST("a", DEVICE("{" NETWORK_ID("vf1") "}")) "]}", &i) == 1);
	eq(i.request, "b");

	test("what is another claim's is noted and not taken");
	ok(parse(HEAD "\"metadata\":{\"name\":\"claim1\",\"namespace\":\"other\"},\"requests\":["
		 REQUEST("a", DEVICE("{" NETWORK_ID("vf1") "}")) "]}", &i) == 0);
	ok(notes(&i, "v1alpha1: it is another claim's"));
	ok(parse(HEAD "\"metadata\":{\"name\":\"other\"},\"requests\":["
		 REQUEST("a", DEVICE("{" NETWORK_ID("vf1") "}")) "]}", &i) == 0);

	test("a device that kubelet does not name is the only one, or none");
	claimed_init(&f, "test-driver.cdi.k8s.io", "", "");
	ok(parse(FILE_OF("{" NETWORK_ID("vf1") "}"), &i) == 1);
	eq(i.id, "vf1");
	ok(parse(HEAD "\"requests\":[" REQUEST("a", DEVICE("{" NETWORK_ID("vf1") "}") ","
					       DEVICE("{" NETWORK_ID("vf2") "}")) "]}", &i) == 0);
	eq(i.id, "");
	ok(notes(&i, "2 devices"));
}

/* form with value in the place of '@' */
static void put_at(char *ret, size_t size, const char *form, const char *value)
{
	const char *at = strchr(form, '@');

	if (!at)
		bail_out(form);
	(void)snprintf(ret, size, "%.*s%s%s", (int)(at - form), form, value, at + 1);
}

static void test_wrong_types(void)
{
	static const char *const values[] = { "null", "7",	"true", "\"x\"", "[]",
					      "{}",   "[null]", "[[]]", "[{}]",	 "{\"a\":1}" };
	static const char *const forms[] = {
		HEAD "\"requests\":@}",
		HEAD "\"requests\":[@]}",
		HEAD "\"requests\":[{\"name\":\"r\",\"devices\":@}]}",
		HEAD "\"requests\":[{\"name\":\"r\",\"devices\":[@]}]}",
		HEAD "\"requests\":[{\"name\":\"r\",\"devices\":[{\"driver\":@,\"pool\":"
		     "\"realnode\",\"name\":\"device-00\"}]}]}",
		HEAD "\"requests\":[{\"name\":\"r\",\"devices\":[{\"driver\":"
		     "\"test-driver.cdi.k8s.io\",\"pool\":@,\"name\":\"device-00\"}]}]}",
		HEAD "\"requests\":[{\"name\":\"r\",\"devices\":[{\"driver\":"
		     "\"test-driver.cdi.k8s.io\",\"pool\":\"realnode\",\"name\":@}]}]}",
	};
	static const char *const harmless[] = {
		HEAD "\"metadata\":@,\"requests\":[" REQUEST("r", DEVICE("{}")) "]}",
		HEAD "\"podClaimName\":@,\"requests\":[" REQUEST("r", DEVICE("{}")) "]}",
		HEAD "\"requests\":[{\"name\":@,\"devices\":[" DEVICE("{}") "]}]}",
		FILE_OF("@"),
		FILE_OF("{\"k8s.cni.cncf.io/deviceID\":@}"),
		HEAD "\"requests\":[" REQUEST("r", DEVICE("{\"pciAddress\":{\"string\":@}}")) "]}",
		HEAD "\"requests\":[@," REQUEST("r", DEVICE("{}")) "]}",
	};
	struct claim_info i;
	char text[1024];

	claimed_recorded(&f);
	test("members of other types say nothing");
	for (size_t k = 0; k < ARRAY_SIZE(forms); k++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			put_at(text, sizeof(text), forms[k], values[v]);
			ok(parse(text, &i) == 0 && !*i.id);
		}
	for (size_t k = 0; k < ARRAY_SIZE(harmless); k++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			put_at(text, sizeof(text), harmless[k], values[v]);
			ok(parse(text, &i) == 1 && !*i.id);
		}
}

/* Nothing is found, it is no error, and a note has these words. */
static bool passed_over(const char *words)
{
	struct claim_info i;
	struct err e = { 0 };
	int r = find(0, &i, &e);

	if (r == 0 && !*i.id && (*words ? strstr(i.tried, words) != NULL : !*i.tried))
		return true;
	(void)printf("# %d, id '%s', tried '%s', %s (%s)\n", r, i.id, i.tried, e.msg, e.details);
	return false;
}

static void test_hostile_files(void)
{
	auto_free char *big = malloc(METADATA_MAX + 2);
	struct claim_info i;
	struct err e;

	if (!big)
		bail_out("memory");
	claimed_recorded(&f);
	node_open(NULL, &n);
	node_sh(&n, "mkdir -p ." CLAIM_DIR "/req0 elsewhere");
	node_copy(&n, "metadata.json", "/elsewhere/metadata.json");

	test("links are not followed, neither to a file nor to a directory");
	node_sh(&n, "cd ." CLAIM_DIR "/req0 && ln -s /elsewhere/metadata.json .");
	ok(passed_over(CLAIM_DIR "/req0/metadata.json: open 'metadata.json'"));
	node_sh(&n, "cd ." CLAIM_DIR " && rm -r req0 && ln -s /elsewhere req0");
	ok(passed_over(CLAIM_DIR "/req0/metadata.json: open directory 'req0'"));
	node_sh(&n, "cd ." CLAIM_DIR " && rm req0 && cp -r $OLDPWD/elsewhere req0");
	ok(find(0, &i, &e) == 1);
	node_sh(&n, "cd ." CLAIM_DIR "/.. && mv default_claim1 x && ln -s x default_claim1");
	ok(passed_over("open directory 'default_claim1'"));
	node_sh(&n, "cd ." CLAIM_DIR "/.. && rm default_claim1 && mv x default_claim1");
	node_sh(&n, "cd ." PLUGINS " && mv test-driver.cdi.k8s.io x && "
		    "ln -s x test-driver.cdi.k8s.io");
	ok(passed_over("open directory 'test-driver.cdi.k8s.io'"));
	node_sh(&n, "cd ." PLUGINS " && rm test-driver.cdi.k8s.io && mv x test-driver.cdi.k8s.io");

	test("but kubelet's directory may lie elsewhere");
	node_sh(&n, "mv var/lib/kubelet kubelet && ln -s /kubelet var/lib/kubelet");
	ok(find(0, &i, &e) == 1);
	node_sh(&n, "rm var/lib/kubelet && mv kubelet var/lib/kubelet");

	test("a FIFO and a directory are no file, and do not stop us");
	node_sh(&n, "cd ." CLAIM_DIR "/req0 && rm metadata.json && mkfifo metadata.json");
	ok(passed_over("'metadata.json' is not a regular file"));
	node_sh(&n, "cd ." CLAIM_DIR "/req0 && rm metadata.json && mkdir metadata.json");
	ok(passed_over("'metadata.json' is not a regular file"));
	node_sh(&n, "rmdir ." CLAIM_DIR "/req0/metadata.json");

	test("a file that is too large is not read");
	memset(big, ' ', METADATA_MAX + 1);
	memcpy(big, FILE_OF("{}"), strlen(FILE_OF("{}")));
	node_put(&n, CLAIM_DIR "/req0/metadata.json", big, METADATA_MAX);
	ok(find(0, &i, &e) == 1);
	node_put(&n, CLAIM_DIR "/req0/metadata.json", big, METADATA_MAX + 1);
	ok(passed_over("'metadata.json' has 1048577 bytes"));

	test("what nests too deep, has a key twice or a NUL is passed over");
	memset(big, '[', METADATA_MAX);
	node_put(&n, CLAIM_DIR "/req0/metadata.json", big, 100000);
	ok(passed_over("not valid JSON"));
	node_write(&n, CLAIM_DIR "/req0/metadata.json", HEAD "\"requests\":[],\"requests\":[]}");
	ok(passed_over("duplicate key \"requests\""));
	memset(big, '[', METADATA_MAX);
	for (size_t k = 1; k < METADATA_MAX; k += 2)
		big[k] = ']';
	node_put(&n, CLAIM_DIR "/req0/metadata.json", big, METADATA_MAX);
	ok(passed_over("over 16 objects"));
	node_put(&n, CLAIM_DIR "/req0/metadata.json", "{}\0", 3);
	ok(passed_over("not valid JSON"));

	test("what is wrong names file and version");
	node_write(&n, CLAIM_DIR "/req0/metadata.json",
		   "{\"apiVersion\":\"metadata.resource.k8s.io/v1beta1\","
		   "\"kind\":\"DeviceMetadata\",\"requests\":["
		   REQUEST("req0", DEVICE("{" BUS_ID("eth1") "}")) "]}");
	ok(find(0, &i, &e) == 1);
	eq(i.tried, CLAIM_DIR "/req0/metadata.json: v1beta1: resource.kubernetes.io/pciBusID "
		    "'eth1' is not a device id");
	node_write(&n, CLAIM_DIR "/req0/metadata.json",
		   "{\"apiVersion\":\"metadata.resource.k8s.io/v2\","
		   "\"kind\":\"DeviceMetadata\"}");
	ok(passed_over(CLAIM_DIR "/req0/metadata.json: expected DeviceMetadata of "
		       "metadata.resource.k8s.io/v1beta1 or v1alpha1, got DeviceMetadata of "
		       "metadata.resource.k8s.io/v2"));
	node_put(&n, CLAIM_DIR "/req0/metadata.json", "{}\0", 3);

	test("a bad file does not hide the good one of another request");
	node_write(&n, CLAIM_DIR "/req1/metadata.json",
		   HEAD "\"requests\":[" REQUEST("req1", DEVICE("{" NETWORK_ID("vf1") "}")) "]}");
	ok(find(10000, &i, &e) == 1);
	eq(i.id, "vf1");
	eq(i.request, "req1");
	ok(notes(&i, CLAIM_DIR "/req0/metadata.json: object 2: not valid JSON"));

	test("a device in several requests is that of the first by name");
	node_write(&n, CLAIM_DIR "/a/metadata.json",
		   HEAD "\"requests\":[" REQUEST("a", DEVICE("{" NETWORK_ID("vf1") "}")) "]}");
	node_write(&n, CLAIM_DIR "/z/metadata.json",
		   HEAD "\"requests\":[" REQUEST("z", DEVICE("{" NETWORK_ID("vf1") "}")) "]}");
	ok(find(0, &i, &e) == 1);
	eq(i.request, "a");

	test("the number of requests is bounded");
	node_sh(&n, "cd ." CLAIM_DIR " && rm -r * && mkdir $(seq 300)");
	ok(passed_over("over 256 requests"));
	node_close(&n);
}

/* A file at this path that would be believed: all it names is this driver. */
static void write_believable(const char *path, const char *driver)
{
	auto_free char *text = NULL;

	if (asprintf(&text,
		     HEAD "\"requests\":[{\"name\":\"req0\",\"devices\":[{\"driver\":\"%s\","
			  "\"pool\":\"realnode\",\"name\":\"device-00\"}]}]}",
		     driver) < 0)
		bail_out("memory");
	node_write(&n, path, text);
}

static void test_hostile_names(void)
{
	static const struct {
		const char *driver, *dir;	/* where it leads to */
	} bad[] = {
		{ "..", "/var/lib/kubelet/" },	{ ".", PLUGINS }, { "../x", "/var/lib/kubelet/x/" },
		{ "../x", PLUGINS "x/" },	{ "/a", "/a/" },  { "a/b", PLUGINS "a/b/" },
	};
	char path[PATH_MAX];
	struct claim_info i;
	struct err e;

	test("a driver whose name is no file's never becomes a path");
	for (size_t k = 0; k < ARRAY_SIZE(bad); k++) {
		node_open(NULL, &n);
		claimed_recorded(&f);
		(void)snprintf(f.driver, sizeof(f.driver), "%s", bad[k].driver);
		(void)snprintf(path, sizeof(path),
			       "%sdra-device-metadata/default_claim1/req0/metadata.json",
			       bad[k].dir);
		write_believable(path, bad[k].driver);
		ok(find(0, &i, &e) == 0);
		node_close(&n);
	}
	test("nor does a claim's");
	node_open(NULL, &n);
	claimed_recorded(&f);
	write_believable(CLAIM_DIR "/req0/metadata.json", "test-driver.cdi.k8s.io");
	node_sh(&n, "mkdir ." CLAIM_DIR "/../default_x");
	ok(find(0, &i, &e) == 1);
	(void)snprintf(f.claim, sizeof(f.claim), "x/../default_claim1");
	ok(find(0, &i, &e) == 0);
	(void)snprintf(f.name_space, sizeof(f.name_space), "default_x/../default");
	(void)snprintf(f.claim, sizeof(f.claim), "claim1");
	ok(find(0, &i, &e) == 0);

	test("nor what is too long for one");
	claimed_recorded(&f);
	memset(f.claim, 'c', 260);
	ok(find(0, &i, &e) == 0);
	claimed_recorded(&f);
	memset(f.driver, 'd', 260);
	ok(find(0, &i, &e) == 0);
	node_close(&n);
}

static int64_t ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Write the second half of the file after a while, as a driver that was interrupted does. */
static pid_t complete_later(const char *text, unsigned int ms)
{
	char path[PATH_MAX];
	size_t half = strlen(text) / 2;
	pid_t pid = fork();
	int fd;

	if (pid != 0)
		return pid;
	(void)snprintf(path, sizeof(path), "%s" CLAIM_DIR "/req0/metadata.json", n.dir);
	(void)usleep(ms * 1000);
	fd = open(path, O_WRONLY | O_APPEND);
	_exit(fd < 0 || write(fd, text + half, strlen(text) - half) < 0);
}

static void test_torn(void)
{
	static const char text[] = FILE_OF("{" NETWORK_ID("vf1") "}");
	auto_free char *half = strndup(text, sizeof(text) / 2 - 1);
	struct claim_info i;
	struct err e;
	int64_t start;
	int status = 0;
	pid_t pid;

	if (!half || strlen(half) != strlen(text) / 2)
		bail_out("half");
	claimed_recorded(&f);
	node_open(NULL, &n);
	test("a file that is torn and completed 30 ms later is read as a whole");
	node_write(&n, CLAIM_DIR "/req0/metadata.json", half);
	(void)fflush(stdout);
	pid = complete_later(text, 30);
	ok(pid > 0 && find(10000, &i, &e) == 1);
	eq(i.id, "vf1");
	eq(i.tried, "");
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);

	test("so is one that is empty first");
	node_write(&n, CLAIM_DIR "/req0/metadata.json", "");
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)usleep(30000);
		node_write(&n, CLAIM_DIR "/req0/metadata.json", text);
		_exit(0);
	}
	ok(pid > 0 && find(10000, &i, &e) == 1);
	eq(i.id, "vf1");
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);

	test("one that stays torn counts as absent after a moment, and is noted once");
	node_write(&n, CLAIM_DIR "/req0/metadata.json", half);
	start = ms_now();
	ok(find(60000, &i, &e) == 0 &&
	   notes(&i, CLAIM_DIR "/req0/metadata.json: object 1: not valid JSON"));
	ok(ms_now() - start < 20000);
	ok(!strstr(i.tried + 1, CLAIM_DIR));

	test("it is not waited for beyond the deadline, nor where the device is in another file");
	start = ms_now();
	for (int k = 0; k < 100; k++)
		if (find(0, &i, &e) != 0)
			bail_out("torn and found");
	node_write(&n, CLAIM_DIR "/req1/metadata.json", text);
	for (int k = 0; k < 100; k++)
		if (find(60000, &i, &e) != 1)
			bail_out("not found");
	ok(ms_now() - start < 20000);	/* a minute if each took its moment */

	test("a signal ends the wait");
	node_sh(&n, "rm -r ." CLAIM_DIR "/req1");
	deadline_catch_signals();
	ok(raise(SIGTERM) == 0);
	ok(find(60000, &i, &e) == -1 && e.code == ERR_INTERRUPTED);
	deadline_catch_signals();
	node_close(&n);
}

/* Replace the stream as drivers do, 60 times, by generations of the same device. */
static void replace_often(void)
{
	char path[PATH_MAX], text[1024];
	size_t quarter;
	int fd;

	(void)snprintf(path, sizeof(path), "%s" CLAIM_DIR "/req0/metadata.json", n.dir);
	for (int k = 2; k <= 60; k++) {
		(void)snprintf(text, sizeof(text),
			       GENERATION("%d", WITH("vf%d")) GENERATION("%d", WITH("vf%d")),
			       k, k, k, k);
		quarter = strlen(text) / 4;	/* in the first object */
		fd = open(path, O_WRONLY | O_TRUNC);
		(void)!write(fd, text, quarter);
		(void)usleep(500);
		(void)!write(fd, text + quarter, strlen(text) - quarter);
		(void)close(fd);
		(void)usleep(4000);
	}
	_exit(0);
}

static void test_deferred(void)
{
	struct claim_info i;
	struct err e;
	int64_t start = ms_now();
	int last = 0, status = 0;
	pid_t pid;

	claimed_recorded(&f);
	node_open(NULL, &n);
	test("a device that its driver describes later is known, as one, and not waited for");
	node_write(&n, CLAIM_DIR "/req0/metadata.json", GENERATION("1", WITHOUT));
	for (int k = 0; k < 100; k++)
		if (find(60000, &i, &e) != 1)
			bail_out("not found");
	ok(ms_now() - start < 20000);	/* a minute if each waited a moment */
	eq(i.id, "");
	eq(i.request, "req0");
	eq(i.tried, "");
	ok(i.deferred);
	node_write(&n, CLAIM_DIR "/req0/metadata.json", GENERATION("2", WITH("vf1")));
	ok(find(60000, &i, &e) == 1 && !i.deferred);
	eq(i.id, "vf1");

	test("of a stream that is replaced while it is read each answer is whole, none older");
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0)
		replace_often();
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (find(10000, &i, &e) != 1 || strncmp(i.id, "vf", 2) != 0 ||
		    atoi(i.id + 2) < last)
			break;
		last = atoi(i.id + 2);
	}
	ok(pid > 0 && WIFEXITED(status) && last > 10);
	node_close(&n);
}

/* A CDI specification of the metadata device that mounts this path. */
static void write_mount(const char *path)
{
	auto_free char *text = NULL;

	if (asprintf(&text,
		     "{\"kind\":\"test-driver.cdi.k8s.io/metadata\",\"devices\":[{\"name\":"
		     "\"3787e052-a284-4393-b443-5d452160577d_req0\",\"containerEdits\":"
		     "{\"mounts\":[{\"hostPath\":\"%s\"}]}}]}",
		     path) < 0)
		bail_out("memory");
	node_write(&n, "/var/run/cdi/metadata.json", text);
}

static void test_mounted(void)
{
	static const char *const bad[] = {
		"/etc/dra-device-metadata/default_claim1/req0/metadata.json",
		"/var/lib/kubelet/../x/plugins/d/dra-device-metadata/default_claim1/req0/"
		"metadata.json",
		PLUGINS "../dra-device-metadata/default_claim1/req0/metadata.json",
		PLUGINS "a/b/dra-device-metadata/default_claim1/req0/metadata.json",
		CLAIM_DIR "/../default_claim1/req0/metadata.json",
		CLAIM_DIR "/../metadata.json",
		CLAIM_DIR "/req0/x.json",
		CLAIM_DIR "/req0/metadata.json/",
		CLAIM_DIR "2/req0/metadata.json",
		"/x" CLAIM_DIR "/req0/metadata.json",
		"/var/lib/kubelet2/plugins/d/dra-device-metadata/default_claim1/req0/metadata.json",
	};
	char long_path[700];
	struct claim_info i;
	struct err e;

	node_open(NULL, &n);
	claimed_init(&f, "", "", "");
	claimed_name(&f, CDI_NAME);
	claimed_name(&f, CDI_METADATA);
	test("before 1.31 the file is found through the CDI device that mounts it");
	node_write(&n, CLAIM_DIR "/req0/metadata.json", FILE_OF("{" NETWORK_ID("vf1") "}"));
	ok(find(10000, &i, &e) == 0);
	node_copy(&n,
		  "test-driver.cdi.k8s.io_metadata_3787e052-a284-4393-b443-5d452160577d_req0.json",
		  "/var/run/cdi/metadata.json");
	ok(find(10000, &i, &e) == 1);
	eq(i.id, "vf1");
	eq(i.request, "req0");
	eq(i.tried, "");

	test("a trailing slash in the setting does not matter");
	n.host.set.kubelet_dir = "/var/lib/kubelet//";
	ok(find(10000, &i, &e) == 1);
	n.host.set.kubelet_dir = "/var/lib/kubelet";

	test("a driver that kubelet names must be the one of the path");
	(void)snprintf(f.driver, sizeof(f.driver), "other.example.com");
	ok(find(10000, &i, &e) == 0 && notes(&i, "not where this claim's metadata lies"));
	(void)snprintf(f.driver, sizeof(f.driver), "test-driver.cdi.k8s.io");
	ok(find(10000, &i, &e) == 1);
	f.driver[0] = '\0';

	test("other requests are not looked at, and several devices are none");
	node_write(&n, CLAIM_DIR "/a/metadata.json",
		   HEAD "\"requests\":[" REQUEST("a", DEVICE("{" NETWORK_ID("vf2") "}")) "]}");
	ok(find(10000, &i, &e) == 1);
	eq(i.id, "vf1");
	node_write(&n, CLAIM_DIR "/req0/metadata.json",
		   HEAD "\"requests\":[" REQUEST("req0", DEVICE("{" NETWORK_ID("vf1") "}") ","
						 DEVICE("{" NETWORK_ID("vf2") "}")) "]}");
	ok(find(10000, &i, &e) == 0 && notes(&i, "2 devices"));
	node_write(&n, CLAIM_DIR "/req0/metadata.json", FILE_OF("{" NETWORK_ID("vf1") "}"));

	test("any other path is refused");
	node_write(&n, "/etc/dra-device-metadata/default_claim1/req0/metadata.json",
		   FILE_OF("{" NETWORK_ID("vf1") "}"));
	node_write(&n, "/var/lib/kubelet/dra-device-metadata/default_claim1/req0/metadata.json",
		   FILE_OF("{" NETWORK_ID("vf1") "}"));
	for (size_t k = 0; k < ARRAY_SIZE(bad); k++) {
		write_mount(bad[k]);
		ok(find(10000, &i, &e) == 0 && notes(&i, "not where this claim's metadata lies"));
	}
	memset(long_path, 'd', 300);
	(void)snprintf(long_path + 300, sizeof(long_path) - 300,
		       "/dra-device-metadata/default_claim1/req0/metadata.json");
	memcpy(long_path, PLUGINS, strlen(PLUGINS));
	write_mount(long_path);
	ok(find(10000, &i, &e) == 0 && notes(&i, "not where this claim's metadata lies"));
	write_mount(CLAIM_DIR "/req0/metadata.json");
	ok(find(10000, &i, &e) == 1);

	test("two metadata files are none");
	node_write(&n, "/var/run/cdi/metadata.json",
		   "{\"kind\":\"test-driver.cdi.k8s.io/metadata\",\"devices\":[{\"name\":"
		   "\"3787e052-a284-4393-b443-5d452160577d_req0\",\"containerEdits\":{\"mounts\":["
		   "{\"hostPath\":\"" CLAIM_DIR "/req0/metadata.json\"},"
		   "{\"hostPath\":\"" CLAIM_DIR "/a/metadata.json\"}]}}]}");
	ok(find(10000, &i, &e) == 0 && notes(&i, "more than one DRA metadata file"));
	node_close(&n);
}

int main(void)
{
	test_recorded();
	test_precedence();
	test_invalid_ids();
	test_versions();
	test_broken_tail();
	test_names();
	test_stream();
	test_generations();
	test_matching();
	test_wrong_types();
	test_hostile_files();
	test_hostile_names();
	test_torn();
	test_deferred();
	test_mounted();
	return tap_end();
}
