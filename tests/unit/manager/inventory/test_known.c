/* SPDX-License-Identifier: Apache-2.0 */
/* test_known.c - what is known, and has the form of its key, stays; all else is left out */
#include "manager/inventory/known.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

/* Is the document this one afterwards? */
static bool becomes(const struct known *of, const char *before, const char *after)
{
	struct err e = { 0 };
	json_auto_t *doc = jx_parse(before, strlen(before), ERR_DECODE, "test", &e);
	json_auto_t *want = jx_parse(after, strlen(after), ERR_DECODE, "test", &e);
	auto_free char *text = NULL;

	if (!doc || !want)
		return false;
	known_keep(doc, of);
	text = json_dumps(doc, JSON_COMPACT);
	if (!json_equal(doc, want))
		(void)printf("# %s\n", text);
	return json_equal(doc, want);
}

static bool stays(const struct known *of, const char *text)
{
	return becomes(of, text, text);
}

static void test_conf(void)
{
	test("a configuration keeps what it says to us");
	ok(stays(&known_conf, "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"plugins\":[{"
		 "\"type\":\"devinfo\",\"deviceID\":\"0000:01:10.0\",\"vlan\":100,"
		 "\"trust\":\"on\","
		 "\"mac\":\"02:00:00:00:00:01\",\"ipam\":{\"type\":\"host-local\","
		 "\"ranges\":[[{\"subnet\":\"10.0.0.0/24\"}]]},\"trunk\":[{\"id\":5}],"
		 "\"vdpa\":{\"driver\":\"vhost\",\"maxVqp\":2},"
		 "\"capabilities\":{\"mac\":true}}]}"));
	ok(stays(&known_conf, "{\"VLAN\":7,\"podMayOverride\":[\"mac\"],"
		 "\"delegate\":{\"mtu\":9}}"));
	test("a value that the key does not take, or a key that nobody knows, does not stay");
	ok(becomes(&known_conf, "{\"vlan\":\"x\",\"trust\":\"word\",\"mac\":\"zz\","
		   "\"mtu\":[\"a\"]}",
		   "{\"vlan\":\"left-out\",\"trust\":\"left-out\",\"mac\":\"left-out\","
		   "\"mtu\":[\"left-out\"]}"));
	ok(becomes(&known_conf, "{\"pin\":1234,\"part\":0.5,\"on\":true,\"o\":{\"a\":[\"b\",1]}}",
		   "{\"pin\":0,\"part\":0.0,\"on\":true,\"o\":{\"a\":[\"left-out\",0]}}"));
	ok(becomes(&known_conf, "{\"vlan\":4095,\"memif\":{\"secret\":\"x\",\"id\":1}}",
		   "{\"vlan\":0,\"memif\":{\"secret\":\"left-out\",\"id\":1}}"));
	ok(becomes(&known_conf, "{\"name\":\"two words\",\"ipam\":{\"vlan\":\"7\",\"type\":\"a\"}}",
		   "{\"name\":\"left-out\",\"ipam\":{\"vlan\":\"left-out\",\"type\":\"a\"}}"));
	test("nor does a name that is no plain word");
	ok(becomes(&known_conf, "{\"a1b2\":true,\"vlna\":1}", "{\"left-out-0\":true,\"vlna\":0}"));
	ok(becomes(&known_conf, "{\"io.kubernetes.cri.pod-annotations\":{\"a\":\"b\"}}",
		   "{\"left-out-0\":{\"a\":\"left-out\"}}"));
}

static void test_others(void)
{
	test("a document in a text, or in base64, has its own keys");
	ok(becomes(&known_record, "{\"version\":1,\"request\":\"{\\\"vlan\\\":1,\\\"x\\\":2}\"}",
		   "{\"version\":1,\"request\":\"{\\\"vlan\\\":1,\\\"x\\\":0}\\n\"}"));
	ok(becomes(&known_record, "{\"request\":\"{\"}", "{\"request\":\"left-out\"}"));
	/* {"x":"y"} and {"x":"left-out"}\n */
	ok(becomes(&known_cache, "{\"config\":\"eyJ4IjoieSJ9\"}",
		   "{\"config\":\"eyJ4IjoibGVmdC1vdXQifQo=\"}"));
	test("a record keeps what its table has, but for the alias");
	ok(becomes(&known_record, "{\"netdev\":{\"name\":\"a\",\"alias\":\"6162\","
		   "\"addr\":\"0200\","
		   "\"mtu\":1},\"vf\":{\"vlan\":1,\"pin\":2},\"netns\":\"word\"}",
		   "{\"netdev\":{\"name\":\"a\",\"alias\":\"\",\"addr\":\"0200\",\"mtu\":1},"
		   "\"vf\":{\"vlan\":1,\"pin\":0},\"netns\":\"left-out\"}"));
	test("of CNI_ARGS what names the pod");
	ok(becomes(&known_cache, "{\"cniArgs\":[[\"K8S_POD_NAME\",\"p\"],[\"A\",\"b\"]]}",
		   "{\"cniArgs\":[[\"K8S_POD_NAME\",\"p\"],[\"left-out\",\"left-out\"]]}"));
	test("a checkpoint's devices are under any name");
	ok(stays(&known_checkpoint, "{\"Data\":{\"RegisteredDevices\":{\"a.b/c\":[\"d\"]},"
		 "\"PodDeviceEntries\":[{\"PodUID\":\"0a-1\",\"DeviceIDs\":{\"-1\":[\"d\"]}}]},"
		 "\"Checksum\":1}"));
}

static void test_words(void)
{
	static const char *const words[] = { "web-0", "/var/run/netns/cni-3f0a", "0000:01:10.0",
					     "3f0a3f0a3f0a3f0a3f0a3f0a3f0a3f0a", "a.b/c", "",
					     "intel.com/intel_sriov_dpdk_VF0" };
	static const char *const none[] = { "a b", "a=b", "a\nb", "ghp_16C7e42F292c6912E7", "$a" };

	test("a word is plain, and has not the look of a token");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		ok(known_is_word(words[i]));
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		ok(!known_is_word(none[i]));
	test("a line of an environment is a name and a value");
	ok(known_is_assignment("VERSION_ID=\"12\""));
	ok(known_is_assignment("vendor.io/x=1"));
	ok(known_is_assignment("# +expiry-time=2026-01-01T00:00:00Z"));
	ok(known_is_assignment("vendor.io/flag"));
	ok(known_is_assignment("# +no-label"));
	ok(!known_is_assignment("# it=secret"));
	ok(!known_is_assignment("# +no-label secret"));
	ok(!known_is_assignment("=secret"));
	ok(!known_is_assignment(""));
	ok(!known_is_assignment("a=$(b)"));
	ok(!known_is_assignment("two words=1"));
}

int main(void)
{
	jx_init(NULL);
	test_conf();
	test_others();
	test_words();
	return tap_end();
}
