/* SPDX-License-Identifier: Apache-2.0 */
/* test_netconf.c - configurations: what they mean, and what is refused */
#include "base/mem.h"
#include "conf/netconf.h"
#include "conf/node.h"
#include "conf/settings.h"
#include "conf/version.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <sys/stat.h>

#define HEAD "\"cniVersion\":\"1.0.0\",\"name\":\"net\""

static int head(const char *text, struct netconf *ret, struct err *e)
{
	return netconf_parse(text, strlen(text), ret, e);
}

/* Both steps over a whole attachment with these members. */
static int conf(const char *members, struct netconf *ret, struct err *e)
{
	char text[2048];

	(void)snprintf(text, sizeof(text), "{" HEAD "%s%s}", *members ? "," : "", members);
	if (head(text, ret, e) < 0)
		return -1;
	if (netconf_attachment(ret, e) == 0)
		return 0;
	netconf_done(ret);
	return -1;
}

struct refusal {
	const char *text;
	enum err_code code;
	const char *msg;
};

static void heads(void)
{
	static const struct refusal bad[] = {
		{ "", ERR_DECODE, "network configuration: not valid JSON" },
		{ "{\"name\":\"n\"", ERR_DECODE, "network configuration: not valid JSON" },
		{ "[]", ERR_DECODE, "network configuration: expected an object, got a list" },
		{ "null", ERR_DECODE, NULL },
		{ "\"x\"", ERR_DECODE, NULL },
		{ "{}", ERR_NETCONF, "missing network name" },
		{ "{\"name\":\"\"}", ERR_NETCONF, "missing network name" },
		{ "{\"name\":null}", ERR_NETCONF, "missing network name" },
		{ "{\"name\":7}", ERR_NETCONF, "name: expected a string, got an integer" },
		{ "{\"name\":\"a/b\"}", ERR_NETCONF,
		  "invalid name 'a/b': must be of [a-zA-Z0-9_.-], with a letter or digit first" },
		{ "{\"name\":\"..\"}", ERR_NETCONF, NULL },
		{ "{\"name\":\"n\",\"cniVersion\":1}", ERR_DECODE,
		  "cniVersion: expected a string, got an integer" },
		{ "{\"name\":\"n\",\"cniVersion\":\"0.3.2\"}", ERR_VERSION,
		  "incompatible CNI versions" },
		{ "{\"name\":\"n\",\"cniVersion\":\"1.0\"}", ERR_VERSION, NULL },
		{ "{\"name\":\"n\",\"cniVersion\":\"01.0.0\"}", ERR_VERSION, NULL },
		{ "{\"name\":\"n\",\"cniVersion\":\" 1.0.0\"}", ERR_VERSION, NULL },
		{ "{\"name\":\"n\",\"cniVersion\":\"1.0.0-rc1\"}", ERR_VERSION, NULL },
		{ "{\"name\":\"n\",\"cniVersion\":\"9.9.9\"}", ERR_VERSION, NULL },
	};
	static const char *const unsaid[] = { "{\"name\":\"n\"}",
					      "{\"name\":\"n\",\"cniVersion\":\"\"}" };
	struct netconf nc = { 0 };
	struct err e;

	test("C-REQ-02 to C-REQ-07: a document that is no configuration has the specification's "
	     "code");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(head(bad[i].text, &nc, &e) == -1 && e.code == bad[i].code && !nc.doc);
		if (bad[i].msg)
			eq(e.msg, bad[i].msg);
	}
	test("C-REQ-05: the details of a version we do not speak name it and ours");
	(void)head("{\"name\":\"n\",\"cniVersion\":\"9.9.9\"}", &nc, &e);
	eq(e.details,
	   "config is \"9.9.9\", plugin supports [\"0.1.0\" \"0.2.0\" \"0.3.0\" \"0.3.1\" "
	   "\"0.4.0\" \"1.0.0\" \"1.1.0\"]");
	test("C-REQ-05: a version that is missing or empty is 0.1.0");
	for (size_t i = 0; i < ARRAY_SIZE(unsaid); i++) {
		nc.version = CNI_1_1_0;
		ok(head(unsaid[i], &nc, &e) == 0 && nc.version == CNI_0_1_0);
		netconf_done(&nc);
	}
	test("C-REQ-12: white space is welcome");
	ok(head(" \n{\t\"name\" : \"n\" ,\r\n \"cniVersion\":\"1.1.0\" }\n\n", &nc, &e) == 0);
	eq(nc.name, "n");
	ok(nc.version == CNI_1_1_0);
	netconf_done(&nc);
	ok(!nc.doc);
}

static void versions(void)
{
	enum cni_version v = CNI_1_1_0;
	struct err e;

	test("C-SPV-01: each version has a name that leads back to it");
	for (int i = 0; i < CNI_VERSIONS; i++)
		ok(cni_version_parse(cni_version_name((enum cni_version)i), &v, &e) == 0 &&
		   v == (enum cni_version)i);
	ok(CNI_VERSIONS == 7);
	test("and they ascend");
	for (int i = 1; i < CNI_VERSIONS; i++)
		ok(strcmp(cni_version_name((enum cni_version)(i - 1)),
			  cni_version_name((enum cni_version)i)) < 0);
}

static void ipam(void)
{
	static const struct refusal bad[] = {
		{ "\"device\":\"v\",\"ipam\":{\"ranges\":[]}", ERR_NETCONF,
		  "ipam.type: missing, and ipam has ranges" },
		{ "\"device\":\"v\",\"ipam\":{\"type\":\"\",\"x\":1}", ERR_NETCONF,
		  "ipam.type: missing, and ipam has x" },
		{ "\"prevResult\":{},\"ipam\":{\"x\":1}", ERR_NETCONF,
		  "ipam.type: missing, and ipam has x" },
	};
	static const char *const none[] = { "{}", "null", "{\"type\":\"\"}", "{\"x\":null}" };
	struct netconf nc = { 0 };
	char text[128];
	struct err e = { 0 };

	test("an ipam with keys has a type, in any case of letters; without any there is no IPAM");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(conf(bad[i].text, &nc, &e) == -1 && e.code == bad[i].code);
		eq(e.msg, bad[i].msg);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		(void)snprintf(text, sizeof(text), "\"device\":\"v\",\"ipam\":%s", none[i]);
		ok(conf(text, &nc, &e) == 0 && !nc.ipam_type);
		netconf_done(&nc);
	}
	ok(conf("\"device\":\"v\",\"ipam\":{\"Type\":\"host-local\",\"x\":1}", &nc, &e) == 0);
	eq(nc.ipam_type, "host-local");
	netconf_done(&nc);
}

/* An attachment of an earlier version may have it. */
static void ipam_of_earlier(void)
{
	static const char text[] = "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"device\":\"v\","
				   "\"ipam\":{\"x\":1}}";
	struct netconf nc;
	struct err e;

	test("a CHECK does not refuse it");
	ok(netconf_parse(text, strlen(text), &nc, &e) == 0 && netconf_check(&nc, &e) == 0);
	netconf_done(&nc);
}

static void devices(void)
{
	static const struct refusal bad[] = {
		{ "\"deviceID\":7", ERR_NETCONF, "deviceID: expected a string, got an integer" },
		{ "\"deviceID\":\"../../x\"", ERR_NETCONF,
		  "invalid deviceID '../../x': must be the id of a device" },
		{ "\"runtimeConfig\":{\"deviceID\":\"/etc\"}", ERR_NETCONF, NULL },
		{ "\"runtimeConfig\":{\"deviceID\":[]}", ERR_NETCONF,
		  "runtimeConfig.deviceID: expected a string, got a list" },
		{ "\"runtimeConfig\":[],\"device\":\"v\"", ERR_NETCONF,
		  "runtimeConfig: expected an object, got a list" },
		{ "\"deviceID\":\"0000:01:10.0\",\"pciBusID\":\"0000:01:10.1\"", ERR_NETCONF,
		  "deviceID '0000:01:10.0' and pciBusID '0000:01:10.1' contradict each other" },
		{ "\"device\":\"a/b\"", ERR_NETCONF,
		  "invalid device 'a/b': must be the name of a network device" },
		{ "\"device\":\"1234567890123456\"", ERR_NETCONF, NULL },
		{ "\"device\":\"..\"", ERR_NETCONF, NULL },
		{ "\"resourceName\":\"a/../b\"", ERR_NETCONF,
		  "invalid resourceName 'a/../b': must be a resource's name such as "
		  "example.com/vf" },
		{ "\"resourceName\":true", ERR_NETCONF, NULL },
		{ "\"claim\":\"a/b\"",
		  ERR_NETCONF, "invalid claim 'a/b': must be a name without '/', other than '.' "
		  "and '..'" },
		{ "\"request\":\"..\"",
		  ERR_NETCONF, "invalid request '..': must be the name of a request, or of a "
		  "request and, behind a '/', its subrequest" },
		{ "\"request\":\"a/b/c\"", ERR_NETCONF, NULL },
		{ "\"device\":\"v\",\"args\":{\"cni\":{\"deviceID\":\"../x\"}}", ERR_NETCONF,
		  "invalid args.cni.deviceID '../x': must be the id of a device" },
		{ "\"device\":\"v\",\"args\":{\"cni\":{\"resourceName\":\"a b\"}}", ERR_NETCONF,
		  "invalid args.cni.resourceName 'a b': must be a resource's name such as "
		  "example.com/vf" },
		{ "\"device\":\"v\",\"prevResult\":{}", ERR_NETCONF,
		  "device: the interface is another plugin's here" },
		{ "\"delegate\":{\"type\":\"x\"},\"guid\":\"00:00:00:00:00:00:00:01\"",
		  ERR_NETCONF, "guid: the interface is another plugin's here" },
		{ "\"prevResult\":{},\"rdmaIsolation\":true", ERR_NETCONF,
		  "rdmaIsolation: the interface is another plugin's here" },
		{ "\"ipam\":{\"type\":\"x\"},\"delegate\":{\"type\":\"y\"}", ERR_NETCONF,
		  "ipam.type: the interface is another plugin's here" },
		{ "\"delegate\":{\"type\":\"y\"},\"delegates\":[]", ERR_NETCONF,
		  "delegate and delegates exclude each other" },
		{ "\"delegates\":[{\"type\":\"y\"},{\"type\":\"../y\"}]", ERR_NETCONF,
		  "invalid delegates[1].type '../y': must be the name of a plugin" },
		{ "\"delegate\":{\"type\":\"devinfo\"}", ERR_NETCONF,
		  "delegate.type: devinfo cannot delegate to itself" },
	};
	struct netconf nc = { 0 };
	struct err e;

	test("C-SEC-02: a device that cannot be one is refused with key and value");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(conf(bad[i].text, &nc, &e) == -1 && e.code == bad[i].code && !nc.doc);
		if (bad[i].msg)
			eq(e.msg, bad[i].msg);
	}
	test("runtimeConfig.deviceID wins over the configuration's");
	ok(conf("\"deviceID\":\"0000:01:10.0\",\"runtimeConfig\":{\"deviceID\":\"0000:01:10.1\"}",
		&nc, &e) == 0);
	eq(nc.device_id, "0000:01:10.1");
	netconf_done(&nc);
	test("deviceID and pciBusID may say the same, as Multus has it");
	ok(conf("\"deviceID\":\"0000:0a:10.0\",\"pciBusID\":\"0000:0A:10.0\"", &nc, &e) == 0);
	netconf_done(&nc);
	test("pciBusID alone is a device id");
	ok(conf("\"pciBusID\":\"0000:01:10.0\"", &nc, &e) == 0);
	eq(nc.device_id, "0000:01:10.0");
	netconf_done(&nc);
	test("a network device or a resource will do");
	ok(conf("\"device\":\"v0\"", &nc, &e) == 0 && !nc.device_id && !nc.resource);
	eq(nc.device, "v0");
	netconf_done(&nc);
	ok(conf("\"resourceName\":\"intel.com/sriov\",\"deviceID\":null", &nc, &e) == 0);
	eq(nc.resource, "intel.com/sriov");
	netconf_done(&nc);
	test("nothing at all may be a claim's, which only kubelet knows");
	ok(conf("\"deviceID\":\"\"", &nc, &e) == 0 && !nc.device_id && !nc.resource && !nc.claim);
	netconf_done(&nc);
	test("a claim and one of its requests");
	ok(conf("\"claim\":\"nics\",\"request\":\"vf\"", &nc, &e) == 0);
	eq(nc.claim, "nics");
	eq(nc.request, "vf");
	netconf_done(&nc);
	ok(conf("\"claim\":\"nics\",\"request\":\"vf/fast\"", &nc, &e) == 0);
	eq(nc.request, "vf/fast");
	netconf_done(&nc);
	test("an address that is spelled in two ways is one");
	ok(conf("\"deviceID\":\"pci:0000:01:10.0\",\"pciBusID\":\"0000:01:10.0\"", &nc, &e) == 0);
	eq(nc.device_id, "pci:0000:01:10.0");
	netconf_done(&nc);
	test("a pod's own wish fills what the network does not say");
	ok(conf("\"deviceID\":\"vf6\",\"args\":{\"cni\":{\"resourceName\":\"c/d\","
		"\"deviceID\":\"vf7\"}}", &nc, &e) == 0);
	eq(nc.resource, "c/d");
	eq(nc.pinned, "vf7");
	netconf_done(&nc);
	test("C-REQ-08, C-REQ-09, C-REQ-10: unknown keys, capabilities and a null prevResult are "
	     "ignored");
	ok(conf("\"device\":\"v\",\"prevResult\":null,\"capabilities\":{\"mac\":true},\"args\":{"
		"\"cni\":7},"
		"\"cni.dev/attachments\":[],\"runtimeConfig\":{\"portMappings\":[{\"HostPort\":1}],"
		"\"io.kubernetes.cri.pod-annotations\":{\"a\":\"b\"}},\"x\":1e300",
		&nc, &e) == 0);
	netconf_done(&nc);
}

static void attributes(void)
{
	struct netconf nc = { 0 };
	struct err e;

	test("what is not said is untouched");
	ok(conf("\"device\":\"v\"", &nc, &e) == 0);
	ok(nc.vlan == -1 && nc.vlan_qos == -1 && !nc.mac && nc.spoofchk == ONOFF_UNSET &&
	   nc.trust == ONOFF_UNSET && nc.link_state == LINK_POLICY_UNSET && nc.min_tx_rate == -1 &&
	   nc.max_tx_rate == -1 && nc.mtu == -1 && !nc.ipam_type && !nc.dns &&
	   !nc.device_info_file);
	netconf_done(&nc);

	test("sriov-cni's fields have their meaning");
	ok(conf("\"deviceID\":\"0000:01:10.0\",\"vlan\":100,\"vlanQoS\":3,\"vlanProto\":\"802."
		"1ad\","
		"\"mac\":\"02:00:00:00:00:01\",\"spoofchk\":\"off\",\"trust\":\"on\","
		"\"link_state\":\"disable\",\"min_tx_rate\":10,\"max_tx_rate\":1000,\"mtu\":9000,"
		"\"ipam\":{\"type\":\"host-local\"},\"dns\":{\"nameservers\":[\"192.0.2.53\"]},"
		"\"runtimeConfig\":{\"CNIDeviceInfoFile\":\"/var/run/x\"}",
		&nc, &e) == 0);
	ok(nc.vlan == 100 && nc.vlan_qos == 3 && nc.vlan_proto == 0x88a8);
	ok(nc.spoofchk == ONOFF_OFF && nc.trust == ONOFF_ON &&
	   nc.link_state == LINK_POLICY_DISABLE);
	ok(nc.min_tx_rate == 10 && nc.max_tx_rate == 1000 && nc.mtu == 9000);
	eq(nc.mac_key, "mac");
	eq(nc.mac, "02:00:00:00:00:01");
	eq(nc.ipam_type, "host-local");
	eq(nc.device_info_file, "/var/run/x");
	ok(json_object_size(nc.dns) == 1);
	netconf_done(&nc);

	test("a rate may be both the least and the most");
	ok(conf("\"device\":\"v\",\"min_tx_rate\":10,\"max_tx_rate\":10", &nc, &e) == 0 &&
	   nc.min_tx_rate == 10 && nc.max_tx_rate == 10);
	netconf_done(&nc);

	test("vlan 0 is no VLAN and a value; without a QoS that is 0");
	ok(conf("\"device\":\"v\",\"vlan\":0", &nc, &e) == 0 && nc.vlan == 0 && nc.vlan_qos == 0 &&
	   nc.vlan_proto == 0x8100);
	netconf_done(&nc);
	ok(conf("\"device\":\"v\",\"vlan\":4094,\"vlanProto\":\"802.1Q\"", &nc, &e) == 0 &&
	   nc.vlan == 4094);
	netconf_done(&nc);
	test("runtimeConfig's MAC wins, and is known to be it");
	ok(conf("\"device\":\"v\",\"mac\":\"02:00:00:00:00:01\",\"runtimeConfig\":{\"mac\":"
		"\"02:00:00:00:00:02\"}", &nc, &e) == 0);
	eq(nc.mac_key, "runtimeConfig.mac");
	eq(nc.mac, "02:00:00:00:00:02");
	netconf_done(&nc);
	test("empty texts and a mtu of 0 are as good as absent");
	ok(conf("\"device\":\"v\",\"mac\":\"\",\"spoofchk\":\"\",\"trust\":\"\",\"link_state\":"
		"\"\","
		"\"vlanProto\":\"\",\"mtu\":0,\"ipam\":{\"type\":\"\"},\"runtimeConfig\":"
		"{\"CNIDeviceInfoFile\":\"\"}",
		&nc, &e) == 0);
	ok(!nc.mac && nc.spoofchk == ONOFF_UNSET && nc.link_state == LINK_POLICY_UNSET &&
	   nc.mtu == -1 && !nc.ipam_type && !nc.device_info_file);
	netconf_done(&nc);
	test("a device is given back as it was, unless something else is said");
	ok(conf("\"device\":\"v\",\"releasePolicy\":\"restore\",\"driver\":\"\"", &nc, &e) == 0);
	ok(!nc.known_clean && !nc.reset_on_release && !nc.driver);
	netconf_done(&nc);
	ok(conf("\"device\":\"v\",\"releasePolicy\":\"known-clean\",\"resetOnRelease\":true,"
		"\"driver\":\"vfio-pci\"", &nc, &e) == 0);
	ok(nc.known_clean && nc.reset_on_release);
	eq(nc.driver, "vfio-pci");
	netconf_done(&nc);
	test("keys are taken whatever their case, as Go does, and the exact one wins");
	ok(conf("\"DeviceID\":\"0000:01:10.0\",\"VLAN\":7,\"Mtu\":1400", &nc, &e) == 0 &&
	   nc.vlan == 7 && nc.mtu == 1400);
	netconf_done(&nc);
	ok(conf("\"device\":\"v\",\"Vlan\":7,\"vlan\":8", &nc, &e) == 0 && nc.vlan == 8);
	netconf_done(&nc);
}

static void infiniband(void)
{
#define GUID(n) "\"00:11:22:33:44:55:66:" n "\""
	struct netconf nc = { 0 };
	struct err e;

	test("without a word on InfiniBand nothing is asked for");
	ok(conf("\"device\":\"v\"", &nc, &e) == 0 && nc.guid == 0 &&
	   nc.rdma_isolation == ONOFF_UNSET);
	netconf_done(&nc);
	test("ib-sriov-cni's fields have their meaning");
	ok(conf("\"device\":\"v\",\"guid\":\"00:11:22:33:44:55:66:aF\",\"pkey\":\"0x8001\","
		"\"rdmaIsolation\":true,\"ibKubernetesEnabled\":false", &nc, &e) == 0);
	ok(nc.guid == 0x00112233445566af && nc.rdma_isolation == ONOFF_ON);
	netconf_done(&nc);
	ok(conf("\"device\":\"v\",\"guid\":\"\",\"pkey\":\"223F\",\"rdmaIsolation\":false", &nc,
		&e) == 0 && nc.guid == 0 && nc.rdma_isolation == ONOFF_OFF);
	netconf_done(&nc);
	test("the GUID of the arguments fills an absent one, the runtime's wins over both");
	ok(conf("\"device\":\"v\",\"args\":{\"cni\":{\"guid\":" GUID("02")
		"}}", &nc, &e) == 0 && (nc.guid & 0xff) == 2);
	netconf_done(&nc);
	ok(conf("\"device\":\"v\",\"args\":{\"cni\":{\"guid\":" GUID("02") ","
		"\"mellanox.infiniband.app\":\"configured\"}},\"ibKubernetesEnabled\":true,"
		"\"runtimeConfig\":{\"infinibandGUID\":" GUID("03") "}", &nc, &e) == 0 &&
	   (nc.guid & 0xff) == 3);
	netconf_done(&nc);
	test("around or behind another plugin the pod's GUID is for that plugin");
	ok(conf("\"delegate\":{\"type\":\"ib-sriov\"},\"args\":{\"cni\":{\"guid\":" GUID("02")
		"}}", &nc, &e) == 0 && nc.guid == 0);
	netconf_done(&nc);
	ok(conf("\"prevResult\":{},\"runtimeConfig\":{\"infinibandGUID\":" GUID("03") "},"
		"\"rdmaIsolation\":false", &nc, &e) == 0 && nc.guid == 0);
	netconf_done(&nc);
#undef GUID
}

static void bad_attributes(void)
{
	static const struct refusal bad[] = {
		{ "\"vlan\":4095",
		  ERR_NETCONF, "vlan: expected an integer of 0 to 4094, got 4095" },
		{ "\"vlan\":-1", ERR_NETCONF, NULL },
		{ "\"vlan\":\"100\"", ERR_NETCONF, "vlan: expected an integer, got a string" },
		{ "\"vlan\":1.5", ERR_NETCONF, NULL },
		{ "\"vlan\":1,\"vlanQoS\":8",
		  ERR_NETCONF, "vlanQoS: expected an integer of 0 to 7, got 8" },
		{ "\"vlanQoS\":3", ERR_NETCONF, "vlanQoS: 3 needs a vlan above 0" },
		{ "\"vlan\":0,\"vlanQoS\":3", ERR_NETCONF, NULL },
		{ "\"vlan\":1,\"vlanProto\":\"802.1x\"", ERR_NETCONF,
		  "invalid vlanProto '802.1x': must be 802.1q or 802.1ad" },
		{ "\"vlanProto\":\"802.1q\"", ERR_NETCONF, "vlanProto: 802.1q needs a vlan" },
		{ "\"vlan\":0,\"vlanProto\":\"802.1ad\"", ERR_NETCONF, NULL },
		{ "\"spoofchk\":\"yes\"",
		  ERR_NETCONF, "invalid spoofchk 'yes': must be off or on" },
		{ "\"trust\":true", ERR_NETCONF, "trust: expected a string, got a boolean" },
		{ "\"link_state\":\"up\"", ERR_NETCONF,
		  "invalid link_state 'up': must be auto, enable or disable" },
		{ "\"min_tx_rate\":-5", ERR_NETCONF, NULL },
		{ "\"max_tx_rate\":4294967296", ERR_NETCONF, NULL },
		{ "\"min_tx_rate\":20,\"max_tx_rate\":10", ERR_NETCONF,
		  "min_tx_rate: 20 is above max_tx_rate 10" },
		{ "\"min_tx_rate\":11,\"max_tx_rate\":10", ERR_NETCONF,
		  "min_tx_rate: 11 is above max_tx_rate 10" },
		{ "\"mac\":7", ERR_NETCONF, NULL },
		{ "\"runtimeConfig\":{\"mac\":[]}", ERR_NETCONF,
		  "runtimeConfig.mac: expected a string, got a list" },
		{ "\"mtu\":70000",
		  ERR_NETCONF, "mtu: expected an integer of 0 to 65535, got 70000" },
		{ "\"ipam\":7", ERR_NETCONF, "ipam: expected an object, got an integer" },
		{ "\"ipam\":{\"type\":7}", ERR_NETCONF,
		  "ipam.type: expected a string, got an integer" },
		{ "\"ipam\":{\"type\":\"../host-local\"}", ERR_NETCONF,
		  "invalid ipam.type '../host-local': must be a name without '/', other than '.' "
		  "and '..'" },
		{ "\"dns\":[]", ERR_NETCONF, NULL },
		{ "\"releasePolicy\":\"clean\"", ERR_NETCONF,
		  "invalid releasePolicy 'clean': must be restore or known-clean" },
		{ "\"resetOnRelease\":1", ERR_NETCONF,
		  "resetOnRelease: expected a boolean, got an integer" },
		{ "\"driver\":\"../x\"",
		  ERR_NETCONF, "invalid driver '../x': must be a name without '/', other than '.' "
		  "and '..'" },
		{ "\"driver\":\"vfio-pci\",\"mtu\":1400", ERR_NETCONF,
		  "mtu: with driver vfio-pci there is no network device" },
		{ "\"driver\":\"vfio-pci\",\"txQueueLen\":0", ERR_NETCONF,
		  "txQueueLen: with driver vfio-pci there is no network device" },
		{ "\"txQueueLen\":65537", ERR_NETCONF,
		  "txQueueLen: expected an integer of 0 to 65536, got 65537" },
		{ "\"runtimeConfig\":{\"CNIDeviceInfoFile\":7}", ERR_NETCONF, NULL },
		{ "\"guid\":7", ERR_NETCONF, "guid: expected a string, got an integer" },
		{ "\"guid\":\"02:00:00:00:00:01\"", ERR_NETCONF,
		  "invalid guid '02:00:00:00:00:01': must be 8 octets with colons between them, "
		  "not all 00 and not all ff" },
		{ "\"guid\":\"00:00:00:00:00:00:00:0g\"", ERR_NETCONF, NULL },
		{ "\"guid\":\"00:00:00:00:00:00:00:00\"", ERR_NETCONF,
		  "invalid guid '00:00:00:00:00:00:00:00': must be 8 octets with colons between "
		  "them, not all 00 and not all ff" },
		{ "\"args\":{\"cni\":{\"guid\":\"ff:ff:ff:ff:FF:ff:ff:ff\"}}", ERR_NETCONF,
		  "invalid args.cni.guid 'ff:ff:ff:ff:FF:ff:ff:ff': must be 8 octets with colons "
		  "between them, not all 00 and not all ff" },
		{ "\"runtimeConfig\":{\"infinibandGUID\":\"1\"}", ERR_NETCONF,
		  "invalid runtimeConfig.infinibandGUID '1': must be 8 octets with colons between "
		  "them, not all 00 and not all ff" },
		{ "\"pkey\":1", ERR_NETCONF, "pkey: expected a string, got an integer" },
		{ "\"pkey\":\"0x\"", ERR_NETCONF,
		  "invalid pkey '0x': must be a hexadecimal number from 0x1 to 0xffff" },
		{ "\"pkey\":\"0x10000\"", ERR_NETCONF, NULL },
		{ "\"pkey\":\"0x0\"", ERR_NETCONF, NULL },
		{ "\"pkey\":\"-1\"", ERR_NETCONF, NULL },
		{ "\"rdmaIsolation\":\"true\"", ERR_NETCONF,
		  "rdmaIsolation: expected a boolean, got a string" },
		{ "\"ibKubernetesEnabled\":1", ERR_NETCONF,
		  "ibKubernetesEnabled: expected a boolean, got an integer" },
		{ "\"ibKubernetesEnabled\":true,\"guid\":\"0:0:0:0:0:0:0:1\"", ERR_NETCONF, NULL },
		{ "\"ibKubernetesEnabled\":true", ERR_TRY_AGAIN,
		  "ibKubernetesEnabled: args.cni.\"mellanox.infiniband.app\" is '', not "
		  "'configured'" },
		{ "\"ibKubernetesEnabled\":true,\"guid\":\"00:00:00:00:00:00:00:01\","
		  "\"args\":{\"cni\":{\"mellanox.infiniband.app\":\"pending\"}}", ERR_TRY_AGAIN,
		  "ibKubernetesEnabled: args.cni.\"mellanox.infiniband.app\" is 'pending', not "
		  "'configured'" },
		{ "\"ibKubernetesEnabled\":true,"
		  "\"args\":{\"cni\":{\"mellanox.infiniband.app\":\"configured\"}}", ERR_TRY_AGAIN,
		  "ibKubernetesEnabled: ib-kubernetes has given no GUID" },
	};
	struct netconf nc = { 0 };
	char text[256];
	struct err e;

	static const struct refusal others[] = {
		{ "\"driver\":\"vfio-pci\"", ERR_NETCONF,
		  "driver: the interface is another plugin's here" },
		{ "\"releasePolicy\":\"known-clean\"", ERR_NETCONF,
		  "releasePolicy: the interface is another plugin's here" },
		{ "\"resetOnRelease\":true", ERR_NETCONF,
		  "resetOnRelease: the interface is another plugin's here" },
	};

	test("who has not brought the interface does not say how it is given back");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		(void)snprintf(text, sizeof(text), "\"prevResult\":{},%s", others[i].text);
		ok(conf(text, &nc, &e) == -1 && e.code == others[i].code);
		eq(e.msg, others[i].msg);
	}
	test("an attribute out of its range is refused with key and value");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		(void)snprintf(text, sizeof(text), "\"device\":\"v\",%s", bad[i].text);
		ok(conf(text, &nc, &e) == -1 && e.code == bad[i].code && !nc.doc);
		if (bad[i].msg)
			eq(e.msg, bad[i].msg);
	}
}

/* Like conf() over a device, with podMayOverride of the node's file. */
static int told(const char *node, const char *members, struct netconf *ret, struct err *e)
{
	json_auto_t *may = json_loads(node, JSON_DECODE_ANY, NULL);
	struct settings set = settings_default;
	char text[1024];
	int r;

	set.pod_may_override = json_is_array(may) ? may : NULL;
	(void)snprintf(text, sizeof(text), "{" HEAD ",%s}", members);
	if (head(text, ret, e) < 0)
		return -1;
	r = netconf_settings(ret, &set, e) < 0 ? -1 : netconf_attachment(ret, e);
	ret->node_may_override = NULL;		/* gone with this function */
	if (r < 0)
		netconf_done(ret);
	return r;
}

static void pods(void)
{
#define CNI(members) "\"args\":{\"cni\":{" members "}}"
#define MAC(n) "\"mac\":\"02:00:00:00:00:0" n "\""
	static const char *const overruled[][2] = {
		{ "\"device\":\"v\"," MAC("1") "," CNI(MAC("2")), "mac" },
		{ "\"deviceID\":\"v\",\"VDPA\":{\"driver\":\"virtio\",\"create\":true,"
		  MAC("1") "}," CNI(MAC("2")), "mac" },
		{ "\"device\":\"v\",\"mtu\":1400," CNI("\"mtu\":9000"), "mtu" },
		{ "\"resourceName\":\"a/b\"," CNI("\"resourceName\":\"c/d\""), "resourceName" },
		{ "\"claim\":\"a\"," CNI("\"resourceName\":\"c/d\""), "resourceName" },
		{ "\"device\":\"v\",\"guid\":\"00:11:22:33:44:55:66:01\"," CNI("\"guid\":"
		  "\"00:11:22:33:44:55:66:02\""), "guid" },
	};
	struct netconf nc = { 0 };
	char may[256], text[512];
	struct err e;

	test("what the network says is not the pod's to say: refused, and the key named");
	for (size_t i = 0; i < ARRAY_SIZE(overruled); i++) {
		ok(told("0", overruled[i][0], &nc, &e) == -1 && e.code == ERR_NETCONF);
		(void)snprintf(text, sizeof(text), "args.cni.%s: the network says it, and not the "
			       "pod", overruled[i][1]);
		eq(e.msg, text);
	}
	test("unless podMayOverride of the node's file, or of the network, names the key");
	for (size_t i = 0; i < ARRAY_SIZE(overruled); i++) {
		(void)snprintf(may, sizeof(may), "[\"%s\"]", overruled[i][1]);
		ok(told(may, overruled[i][0], &nc, &e) == 0);
		netconf_done(&nc);
		(void)snprintf(text, sizeof(text), "\"podMayOverride\":%s,%s", may,
			       overruled[i][0]);
		ok(told("[]", text, &nc, &e) == 0);
		netconf_done(&nc);
	}
	ok(told("[\"mtu\"]", overruled[0][0], &nc, &e) == -1);
	ok(told("0", "\"podMayOverride\":[\"mac\"]," MAC("1") ",\"device\":\"v\"," CNI(MAC("2")),
		&nc, &e) == 0);
	eq(nc.mac, "02:00:00:00:00:02");
	netconf_done(&nc);
	ok(told("[\"mtu\"]", overruled[2][0], &nc, &e) == 0 && nc.mtu == 9000);
	netconf_done(&nc);
	ok(told("0", "\"podMayOverride\":[\"mtu\"],\"device\":\"v\",\"mtu\":9000,"
		CNI("\"mtu\":1400"), &nc, &e) == 0 && nc.mtu == 1400);
	netconf_done(&nc);
	test("what the network's podMayOverride does not name, the node's may");
	ok(told("[\"mtu\"]", "\"podMayOverride\":[\"mac\"],\"device\":\"v\",\"mtu\":1400,"
		CNI("\"mtu\":9000"), &nc, &e) == 0 && nc.mtu == 9000);
	netconf_done(&nc);
	test("both may say the same");
	ok(told("0", "\"device\":\"v\",\"mac\":\"02:00:00:00:00:0a\"," CNI("\"mac\":"
		"\"02:00:00:00:00:0A\""), &nc, &e) == 0);
	netconf_done(&nc);
	ok(told("0", "\"deviceID\":\"v\",\"vdpa\":{\"driver\":\"virtio\",\"create\":true,"
		MAC("1") "}," CNI(MAC("1")), &nc, &e) == 0);
	netconf_done(&nc);
	ok(told("0", "\"device\":\"v\"," MAC("1") "," CNI("\"mac\":\"\",\"mtu\":null"), &nc,
		&e) == 0);
	eq(nc.mac, "02:00:00:00:00:01");
	netconf_done(&nc);
	test("what the network does not say the pod may, of mtu as of the others");
	ok(told("0", "\"device\":\"v\",\"mtu\":0," CNI(MAC("2") ",\"mtu\":9000"), &nc, &e) == 0);
	eq(nc.mac, "02:00:00:00:00:02");
	ok(nc.mtu == 9000);
	eq(nc.mac_key, "args.cni.mac");
	netconf_done(&nc);
	test("the record's request, which no ADD is for, goes by the network alone");
	ok(head("{" HEAD ",\"device\":\"v\"," MAC("1") "," CNI(MAC("2")) "}", &nc, &e) == 0 &&
	   netconf_check(&nc, &e) == 0);
	eq(nc.mac, "02:00:00:00:00:01");
	ok(!netconf_pod_may_say(&nc, "mac") && netconf_pod_may_say(&nc, "mtu"));
	ok(netconf_says(&nc, "mac", "02:00:00:00:00:01") && !netconf_says(&nc, "mac", "") &&
	   !netconf_says(&nc, "mac", "02:00:00:00:00:02") && !netconf_says(&nc, "mtu", "1"));
	netconf_done(&nc);
	test("what podMayOverride cannot mean is refused");
	ok(told("0", "\"device\":\"v\",\"podMayOverride\":[\"deviceID\"]", &nc, &e) == -1);
	eq(e.msg, "invalid podMayOverride[0] 'deviceID': must be mac, mtu, guid or resourceName");
	ok(told("0", "\"device\":\"v\",\"podMayOverride\":[\"stateDir\"]", &nc, &e) == -1);
	ok(told("0", "\"device\":\"v\",\"podMayOverride\":\"mac\"", &nc, &e) == -1);
#undef MAC
#undef CNI
}

static void settings(void)
{
	static const char *const bad[] = {
		"{\"stateDir\":\"relative\"}", "{\"stateDir\":\"/a/../b\"}",
		"{\"runDir\":7}", "{\"lockTimeoutMs\":0}", "{\"lockTimeoutMs\":120001}",
		"{\"ipamTimeoutMs\":\"1\"}", "{\"logLevel\":1}", "{\"logFile\":7}",
		"{\"cniPath\":\"/a:b\"}", "{\"cniPath\":\"/a:\"}",
		"{\"ovsDb\":\"tcp:1.2.3.4:6640\"}", "{\"ovsDb\":\"unix:@x\"}",
		"{\"ovsDb\":\"/x/../y\"}", "{\"ovsSocketDir\":\"x\"}",
		"{\"switchDir\":\"/a b\"}", "{\"podMayOverride\":[\"vlan\"]}",
	};
	json_auto_t *o =
		json_loads("{\"devinfoDir\":\"/a\",\"stateDir\":\"/b\",\"runDir\":\"/c\","
			   "\"kubeletSocket\":\"/d\",\"logFile\":\"/e\",\"logLevel\":\"debug\","
			   "\"podResourcesTimeoutMs\":1,\"lockTimeoutMs\":2,\"ipamTimeoutMs\":3,"
			   "\"cniPath\":\"/f:/g\",\"logDir\":\"/h\",\"ovsDb\":\"unix:/i\","
			   "\"switchDir\":\"/j\",\"podMayOverride\":[\"mac\"],\"socketDir\":\"/k\","
			   "\"ovsSocketDir\":\"/l\"}",
			   0, NULL);
	json_auto_t *none =
		json_loads("{\"stateDir\":\"\",\"logFile\":\"\",\"logLevel\":\"\"}", 0, NULL);
	json_auto_t *odd = json_loads("{\"logFile\":\"sriov.log\",\"logLevel\":\"loud\"}", 0, NULL);
	struct settings set = settings_default;
	struct err e;

	test("the settings of the node's file replace the ones before");
	ok(settings_take(o, IN_NODE_FILE, &set, &e) == 0);
	eq(set.devinfo_dir, "/a");
	eq(set.state_dir, "/b");
	eq(set.run_dir, "/c");
	eq(set.kubelet_socket, "/d");
	eq(set.log_file, "/e");
	eq(set.cni_path, "/f:/g");
	eq(set.log_dir, "/h");
	eq(set.ovs_db, "/i");
	eq(set.switch_dir, "/j");
	eq(set.socket_dir, "/k");
	eq(set.ovs_socket_dir, "/l");
	ok(json_array_size(set.pod_may_override) == 1 && !set.wanted_log_file);
	ok(set.log_level == LOG_LEVEL_DEBUG && set.podres_timeout_ms == 1 &&
	   set.lock_timeout_ms == 2 && set.ipam_timeout_ms == 3);
	test("empty ones are as good as absent");
	ok(settings_take(none, IN_NODE_FILE, &set, &e) == 0 && set.log_level == LOG_LEVEL_DEBUG);
	eq(set.state_dir, "/b");
	ok(!set.odd_log_file && !set.odd_log_level);
	test("a log that cannot be is noted, and the one before stays");
	ok(settings_take(odd, IN_NODE_FILE, &set, &e) == 0 && set.log_level == LOG_LEVEL_DEBUG);
	eq(set.log_file, "/e");
	ok(set.odd_log_file && set.odd_log_level);
	eq(set.odd_log_file, "sriov.log");
	eq(set.odd_log_level, "loud");
	test("one bad setting leaves all as they were");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json_auto_t *b = json_loads(bad[i], 0, NULL);

		ok(b && settings_take(b, IN_NODE_FILE, &set, &e) == -1 && e.code == ERR_NETCONF);
	}
	eq(set.state_dir, "/b");

	test("of a network the time limits are taken, the log's level, and its file as a wish");
	set = settings_default;
	ok(settings_take(o, IN_NETWORK, &set, &e) == 0);
	eq(set.devinfo_dir, settings_default.devinfo_dir);
	eq(set.state_dir, settings_default.state_dir);
	eq(set.run_dir, settings_default.run_dir);
	eq(set.kubelet_socket, settings_default.kubelet_socket);
	eq(set.socket_dir, settings_default.socket_dir);
	eq(set.cni_path, settings_default.cni_path);
	eq(set.log_dir, settings_default.log_dir);
	eq(set.ovs_db, settings_default.ovs_db);
	ok(!set.switch_dir && !set.ovs_socket_dir && !set.log_file && !set.switch_programs);
	eq(set.wanted_log_file, "/e");
	ok(set.wanted_log_level == LOG_LEVEL_DEBUG && set.lock_timeout_ms == 2);
	ok(set.log_level == settings_default.log_level);
}

/* Who writes a network may not choose where root reads and writes, nor what it runs. */
static void node_keys(void)
{
	static const char *const bad[][2] = {
		{ "\"socketDir\":\"/x\"", "socketDir: not in a network configuration" },
		{ "\"socketDir\":7", "socketDir: not in a network configuration" },
		{ "\"stateDir\":\"/x\"", "stateDir: not in a network configuration" },
		{ "\"switchPrograms\":[]", "switchPrograms: not in a network configuration" },
		{ "\"vhostUser\":{\"SwitchDir\":\"/x\"}",
		  "vhostUser.SwitchDir: not in a network configuration" },
		{ "\"memif\":{\"switchDir\":\"/x\"}",
		  "memif.switchDir: not in a network configuration" },
		{ "\"vhostUser\":{\"acl\":\"u:1:rwx\"}", "vhostUser.acl: unknown key" },
		{ "\"memif\":{\"ACL\":\"u:1:rwx\"}", "memif.ACL: unknown key" },
		{ "\"switch\":{\"db\":\"/x\"}", "switch.db: not in a network configuration" },
		{ "\"switch\":{\"socketDir\":\"/x\"}",
		  "switch.socketDir: not in a network configuration" },
		{ "\"lockTimeoutMs\":0,\"socketDir\":\"/x\"",
		  "lockTimeoutMs: expected an integer of 1 to 120000, got 0" },
	};
	struct settings set;
	struct netconf nc = { 0 };
	char text[256];
	struct err e;

	test("the node's own keys are refused in a network, and what is right is taken");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		set = settings_default;
		(void)snprintf(text, sizeof(text), "{" HEAD ",\"ipamTimeoutMs\":7,%s}", bad[i][0]);
		ok(head(text, &nc, &e) == 0);
		ok(netconf_settings(&nc, &set, &e) == -1);
		ok(e.code == ERR_NETCONF);
		eq(e.msg, bad[i][1]);
		ok(set.ipam_timeout_ms == 7);
		eq(set.socket_dir, settings_default.socket_dir);
		ok(!set.switch_programs);
		netconf_done(&nc);
	}

	test("unless they say nothing");
	set = settings_default;
	ok(head("{" HEAD ",\"socketDir\":\"\",\"switchPrograms\":null,\"switch\":{\"db\":\"\"}}",
		&nc, &e) == 0);
	ok(netconf_settings(&nc, &set, &e) == 0);
	netconf_done(&nc);
}

static char tmp[] = "/tmp/conf.XXXXXX";

static const char *file(const char *name, const char *text)
{
	static char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", tmp, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		exit(1);
	return path;
}

static void node_files(void)
{
	static const struct refusal bad[] = {
		{ "{", ERR_NETCONF, NULL },
		{ "[]", ERR_NETCONF, NULL },
		{ "{\"stateDir\":7}", ERR_NETCONF, NULL },
		{ "{\"root\":7}", ERR_NETCONF, NULL },
		{ "{\"switchPrograms\":\"/x\"}", ERR_NETCONF, NULL },
		{ "{\"switchPrograms\":[\"/x\",\"y\"]}", ERR_NETCONF, NULL },
		{ "{\"switchPrograms\":[7]}", ERR_NETCONF, NULL },
		{ "{\"socketDir\":\"x\"}", ERR_NETCONF, NULL },
		{ "{\"statedir\":\"/x\"}", ERR_NETCONF, NULL },
	};
	struct node node = { 0 };
	char path[128], want[200];
	struct err e;

	test("the node's file gives defaults and a root");
	ok(node_read(file("a", "{\"root\":\"/r\",\"stateDir\":\"/s\",\"lockTimeoutMs\":77}"), &node,
		     &e) == 0);
	eq(node.root, "/r");
	eq(node.set.state_dir, "/s");
	ok(node.set.lock_timeout_ms == 77);
	eq(node.set.run_dir, settings_default.run_dir);
	node_done(&node);
	ok(!node.doc);

	test("the node's file alone says which programs may be a switch");
	ok(node_read(file("a", "{\"switchPrograms\":[\"/x\",\"/y z\"]}"), &node, &e) == 0);
	ok(!node.wrong && json_array_size(node.set.switch_programs) == 2);
	node_done(&node);

	test("and where sockets are");
	ok(node_read(file("a", "{\"socketDir\":\"/x\"}"), &node, &e) == 0);
	ok(!node.wrong);
	eq(node.set.socket_dir, "/x");
	node_done(&node);

	test("what is right in a file that has something wrong is taken");
	ok(node_read(file("a", "{\"stateDir\":7,\"x\":1,\"socketDir\":\"/x\"}"), &node, &e) == 0);
	ok(node.wrong);
	contains(node.why.msg, "stateDir: expected a string, got an integer");
	eq(node.set.socket_dir, "/x");
	node_done(&node);

	test("a bad one is an error that names the file");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int r = node_read(file("bad", bad[i].text), &node, &e);

		ok(r == -1 || node.wrong);
		if (r == 0)
			e = node.why;
		ok(e.code == bad[i].code);
		(void)snprintf(path, sizeof(path), "%s/bad", tmp);
		begins(e.msg, path);
		node_done(&node);
	}
	(void)snprintf(want, sizeof(want), "%s: unknown key 'statedir', did you mean stateDir?",
		       path);
	eq(e.msg, want);

	test("one that DEVINFO_CONF names has to be there");
	(void)snprintf(path, sizeof(path), "%s/none", tmp);
	ok(node_read(path, &node, &e) == -1 && e.code == ERR_ENV && e.sys == ENOENT);
	(void)snprintf(path, sizeof(path), "%s/none/none", tmp);
	ok(node_read(path, &node, &e) == -1 && e.code == ERR_ENV);
	ok(node_read("relative", &node, &e) == -1 && e.code == ERR_ENV);
	(void)snprintf(path, sizeof(path), "%s/", tmp);
	ok(node_read(path, &node, &e) == -1 && e.code == ERR_ENV);
	(void)snprintf(path, sizeof(path), "%s/a/b", tmp);
	ok(node_read(path, &node, &e) == -1);

	test("one that is a directory, a FIFO or too large is an error, at once");
	(void)snprintf(path, sizeof(path), "%s/dir", tmp);
	ok(mkdir(path, 0700) == 0 && node_read(path, &node, &e) == -1 && e.code == ERR_IO);
	(void)snprintf(path, sizeof(path), "%s/fifo", tmp);
	ok(mkfifo(path, 0600) == 0 && node_read(path, &node, &e) == -1 && e.code == ERR_IO);
	(void)file("huge", "{}");
	(void)snprintf(path, sizeof(path), "%s/huge", tmp);
	ok(truncate(path, NODE_FILE_MAX + 1) == 0 && node_read(path, &node, &e) == -1 &&
	   e.sys == EFBIG);

	(void)snprintf(path, sizeof(path), "rm -r %s", tmp);
	ok(system(path) == 0);
}

int main(void)
{
	if (!mkdtemp(tmp))
		return 1;
	heads();
	versions();
	devices();
	ipam();
	ipam_of_earlier();
	attributes();
	infiniband();
	bad_attributes();
	pods();
	settings();
	node_keys();
	node_files();
	return tap_end();
}
