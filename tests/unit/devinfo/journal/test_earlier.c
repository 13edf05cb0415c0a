/* SPDX-License-Identifier: Apache-2.0 */
/* test_earlier.c - which directories are noted, which are forgotten, and what is not believed */
#include "base/mem.h"
#include "devinfo/journal/earlier.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <sys/stat.h>
#include <unistd.h>

#define CONF "/etc/node.json"

static struct fake_node n;

static void sh(const char *command)
{
	node_sh(&n, command);
}

/* As a call has it: the settings, and what is noted. */
static void call_with(const char *state_dir, const char *conf, struct earlier *x)
{
	earlier_done(x);
	n.host.set = settings_default;
	n.host.set.state_dir = state_dir;
	n.host.set.run_dir = "/r";
	earlier_read(&n.host, conf, x);
	n.host.earlier = x;
}

/* A call with this stateDir notes it; the next one finds as many directories. */
static void note_with(const char *state_dir, size_t count, struct earlier *x)
{
	struct err e;

	call_with(state_dir, CONF, x);
	ok(earlier_note(&n.host, &e) == 0);
	call_with(state_dir, CONF, x);
	eqi((long long)json_array_size(x->list), (long long)count);
}

static void put_record(const char *state_dir)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "mkdir -p -m 700 .%s/attachments && chmod 700 .%s && "
		       "echo >.%s/attachments/0123456789abcdef@eth0.json", state_dir, state_dir,
		       state_dir);
	sh(text);
}

static int tell_dir(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	char *text = arg;

	(void)j, (void)e;
	(void)strncat(text, there->set.state_dir, 200);
	(void)strncat(text, " ", 2);
	return 0;
}

/* The other stateDirs that have a journal, with a blank behind each. */
static const char *others(void)
{
	static char text[1024];
	struct err e;

	*text = '\0';
	return earlier_each(&n.host, JOURNAL_READ, tell_dir, text, &e) < 0 ? "error" : text;
}

static void test_note(void)
{
	auto_earlier struct earlier x = { .list = NULL };
	const char *where = NULL;
	size_t count = 0;
	struct err e;

	test("nothing is noted of a node that has never had others than the defaults");
	earlier_read(&n.host, NULL, &x);
	n.host.set = settings_default;
	n.host.earlier = &x;
	ok(earlier_is_noted(&n.host));
	ok(earlier_note(&n.host, &e) == 0);
	ok(!node_holds(&n, "-e var/lib/cni"));
	ok(earlier_is_last(&x, settings_default.state_dir));
	ok(!earlier_take_last(&x, &n.host.set));

	test("others are noted once, for root alone, and each node's file has a memory of its own");
	put_record("/a");
	call_with("/a", CONF, &x);
	ok(!earlier_is_noted(&n.host));
	ok(earlier_note(&n.host, &e) == 0);
	ok(node_holds(&n, "$(stat -c %a ./" CONF ".dirs/dirs.json) = 600"));
	ok(!node_holds(&n, "-e var/lib/cni"));
	call_with("/a", CONF, &x);
	ok(earlier_is_noted(&n.host));
	ok(earlier_is_last(&x, "/a"));
	eq(others(), "");
	call_with("/a", "/etc/other.json", &x);
	ok(!earlier_is_noted(&n.host));

	test("one with records is looked at and stays");
	call_with("/b", CONF, &x);
	eq(others(), "/a ");
	ok(earlier_count(&n.host, &count, &where, &e) == 0);
	ok(count == 1);
	eq(where ? where : "", "/a");
	ok(earlier_note(&n.host, &e) == 0);
	sh("touch -d '1 hour ago' ./" CONF ".dirs/dirs.json");
	call_with("/b", CONF, &x);
	ok(earlier_note(&n.host, &e) == 0);
	call_with("/c", CONF, &x);
	ok(earlier_take_last(&x, &n.host.set));
	eq(n.host.set.state_dir, "/b");
	eq(n.host.set.run_dir, "/r");

	test("one that is the node's own by a link is no other");
	sh("ln -s a own");
	call_with("/own", CONF, &x);
	eq(others(), "");

	test("one without a record is forgotten, but not at once");
	sh("rm a/attachments/* && touch ./" CONF ".dirs/dirs.json");
	for (int i = 0; i < 2; i++)
		note_with("/b", 2, &x);
	sh("touch -d '1 hour ago' ./" CONF ".dirs/dirs.json");
	note_with("/b", 1, &x);

	test("a change forgets none, for a call with the directories of before may be at work");
	sh("touch -d '1 hour ago' ./" CONF ".dirs/dirs.json");
	note_with("/c", 2, &x);

	test("what a DEL there had to keep of a socket is a record, too");
	put_record("/b");
	sh("mkdir -m 700 b/kept && mv b/attachments b/kept && mkdir -m 700 b/attachments");
	sh("touch -d '1 hour ago' ./" CONF ".dirs/dirs.json");
	note_with("/c", 2, &x);
	sh("rm b/kept/attachments/*");
	note_with("/c", 1, &x);
	n.host.earlier = NULL;
}

static void test_defaults(void)
{
	auto_earlier struct earlier x = { .list = NULL };
	struct err e;

	test("the defaults count as noted for the usual file, and are noted once others were used");
	put_record("/var/lib/cni/devinfo");
	call_with("/n", NULL, &x);
	eq(others(), "/var/lib/cni/devinfo ");
	ok(earlier_note(&n.host, &e) == 0);
	call_with("/n", CONF, &x);
	eq(others(), "");
	call_with("/n", NULL, &x);
	ok(earlier_is_last(&x, "/n"));
	n.host.set = settings_default;
	ok(!earlier_is_noted(&n.host));
	put_record("/n");
	eq(others(), "/n ");
	ok(earlier_note(&n.host, &e) == 0);
	call_with("/n", NULL, &x);
	ok(earlier_is_last(&x, "/var/lib/cni/devinfo"));
	eq(others(), "/var/lib/cni/devinfo ");
	n.host.earlier = NULL;
}

static void test_bad(void)
{
	static const char *const texts[] = {
		"", "{", "[]", "{\"version\":1,\"dirs\":{}}", "{\"version\":2,\"dirs\":[]}",
		"{\"version\":1,\"dirs\":[\"/a\"]}",
		"{\"version\":1,\"dirs\":[{\"stateDir\":\"/a\",\"runDir\":\"/r\"}]}",
		("{\"version\":1,\"dirs\":[{\"stateDir\":\"a\",\"runDir\":\"/r\","
		 "\"devinfoDir\":\"/d\"}]}"),
	};
	auto_earlier struct earlier x = { .list = NULL };
	struct err e;

	sh("mkdir -m 700 etc/bad.json.dirs");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char text[512];

		test("what is not understood is an error for whoever asks");
		(void)snprintf(text, sizeof(text), "echo '%s' >etc/bad.json.dirs/dirs.json && "
			       "chmod 600 etc/bad.json.dirs/dirs.json", texts[i]);
		sh(text);
		call_with("/b", "/etc/bad.json", &x);
		eq(others(), "error");
		ok(earlier_note(&n.host, &e) < 0);
		contains(e.msg, "/etc/bad.json.dirs");
	}
	sh("echo '{\"version\":1,\"dirs\":[]}' >etc/bad.json.dirs/dirs.json");
	call_with("/b", "/etc/bad.json", &x);
	eq(others(), "");

	test("so is what others may write, file or directory");
	sh("chmod 666 etc/bad.json.dirs/dirs.json");
	call_with("/b", "/etc/bad.json", &x);
	ok(x.why.code == ERR_PERMISSION);
	sh("chmod 600 etc/bad.json.dirs/dirs.json && chmod 777 etc/bad.json.dirs");
	call_with("/b", "/etc/bad.json", &x);
	ok(x.why.code == ERR_PERMISSION);
	eq(others(), "error");

	test("over 31 others with records are not noted");
	sh("rm -r etc/bad.json.dirs");
	for (int i = 0; i <= EARLIER_MAX; i++) {
		char dir[16];

		(void)snprintf(dir, sizeof(dir), "/many%d", i);
		put_record(dir);
		call_with(dir, "/etc/bad.json", &x);
		ok((earlier_note(&n.host, &e) == 0) == (i < EARLIER_MAX));
	}
	n.host.earlier = NULL;
}

int main(void)
{
	node_open(NULL, &n);
	sh("mkdir etc");
	test_note();
	test_defaults();
	test_bad();
	node_close(&n);
	return tap_end();
}
