/* SPDX-License-Identifier: Apache-2.0 */
/* test_ipam.c - what an IPAM plugin's answer may be */
#include "base/jx.h"
#include "cni/plugins/ipam.h"
#include "tests/unit/plugin.h"
#include "tests/unit/tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

static const char request[] = "{\"cniVersion\":\"1.0.0\",\"name\":\"net\"}";

/* Begun and collected at once. */
static int run(const struct ipam *ipam, struct ipam_result *ret, struct err *e)
{
	struct ipam_run *begun = NULL;
	int r;

	refused = true;
	if (ipam_start(ipam, &begun, e) < 0)
		return -1;
	r = ipam_collect(begun, ret, &refused, e);
	ipam_run_free(begun);
	return r;
}

static int add(const char *result, struct ipam_result *ret, struct err *e)
{
	const struct ipam ipam = {
		.type = "fake", .cni_path = dir, .request = request, .timeout_ms = 10000
	};

	(void)setenv("FAKE_ADD", "ok", 1);
	(void)setenv("FAKE_RESULT", result, 1);
	return run(&ipam, ret, e);
}

static void addresses(void)
{
	auto_ipam_result struct ipam_result r = { 0 };
	char text[64] = "";
	struct err e;

	test("an IPAM result is parsed: addresses, routes with their numbers, DNS");
	ok(add("{\"ips\":[{\"address\":\"192.0.2.5/24\",\"gateway\":\"192.0.2.1\"},{\"address\":"
	       "\"2001:db8::5/64\"}],\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"198.51.100.0/"
	       "24\","
	       "\"gw\":\"192.0.2.9\",\"mtu\":1400,\"advmss\":1360,\"priority\":5,\"table\":0,"
	       "\"scope\":0},"
	       "{\"dst\":\"::/0\"}],\"dns\":{\"domain\":\"d\"}}",
	       &r, &e) == 0);
	ok(r.addrs == 2 && r.nroutes == 3 && json_object_size(r.dns) == 1);
	ok(r.addr[0].len == 24 && r.addr[0].ip.family == AF_INET &&
	   r.addr[1].ip.family == AF_INET6);
	test("a route without a gateway takes that of the first address of its family");
	eq(inet_ntop(AF_INET, r.route[0].gw.bytes, text, sizeof(text)), "192.0.2.1");
	eq(inet_ntop(AF_INET, r.route[1].gw.bytes, text, sizeof(text)), "192.0.2.9");
	ok(r.route[2].gw.family == 0);
	test("C-RES-03: table and scope 0 are values");
	ok(r.route[1].has_table && r.route[1].has_scope && !r.route[0].has_table &&
	   !r.route[0].has_scope);
	ok(r.route[1].mtu == 1400 && r.route[1].advmss == 1360 && r.route[1].priority == 5);
	ipam_result_done(&r);
	test("null lists are as good as absent ones");
	ok(add("{\"ips\":[{\"address\":\"192.0.2.5/"
	       "24\",\"gateway\":null}],\"routes\":null,\"dns\":null}",
	       &r, &e) == 0 &&
	   r.nroutes == 0 && !r.dns);
}

static void bad_addresses(void)
{
	static const char *const bad[][2] = {
		{ "{}", "plugin fake gave no address" },
		{ "{\"ips\":[]}", "plugin fake gave no address" },
		{ "null", "plugin fake succeeded without a result" },
		{ "[]", "plugin fake succeeded without a result" },
		{ "{\"ips\":[null]}",
		  "plugin fake: its result.ips[0]: expected an object, got null" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5\"}]}",
		  "plugin fake: its result.ips[0].address: '192.0.2.5'"
		  " is not an address with a prefix length" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/33\"}]}",
		  "plugin fake: its result.ips[0].address: '192.0.2.5/33'"
		  " is not an address with a prefix length" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\",\"gateway\":\"x\"}]}",
		  "plugin fake: its result.ips[0].gateway: 'x' is not an IP address" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"y/8\"}]}",
		  "plugin fake: its result.routes[0].dst: 'y/8'"
		  " is not an address with a prefix length" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[null]}",
		  "plugin fake: its result.routes[0]: expected an object, got null" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"gw\":\"::1\"}]}",
		  "plugin fake: its result: routes[0] has a gateway of another family" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"mtu\":-1}]}",
		  "plugin fake: its result.routes[0].mtu: expected an integer of "
		  "0 to 4294967295, got -1" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"scope\":256}]}",
		  "plugin fake: its result.routes[0].scope: expected an integer of "
		  "0 to 255, got 256" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"table\":\"x\"}]}",
		  "plugin fake: its result.routes[0].table: expected an integer, got a string" },
	};
	auto_ipam_result struct ipam_result r = { 0 };
	struct err e;

	test("C-DLG-07: a result that cannot be applied is an error that names the value");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(add(bad[i][0], &r, &e) == -1 && e.code == ERR_DELEGATE && !r.doc && !r.addr);
		eq(e.msg, bad[i][1]);
		ok(!refused);
	}
	test("only a plugin that says no itself surely holds no lease");
	plugin("no", "echo '{\"code\":11,\"msg\":\"none left\"}'; exit 1");
	const struct ipam ipam = {
		.type = "no", .cni_path = dir, .request = request, .timeout_ms = 10000
	};

	ok(run(&ipam, &r, &e) == -1 && refused);
	test("C-DLG-07: an unknown version is an error, another one is read");
	ok(add("{\"cniVersion\":\"9.9.9\",\"ips\":[{\"address\":\"192.0.2.5/24\"}]}", &r,
	       &e) == -1);
	ok(e.code == ERR_DELEGATE && strstr(e.msg, "plugin fake") && !refused);
	ok(add("{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"192.0.2.5/24\"}}", &r, &e) == 0);
	ok(r.addrs == 1);
}

static void too_many(void)
{
	auto_ipam_result struct ipam_result r = { 0 };
	json_auto_t *o = json_object();
	json_t *list = json_array();
	auto_free char *text = NULL;
	FILE *f;
	struct err e;
	size_t len;
	char path[64];

	test("a result has at most 4096 addresses");
	for (int i = 0; i <= IPAM_MAX; i++)
		(void)json_array_append_new(list, json_pack("{s:s}", "address", "192.0.2.1/24"));
	(void)json_object_set_new(o, "ips", list);
	text = jx_dump(o, &len);
	(void)snprintf(path, sizeof(path), "%s/many.json", dir);
	f = fopen(path, "w");
	ok(f && fwrite(text, 1, len, f) == len && fclose(f) == 0);
	plugin("many", "cat \"$FAKE_STORE/many.json\"");
	const struct ipam ipam = {
		.type = "many", .cni_path = dir, .request = request, .timeout_ms = 10000
	};

	ok(run(&ipam, &r, &e) == -1 && e.sys == E2BIG);
	eq(e.msg, "plugin many: its result: over 4096 addresses");
}

static void older_plugins(void)
{
	auto_ipam_result struct ipam_result r = { 0 };
	struct ipam ipam = { .type = "fake", .cni_path = dir, .timeout_ms = 10000,
			     .request = "{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"x\":1}" };
	struct err e;

	(void)unsetenv("FAKE_RESULT");
	(void)setenv("FAKE_VERSIONS", "0.4.0 1.0.0", 1);
	sh("rm -f calls.log");
	test("an IPAM plugin that does not know 1.1.0 yet is asked once more in 1.0.0");
	ok(run(&ipam, &r, &e) == 0 && r.addrs == 1);
	sh("test \"$(cat calls.log | tr '\\n' ';')\" = 'ADD 1.1.0;ADD 1.0.0;'");
	ok(ipam_del(&ipam, &e) == 0);
	sh("test \"$(tail -n 2 calls.log | tr '\\n' ';')\" = 'DEL 1.1.0;DEL 1.0.0;'");
	test("one that knows neither, or refuses another version, is asked once and its error is "
	     "ours");
	(void)setenv("FAKE_VERSIONS", "0.1.0", 1);
	ok(ipam_del(&ipam, &e) == -1 && e.code == ERR_VERSION);
	sh("rm calls.log");
	ipam.request = request;
	ok(ipam_del(&ipam, &e) == -1 && e.code == ERR_VERSION);
	sh("test \"$(wc -l <calls.log)\" = 1");
	(void)unsetenv("FAKE_VERSIONS");
	test("a DEL that answers nothing has succeeded");
	ok(ipam_del(&ipam, &e) == 0);
}

int main(void)
{
	plugins_begin();
	addresses();
	bad_addresses();
	too_many();
	older_plugins();
	plugins_end();
	return tap_end();
}
