/* SPDX-License-Identifier: Apache-2.0 */
/* test_ovsdb.c - what only a database server that is out of order does */
#include "cni/switch/ovsdb.h"
#include "tests/unit/ovsdb_fake.h"
#include "tests/unit/tap.h"

#include "base/jx.h"

#include <errno.h>
#include <fcntl.h>

enum { SHORT_MS = 300, LONG_MS = 20000 };

static char dir[] = "/tmp/ovsdb.XXXXXX";
static int root;
static size_t room;	/* that the last answer has taken */

/* n operations, of which one is a wait, with these answers. */
static int ask(const char *const *answers, bool torn, unsigned int ms, json_t **ret, struct err *e)
{
	struct fake f = fake_begin(answers, torn);
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = deadline_in(ms);
	int done = ovsdb_open(root, "/" FAKE_DB, &d, &db, e);

	json_decref(steal_ptr(ret));
	if (done == 0)
		done = ovsdb_transact(
			&db, json_pack("[{s:s}, {s:s}]", "op", "wait", "op", "select"), &d, ret, e);
	fake_end(&f);
	room = db.size;
	return done;
}

static int ask1(const char *answer, struct err *e)
{
	const char *const answers[] = { answer, NULL };
	json_auto_t *ret = NULL;
	unsigned int ms = strcmp(answer, FAKE_FLOOD) == 0 ? SHORT_MS : LONG_MS;

	memset(e, 0, sizeof(*e));
	return ask(answers, false, ms, &ret, e);
}

#define GOOD "{\"id\":1,\"error\":null,\"result\":[{},{\"rows\":[{\"name\":\"a}\\\"]{\"}]}]}"

static void answers(void)
{
	static const char *const good[] = { GOOD, NULL };
	static const char *const others[] = {
		"\n {\"id\":7,\"error\":null,\"result\":[]} {\"method\":\"update\",\"params\":[]}"
		"{\"id\":\"1\",\"result\":[]}" GOOD,
		NULL
	};
	json_auto_t *ret = NULL;
	struct err e;

	test("an answer is taken whole, whatever its strings hold");
	ok(ask(good, false, LONG_MS, &ret, &e) == 1);
	eq(ovsdb_string(json_array_get(ovsdb_rows(ret, 1), 0), "name"), "a}\"]{");
	ok(!ovsdb_rows(ret, 0) && !ovsdb_rows(ret, 2));
	test("and in however many pieces it comes");
	ok(ask(good, true, LONG_MS, &ret, &e) == 1);
	eq(ovsdb_string(json_array_get(ovsdb_rows(ret, 1), 0), "name"), "a}\"]{");
	test("what is not the answer to our request is passed over");
	ok(ask(others, false, LONG_MS, &ret, &e) == 1);
}

static void echoes(void)
{
	static const char *const twice[] = {
		"{\"method\":\"echo\",\"id\":\"echo\",\"params\":[1,\"x\"]}",
		"{\"method\":\"echo\",\"id\":null,\"params\":[]}", GOOD, NULL
	};
	json_auto_t *ret = NULL;
	char log[512] = "";
	struct err e;
	FILE *f;

	test("the server's echo is answered while we wait for it");
	ok(ask(twice, false, LONG_MS, &ret, &e) == 1);
	f = fopen("ovsdb.fake.log", "re");
	ok(f && fread(log, 1, sizeof(log) - 1, f) > 0);
	(void)fclose(f);
	eq(strchr(log, '\n') + 2, "{\"id\":\"echo\",\"result\":[1,\"x\"],\"error\":null}\n"
				  "\n{\"id\":null,\"result\":[],\"error\":null}\n");
}

static void refusals(void)
{
	struct err e;

	test("a wait whose condition does not hold is no error");
	ok(ask1("{\"id\":1,\"error\":null,\"result\":[{\"error\":\"timed out\"},null]}", &e) == 0);
	test("but the same words of another operation are");
	ok(ask1("{\"id\":1,\"error\":null,\"result\":[{},{\"error\":\"timed out\"}]}", &e) == -1);
	eq(e.msg, "the database of Open vSwitch refuses: timed out");
	test("an operation's error is told in the server's words, made one line");
	ok(ask1("{\"id\":1,\"error\":null,\"result\":[{},{\"error\":\"constraint violation\","
		"\"details\":\"no\\nway\"}]}",
		&e) == -1 &&
	   e.code == ERR_IO);
	eq(e.msg, "the database of Open vSwitch refuses: constraint violation");
	eq(e.details, "no way");
	test("so is that of the commit, which is one more result");
	ok(ask1("{\"id\":1,\"error\":null,\"result\":[{},{},{\"error\":\"referential integrity "
		"violation\"}]}",
		&e) == -1);
	eq(e.msg, "the database of Open vSwitch refuses: referential integrity violation");
	test("and that of the request");
	ok(ask1("{\"id\":1,\"result\":null,\"error\":\"unknown database\"}", &e) == -1);
	eq(e.msg, "the database of Open vSwitch refuses: unknown database");
	ok(ask1("{\"id\":1,\"result\":null,\"error\":{\"error\":\"syntax error\"}}", &e) == -1);
	eq(e.msg, "the database of Open vSwitch refuses: syntax error");
	ok(ask1("{\"id\":1,\"result\":null,\"error\":7}", &e) == -1);
	eq(e.msg, "the database of Open vSwitch refuses: it does not say why");
}

static void nonsense(void)
{
	static const char *const bad[] = {
		"HTTP/1.1 400 Bad Request\r\n",
		"[1,2]",
		"\"text\"",
		"{\"id\":1,}",
		"{\"id\":1,\"result\":]}",
		"{\"id\":1,\"error\":null}",
		"{\"id\":1,\"error\":null,\"result\":{}}",
		"{\"id\":1,\"error\":null,\"result\":[{}]}",
		"{\"id\":1,\"error\":null,\"result\":[]}",
		"{\"id\":2,\"result\":[]} nonsense",
		"{\"id\":1,\"id\":1,\"result\":[]}",
		"\xff",
	};
	struct err e;

	test("what is no answer is an error, at once");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(ask1(bad[i], &e) == -1 && e.code == ERR_IO);
		contains(e.msg, "database");
	}
	test("a message beyond the bound is, too");
	ok(ask1(FAKE_HUGE, &e) == -1 && e.code == ERR_IO && e.sys == EMSGSIZE);
	ok(room == OVSDB_MESSAGE_MAX + 1);
	eq(e.msg, "the database of Open vSwitch sent a message of over 4 MiB");
}

static void absent(void)
{
	static const char *const none[] = { NULL };
	static const char *const half[] = { "{\"id\":1,\"result\"", NULL };
	struct deadline d = deadline_in(LONG_MS);
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	json_auto_t *ret = NULL;
	struct err e;

	test("one that hangs up is to be tried again");
	ok(ask1(FAKE_CLOSE, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "the database of Open vSwitch closed the connection");
	test("so is one that says nothing, or half of it, until the time is over");
	ok(ask(none, false, SHORT_MS, &ret, &e) == -1 && e.code == ERR_TRY_AGAIN &&
	   e.sys == ETIMEDOUT);
	ok(ask(half, false, SHORT_MS, &ret, &e) == -1 && e.sys == ETIMEDOUT);
	test("and one that never falls silent, but does not answer");
	ok(ask1(FAKE_FLOOD, &e) == -1 && e.sys == ETIMEDOUT);
	eq(e.msg, "the database of Open vSwitch gave no answer in time");
	test("no socket is ENOENT; what is no socket, or has no listener, has its own reason");
	(void)unlink(FAKE_DB);
	ok(ovsdb_open(root, "/" FAKE_DB, &d, &db, &e) == -1 && e.sys == ENOENT);
	ok(ovsdb_open(root, "/ovsdb.fake.log", &d, &db, &e) == -1 && e.sys == ENOTSOCK);
	test("a link does not lead out of the root");
	ok(symlink("/proc/1/../../tmp", "out") == 0);
	ok(ovsdb_open(root, "/out", &d, &db, &e) == -1 && e.sys == ENOENT);
}

/* A listener that accepts nobody, its backlog full. */
static void backlog(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = FAKE_DB };
	auto_close int l = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_close int full = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_ovsdb struct ovsdb db = OVSDB_NONE;
	struct deadline d = deadline_in(SHORT_MS);
	struct err e;

	test("a server that accepts nobody does not hold us");
	(void)unlink(FAKE_DB);
	ok(bind(l, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(l, 0) == 0 &&
	   connect(full, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	ok(ovsdb_open(root, "/" FAKE_DB, &d, &db, &e) == -1 && e.code == ERR_TRY_AGAIN &&
	   e.sys == ETIMEDOUT);
	eq(e.msg, "database of Open vSwitch at /" FAKE_DB ": connect: the server accepts nobody");
}

static void values(void)
{
	static const char text[] = "{\"s\":\"x\",\"e\":[\"set\",[]],\"n\":7,"
				   "\"one\":5,\"two\":[\"set\",[1,2]],"
				   "\"m\":[\"map\",[[\"k\",\"v\"],[\"odd\"],[1,2],7]],"
				   "\"bad\":[\"map\",7]}";
	struct err e;
	json_auto_t *row = jx_parse(text, sizeof(text) - 1, ERR_IO, "row", &e);
	json_auto_t *none = ovsdb_set(row, "e"), *one = ovsdb_set(row, "one");
	json_auto_t *two = ovsdb_set(row, "two"), *no = ovsdb_set(row, "absent");

	test("columns that may be empty, of one value or of several");
	eq(ovsdb_string(row, "s"), "x");
	ok(!ovsdb_string(row, "e") && !ovsdb_string(row, "n") && !ovsdb_string(NULL, "s"));
	ok(ovsdb_int(row, "n", -1) == 7 && ovsdb_int(row, "e", -1) == -1);
	ok(json_array_size(none) == 0 && json_array_size(one) == 1 && json_array_size(two) == 2 &&
	   json_array_size(no) == 0);
	eq(ovsdb_map_get(row, "m", "k"), "v");
	ok(!ovsdb_map_get(row, "m", "odd") && !ovsdb_map_get(row, "m", "absent") &&
	   !ovsdb_map_get(row, "bad", "k") && !ovsdb_map_get(row, "s", "k"));
}

int main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	answers();
	echoes();
	refusals();
	nonsense();
	absent();
	backlog();
	values();
	(void)close(root);
	(void)unlink(FAKE_DB);
	(void)unlink("ovsdb.fake.log");
	(void)unlink("out");
	(void)rmdir(dir);
	return tap_end();
}
