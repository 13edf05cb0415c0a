/* SPDX-License-Identifier: Apache-2.0 */
/* test_result.c - our own result, the single document on stdout, network-status */
#include "base/jx.h"
#include "base/mem.h"
#include "cni/call/result.h"
#include "cni/call/status.h"
#include "cni/call/status_entry.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define IPS                                                                                     \
	"[{\"address\":\"192.0.2.5/24\",\"gateway\":\"192.0.2.1\",\"x\":1},"                    \
	"{\"address\":\"2001:db8::5/64\"}]"
#define ROUTES                                                                                  \
	"[{\"dst\":\"0.0.0.0/0\",\"gw\":\"192.0.2.1\",\"mtu\":1400,\"table\":0,\"scope\":0,"    \
	"\"y\":2},{\"dst\":\"2001:db8:1::/48\"}]"
#define DNS	"{\"nameservers\":[\"192.0.2.53\"],\"search\":[\"example.org\"]}"

static json_t *json(const char *text)
{
	json_t *v = json_loads(text, JSON_DECODE_ANY, NULL);

	if (!v)
		exit(1);
	return v;
}

static void results(void)
{
	json_auto_t *ips = json(IPS), *routes = json(ROUTES), *dns = json(DNS);
	struct result_parts p = {
		.ifname = "net1", .mac = "02:00:00:00:00:02", .sandbox = "/run/netns/p",
		.pci_id = "0000:01:10.0", .mtu = 9000, .ips = ips, .routes = routes, .dns = dns,
	};
	json_auto_t *r = result_new(&p), *untouched = json(IPS);
	size_t len;
	auto_free char *text = jx_dump(r, &len);

	test("C-RES-03, C-RES-06: a result has mtu and pciID, and routes keep table and scope 0");
	eq(text, "{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net1\",\"sandbox\":"
		 "\"/run/netns/p\",\"mac\":\"02:00:00:00:00:02\",\"mtu\":9000,\"pciID\":"
		 "\"0000:01:10.0\"}],\"ips\":[{\"address\":\"192.0.2.5/24\",\"gateway\":"
		 "\"192.0.2.1\",\"x\":1,\"interface\":0},{\"address\":\"2001:db8::5/64\","
		 "\"interface\":0}],\"routes\":" ROUTES ",\"dns\":" DNS "}\n");
	test("what IPAM said stays as it was");
	ok(json_equal(ips, untouched));
}

static void bare_results(void)
{
	struct result_parts p = { .ifname = "net1", .sandbox = "/run/netns/p" };
	json_auto_t *r = result_new(&p),
		    *want = json("{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net1\","
				 "\"sandbox\":\"/run/netns/p\"}],"
				 "\"dns\":{}}");

	test("an attachment without address, MAC and MTU does not mention them");
	ok(json_equal(r, want));
	test("a sandbox that is not UTF-8 gives no result");
	p.sandbox = "/run/\xff";
	json_decref(r);
	r = result_new(&p);
	ok(!r || !json_is_object(json_array_get(json_object_get(r, "interfaces"), 0)));
}

typedef int printing(void);

/* What fn printed to stdout, in a process of its own, and what it returned. */
static int printed(printing *fn, char *ret, size_t size)
{
	int out[2], status;
	size_t n = 0;
	ssize_t r;
	pid_t pid;

	(void)fflush(stdout);
	if (pipe(out) < 0)
		exit(1);
	pid = fork();
	if (pid == 0) {
		(void)dup2(out[1], STDOUT_FILENO);
		exit(fn());
	}
	(void)close(out[1]);
	while ((r = read(out[0], ret + n, size - 1 - n)) > 0)
		n += (size_t)r;
	ret[n] = '\0';
	(void)close(out[0]);
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int say_error(void)
{
	struct err e;

	(void)err_set(&e, ERR_DEVICE, ENODEV, "first\nsecond\t'%s'", "\xc3\xa9");
	result_use_version(CNI_0_4_0);
	result_print_error(&e);
	return 0;
}

static int say_bad_error(void)
{
	struct err e;

	(void)err_set(&e, ERR_ENV, 0, "'%s'", "\xff\xfe\x01");
	result_print_error(&e);
	return 0;
}

static int say_twice(void)
{
	json_auto_t *o = json("{\"a\":1}");
	struct err e;
	int r = result_print(o, &e);

	(void)err_set(&e, ERR_IO, 0, "second");
	result_print_error(&e);
	result_last_words();
	return r < 0;
}

static int say_last_words(void)
{
	struct err e;

	result_use_version(CNI_1_0_0);
	result_last_words();
	result_last_words();
	(void)err_set(&e, ERR_IO, 0, "second");
	result_print_error(&e);
	return 0;
}

static int say_to_full(void)
{
	json_auto_t *o = json("{\"a\":1}");
	struct err e = { 0 };

	(void)dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	return result_print(o, &e) == -1 && e.sys == ENOSPC && e.code == ERR_IO ? 7 : 0;
}

static int say_to_nobody(void)
{
	json_auto_t *o = json("{\"a\":1}");
	struct err e = { 0 };
	int p[2];

	(void)signal(SIGPIPE, SIG_IGN);
	if (pipe(p) < 0)
		return 0;
	(void)close(p[0]);
	(void)dup2(p[1], STDOUT_FILENO);
	return result_print(o, &e) == -1 && e.sys == EPIPE ? 7 : 0;
}

static int say_version(void)
{
	struct err e;

	return result_print_version(CNI_0_4_0, &e) < 0;
}

static void printing_errors(void)
{
	char out[1024];

	test("C-ERR-01, C-ERR-02: an error is one object with the request's version, on one line");
	ok(printed(say_error, out, sizeof(out)) == 0);
	eq(out,
	   "{\"cniVersion\":\"0.4.0\",\"code\":102,\"msg\":\"first second '\xc3\xa9'\",\"details\":"
	   "\"No such device\"}\n");
	test("without a version it is our newest, and what is no text becomes question marks");
	ok(printed(say_bad_error, out, sizeof(out)) == 0);
	eq(out, "{\"cniVersion\":\"1.1.0\",\"code\":4,\"msg\":\"'?? '\"}\n");
	test("C-ERR-03: after a document there is no second one");
	ok(printed(say_twice, out, sizeof(out)) == 0);
	eq(out, "{\"a\":1}\n");
	test("C-ERR-07: the last words are an error object, said once");
	ok(printed(say_last_words, out, sizeof(out)) == 0);
	json_auto_t *words = json(out);

	ok(json_integer_value(json_object_get(words, "code")) == ERR_IO);
	ok(json_string_length(json_object_get(words, "msg")) > 0);
	eq(json_string_value(json_object_get(words, "cniVersion")), "1.0.0");
	test("C-ADD-08: a result that cannot be delivered is an error");
	ok(printed(say_to_full, out, sizeof(out)) == 7);
	ok(printed(say_to_nobody, out, sizeof(out)) == 7);
}

static void printing_versions(void)
{
	char out[1024];

	test("C-VER-01, C-VER-02, C-VER-05: VERSION echoes the version asked for and lists all");
	ok(printed(say_version, out, sizeof(out)) == 0);
	eq(out, "{\"cniVersion\":\"0.4.0\",\"supportedVersions\":[\"0.1.0\",\"0.2.0\",\"0.3.0\","
		"\"0.3.1\",\"0.4.0\",\"1.0.0\",\"1.1.0\"]}\n");
}

static struct fake_node n;

static void own_entries(void)
{
	struct owner o = { .network = "net", .container_id = "c", .ifname = "net1", .netns = "" };
	json_auto_t *result =
		json("{\"interfaces\":[{\"name\":\"net1\",\"mac\":\"02:00:00:00:00:01\","
		     "\"mtu\":1400}],\"ips\":" IPS ",\"routes\":" ROUTES ",\"dns\":" DNS "}");
	json_auto_t *info = json("{\"type\":\"pci\",\"version\":\"1.1.0\"}"),
		    *empty = json("{\"dns\":{}}");
	json_auto_t *e1 = status_entries(&o, "", result, 9000, info),
		    *e2 = status_entries(&o, "", empty, 0, NULL), *e3 = NULL;
	json_auto_t *want1 =
		json("[{\"name\":\"net\",\"interface\":\"net1\",\"ips\":[\"192.0.2.5\","
		     "\"2001:db8::5\"],\"mac\":\"02:00:00:00:00:01\",\"mtu\":1400,\"dns\":" DNS ","
		     "\"device-info\":{\"type\":\"pci\",\"version\":\"1.1.0\"},"
		     "\"default-route\":[\"192.0.2.1\"],\"gateway\":[\"192.0.2.1\"]}]");
	json_auto_t *want2 = json("[{\"name\":\"net\",\"interface\":\"net1\",\"dns\":{}}]");

	test("an entry has the addresses bare, the default gateways, and the device-info");
	ok(json_equal(e1, want1));
	test("an entry of nothing has a name, an interface and an empty dns, as every entry");
	ok(json_equal(e2, want2));
	test("eth0 is the default network");
	o.ifname = "eth0";
	e3 = status_entries(&o, "", empty, 0, NULL);
	ok(json_is_true(json_object_get(json_array_get(e3, 0), "default")));
}

/* The entry of net1, of a result with these members, as text without name, interface, and dns. */
static const char *entry_of(const char *result, const char *name_space, uint32_t mtu)
{
	static const struct owner o = {
		.network = "net", .container_id = "c", .ifname = "net1", .netns = ""
	};
	static char text[1024];
	json_auto_t *r = json(result);
	json_auto_t *entries = status_entries(&o, name_space, r, mtu, NULL);
	json_t *entry = json_array_get(entries, 0);

	(void)json_object_del(entry, "interface");
	(void)json_object_del(entry, "dns");
	if (!*name_space)
		(void)json_object_del(entry, "name");
	text[json_dumpb(entry, text, sizeof(text) - 1, JSON_COMPACT)] = '\0';
	return text;
}

static void status_of_own_interface(void)
{
#define TWO "\"interfaces\":[{\"name\":\"net1\"},{\"name\":\"net1\",\"sandbox\":\"/n\"}," \
	"{\"name\":\"net2\",\"sandbox\":\"/n\"}],"
#define AT(address, at) "{\"address\":\"" address "\",\"interface\":" at "}"

	test("an entry has its own interface's addresses alone, and those of no interface");
	eq(entry_of("{" TWO "\"ips\":[" AT("192.0.2.1/24", "2") "," AT("192.0.2.2/24", "1") ","
		    AT("192.0.2.3/24", "0") ",{\"address\":\"192.0.2.4/24\"}]}", "", 0),
	   "{\"ips\":[\"192.0.2.2\",\"192.0.2.4\"]}");
	eq(entry_of("{" TWO "\"ips\":[" AT("192.0.2.1/24", "2") "]}", "", 0), "{}");
	eq(entry_of("{\"interfaces\":[{\"name\":\"net2\"}],\"ips\":["
		    AT("192.0.2.1/24", "0") ",{\"address\":\"192.0.2.4/24\"}]}", "", 0),
	   "{\"ips\":[\"192.0.2.4\"]}");
	eq(entry_of("{\"ips\":[{\"address\":\"192.0.2.4/24\"}]}", "", 0),
	   "{\"ips\":[\"192.0.2.4\"]}");
	test("and the gateway of a default route is one of theirs");
	eq(entry_of("{" TWO "\"ips\":[{\"address\":\"192.0.2.1/24\",\"gateway\":\"192.0.2.254\","
		    "\"interface\":2},{\"address\":\"198.51.100.1/24\",\"gateway\":"
		    "\"198.51.100.254\",\"interface\":1}],\"routes\":[{\"dst\":\"0.0.0.0/0\"}]}",
		    "", 0),
	   "{\"ips\":[\"198.51.100.1\"],\"gateway\":[\"198.51.100.254\"],"
	   "\"default-route\":[\"198.51.100.254\"]}");
	test("its MTU is the result's where that tells one");
	eq(entry_of("{\"interfaces\":[{\"name\":\"net1\",\"mtu\":1400}]}", "", 9000),
	   "{\"mtu\":1400}");
	eq(entry_of("{\"interfaces\":[{\"name\":\"net1\"}]}", "", 9000), "{\"mtu\":9000}");
	eq(entry_of("{\"interfaces\":[{\"name\":\"net1\",\"mtu\":0}]}", "", 9000),
	   "{\"mtu\":9000}");
	test("its name has the namespace of the definition, where that is known");
	eq(entry_of("{}", "apps", 0), "{\"name\":\"apps/net\"}");
}

/* The file's list as text, "" when there is no file. */
static const char *status_text(const char *id)
{
	static char text[4096];
	char path[512];
	size_t len = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/run/devinfo/status/%s.json", n.dir, id);
	f = fopen(path, "r");
	if (f) {
		len = fread(text, 1, sizeof(text) - 1, f);
		(void)fclose(f);
	}
	text[len] = '\0';
	return text;
}

static void status_files(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct owner a = { .network = "n1", .container_id = "c", .ifname = "net1", .netns = "" };
	struct owner b = { .network = "n2", .container_id = "c", .ifname = "net2", .netns = "" };
	json_auto_t *one = json("[{\"name\":\"n1\",\"interface\":\"net1\"}]");
	json_auto_t *two = json("[{\"name\":\"n2\",\"interface\":\"net2\"}]");
	json_auto_t *new = json("[{\"name\":\"n1\",\"interface\":\"net1\",\"mtu\":9}]");
	char path[512];
	struct err e;
	FILE *f;

	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) != 1)
		exit(1);
	test("before any ADD there is no entry, and removing none is no error");
	ok(status_get(&n.host, &a, NULL, &e) == 0 && status_remove(&n.host, &j, &a, &e) == 0);
	test("the attachments of a sandbox are one list");
	ok(status_add(&n.host, &j, &a, one, &e) == 0 && status_add(&n.host, &j, &b, two, &e) == 0);
	eq(status_text("c"),
	   "[{\"name\":\"n1\",\"interface\":\"net1\"},{\"name\":\"n2\",\"interface\":\"net2\"}]\n");
	ok(status_get(&n.host, &a, NULL, &e) == 1 && status_get(&n.host, &b, NULL, &e) == 1);
	test("an entry added again replaces its own");
	ok(status_add(&n.host, &j, &a, new, &e) == 0);
	eq(status_text("c"), "[{\"name\":\"n2\",\"interface\":\"net2\"},{\"name\":\"n1\","
			     "\"interface\":\"net1\",\"mtu\":9}]\n");
	test("removing one leaves the others, and the file goes with the last");
	ok(status_remove(&n.host, &j, &b, &e) == 1 && status_get(&n.host, &b, NULL, &e) == 0 &&
	   status_get(&n.host, &a, NULL, &e) == 1);
	ok(status_remove(&n.host, &j, &b, &e) == 0);
	ok(status_remove(&n.host, &j, &a, &e) == 1);
	(void)snprintf(path, sizeof(path), "%s/run/devinfo/status/c.json", n.dir);
	ok(access(path, F_OK) < 0);
	test("a spoilt file is as good as none, and DEL takes it away");
	f = fopen(path, "w");
	ok(f && fputs("[{\"name\":", f) >= 0 && fclose(f) == 0);
	ok(status_get(&n.host, &a, NULL, &e) == 0);
	ok(status_remove(&n.host, &j, &a, &e) == 0 && access(path, F_OK) < 0);
	f = fopen(path, "w");
	ok(f && fputs("[7,{},{\"name\":1}]", f) >= 0 && fclose(f) == 0);
	ok(status_add(&n.host, &j, &a, one, &e) == 0 && status_get(&n.host, &a, NULL, &e) == 1);
}

static void long_ids(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	char id[600], other[600];
	struct owner a = { .network = "n", .container_id = id, .ifname = "net1", .netns = "" };
	struct owner b = { .network = "n", .container_id = other, .ifname = "net1", .netns = "" };
	json_auto_t *one = json("[{\"name\":\"n\",\"interface\":\"net1\"}]");
	struct err e;

	memset(id, 'x', sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	memcpy(other, id, sizeof(id));
	other[598] = 'y';
	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) != 1)
		exit(1);
	test("C-ENV-06: container ids beyond a file name's length have files of their own");
	ok(status_add(&n.host, &j, &a, one, &e) == 0);
	ok(status_get(&n.host, &a, NULL, &e) == 1 && status_get(&n.host, &b, NULL, &e) == 0);
	id[251] = '\0';
	ok(status_get(&n.host, &a, NULL, &e) == 0 && status_add(&n.host, &j, &a, one, &e) == 0);
	id[250] = '\0';
	ok(status_get(&n.host, &a, NULL, &e) == 0 && status_add(&n.host, &j, &a, one, &e) == 0);
	ok(status_get(&n.host, &a, NULL, &e) == 1);
}

int main(void)
{
	node_open(NULL, &n);
	results();
	bare_results();
	printing_errors();
	printing_versions();
	own_entries();
	status_of_own_interface();
	status_files();
	long_ids();
	node_close(&n);
	return tap_end();
}
