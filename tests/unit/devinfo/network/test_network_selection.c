/* SPDX-License-Identifier: Apache-2.0 */
/* test_network_selection.c - which networks a pod asks for: both forms, each key, and errors */
#include "devinfo/network/network_selection.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char warned[1024];

static void note(const char *text, void *arg)
{
	(void)arg;
	(void)snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned), "%s;", text);
}

static void put(char *to, size_t size, const char *what, const char *text)
{
	size_t len = strlen(to);

	if (text && *text)
		(void)snprintf(to + len, size - len, " %s=%s", what, text);
}

static void put_json(char *to, size_t size, const char *what, const json_t *v)
{
	auto_free char *text = v ? json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	put(to, size, what, text);
}

/* "ifname=namespace/name key=value...; ..." */
static const char *told(const struct network_selections *s)
{
	static char ret[4096];

	*ret = '\0';
	for (size_t i = 0; i < s->n; i++) {
		const struct network_selection *n = &s->list[i];

		(void)snprintf(ret + strlen(ret), sizeof(ret) - strlen(ret), "%s%s=%s/%s%s",
			       i ? "; " : "", n->ifname, n->namespace, n->name,
			       n->is_default ? " default" : "");
		put(ret, sizeof(ret), "mac", n->mac);
		put(ret, sizeof(ret), "guid", n->guid);
		put(ret, sizeof(ret), "device", n->device_id);
		put_json(ret, sizeof(ret), "ips", n->ips);
		put_json(ret, sizeof(ret), "gateways", n->default_route);
		put_json(ret, sizeof(ret), "ports", n->port_mappings);
		put_json(ret, sizeof(ret), "bandwidth", n->bandwidth);
		put_json(ret, sizeof(ret), "args", n->cni_args);
	}
	return ret;
}

/* Of a pod in "apps"; the message when it is refused. */
static const char *read_of(const json_t *annotations)
{
	static char refused[512];
	auto_network_selections struct network_selections s = { 0 };
	struct network_pod pod = { annotations, "apps", "eth0" };
	struct err e = { 0 };

	*warned = '\0';
	if (network_selections_read(&pod, note, NULL, &s, &e) == 0)
		return told(&s);
	ok(e.code == ERR_NETCONF && !s.list && !s.elements);
	(void)snprintf(refused, sizeof(refused), "%s", e.msg);
	return refused;
}

/* What the annotation of the networks asks for, without its own name in front of an error. */
static const char *asked(const char *text)
{
	static char ret[4096];
	json_auto_t *o = json_pack("{s:s}", NETWORKS_ANNOTATION, text);
	const char *said = read_of(o), *at;

	*ret = '\0';
	while ((at = strstr(said, NETWORKS_ANNOTATION))) {
		(void)strncat(ret, said, (size_t)(at - said));
		said = at + strlen(NETWORKS_ANNOTATION);
	}
	return strcat(ret, said);
}

/* The same of a list of one object with name a and this. */
static const char *with(const char *members)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "[{\"name\":\"a\",%s}]", members);
	return asked(text);
}

static void test_names(void)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ " \n", "" },
		{ "[]", "" },
		{ "a", "net1=apps/a" },
		{ "none", "net1=apps/none" },
		{ "a,b@eth5 , other/c@x ", "net1=apps/a; eth5=apps/b; x=other/c" },
		{ "a,a", "net1=apps/a; net2=apps/a" },
		{ "a@x,b", "x=apps/a; net2=apps/b" },
		{ "\tns / a @ x\n", "x=ns/a" },
		{ "a.b-1", "net1=apps/a.b-1" },
		{ "/a@", "net1=apps/a" },
		{ "[{\"name\":\"a\"},{\"name\":\"b\",\"namespace\":\"ns\",\"interface\":\"x\"}]",
		  "net1=apps/a; x=ns/b" },
		{ "[{\"name\":\"a\",\"namespace\":\"\",\"interface\":null,\"mac\":\"\"}]",
		  "net1=apps/a" },
		{ "[{\"Name\":\"a\",\"NAMESPACE\":\"ns\"}]", "net1=ns/a" },
		/* refused */
		{ "a,", "[1].name: missing" },
		{ ",", "[0].name: missing" },
		{ "@x", "[0].name: missing" },
		{ "a/b/c", "invalid [0] 'a/b/c': must be [NAMESPACE/]NAME[@INTERFACE]" },
		{ "a,b@c@d", "invalid [1] 'b@c@d': must be [NAMESPACE/]NAME[@INTERFACE]" },
		{ "a b", "invalid [0].name 'a b': must be the name of a "
			 "NetworkAttachmentDefinition, without its namespace" },
		{ "A", "invalid [0].name 'A': must be the name of a "
		       "NetworkAttachmentDefinition, without its namespace" },
		{ "../a", "invalid [0].namespace '..': must be a namespace" },
		{ "a@0123456789abcdef", "invalid [0].interface '0123456789abcdef': must be the "
					"name of an interface, of 15 bytes at most" },
		{ "a@net2,b", ": network apps/b gets the interface net2, which is that of apps/a "
			      "already" },
		{ "a@eth0", ": network apps/a gets the interface eth0, which is that of the "
			    "default network already" },
		{ "[{}]", "[0].name: missing" },
		{ "[{\"name\":\"ns/a\"}]", "invalid [0].name 'ns/a': must be the name of a "
		  "NetworkAttachmentDefinition, without its namespace" },
		{ "[null]", "[0]: expected an object, got null" },
		{ "[\"a\"]", "[0]: expected an object, got a string" },
		{ "{\"name\":\"a\"}", ": expected a list, got an object" },
		{ "[{\"name\":\"a\"}", ": not valid JSON" },
		{ "a,[b]", ": not valid JSON" },
		{ "[{\"name\":\"a\",\"name\":\"b\"}]", ": duplicate key \"name\"" },
		{ "[{\"name\":7}]", "[0].name: expected a string, got an integer" },
	};

	test("both forms name networks, of the pod's namespace or of another");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		eq(asked(rows[i][0]), rows[i][1]);
}

static void test_members(void)
{
	static const char *const rows[][2] = {
		{ "\"mac\":\"02:00:5E:00:00:aB\"", "mac=02:00:5e:00:00:ab" },
		{ "\"mac\":\"02-00-5e-00-00-01\"", "mac=02:00:5e:00:00:01" },
		{ "\"mac\":\"0200.5e00.0001\"", "mac=02:00:5e:00:00:01" },
		{ "\"mac\":\"80:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22\"",
		  "mac=80:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22" },
		{ "\"infiniband-guid\":\"02:00:00:00:00:00:00:0A\"",
		  "guid=02:00:00:00:00:00:00:0a" },
		{ "\"ips\":[\"10.0.0.1\",\"2001:db8::5/64\"]",
		  "ips=[\"10.0.0.1\",\"2001:db8::5/64\"]" },
		{ "\"default-route\":[\"10.0.0.1\",\"fe80::1\"]",
		  "gateways=[\"10.0.0.1\",\"fe80::1\"]" },
		{ "\"default-route\":[]", "gateways=[]" },
		{ "\"portMappings\":[{\"hostPort\":80,\"containerPort\":8080,\"protocol\":\"TCP\","
		  "\"hostIP\":\"10.0.0.1\"}]",
		  "ports=[{\"hostPort\":80,\"containerPort\":8080,\"protocol\":\"TCP\","
		  "\"hostIP\":\"10.0.0.1\"}]" },
		{ "\"portMappings\":[]", "ports=[]" },
		{ "\"bandwidth\":{\"ingressRate\":1,\"egressBurst\":9223372036854775807}",
		  "bandwidth={\"ingressRate\":1,\"egressBurst\":9223372036854775807}" },
		{ "\"cni-args\":{\"x\":[1]}", "args={\"x\":[1]}" },
		{ "\"deviceID\":\"0000:01:10.0\"", "device=0000:01:10.0" },
	};
	char want[512];

	test("each key of an element is read");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		(void)snprintf(want, sizeof(want), "net1=apps/a %s", rows[i][1]);
		eq(with(rows[i][0]), want);
		eq(warned, "");
	}
}

static void test_refused_members(void)
{
#define MAC_MUST ": must be an address of 6 or 20 bytes, as 02:00:00:00:00:01"
#define GUID_MUST ": must be 8 bytes, as 02:00:00:00:00:00:00:01"
#define IP_MUST ": must be an IP address, with or without a prefix length"
	static const char *const rows[][2] = {
		{ "\"mac\":7", "[0].mac: expected a string, got an integer" },
		{ "\"mac\":\"02:00:00:00:00\"", "invalid [0].mac '02:00:00:00:00'" MAC_MUST },
		{ "\"mac\":\"02:00:00:00:00:00:01\"",
		  "invalid [0].mac '02:00:00:00:00:00:01'" MAC_MUST },
		{ "\"mac\":\"02:00:00:00:00:01:\"",
		  "invalid [0].mac '02:00:00:00:00:01:'" MAC_MUST },
		{ "\"mac\":\"02:00:00:00:00:0\"", "invalid [0].mac '02:00:00:00:00:0'" MAC_MUST },
		{ "\"mac\":\"02:00-00:00:00:01\"", "invalid [0].mac '02:00-00:00:00:01'" MAC_MUST },
		{ "\"mac\":\"020000000001\"", "invalid [0].mac '020000000001'" MAC_MUST },
		{ "\"mac\":\"02.00.00.00.00.01\"", "invalid [0].mac '02.00.00.00.00.01'" MAC_MUST },
		{ "\"mac\":\"0g:00:00:00:00:01\"", "invalid [0].mac '0g:00:00:00:00:01'" MAC_MUST },
		{ "\"mac\":\"80:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33\"",
		  "invalid [0].mac "
		  "'80:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33'" MAC_MUST },
		{ "\"infiniband-guid\":\"02:00:00:00:00:01\"",
		  "invalid [0].infiniband-guid '02:00:00:00:00:01'" GUID_MUST },
		{ "\"ips\":\"10.0.0.1\"", "[0].ips: expected a list, got a string" },
		{ "\"ips\":[]", "[0].ips: expected at least one address" },
		{ "\"ips\":[\"10.0.0.1\",\"10.0.0\"]", "invalid [0].ips[1] '10.0.0'" IP_MUST },
		{ "\"ips\":[\"10.0.0.1/33\"]", "invalid [0].ips[0] '10.0.0.1/33'" IP_MUST },
		{ "\"ips\":[\"\"]", "invalid [0].ips[0] ''" IP_MUST },
		{ "\"ips\":[7]", "[0].ips[0]: expected a string, got an integer" },
		{ "\"default-route\":[\"10.0.0.1/8\"]",
		  "invalid [0].default-route[0] '10.0.0.1/8': must be the IP address of a "
		  "gateway" },
		{ "\"default-route\":[\"10.0.0.1\",\"10.0.0.2\"]",
		  "[0].default-route: a second gateway of IPv4, of all networks" },
		{ "\"portMappings\":{}", "[0].portMappings: expected a list, got an object" },
		{ "\"portMappings\":[7]",
		  "[0].portMappings[0]: expected an object, got an integer" },
		{ "\"portMappings\":[{\"hostPort\":80}]",
		  "[0].portMappings[0].containerPort: missing" },
		{ "\"portMappings\":[{\"containerPort\":80}]",
		  "[0].portMappings[0].hostPort: missing" },
		{ "\"portMappings\":[{\"hostPort\":\"80\"}]",
		  "[0].portMappings[0].hostPort: expected an integer, got a string" },
		{ "\"portMappings\":[{\"hostPort\":65536}]",
		  "[0].portMappings[0].hostPort: expected an integer of 1 to 65535, got 65536" },
		{ "\"portMappings\":[{\"protocol\":\"icmp\"}]",
		  "invalid [0].portMappings[0].protocol 'icmp': must be tcp, udp or sctp" },
		{ "\"portMappings\":[{\"hostIP\":\"host\"}]",
		  "invalid [0].portMappings[0].hostIP 'host': must be an IP address" },
		{ "\"bandwidth\":7", "[0].bandwidth: expected an object, got an integer" },
		{ "\"bandwidth\":{\"ingressRate\":-1}",
		  "[0].bandwidth.ingressRate: expected an integer of 0 to 9223372036854775807, "
		  "got -1" },
		{ "\"cni-args\":[]", "[0].cni-args: expected an object, got a list" },
		{ "\"deviceID\":\"../x\"",
		  "invalid [0].deviceID '../x': must be the id of a device" },
	};

	test("a value that is wrong is refused, with element and key");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		eq(with(rows[i][0]), rows[i][1]);
	test("one gateway of each family is that of the pod, whichever network has it");
	eq(asked("[{\"name\":\"a\",\"default-route\":[\"10.0.0.1\"]},"
		 "{\"name\":\"b\",\"default-route\":[\"fe80::1\"]},"
		 "{\"name\":\"c\",\"default-route\":[\"10.0.0.2\"]}]"),
	   "[2].default-route: a second gateway of IPv4, of all networks");
}

static void test_unknown(void)
{
	test("a key that nobody knows has no effect, and is told; one with a dot is somebody's");
	eq(with("\"macc\":\"x\",\"org.example.x\":1,\"foo\":2"), "net1=apps/a");
	eq(warned, NETWORKS_ANNOTATION "[0].macc: unknown key, did you mean mac?;"
		   NETWORKS_ANNOTATION "[0].foo: unknown key;");
	eq(with("\"portMappings\":[{\"hostPort\":1,\"containerPort\":2,\"hostIp\":\"\"}]"),
	   "net1=apps/a ports=[{\"hostPort\":1,\"containerPort\":2,\"hostIp\":\"\",\"hostIP\":"
	   "\"\"}]");
	eq(warned, "");
	eq(with("\"bandwidth\":{\"ingres\":1}"), "net1=apps/a bandwidth={\"ingres\":1}");
	eq(warned, NETWORKS_ANNOTATION "[0].bandwidth.ingres: unknown key;");
}

/* What both annotations ask for. */
static const char *both(const char *default_network, const char *networks)
{
	json_auto_t *o = json_pack("{s:s, s:s}", DEFAULT_NETWORK_ANNOTATION, default_network,
				   NETWORKS_ANNOTATION, networks);

	return read_of(o);
}

static void test_default(void)
{
	test("the default network comes first, has the runtime's interface, and counts for none");
	eq(both("d", "a,b"), "eth0=kube-system/d default; net1=apps/a; net2=apps/b");
	eq(both("ns/d", ""), "eth0=ns/d default");
	eq(both("d@eth0", ""), "eth0=kube-system/d default");
	eq(both("[{\"name\":\"d\",\"mac\":\"02:00:00:00:00:01\"}]", ""),
	   "eth0=kube-system/d default mac=02:00:00:00:00:01");
	eq(both("", "a"), "net1=apps/a");
	test("it is one, and has no other interface");
	eq(both("d,e", ""), DEFAULT_NETWORK_ANNOTATION ": expected at most 1 network, got more");
	eq(both("d@net1", ""), DEFAULT_NETWORK_ANNOTATION "[0].interface: that of the default "
			       "network is eth0, as the runtime says");
	eq(both("D", ""), "invalid " DEFAULT_NETWORK_ANNOTATION "[0].name 'D': must be the name of "
			  "a NetworkAttachmentDefinition, without its namespace");
}

static void test_annotations(void)
{
	json_auto_t *number = json_pack("{s:i}", NETWORKS_ANNOTATION, 7);
	json_auto_t *none = json_pack("{s:s}", "other", "x");

	test("a pod without annotations asks for nothing");
	eq(read_of(NULL), "");
	eq(read_of(none), "");
	test("an annotation is a text");
	eq(read_of(number), NETWORKS_ANNOTATION ": expected a string, got an integer");
}

static void test_bounds(void)
{
	auto_free char *text = malloc(NETWORKS_BYTES_MAX + 2);
	char last[64];

	test("a pod may ask for 64 networks");
	ok(text != NULL);
	if (!text)
		return;
	*text = '\0';
	for (size_t i = 0; i < NETWORKS_MAX; i++)
		strcat(text, i ? ",a" : "a");
	(void)snprintf(last, sizeof(last), "; net%d=apps/a", NETWORKS_MAX);
	contains(asked(text), last);
	eq(asked(strcat(text, ",a")), ": expected at most 64 networks, got more");
	/* what comes behind is not looked at */
	eq(asked(strcat(text, ",a/b/c")), ": expected at most 64 networks, got more");
	test("a text has at most 256 KiB");
	memset(text, 'a', NETWORKS_BYTES_MAX + 1);
	text[NETWORKS_BYTES_MAX + 1] = '\0';
	eq(asked(text), ": has 262145 bytes, at most 262144 are allowed");
	text[NETWORKS_BYTES_MAX] = '\0';
	contains(asked(text), "must be the name of a NetworkAttachmentDefinition");
}

static void test_recorded(void)
{
	json_auto_t *call = json_load_file("tests/cli/engine-calls/containerd-2.1.9-ADD.json", 0,
					   NULL);
	const json_t *o = json_object_get(json_object_get(call, "runtimeConfig"),
					  "io.kubernetes.cri.pod-annotations");

	test("of all annotations that containerd hands on these two are read");
	ok(json_object_size(o) > 2);
	eq(read_of(o), "net1=apps/none");
}

int main(void)
{
	jx_init(NULL);
	test_names();
	test_members();
	test_refused_members();
	test_unknown();
	test_default();
	test_annotations();
	test_bounds();
	test_recorded();
	return tap_end();
}
