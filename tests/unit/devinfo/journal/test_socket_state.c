/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket_state.c - a socket in a record: there and back, and what is none of ours */
#include "base/name.h"
#include "devinfo/journal/socket_state.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

static const struct socket_state full = {
	.path = "/run/s/a/b/net1.sock", .container = "/c/net1.sock", .in_switch = "/sw/net1.sock",
	.memif = true, .app_listens = true, .secret = true, .root = "/run/s", .dir = "a/b",
	.made = 2, .switch_kind = "ovs", .port = "dv0123456789ab", .db = "/run/o/db.sock",
	.exec = "/bin/x", .linked = "/run/o/dv0123456789ab",
};

static bool equal(const struct socket_state *a, const struct socket_state *b)
{
	return strcmp(a->path, b->path) == 0 && strcmp(a->container, b->container) == 0 &&
	       strcmp(a->in_switch, b->in_switch) == 0 && a->memif == b->memif &&
	       a->app_listens == b->app_listens && a->from_plugin == b->from_plugin &&
	       a->secret == b->secret && strcmp(a->root, b->root) == 0 &&
	       strcmp(a->dir, b->dir) == 0 && a->made == b->made &&
	       strcmp(a->switch_kind, b->switch_kind) == 0 && strcmp(a->port, b->port) == 0 &&
	       strcmp(a->db, b->db) == 0 && strcmp(a->exec, b->exec) == 0 &&
	       strcmp(a->linked, b->linked) == 0;
}

static json_t *to_json(const struct socket_state *s)
{
	return field_write(&socket_state_fields, s, json_object());
}

static int from_json(const json_t *o, struct socket_state *ret, struct err *e)
{
	*ret = (struct socket_state){ .path = "" };
	return field_read(&socket_state_fields, o, "socket", ret, e);
}

static bool survives(const struct socket_state *s)
{
	json_auto_t *o = to_json(s);
	struct socket_state back;
	struct err e;

	return o && from_json(o, &back, &e) == 0 && equal(s, &back);
}

static void there_and_back(void)
{
	const struct socket_state given = { .path = "/run/dp/a.sock", .container = "/c/a.sock",
					    .from_plugin = true, .switch_kind = "exec",
					    .exec = "/x" };
	struct socket_state s = full;

	test("what is written is read again, all of it");
	ok(survives(&full) && survives(&given));
	s.memif = s.app_listens = s.secret = false;
	s.made = 0;
	ok(survives(&s));
	test("a path that JSON cannot say is no record");
	s.path[5] = (char)0xff;
	ok(!to_json(&s));
}

/*
 * As versions wrote them that changed a directory of the administrator's, or set an ACL, and noted
 * how it had been.
 */
static void earlier(void)
{
	static const char *const records[] = {
		"{\"made\":0,\"uid\":7,\"gid\":8,\"mode\":457,"
		"\"path\":\"/run/s/both/a.sock\",\"containerPath\":\"/c/a.sock\","
		"\"switchPath\":\"/run/s/both/a.sock\",\"root\":\"/run/s\",\"dir\":\"both\","
		"\"switch\":\"\",\"port\":\"\",\"db\":\"\",\"exec\":\"\",\"linked\":\"\","
		"\"asUID\":\"1000\",\"asGID\":\"\",\"asMode\":\"2770\","
		"\"asACL\":\"0123456789abcdef\",\"asLabel\":\"fedcba9876543210\","
		"\"memif\":false,\"appListens\":true,\"given\":false,\"secret\":false,"
		"\"dirSet\":true,\"acl\":\"\",\"defaultACL\":\"02000000\",\"label\":\"613a\"}",
		"{\"made\":1,\"uid\":0,\"gid\":0,\"mode\":0,"
		"\"path\":\"/run/s/c1/a.sock\",\"containerPath\":\"/c/a.sock\","
		"\"switchPath\":\"/run/s/c1/a.sock\",\"root\":\"/run/s\",\"dir\":\"c1\","
		"\"switch\":\"\",\"port\":\"\",\"db\":\"\",\"exec\":\"\",\"linked\":\"\","
		"\"asUID\":\"\",\"asGID\":\"107\",\"asMode\":\"2770\",\"asACL\":\"\","
		"\"asLabel\":\"\",\"memif\":false,\"appListens\":true,\"given\":false,"
		"\"secret\":false,\"dirSet\":false}",
	};

	test("records of earlier versions are read, and what they say of before is ignored");
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		json_auto_t *o = json_loads(records[i], 0, NULL), *now = NULL;
		struct socket_state s;
		struct err e;

		ok(from_json(o, &s, &e) == 0 && s.made == i && s.app_listens);
		eq(socket_state_name(&s), "a.sock");
		now = to_json(&s);
		ok(now && !json_object_get(now, "dirSet"));
	}
}

/* The full one with a member that is something else. */
static bool is_refused(const char *key, json_t *value)
{
	json_auto_t *o = to_json(&full);
	struct err e = { .code = ERR_OK };
	struct socket_state s;

	(void)json_object_set_new(o, key, value);
	return from_json(o, &s, &e) == -1 && e.code == ERR_DECODE &&
	       strncmp(e.msg, "socket", 6) == 0;
}

static void hostile(void)
{
	static const char *const keys[] = { "path", "containerPath", "switchPath", "root", "dir",
					    "switch", "port", "db", "exec", "linked", "link",
					    "memif",
					    "appListens", "given", "secret", "made" };
	static const char *const paths[] = { "", "x", "/run/s/a/b/../net1.sock", "/run/s/a/b/",
					     "/run/s/a/c/net1.sock", "/run/s/net1.sock",
					     "/etc/passwd", "/run/s/a//b/net1.sock" };
	static const char *const dirs[] = { "", "..", "a", "a/b/c", "/a/b", "a/../a/b" };
	char too_long[1024];

	test("another type is refused, whichever member it is");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		ok(is_refused(keys[i], json_pack("{s:i}", "a", 1)));
	test("a path that is not that of its directory is refused: nothing else is removed");
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		ok(is_refused("path", json_string(paths[i])));
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		ok(is_refused("dir", json_string(dirs[i])));
	ok(is_refused("root", json_string("/run")) && is_refused("root", json_string("run/s")));
	ok(is_refused("linked", json_string("dv")) && is_refused("linked", json_string("/a/../b")));
	ok(is_refused("exec", json_string("bin/x")) && is_refused("given", json_true()));
	test("a path by way of a link is that of the link, and of nothing else");
	ok(is_refused("link", json_string("/run/l/0")) && is_refused("link", json_string("l")));
	struct socket_state by_link = full, back = { .memif = false };
	struct err why;

	(void)strcpy(by_link.link, "/run/l/0");
	(void)strcpy(by_link.path, "/run/l/0/net1.sock");
	json_auto_t *written = to_json(&by_link);

	ok(from_json(written, &back, &why) == 0);
	eq(back.link, "/run/l/0");
	eq(back.path, "/run/l/0/net1.sock");
	(void)json_object_set_new(written, "given", json_true());
	ok(from_json(written, &back, &why) == -1);

	test("no more is removed than there is");
	ok(is_refused("made", json_integer(3)) && is_refused("made", json_integer(-1)));
	memset(too_long, '0', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	test("texts without end are refused");
	for (size_t i = 0; i < 10; i++)
		ok(is_refused(keys[i], json_string(too_long)));
}

static void names(void)
{
	char is_long[108] = "", a[SOCKET_KEY_SIZE], b[SOCKET_KEY_SIZE];
	struct socket_state other = full;

	test("the device is the path, spelt as a proper name: no two paths have one");
	socket_state_key("/run/s/a/net1.sock", a);
	eq(a, "sk:,run,s,a,net1.sock");
	socket_state_key("/run/s/a/net10.sock", b);
	ok(strcmp(a, b) != 0 && name_is_file(a) && socket_state_is_key(a));
	ok(!socket_state_is_key("sk0123456789ab") && !socket_state_is_key("sk,a"));
	memset(is_long, 'x', 107);
	is_long[0] = '/';
	socket_state_key(is_long, a);
	ok(strlen(a) == 110 && strcmp(a + 4, is_long + 1) == 0);
	test("a record has the key of its path, whatever its own name");
	(void)snprintf(other.path, sizeof(other.path), "/run/s/a/net1.sock");
	socket_state_key(other.path, a);
	ok(socket_state_has_key(&other, a) && !socket_state_has_key(&other, b));
	*other.path = '\0';
	ok(!socket_state_has_key(&other, "sk:"));
	eq(socket_state_name(&full), "net1.sock");
}

int main(void)
{
	there_and_back();
	earlier();
	hostile();
	names();
	return tap_end();
}
