/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_status.c - the network-status files: what errors leave of them, and what GC takes away
 *
 * Entries, and lists without errors, are test_result.c's.
 */
#include "cni/call/status.h"
#include "cni/call/status_entry.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static struct fake_node n;
static struct journal j = { .dir = -1, .lock = -1 };
static struct err e;

static const struct owner one = { .network = "n", .container_id = "c", .ifname = "net1" };
static const struct owner two = { .network = "n", .container_id = "c", .ifname = "net2" };

static int add(const struct owner *o)
{
	json_auto_t *entries = json_pack("[{s:s,s:s}]", "name", o->network, "interface", o->ifname);

	return status_add(&n.host, &j, o, entries, &e);
}

static int get(const struct owner *o)
{
	json_auto_t *entry = NULL;

	return status_get(&n.host, o, &entry, &e);
}

/* So many descriptors more can be opened; -1: as many as before. */
static void leave_descriptors(int more)
{
	static struct rlimit before;
	struct rlimit less;
	int next = dup(0);

	(void)close(next);
	if (!before.rlim_cur && getrlimit(RLIMIT_NOFILE, &before) < 0)
		bail_out("getrlimit");
	less = before;
	if (more >= 0)
		less.rlim_cur = (rlim_t)(next + more);
	if (setrlimit(RLIMIT_NOFILE, &less) < 0)
		bail_out("setrlimit");
}

static void test_unread(void)
{
	int r;

	test("a list that cannot be read just now is no empty one: it stays, and that is told");
	ok(add(&one) == 0 && add(&two) == 0);
	for (int more = 0; more < 2; more++) {
		leave_descriptors(more);
		e.sys = 0;
		r = get(&one);
		leave_descriptors(-1);
		ok(r == -1 && e.sys == EMFILE);
		leave_descriptors(more);
		e.sys = 0;
		r = status_remove(&n.host, &j, &one, &e);
		leave_descriptors(-1);
		ok(r == -1 && e.sys == EMFILE);
		leave_descriptors(more);
		r = add(&one);
		leave_descriptors(-1);
		ok(r == -1);
	}
	ok(get(&one) == 1 && get(&two) == 1);
}

static void test_unlocked(void)
{
	int lock = j.lock;

	test("without the lock nothing is changed");
	j.lock = open("/dev/null", O_PATH | O_CLOEXEC);
	ok(status_remove(&n.host, &j, &one, &e) == -1 && add(&one) == -1);
	(void)close(j.lock);
	j.lock = lock;
	ok(get(&one) == 1);
}

static void limit_files(rlim_t size)
{
	struct rlimit max;

	if (getrlimit(RLIMIT_FSIZE, &max) < 0)
		bail_out("getrlimit");
	max.rlim_cur = size;
	if (setrlimit(RLIMIT_FSIZE, &max) < 0)
		bail_out("setrlimit");
}

static void test_unwritten(void)
{
	int r;

	test("a shorter list that cannot be written, though there is room, leaves the old one");
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_files(1);
	r = status_remove(&n.host, &j, &one, &e);
	limit_files(RLIM_INFINITY);
	ok(r == -1 && e.sys == EFBIG);
	ok(get(&one) == 1 && get(&two) == 1);
}

static void test_too_large(void)
{
	static char text[9 * 1024 * 1024];
	json_auto_t *entry = NULL;

	test("a list that nobody could read again is not written");
	memset(text, 'x', sizeof(text) - 1);
	entry = json_pack("[{s:s,s:s,s:s}]", "name", "n", "interface", "net3", "dns", text);
	ok(status_add(&n.host, &j, &one, entry, &e) == -1 && e.sys == EFBIG);
	ok(get(&one) == 1 && get(&two) == 1);
}

static bool keeps_net2(const char *container_id, const char *ifname, const void *arg)
{
	(void)arg;
	return strcmp(container_id, "c") == 0 && strcmp(ifname, "net2") == 0;
}

static void test_prune(void)
{
	static const struct owner dead = { .network = "n", .container_id = "d", .ifname = "net1" };
	static const struct owner again = {
		.network = "n", .container_id = "d", .ifname = "net2"
	};
	static const struct owner others = {
		.network = "o", .container_id = "c", .ifname = "net1"
	};
	int r;

	test("GC takes what nobody has of its network, from every file, and leaves the rest");
	ok(add(&dead) == 0 && add(&again) == 0 && add(&others) == 0);
	node_sh(&n, "echo rubbish >run/devinfo/status/x && mkdir run/devinfo/status/y.json");
	ok(status_prune(&n.host, &j, "n", keeps_net2, NULL, &e) == 0);
	ok(get(&one) == 0 && get(&two) == 1 && get(&others) == 1);
	ok(node_holds(&n, "! -e run/devinfo/status/d.json"));
	ok(node_holds(&n, "-e run/devinfo/status/x"));
	test("a list that cannot be read is an error of it");
	ok(add(&dead) == 0);
	leave_descriptors(2);
	r = status_prune(&n.host, &j, "n", keeps_net2, NULL, &e);
	leave_descriptors(-1);
	ok(r == -1 && e.sys == EMFILE);
	ok(get(&dead) == 1);
}

static int note(const struct owner *o, void *arg, struct err *why)
{
	char *said = arg;
	size_t len = strlen(said);

	(void)why;
	(void)snprintf(said + len, 256 - len, "%s/%s/%s ", o->network, o->container_id, o->ifname);
	return 0;
}

static int take_away(const struct owner *o, void *arg, struct err *why)
{
	(void)arg;
	return status_remove(&n.host, &j, o, why);
}

static void test_each(void)
{
	static const struct owner spoilt = {
		.network = "n", .container_id = "s", .ifname = "net1"
	};
	char said[256] = "";

	test("each entry is told, and a file without any, which may be removed meanwhile");
	node_sh(&n, "rm -r run/devinfo/status");
	ok(status_each(&n.host, note, said, &e) == 0);
	eq(said, "");
	ok(add(&one) == 0 && add(&two) == 0 && add(&spoilt) == 0);
	node_sh(&n, "echo rubbish >run/devinfo/status/s.json; echo '[]' >run/devinfo/status/x");
	ok(status_each_of(&n.host, "c", note, said, &e) == 0);
	eq(said, "n/c/net1 n/c/net2 ");
	*said = '\0';
	ok(status_each_of(&n.host, "s", note, said, &e) == 0);
	eq(said, "/s/ ");
	ok(status_is_damaged(&n.host, &spoilt) && !status_is_damaged(&n.host, &one));
	node_sh(&n, "echo '[]' >run/devinfo/status/s.json");
	ok(!status_is_damaged(&n.host, &spoilt));
	node_sh(&n, "rm run/devinfo/status/s.json; mkdir run/devinfo/status/s.json");
	ok(status_is_damaged(&n.host, &spoilt));
	node_sh(&n, "rmdir run/devinfo/status/s.json");
	ok(!status_is_damaged(&n.host, &spoilt));
	node_sh(&n, "echo rubbish >run/devinfo/status/s.json");
	*said = '\0';
	ok(status_each_of(&n.host, "nobody", note, said, &e) == 0);
	eq(said, "");
	ok(status_each(&n.host, note, said, &e) == 0);
	ok(strstr(said, "n/c/net1 n/c/net2 ") && strstr(said, "/s/ ") && strlen(said) == 22);
	test("what fn says ends it");
	ok(status_each_of(&n.host, "c", take_away, NULL, &e) == 1);
	ok(get(&one) == 0 && get(&two) == 1);
	ok(status_each_of(&n.host, "s", take_away, NULL, &e) == 0);
	ok(node_holds(&n, "! -e run/devinfo/status/s.json"));
	ok(status_remove(&n.host, &j, &two, &e) == 1);
}

static void test_namespace(void)
{
	json_auto_t *entry = json_pack("[{s:s,s:s}]", "name", "apps/n", "interface", "net1");
	json_auto_t *found = NULL;

	test("an entry whose name has a namespace is found, replaced and removed as others");
	ok(status_add(&n.host, &j, &one, entry, &e) == 0 && add(&two) == 0);
	ok(status_get(&n.host, &one, &found, &e) == 1);
	eq(json_string_value(json_object_get(found, "name")), "apps/n");
	ok(add(&one) == 0 && status_remove(&n.host, &j, &one, &e) == 1 && get(&one) == 0);
	ok(status_add(&n.host, &j, &one, entry, &e) == 0);
	ok(status_prune(&n.host, &j, "n", keeps_net2, NULL, &e) == 0);
	ok(get(&one) == 0 && get(&two) == 1);
	ok(status_add(&n.host, &j, &one, entry, &e) == 0);
	ok(status_remove(&n.host, &j, &one, &e) == 1 && get(&one) == 0);
	ok(status_remove(&n.host, &j, &two, &e) == 1);
}

/* Of an attachment to n whose plugins have made another interface, too. */
static int add_with(const struct owner *o, const char *other)
{
	json_auto_t *entries = json_pack("[{s:s,s:s},{s:s,s:s,s:s}]", "name", o->network,
					 "interface", o->ifname, "name", o->network, "interface",
					 other, STATUS_OF, o->ifname);

	return status_add(&n.host, &j, o, entries, &e);
}

/* The interfaces of the container's file, in order. */
static const char *told(void)
{
	static char text[256];
	json_auto_t *list = NULL;
	const json_t *entry;
	char path[128];
	size_t i;

	(void)snprintf(path, sizeof(path), "%s/run/devinfo/status/c.json", n.dir);
	list = json_load_file(path, 0, NULL);
	*text = '\0';
	json_array_foreach(list, i, entry)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ",
			       json_string_value(json_object_get(entry, "interface")));
	return text;
}

static void test_other_interfaces(void)
{
	static const struct owner data0 = {
		.network = "o", .container_id = "c", .ifname = "data0"
	};
	char said[256] = "";

	test("another interface that an attachment has made comes and goes with it");
	node_sh(&n, "rm -r run/devinfo/status");
	ok(add(&two) == 0 && add_with(&one, "data0") == 0);
	eq(told(), "net2 net1 data0 ");
	ok(add_with(&one, "data1") == 0);
	eq(told(), "net2 net1 data1 ");
	ok(status_remove(&n.host, &j, &one, &e) == 1);
	eq(told(), "net2 ");
	test("who is told of each attachment is told once of it");
	ok(add_with(&one, "data0") == 0 && status_each_of(&n.host, "c", note, said, &e) == 0);
	eq(said, "n/c/net2 n/c/net1 ");
	test("GC keeps it and takes it with its attachment");
	ok(status_prune(&n.host, &j, "n", keeps_net2, NULL, &e) == 0);
	eq(told(), "net2 ");
	test("an interface has one entry, its own before all, for readers keep the last");
	ok(add_with(&one, "data0") == 0 && add_with(&two, "data0") == 0);
	eq(told(), "net1 data0 net2 ");
	ok(add(&data0) == 0);
	eq(told(), "net1 net2 data0 ");
	ok(add_with(&one, "data0") == 0);
	eq(told(), "net2 data0 net1 ");
	ok(status_remove(&n.host, &j, &one, &e) == 1 && status_remove(&n.host, &j, &two, &e) == 1 &&
	   status_remove(&n.host, &j, &data0, &e) == 1);
}

static void test_order(void)
{
	json_auto_t *order = json_pack("[s,s,s]", "net2", "net7", "net1");
	json_auto_t *other = json_pack("[s]", "net1");

	test("entries are put into the order of their attachments, with those of other interfaces");
	ok(status_order(&n.host, &j, "nobody", order, &e) == 0);
	ok(add_with(&one, "data0") == 0 && add(&two) == 0);
	eq(told(), "net1 data0 net2 ");
	ok(status_order(&n.host, &j, "c", order, &e) == 0);
	eq(told(), "net2 net1 data0 ");
	test("what the order does not name comes last");
	ok(status_order(&n.host, &j, "c", other, &e) == 0);
	eq(told(), "net1 data0 net2 ");
	ok(status_remove(&n.host, &j, &one, &e) == 1 && status_remove(&n.host, &j, &two, &e) == 1);
}

int main(void)
{
	node_open(NULL, &n);
	if (journal_open(&n.host, JOURNAL_CREATE, &j, &e) != 1)
		bail_out(e.msg);
	test_unread();
	test_unlocked();
	test_unwritten();
	test_too_large();
	test_prune();
	test_namespace();
	test_other_interfaces();
	test_order();
	test_each();
	journal_done(&j);
	node_close(&n);
	return tap_end();
}
