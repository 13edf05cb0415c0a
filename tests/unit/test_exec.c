/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec.c - running another plugin, and what an IPAM plugin's answer may be */
#include "base/jx.h"
#include "base/mem.h"
#include "cni/exec.h"
#include "cni/ipam.h"
#include "tests/unit/tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

static bool refused;

static char dir[] = "/tmp/exec.XXXXXX";
static const char request[] = "{\"cniVersion\":\"1.0.0\",\"name\":\"net\"}";

static void sh(const char *command)
{
	auto_free char *full = NULL;

	if (asprintf(&full, "cd %s && %s", dir, command) < 0 || system(full) != 0) {
		(void)printf("Bail out! %s\n", command);
		exit(1);
	}
}

static void set_up(void)
{
	auto_free char *command = NULL;

	if (!mkdtemp(dir) || asprintf(&command, "cp tests/fake/ipam.sh %s/fake", dir) < 0 ||
	    system(command) != 0 || chdir(dir) < 0)
		exit(1);
	(void)signal(SIGPIPE, SIG_IGN);	/* as in the plugin */
	(void)setenv("FAKE_STORE", dir, 1);
	(void)setenv("CNI_CONTAINERID", "c", 1);
	(void)setenv("CNI_IFNAME", "net1", 1);
}

static long long ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Run the fake as ADD, with that behaviour. */
static int run_in(const char *path, const char *behaviour, unsigned int ms, json_t **ret,
		  struct err *e)
{
	struct deadline d = deadline_in(ms);

	(void)setenv("FAKE_ADD", behaviour, 1);
	return exec_plugin(path, "fake", "ADD", request, strlen(request), &d, ret, &refused, e);
}

static int run(const char *behaviour, json_t **ret, struct err *e)
{
	return run_in(dir, behaviour, 10000, ret, e);
}

static void finding(void)
{
	json_auto_t *out = NULL;
	char path[256];
	struct err e;

	test("C-DLG-01: CNI_PATH is searched in order for a regular file, links followed");
	sh("mkdir first && mkdir first/fake && mkdir second && ln -s ../fake second/fake");
	(void)snprintf(path, sizeof(path), "/none:%s/first:%s/second", dir, dir);
	ok(run_in(path, "ok", 10000, &out, &e) == 0 && json_is_object(out));
	test("C-DLG-03: empty and relative elements are not searched");
	(void)snprintf(path, sizeof(path), ":.:second::%s/first", dir);
	json_decref(steal_ptr(&out));
	ok(run_in(path, "ok", 10000, &out, &e) == -1 && e.code == ERR_DELEGATE && !out);
	eq(e.msg, "plugin fake is in no directory of CNI_PATH");
	ok(strncmp(e.details, "CNI_PATH is :.:second", 21) == 0);
	test("without CNI_PATH the error names the variable");
	ok(run_in("", "ok", 10000, &out, &e) == -1 && e.code == ERR_ENV);
	eq(e.msg, "required env variables [CNI_PATH] missing");
	test("C-DLG-02: a type that is a path is refused");
	struct deadline d = deadline_in(1000);

	ok(exec_plugin(dir, "../fake", "ADD", request, 1, &d, &out, &refused, &e) == -1 &&
	   e.code == ERR_NETCONF);
	ok(exec_plugin(dir, "", "ADD", request, 1, &d, &out, &refused, &e) == -1 &&
	   e.code == ERR_NETCONF);
	ok(exec_plugin(dir, "..", "ADD", request, 1, &d, &out, &refused, &e) == -1 &&
	   e.code == ERR_NETCONF);
}

static void talking(void)
{
	json_auto_t *out = NULL, *big_out = NULL;
	auto_free char *big = malloc(3000001);
	struct deadline d = deadline_in(20000);
	struct err e;

	test("C-DLG-04: the plugin gets CNI_COMMAND, the request's very bytes, and the rest of our "
	     "environment");
	sh("printf '#!/bin/sh\\nprintf \"%%s %%s %%s \" \"$CNI_COMMAND\" \"$CNI_IFNAME\" \"$#\" "
	   ">said;"
	   " cat >>said; echo {}\\n' >echo && chmod +x echo");
	(void)setenv("CNI_COMMAND", "VERSION", 1);
	ok(exec_plugin(dir, "echo", "DEL", " { \"a\" : 1e0 }\n", 15, &d, &out, &refused, &e) == 0);
	sh("test \"$(cat said)\" = 'DEL net1 0  { \"a\" : 1e0 }'");
	eq(getenv("CNI_COMMAND"), "VERSION");

	test("a large request, and a large answer, pass");
	if (!big)
		exit(1);
	memset(big, 'x', 3000000);
	big[0] = big[2999999] = '"';
	big[3000000] = '\0';
	sh("printf '#!/bin/sh\\ncat >said; printf [; head -c 1500000 said; echo \\\\\"]\\n' >large "
	   "&& chmod +x large");
	ok(exec_plugin(dir, "large", "ADD", big, 3000000, &d, &big_out, &refused, &e) == 0);
	ok(json_string_length(json_array_get(big_out, 0)) == 1499999);
	sh("test \"$(wc -c <said)\" = 3000000");

	test("one that does not read its request is not waited for");
	sh("printf '#!/bin/sh\\necho {}\\n' >unread && chmod +x unread");
	json_decref(steal_ptr(&out));
	ok(exec_plugin(dir, "unread", "ADD", big, 3000000, &d, &out, &refused, &e) == 0 &&
	   json_is_object(out));
	json_decref(steal_ptr(&out));
	test("an empty answer is no result, which is for the caller to judge");
	ok(run("silent", &out, &e) == 0 && !out);
}

struct misbehaviour {
	const char *name;
	enum err_code code;
	const char *msg, *details;
};

static void misbehaving(void)
{
	static const struct misbehaviour cases[] = {
		{ "error", ERR_TRY_AGAIN, "plugin fake: no addresses left", "range 1" },
		{ "signal", ERR_DELEGATE, "plugin fake died of signal 9", "" },
		{ "status", ERR_DELEGATE, "plugin fake ended with status 3 and no error object",
		  "" },
		{ "words", ERR_DELEGATE, "plugin fake ended with status 1 and no error object",
		  "" },
		{ "codeless", ERR_DELEGATE, "plugin fake ended with status 1 and no error object",
		  "" },
		{ "zero", ERR_DELEGATE, "plugin fake ended with status 1 and no error object", "" },
		{ "garbage", ERR_DELEGATE,
		  "plugin fake succeeded with a result that cannot be read: fake: not valid JSON",
		  NULL },
		{ "two", ERR_DELEGATE,
		  "plugin fake succeeded with a result that cannot be read: fake: not valid JSON",
		  NULL },
		{ "flood", ERR_DELEGATE, "plugin fake printed over 2097152 bytes", NULL },
	};
	json_auto_t *out = NULL;
	struct err e;

	test("C-ADD-06, C-DLG-07: a plugin's own error is ours, with its code; anything odd is "
	     "code 107");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		e = (struct err){ .code = ERR_OK };
		ok(run(cases[i].name, &out, &e) == -1 && e.code == cases[i].code && !out);
		eq(e.msg, cases[i].msg);
		if (cases[i].details)
			eq(e.details, cases[i].details);
	}
}

static void waiting(void)
{
	json_auto_t *out = NULL;
	long long start = ms_now();
	struct err e;

	test("a plugin that hangs is killed at the deadline");
	ok(run_in(dir, "hang", 100, &out, &e) == -1 && e.code == ERR_TRY_AGAIN && !out);
	eq(e.msg, "plugin fake gave no answer in time");
	ok(run_in(dir, "deaf", 300, &out, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "plugin fake did not end in time");
	ok(ms_now() - start < 5000);
	ok(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);

	test("C-PRC-09: what a plugin leaves running does not hold us");
	start = ms_now();
	ok(run_in(dir, "orphan", 20000, &out, &e) == 0 && json_is_object(out));
	ok(ms_now() - start < 3000);
	json_decref(steal_ptr(&out));

	test("C-PRC-08: SIGTERM ends the wait");
	deadline_catch_signals();
	start = ms_now();
	if (fork() == 0) {
		(void)poll(NULL, 0, 150);
		(void)kill(getppid(), SIGTERM);
		_exit(0);
	}
	ok(run_in(dir, "hang", 20000, &out, &e) == -1 && e.code == ERR_INTERRUPTED);
	ok(ms_now() - start < 5000);
	deadline_ignore_signals();
	(void)wait(NULL);
}

static void not_runnable(void)
{
	json_auto_t *out = NULL;
	struct deadline d = deadline_in(5000);
	struct err e;
	int fd;

	test("C-DLG-08: a file that cannot be executed is a clean error");
	sh("touch plain && printf garbage >half && chmod +x half && cp /bin/true busy");
	ok(exec_plugin(dir, "plain", "ADD", request, 2, &d, &out, &refused, &e) == -1 &&
	   e.code == ERR_DELEGATE);
	eq(e.msg, "plugin plain cannot be executed");
	ok(exec_plugin(dir, "half", "ADD", request, 2, &d, &out, &refused, &e) == -1 &&
	   e.code == ERR_DELEGATE);
	fd = open("busy", O_RDWR | O_CLOEXEC);
	ok(fd >= 0);
	ok(exec_plugin(dir, "busy", "ADD", request, 2, &d, &out, &refused, &e) == -1 &&
	   e.code == ERR_DELEGATE);
	eq(e.msg, "plugin busy cannot be executed: it is being installed");
	(void)close(fd);
}

static int add(const char *result, struct ipam_result *ret, struct err *e)
{
	const struct ipam ipam = {
		.type = "fake", .cni_path = dir, .request = request, .timeout_ms = 10000
	};

	(void)setenv("FAKE_ADD", "ok", 1);
	(void)setenv("FAKE_RESULT", result, 1);
	return ipam_add(&ipam, ret, &refused, e);
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
		{ "null",
		  "plugin fake succeeded with a result that cannot be read: fake: not valid JSON" },
		{ "[]", "plugin fake succeeded without a result" },
		{ "{\"ips\":[null]}", "plugin fake: its result has the bad address ''" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5\"}]}",
		  "plugin fake: its result has the bad address '192.0.2.5'" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/33\"}]}",
		  "plugin fake: its result has the bad address '192.0.2.5/33'" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\",\"gateway\":\"x\"}]}",
		  "plugin fake: its result has the bad gateway 'x'" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"y/8\"}]}",
		  "plugin fake: its result has a route to the bad destination 'y/8'" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[null]}",
		  "plugin fake: its result has a route to the bad destination ''" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"gw\":\"::1\"}]}",
		  "plugin fake: its result has a route by the bad gateway '::1'" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"mtu\":-1}]}",
		  "plugin fake: route.mtu: -1 is not in 0..4294967295" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"scope\":256}]}",
		  "plugin fake: route.scope: 256 is not in 0..255" },
		{ "{\"ips\":[{\"address\":\"192.0.2.5/24\"}],\"routes\":[{\"dst\":\"10.0.0.0/"
		  "8\",\"table\":\"x\"}]}",
		  "plugin fake: route.table: want an integer, have a string" },
	};
	auto_ipam_result struct ipam_result r = { 0 };
	struct err e;

	test("C-DLG-07: a result that cannot be applied is an error that names the value");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(add(bad[i][0], &r, &e) == -1 && e.code == ERR_DELEGATE && !r.doc && !r.addr);
		eq(e.msg, bad[i][1]);
	}
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
	sh("printf '#!/bin/sh\\ncat %s/many.json\\n' \"$PWD\" >many && chmod +x many");
	const struct ipam ipam = {
		.type = "many", .cni_path = dir, .request = request, .timeout_ms = 10000
	};

	ok(ipam_add(&ipam, &r, &refused, &e) == -1 && e.sys == E2BIG);
	eq(e.msg, "plugin many gave over 4096 addresses");
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
	test("a plugin that does not know 1.1.0 yet is asked once more in 1.0.0");
	ok(ipam_add(&ipam, &r, &refused, &e) == 0 && r.addrs == 1);
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
	set_up();
	talking();
	misbehaving();
	waiting();
	addresses();
	bad_addresses();
	too_many();
	older_plugins();
	finding();
	not_runnable();
	sh("rm -r ../${PWD##*/}");
	return tap_end();
}
