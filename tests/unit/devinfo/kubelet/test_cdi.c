/* SPDX-License-Identifier: Apache-2.0 */
/* test_cdi.c - specifications of the Container Device Interface, proper and hostile ones */
#include "devinfo/kubelet/cdi.h"
#include "tests/unit/dra.h"
#include "tests/unit/tap.h"

#include <signal.h>

#define CDI_DIR		"/var/run/cdi/"
#define RECORDED	"test-driver.cdi.k8s.io-3787e052-a284-4393-b443-5d452160577d-req0.json"
#define RECORDED_METADATA \
	"test-driver.cdi.k8s.io_metadata_3787e052-a284-4393-b443-5d452160577d_req0.json"

/* As dra-driver-sriov writes them. */
#define VF		"sriovnetwork.k8snetworkplumbingwg.io/vf"
#define CLAIM_UID	"5b6e6a3c-41b0-4c1b-a9a5-0f3a3c2f1d11"
#define POD_UID		"0d6c9a54-7a5f-4d52-9f0e-0b8a5b0b8c22"
#define SPEC(devices)	"{\"cdiVersion\":\"0.3.0\",\"kind\":\"" VF "\",\"devices\":[" devices "]}"
#define DEVICE(name, env) \
	"{\"name\":\"" name "\",\"containerEdits\":{\"env\":[" env "]}}"
#define VF_DEVICE(device, key, address)                                                    \
	DEVICE(CLAIM_UID "-" device, "\"SRIOVNETWORK_VF_DEVICE_" key "=" address "\","      \
				     "\"SRIOVNETWORK_NET_ATTACH_DEF_NAME=sriov-net\"")
#define POD_DEVICE(addresses) \
	DEVICE(POD_UID, "\"SRIOVNETWORK_PCI_ADDRESSES=" addresses "\"")

static struct fake_node n;
static struct claimed_fixture f;

/* The address that a specification tells of VF "=d" whose environment this is; "-" for an error. */
static const char *address_in(const char *env)
{
	static struct cdi_device d;
	auto_free char *text = NULL;
	struct err e = { 0 };

	d = (struct cdi_device){ 0 };
	if (asprintf(&text, SPEC("{\"name\":\"d\",\"containerEdits\":{\"env\":%s}}"), env) < 0)
		bail_out("memory");
	if (cdi_parse("a.json", text, strlen(text), VF "=d", &d, &e) != 1)
		return "-";
	return d.address.several ? "several" : d.address.text;
}

static int parse(const char *text, const char *name, struct cdi_device *ret, struct err *e)
{
	return cdi_parse("a.json", text, strlen(text), name, ret, e);
}

static void test_environment(void)
{
	test("a value that is one PCI address counts, in lower case");
	eq(address_in("[\"A=0000:03:02.1\"]"), "0000:03:02.1");
	eq(address_in("[\"PATH=/bin\",\"A=10000:AF:1F.7\",\"B\",\"\"]"), "10000:af:1f.7");
	test("as DPDK is told it, too");
	eq(address_in("[\"A=pci:0000:03:02.1\"]"), "0000:03:02.1");
	test("once or several times, also in a list");
	eq(address_in("[\"A=0000:AF:02.1\",\"B=0000:af:02.1\"]"), "0000:af:02.1");
	eq(address_in("[\"A=0000:03:02.1,0000:03:02.1\"]"), "0000:03:02.1");

	test("a list of several addresses is none");
	eq(address_in("[\"A=0000:03:02.1,0000:03:02.2\"]"), "");
	eq(address_in("[\"A=0000:03:02.1,0000:03:02.2\",\"B=0000:03:02.3\"]"), "0000:03:02.3");
	test("different addresses are as good as none");
	eq(address_in("[\"A=0000:03:02.1\",\"B=0000:03:02.2\",\"C=0000:03:02.1\"]"), "several");

	test("what has more than an address in it does not count");
	eq(address_in("[\"A=0000:03:02.1 \"]"), "");
	eq(address_in("[\"A= 0000:03:02.1\"]"), "");
	eq(address_in("[\"A=0000:03:02.1,\"]"), "");
	eq(address_in("[\"A=,0000:03:02.1\"]"), "");
	eq(address_in("[\"A=0000:03:02.1,x\"]"), "");
	eq(address_in("[\"A=/sys/bus/pci/devices/0000:03:02.1\"]"), "");
	eq(address_in("[\"A=B=0000:03:02.1\"]"), "");
	eq(address_in("[\"A=03:02.1\",\"B=\",\"C=,\",\"=\"]"), "");
	test("nor does what stands before the '='");
	eq(address_in("[\"0000:03:02.1\",\"0000:03:02.1=x\"]"), "");
	eq(address_in("[]"), "");
	eq(address_in("null"), "");

	test("an environment of another type makes the specification invalid");
	eq(address_in("\"A=0000:03:02.1\""), "-");
	eq(address_in("{\"A\":\"0000:03:02.1\"}"), "-");
	eq(address_in("[\"A=0000:03:02.1\",7]"), "-");
	eq(address_in("7"), "-");
}

static void test_devices(void)
{
	static const char *const absent[] = {
		"{}", "[]", "{\"kind\":\"" VF "\"}", "{\"kind\":null,\"devices\":null}",
		"{\"kind\":\"" VF "\",\"devices\":[null,7,\"d\",[],{},{\"name\":7},{\"name\":[]}]}",
		"{\"kind\":\"other/vf\",\"devices\":[" DEVICE("d", "\"A=0000:03:02.1\"") "]}",
		"{\"kind\":\"" VF "=d\",\"devices\":[" DEVICE("d", "\"A=0000:03:02.1\"") "]}",
		"{\"kind\":\"sriovnetwork.k8snetworkplumbingwg.io\",\"devices\":["
		DEVICE("d", "\"A=0000:03:02.1\"") "]}",
		SPEC(DEVICE("D", "\"A=0000:03:02.1\"")), SPEC(DEVICE("d2", "\"A=0000:03:02.1\"")),
		SPEC(DEVICE("", "\"A=0000:03:02.1\"")),
	};
	static const char *const invalid[] = {
		"", "{", "{}{}", "{\"kind\":7}", "{\"kind\":\"" VF "\",\"devices\":{}}",
		"{\"kind\":\"a\",\"kind\":\"b\"}",
		SPEC("{\"name\":\"d\",\"containerEdits\":[]}"),
		SPEC("{\"name\":\"d\",\"containerEdits\":{\"mounts\":{}}}"),
		SPEC(DEVICE("d", "") "," DEVICE("d", "")),
	};
	struct cdi_device d = { 0 };
	struct err e;

	test("the device is the one of its name in a specification of its kind");
	ok(parse(SPEC(DEVICE("c", "\"A=0000:03:02.0\"") "," DEVICE("d", "\"A=0000:03:02.1\"")),
		 VF "=d", &d, &e) == 1);
	eq(d.address.text, "0000:03:02.1");
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		ok(parse(absent[i], VF "=d", &d, &e) == 0);
	test("a name without '=' is no device's");
	ok(parse(SPEC(DEVICE(VF, "")), VF, &d, &e) == 0);
	ok(parse("", "", &d, &e) == 0);

	test("what is no specification is an error, and so is a device that is there twice");
	for (size_t i = 0; i < ARRAY_SIZE(invalid); i++) {
		e.code = ERR_OK;
		ok(parse(invalid[i], VF "=d", &d, &e) == -1 && e.code != ERR_OK);
	}
	eq(d.address.text, "0000:03:02.1");

	test("a device without edits tells nothing");
	ok(parse(SPEC("{\"name\":\"d\"}"), VF "=d", &d, &e) == 1 && !*d.address.text);
	test("edits of the whole specification are no device's");
	ok(parse("{\"kind\":\"" VF "\",\"containerEdits\":{\"env\":[\"A=0000:03:02.1\"]},"
		 "\"devices\":[{\"name\":\"d\"}]}", VF "=d", &d, &e) == 1 && !*d.address.text);
}

static void test_mounts(void)
{
	auto_free char *text = recorded(RECORDED_METADATA), *other = recorded(RECORDED);
	struct cdi_device d = { 0 };
	char path[1200], *big = NULL;
	struct err e;

	test("the metadata file that a real driver mounts is told");
	ok(parse(text, CDI_METADATA, &d, &e) == 1);
	eq(d.metadata.text, PLUGINS "test-driver.cdi.k8s.io/dra-device-metadata/default_claim1/"
			    "req0/metadata.json");
	ok(!d.metadata.several && !*d.address.text);
	ok(parse(other, CDI_NAME, &d, &e) == 1 && !*d.metadata.text && !*d.address.text);
	ok(parse(other, CDI_METADATA, &d, &e) == 0);

	test("other mounts, and mounts of other types, say nothing");
	ok(parse(SPEC("{\"name\":\"d\",\"containerEdits\":{\"mounts\":[null,7,\"x\",{},[],"
		      "{\"hostPath\":7},{\"hostPath\":\"/etc\"},{\"hostPath\":\"\"}]}}"),
		 VF "=d", &d, &e) == 1 && !*d.metadata.text);
	test("nor does a path that is too long");
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	if (asprintf(&big, SPEC("{\"name\":\"d\",\"containerEdits\":{\"mounts\":[{\"hostPath\":"
				"\"/dra-device-metadata/%s\"}]}}"), path) < 0)
		bail_out("memory");
	ok(parse(big, VF "=d", &d, &e) == 1 && !*d.metadata.text);
	free(big);
}

static int find_until(struct deadline d, struct claim_info *ret, struct err *e)
{
	*ret = (struct claim_info){ 0 };
	return cdi_find(&n.host, &f.it, &d, ret, e);
}

/* The address that is found for f; "" for none. */
static const char *found(struct claim_info *ret)
{
	struct err e = { 0 };
	int r = find_until(deadline_in(60000), ret, &e);

	if (r < 0 || (r > 0) != (*ret->id != '\0')) {
		(void)printf("# %d, id '%s': %s (%s)\n", r, ret->id, e.msg, e.details);
		return "-";
	}
	return ret->id;
}

static bool notes(const struct claim_info *i, const char *words)
{
	if (strstr(i->tried, words))
		return true;
	(void)printf("# tried: %s\n", i->tried);
	return false;
}

/* A VF of dra-driver-sriov: its device in the claim, and that of its pod. */
static void sriov_vf(const char *device)
{
	char name[256];

	claimed_init(&f, "sriovnetwork.k8snetworkplumbingwg.io", "node1", device);
	(void)snprintf(name, sizeof(name), VF "=" CLAIM_UID "-%s", device);
	claimed_name(&f, name);
	claimed_name(&f, VF "=" POD_UID);
}

static void test_sriov(void)
{
	struct claim_info i;

	node_open(NULL, &n);
	sriov_vf("0000-65-00-3");
	test("without a directory nothing is known");
	eq(found(&i), "");
	eq(i.tried, "");

	test("the VFs of dra-driver-sriov are told apart, though one list names both");
	node_write(&n, CDI_DIR "a.json",
		   SPEC(VF_DEVICE("0000-65-00-3", "0000_65_00_3", "0000:65:00.3") ","
			VF_DEVICE("0000-65-00-4", "0000_65_00_4", "0000:65:00.4")));
	node_write(&n, CDI_DIR "b.json", SPEC(POD_DEVICE("0000:65:00.3,0000:65:00.4")));
	eq(found(&i), "0000:65:00.3");
	eq(i.tried, "");
	ok(!i.source && !*i.request);
	sriov_vf("0000-65-00-4");
	eq(found(&i), "0000:65:00.4");

	test("the pod's list is not asked when it holds one VF of another claim");
	node_write(&n, CDI_DIR "b.json", SPEC(POD_DEVICE("0000:65:00.7")));
	eq(found(&i), "0000:65:00.4");
	node_sh(&n, "rm ." CDI_DIR "a.json");
	eq(found(&i), "");

	test("where no name is the device's, all are asked");
	sriov_vf("vf4");
	f.it.n_cdi = 0;
	claimed_name(&f, VF "=" CLAIM_UID "-x");
	claimed_name(&f, VF "=" POD_UID);
	eq(found(&i), "0000:65:00.7");
	node_write(&n, CDI_DIR "a.json", SPEC(VF_DEVICE("x", "x", "0000:65:00.4")));
	eq(found(&i), "");
	ok(notes(&i, "more than one PCI address"));
	node_write(&n, CDI_DIR "a.json", SPEC(VF_DEVICE("x", "x", "0000:65:00.7")));
	eq(found(&i), "0000:65:00.7");

	test("names that are no CDI device's say nothing");
	f.it.n_cdi = 0;
	claimed_name(&f, "");
	claimed_name(&f, "=");
	claimed_name(&f, VF);
	claimed_name(&f, VF "=");
	claimed_name(&f, "0000:65:00.7");
	claimed_name(&f, "../../etc/x=0000:65:00.7");
	eq(found(&i), "");
	f.it.n_cdi = 0;
	eq(found(&i), "");
	node_close(&n);
}

static void test_metadata_device(void)
{
	struct claim_info i;

	node_open(NULL, &n);
	claimed_recorded(&f);
	test("the files of a real driver of other devices tell no address");
	node_copy(&n, RECORDED, CDI_DIR RECORDED);
	node_copy(&n, RECORDED_METADATA, CDI_DIR RECORDED_METADATA);
	eq(found(&i), "");
	eq(i.tried, "");

	test("the device that mounts metadata does not keep others from being asked, whatever the "
	     "request is called");
	claimed_init(&f, "test-driver.cdi.k8s.io", "realnode", "x-req0");
	claimed_name(&f, "test-driver.cdi.k8s.io/metadata=u_r-x-req0");
	claimed_name(&f, VF "=" POD_UID);
	node_write(&n, CDI_DIR "m.json",
		   "{\"kind\":\"test-driver.cdi.k8s.io/metadata\",\"devices\":[{\"name\":"
		   "\"u_r-x-req0\",\"containerEdits\":{\"mounts\":[{\"hostPath\":\"" PLUGINS
		   "d/dra-device-metadata/a_b/c/metadata.json\"}]}}]}");
	node_write(&n, CDI_DIR "p.json", SPEC(POD_DEVICE("0000:65:00.7")));
	eq(found(&i), "0000:65:00.7");
	node_close(&n);
}

static void test_directories(void)
{
	struct claim_info i;

	/* A node as a Debian has it: /var/run leads to /run. */
	node_open(NULL, &n);
	node_sh(&n, "mkdir -p var run && ln -s ../run var/run");
	sriov_vf("vf1");
	test("specifications of /etc/cdi are read");
	node_write(&n, "/etc/cdi/z.json", SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.1")));
	eq(found(&i), "0000:65:00.1");

	test("those of /var/run/cdi come first, whatever their names");
	node_write(&n, CDI_DIR "z.json", SPEC(VF_DEVICE("vf2", "vf2", "0000:65:00.2")));
	eq(found(&i), "0000:65:00.1");
	node_write(&n, CDI_DIR "a.json", SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.3")));
	eq(found(&i), "0000:65:00.3");
	node_write(&n, CDI_DIR "a.json", SPEC(DEVICE(CLAIM_UID "-vf1", "")));
	eq(found(&i), "");

	test("two of one directory are a conflict: there is no such device");
	node_write(&n, CDI_DIR "a.json", SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.3")));
	node_write(&n, CDI_DIR "b.json", SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.3")));
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi has 2 specifications of '" VF "=" CLAIM_UID "-vf1'"));
	node_sh(&n, "rm ." CDI_DIR "b.json");
	eq(found(&i), "0000:65:00.3");

	test("only *.json and *.yaml are read");
	node_sh(&n, "cd ." CDI_DIR " && cp a.json a.yml && cp a.json a.json.tmp && cp a.json json "
		    "&& cp a.json a.yaml.tmp && cp a.json .json && cp a.json .yaml && "
		    "mv a.json ajson");
	eq(found(&i), "0000:65:00.1");
	eq(i.tried, "");

	test("in what is no directory there is none");
	node_sh(&n, "rm -r run/cdi && touch run/cdi");
	eq(found(&i), "0000:65:00.1");
	eq(i.tried, "");
	node_close(&n);
}

/* What SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.1")) says, as people write it. */
#define YAML_SPEC                                                                          \
	"# made by hand\n"                                                                 \
	"cdiVersion: 0.3.0\n"                                                              \
	"kind: " VF "\n"                                                                   \
	"devices:\n"                                                                       \
	"- name: " CLAIM_UID "-vf1\n"                                                      \
	"  containerEdits:\n"                                                              \
	"    deviceNodes: [{path: /dev/vfio/7, permissions: rw, fileMode: 0660}]\n"        \
	"    env:\n"                                                                       \
	"    - SRIOVNETWORK_VF_DEVICE_vf1=0000:65:00.1\n"                                   \
	"    - \"SRIOVNETWORK_NET_ATTACH_DEF_NAME=sriov-net\"\n"

static void test_yaml(void)
{
	static const char numbered[] = "kind: " VF "\ndevices:\n- name: 7\n  containerEdits: "
				       "{env: [\"A=0000:65:00.7\"]}\n";
	struct cdi_device d = { 0 };
	struct claim_info i;
	struct err e;

	node_open(NULL, &n);
	sriov_vf("vf1");
	test("a specification in YAML tells the same as one in JSON");
	node_write(&n, CDI_DIR "a.yaml", YAML_SPEC);
	eq(found(&i), "0000:65:00.1");
	eq(i.tried, "");
	test("and one in each is a conflict");
	node_write(&n, CDI_DIR "b.json", SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.1")));
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi has 2 specifications of"));
	node_sh(&n, "rm ." CDI_DIR "b.json");

	test("what is torn, has a key twice, or is JSON only by its name is noted and passed by");
	node_write(&n, CDI_DIR "a.yaml", YAML_SPEC "    - \"A=");
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi/a.yaml: CDI specification: not valid YAML: line 11"));
	node_write(&n, CDI_DIR "a.yaml", YAML_SPEC "kind: x\n");
	eq(found(&i), "");
	ok(notes(&i, "duplicate key \"kind\": line 11"));
	node_write(&n, CDI_DIR "b.json", YAML_SPEC);
	node_sh(&n, "rm ." CDI_DIR "a.yaml");
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi/b.json: CDI specification: not valid JSON"));
	node_close(&n);

	test("a device whose name is a number without quotes is found by it");
	ok(cdi_parse("a.yaml", numbered, strlen(numbered), VF "=7", &d, &e) == 1);
	eq(d.address.text, "0000:65:00.7");
	ok(cdi_parse("a.yaml", numbered, strlen(numbered), VF "=0", &d, &e) == 0);
}

static void test_hostile(void)
{
	auto_free char *big = calloc(1, CDI_MAX + 2);
	static const char good[] = SPEC(VF_DEVICE("vf1", "vf1", "0000:65:00.1"));
	struct claim_info i;
	struct err e;

	if (!big)
		bail_out("memory");
	node_open(NULL, &n);
	sriov_vf("vf1");
	node_write(&n, "/elsewhere.json", good);
	node_sh(&n, "mkdir -p ." CDI_DIR);
	test("links, FIFOs and directories are passed over");
	node_sh(&n, "ln -s /elsewhere.json ." CDI_DIR "a.json");
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi: open 'a.json'"));
	node_sh(&n, "rm ." CDI_DIR "a.json && mkfifo ." CDI_DIR "a.json");
	eq(found(&i), "");
	ok(notes(&i, "'a.json' is not a regular file"));
	node_sh(&n, "rm ." CDI_DIR "a.json && mkdir ." CDI_DIR "a.json");
	eq(found(&i), "");
	ok(notes(&i, "'a.json' is not a regular file"));
	node_sh(&n, "rmdir ." CDI_DIR "a.json");

	test("so are files that are too large");
	memset(big, ' ', CDI_MAX + 1);
	memcpy(big, good, strlen(good));
	node_put(&n, CDI_DIR "a.json", big, CDI_MAX);
	eq(found(&i), "0000:65:00.1");
	node_put(&n, CDI_DIR "a.json", big, CDI_MAX + 1);
	eq(found(&i), "");
	ok(notes(&i, "'a.json' has 1048577 bytes"));

	test("those that are no JSON, nest too deep or have a key twice, if they are about us");
	memset(big, '[', CDI_MAX);
	memcpy(big + 1000, good, strlen(good));
	node_put(&n, CDI_DIR "a.json", big, 100000);
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi/a.json: CDI specification: not valid JSON"));
	node_put(&n, CDI_DIR "a.json", good, strlen(good) - 1);
	eq(found(&i), "");
	ok(notes(&i, "not valid JSON"));
	node_write(&n, CDI_DIR "a.json", "{\"kind\":\"" VF "\",\"kind\":\"" CLAIM_UID "-vf1\"}");
	eq(found(&i), "");
	ok(notes(&i, "duplicate key \"kind\""));
	node_write(&n, CDI_DIR "a.json", "[not about us");
	node_write(&n, CDI_DIR "b.json", good);
	eq(found(&i), "0000:65:00.1");
	eq(i.tried, "");

	test("the number of files is bounded");
	node_sh(&n, "cd ." CDI_DIR " && rm *.json && seq -f %g.json 4096 | xargs touch");
	eq(found(&i), "");
	eq(i.tried, "");
	node_sh(&n, "touch ." CDI_DIR "x.json");
	eq(found(&i), "");
	ok(notes(&i, "/var/run/cdi: over 4096 files"));

	test("a deadline that has passed does not keep us from reading");
	node_sh(&n, "rm -r ." CDI_DIR);
	node_write(&n, CDI_DIR "a.json", good);
	ok(find_until(deadline_in(0), &i, &e) == 1);

	test("but a search that takes long, and a signal, end with nothing known");
	memcpy(big, "[\"" CLAIM_UID "-vf1\"", strlen("[\"" CLAIM_UID "-vf1\""));
	for (size_t k = strlen("[\"" CLAIM_UID "-vf1\""); k + 4 < CDI_MAX; k += 3)
		memcpy(big + k, ",[]]", 4);
	node_put(&n, CDI_DIR "slow.json", big, strrchr(big, ']') + 1 - big);
	node_sh(&n, "cd ." CDI_DIR " && for i in $(seq 300); do ln slow.json $i.json; done");
	ok(find_until(deadline_in(0), &i, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "/var/run/cdi: read CDI specifications");
	ok(!*i.id);
	deadline_catch_signals();
	ok(raise(SIGTERM) == 0);
	ok(find_until(deadline_in(60000), &i, &e) == -1 && e.code == ERR_INTERRUPTED);
	deadline_catch_signals();
	node_close(&n);
}

int main(void)
{
	test_environment();
	test_devices();
	test_mounts();
	test_sriov();
	test_metadata_device();
	test_directories();
	test_yaml();
	test_hostile();
	return tap_end();
}
