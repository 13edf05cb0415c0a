/* SPDX-License-Identifier: Apache-2.0 */
/* test_runtime_cache.c - libcni's cache: what a CHECK would be given, and files that are no such */
#include "base/mem.h"
#include "manager/inventory/runtime_cache.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <string.h>

static struct fake_node n;
static const struct owner owner = { .network = "net", .container_id = "c1", .ifname = "net1" };

static void put_file(const char *text)
{
	auto_free char *path = NULL;
	FILE *f;

	if (asprintf(&path, "%s/var/lib/cni/results/net-c1-net1", n.dir) < 0)
		bail_out("asprintf");
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		bail_out(path);
}

/* What comes of a file: the request, an error's message, or "none". */
static const char *made_of(const char *text)
{
	static char ret[1024];
	json_auto_t *request = NULL;
	struct err e = { 0 };
	char file[512];
	int r;

	put_file(text);
	r = runtime_cache_request(&n.host, &owner, &request, file, &e);
	if (r > 0) {
		auto_free char *made = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);

		(void)snprintf(ret, sizeof(ret), "%s", made);
	} else {
		(void)snprintf(ret, sizeof(ret), "%s", r < 0 ? e.msg : "none");
	}
	return ret;
}

static bool makes(const char *text, const char *want)
{
	const char *have = made_of(text);

	if (strstr(have, want))
		return true;
	(void)printf("# %s\n", have);
	return false;
}

static void test_configurations(void)
{
	test("a configuration of one plugin is the request, with the result");
	/* {"cniVersion":"1.0.0","name":"net","type":"devinfo"} */
	ok(makes("{\"config\":\"eyJjbmlWZXJzaW9uIjoiMS4wLjAiLCJuYW1lIjoibmV0IiwidHlwZSI6"
		 "ImRldmluZm8ifQ==\",\"result\":{\"ips\":[]}}",
		 "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"prevResult\":{\"ips\":[]},"
		 "\"type\":\"devinfo\"}"));
	test("of a list it is our plugin's, with what it can take of the runtime's arguments");
	/* {"cniVersion":"1.0.0","name":"net","plugins":[{"type":"a"},
	 * {"type":"devinfo","capabilities":{"mac":true,"ips":false}}]} */
	ok(makes("{\"config\":\"eyJjbmlWZXJzaW9uIjoiMS4wLjAiLCJuYW1lIjoibmV0IiwicGx1Z2lucyI6"
		 "W3sidHlwZSI6ImEifSx7InR5cGUiOiJkZXZpbmZvIiwiY2FwYWJpbGl0aWVzIjp7Im1hYyI6dHJ1ZSwi"
		 "aXBzIjpmYWxzZX19XX0=\",\"capabilityArgs\":{\"mac\":\"m\",\"ips\":1,\"x\":2}}",
		 "\"name\":\"net\",\"runtimeConfig\":{\"mac\":\"m\"},\"type\":\"devinfo\"}"));
	test("of a list of others there is none");
	/* {"plugins":[{"type":"a"},{"type":"b"}]} */
	ok(makes("{\"config\":\"eyJwbHVnaW5zIjpbeyJ0eXBlIjoiYSJ9LHsidHlwZSI6ImIifV19\"}", "none"));
	test("of one plugin of another name it is that: ours may be installed under it");
	/* {"plugins":[{"type":"a"}]} */
	ok(makes("{\"config\":\"eyJwbHVnaW5zIjpbeyJ0eXBlIjoiYSJ9XX0=\"}", "{\"type\":\"a\"}"));
}

static void test_wrong(void)
{
	test("a file that is no JSON, or has no configuration in base64, is named");
	ok(makes("{", "'/var/lib/cni/results/net-c1-net1': ") && makes("{}", "expected") &&
	   makes("{\"config\":1}", "expected") && makes("{\"config\":\"e$\"}", "expected"));
	test("a configuration that is no object is an error, one of none of ours is none");
	/* "[", "{\"plugins\":[1]}" */
	ok(makes("{\"config\":\"Ww==\"}", "config: ") &&
	   makes("{\"config\":\"eyJwbHVnaW5zIjpbMV19\"}", "none"));
	test("a file that others may write is not believed");
	put_file("{}");
	node_sh(&n, "chmod 666 var/lib/cni/results/net-c1-net1");
	ok(makes("{}", "not writable by others"));
}

static void test_absent(void)
{
	struct owner other = owner;
	json_auto_t *request = NULL;
	char file[512], name[300];
	struct err e;

	test("an attachment that the runtime does not know");
	other.ifname = "net2";
	ok(runtime_cache_request(&n.host, &other, &request, file, &e) == 0);
	test("one whose name is too long for a file");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	other.container_id = name;
	ok(runtime_cache_request(&n.host, &other, &request, file, &e) == 0);
}

int main(void)
{
	node_open(NULL, &n);
	node_sh(&n, "mkdir -p var/lib/cni/results");
	test_configurations();
	test_wrong();
	test_absent();
	node_close(&n);
	return tap_end();
}
