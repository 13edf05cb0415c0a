/* SPDX-License-Identifier: Apache-2.0 */
/* test_network_call.c - the calls of an attachment: around plugins, or plugin by plugin */
#include "devinfo/network/network_call.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

static void ignore(const struct err *why, void *arg)
{
	(void)why;
	(void)arg;
	ok(false);
}

/* The calls for this element of an annotation, with the network net of such a configuration. */
static const char *calls(const char *config, const char *element)
{
	static char *text;
	auto_network_definitions struct network_definitions d = { .dir = "nets" };
	auto_network_selections struct network_selections s = { 0 };
	auto_network struct network n = { 0 };
	json_auto_t *annotations = NULL, *list = NULL;
	struct network_pod pod = { .namespace = "ns", .ifname = "eth0" };
	struct err e = { 0 };
	char annotation[1024];

	(void)snprintf(annotation, sizeof(annotation), "[{\"name\":\"net\"%s}]", element);
	annotations = json_pack("{s:s}", NETWORKS_ANNOTATION, annotation);
	pod.annotations = annotations;
	ok(manifests_read(config, strlen(config), "f", &d.from, &e) == 0 &&
	   network_definitions_index(ignore, NULL, &d, &e) == 0 &&
	   network_selections_read(&pod, NULL, NULL, &s, &e) == 0 &&
	   network_find(&d, "ns", "net", &n, &e) == 0);
	if (e.code)
		return "refused";
	list = network_calls(&n, &s.list[0], NULL);
	free(text);
	text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS);
	return text;
}

#define HEAD "\"cniVersion\":\"1.0.0\","

static void test_around(void)
{
	test("plugins without devinfo among them are its delegates, as they are written");
	eq(calls("{" HEAD "\"name\":\"net\",\"plugins\":[{\"type\":\"bridge\"},{\"type\":"
		 "\"tuning\",\"capabilities\":{\"mac\":true}}]}", ""),
	   "[{" HEAD "\"delegates\":[{\"type\":\"bridge\"},{\"capabilities\":{\"mac\":true},"
	   "\"type\":\"tuning\"}],\"name\":\"net\",\"type\":\"devinfo\"}]");
	eq(calls("{" HEAD "\"name\":\"net\",\"type\":\"bridge\"}", ""),
	   "[{" HEAD "\"delegates\":[{" HEAD "\"name\":\"net\",\"type\":\"bridge\"}],\"name\":"
	   "\"net\",\"type\":\"devinfo\"}]");
	test("with what the pod asks for, and the resource of the network");
	eq(calls("{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"plugins\":[{\"type\":"
		 "\"x\",\"args\":{\"cni\":{\"a\":1,\"b\":2},\"o\":3}}]}",
		 ",\"mac\":\"02-00-00-00-00-01\",\"ips\":[\"10.0.0.1\"],\"deviceID\":\"d\","
		 "\"infiniband-guid\":\"02:00:00:00:00:00:00:01\",\"bandwidth\":{\"egressRate\":1},"
		 "\"portMappings\":[{\"hostPort\":1,\"containerPort\":2}],\"cni-args\":{\"b\":7}"),
	   "[{" HEAD "\"delegates\":[{\"args\":{\"cni\":{\"a\":1,\"b\":7},\"o\":3},\"type\":\"x\"}"
	   "],\"name\":\"net\",\"resourceName\":\"a.b/c\",\"runtimeConfig\":{\"bandwidth\":{"
	   "\"egressRate\":1},\"deviceID\":\"d\",\"infinibandGUID\":\"02:00:00:00:00:00:00:01\","
	   "\"ips\":[\"10.0.0.1\"],\"mac\":\"02:00:00:00:00:01\",\"portMappings\":[{"
	   "\"containerPort\":2,\"hostPort\":1}]},\"type\":\"devinfo\"}]");
	test("what is empty is not asked for");
	eq(calls("{" HEAD "\"name\":\"net\",\"plugins\":[{\"type\":\"x\"}]}",
		 ",\"portMappings\":[],\"cni-args\":{},\"default-route\":[]"),
	   "[{" HEAD "\"delegates\":[{\"type\":\"x\"}],\"name\":\"net\",\"type\":\"devinfo\"}]");
}

static void test_own(void)
{
	test("a network of devinfo alone is that call, with the name and version of the list");
	eq(calls("{" HEAD "\"name\":\"net\",\"plugins\":[{\"type\":\"devinfo\",\"vlan\":7}]}", ""),
	   "[{" HEAD "\"name\":\"net\",\"type\":\"devinfo\",\"vlan\":7}]");
	test("it gets the resource of the network, unless it says what device it takes");
	eq(calls("{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"plugins\":[{\"type\":"
		 "\"devinfo\"}]}", ""),
	   "[{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"type\":\"devinfo\"}]");
	eq(calls("{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"plugins\":[{\"type\":"
		 "\"devinfo\",\"claim\":\"c\"}]}", ""),
	   "[{\"claim\":\"c\"," HEAD "\"name\":\"net\",\"type\":\"devinfo\"}]");
	test("a device plugin may give sockets, too");
	eq(calls("{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"plugins\":[{\"type\":"
		 "\"devinfo\",\"memif\":{}}]}", ""),
	   "[{" HEAD "\"memif\":{},\"name\":\"net\",\"resourceName\":\"a.b/c\",\"type\":"
	   "\"devinfo\"}]");
	test("and of what is asked for what it declares");
	eq(calls("{" HEAD "\"name\":\"net\",\"plugins\":[{\"type\":\"devinfo\",\"capabilities\":{"
		 "\"mac\":true,\"ips\":false}}]}",
		 ",\"mac\":\"02:00:00:00:00:01\",\"ips\":[\"10.0.0.1\"],\"cni-args\":{\"mtu\":9}"),
	   "[{\"args\":{\"cni\":{\"mtu\":9}}," HEAD "\"name\":\"net\",\"runtimeConfig\":{\"mac\":"
	   "\"02:00:00:00:00:01\"},\"type\":\"devinfo\"}]");
}

static void test_list(void)
{
	test("a list with devinfo in it is called plugin by plugin, each with what it declares");
	eq(calls("{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"plugins\":[{\"type\":"
		 "\"macvlan\",\"capabilities\":{\"mac\":true}},{\"type\":\"devinfo\"},{\"type\":"
		 "\"tuning\",\"capabilities\":{\"mac\":false,\"ips\":true}}]}",
		 ",\"mac\":\"02:00:00:00:00:01\",\"ips\":[\"10.0.0.1\"]"),
	   "[{" HEAD "\"name\":\"net\",\"runtimeConfig\":{\"mac\":\"02:00:00:00:00:01\"},\"type\":"
	   "\"macvlan\"},{" HEAD "\"name\":\"net\",\"resourceName\":\"a.b/c\",\"type\":"
	   "\"devinfo\"},{" HEAD "\"name\":\"net\",\"runtimeConfig\":{\"ips\":[\"10.0.0.1\"]},"
	   "\"type\":\"tuning\"}]");
}

int main(void)
{
	jx_init(NULL);
	test_around();
	test_own();
	test_list();
	return tap_end();
}
