/* SPDX-License-Identifier: Apache-2.0 */
/* test_delegate.c - asking plugins that are older than the request */
#include "cni/plugins/delegate.h"
#include "tests/unit/plugin.h"
#include "tests/unit/tap.h"

static const char new_request[] =
	"{ \"cniVersion\":\"1.1.0\",\"name\":\"net\",\"x\":[1.5],\n\"prevResult\":"
	"{\"cniVersion\":\"1.1.0\",\"interfaces\":[{\"name\":\"net1\",\"mtu\":1400,\"y\":2}],"
	"\"ips\":[{\"address\":\"192.0.2.1/24\",\"interface\":0}],\"dns\":{}}}";

static const char wrong[] = "{ \"cniVersion\":\"1.1.0\",\"prevResult\":{\"ips\":7}}";

/* What each call was and got is in calls, one a line, and stdin-N. */
static const char older[] =
	"n=$(($(cat calls 2>/dev/null | wc -l) + 1))\n"
	"echo \"$CNI_COMMAND\" >>calls; cat >stdin-$n\n"
	"if grep -q '^. \"cniVersion\":\"1.1.0\"' stdin-$n; then\n"
	"	echo '{\"code\":'${CODE-1}',\"msg\":\"version does not allow '$CNI_COMMAND'\"}'\n"
	"	exit 1\nfi\n"
	"echo '{\"cniVersion\":\"1.0.0\",\"ips\":[]}'";

static int ask_version(const char *type, const char *command, const char *request,
		       struct delegate_reply *ret, struct err *e)
{
	const struct exec_call c = { .cni_path = dir, .type = type, .command = command,
				     .request = request, .len = strlen(request) };
	struct deadline d = deadline_in(60000);

	(void)unlink("calls");
	delegate_reply_done(ret);
	return delegate_call(&c, &d, ret, e);
}

static void retrying(void)
{
	static const char *const verbs[] = { "ADD", "DEL", "CHECK" };
	auto_delegate_reply struct delegate_reply r = { .doc = NULL };
	struct err e;

	plugin("older", older);
	test("a plugin that does not know 1.1.0 yet is asked once more in 1.0.0");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		ok(ask_version("older", verbs[i], new_request, &r, &e) == 0 && !r.refused);
		ok(r.version == CNI_1_0_0 && holds("[ \"$(wc -l <calls)\" = 2 ]"));
		ok(json_is_object(r.doc) == (i == 0));
	}
	test("C-JSN-06, C-DLG-04: the first time it gets the request's very bytes");
	(void)setenv("REQUEST", new_request, 1);
	ok(holds("printf %s \"$REQUEST\" | cmp - stdin-1"));
	test("the second time cniVersion differs, and what 1.0.0 does not have in prevResult");
	ok(holds("jq -S . stdin-2 >have; jq -S '.cniVersion = \"1.0.0\" | .prevResult |= "
		 "(.cniVersion = \"1.0.0\" | del(.interfaces[].mtu))' stdin-1 | diff - have >&2"));
	test("a prevResult that cannot be told in 1.0.0 is our error, and nothing was done");
	ok(ask_version("older", "CHECK", wrong, &r, &e) == -1);
	ok(e.code == ERR_NETCONF && strstr(e.msg, "prevResult.ips") && r.refused);
	test("a result of the first try is one of the version asked for");
	plugin("newer", "echo >>calls; echo '{\"cniVersion\":\"1.1.0\"}'");
	ok(ask_version("newer", "ADD", new_request, &r, &e) == 0 && r.version == CNI_1_1_0);
	ok(json_is_object(r.doc) && holds("[ \"$(wc -l <calls)\" = 1 ]"));
	ok(ask_version("newer", "ADD", "{\"cniVersion\":\"0.4.0\"}", &r, &e) == 0);
	ok(r.version == CNI_0_4_0);
}

static void not_retrying(void)
{
	auto_delegate_reply struct delegate_reply r = { .doc = NULL };
	struct err e;

	plugin("picky", "echo >>calls; echo '{\"code\":1,\"msg\":\"no\"}'; exit 1");
	test("one that refuses both versions is asked twice, and its error is ours");
	ok(ask_version("picky", "ADD", new_request, &r, &e) == -1 && e.code == ERR_VERSION);
	eq(e.msg, "plugin picky: no");
	ok(!r.doc && r.refused && holds("[ \"$(wc -l <calls)\" = 2 ]"));
	test("GC and STATUS, an older request and another code have no second try");
	ok(ask_version("picky", "GC", new_request, &r, &e) == -1 && e.code == ERR_VERSION);
	ok(holds("[ \"$(wc -l <calls)\" = 1 ]"));
	ok(ask_version("picky", "STATUS", new_request, &r, &e) == -1 && e.code == ERR_VERSION);
	ok(holds("[ \"$(wc -l <calls)\" = 1 ]"));
	ok(ask_version("picky", "ADD", "{\"cniVersion\":\"1.0.0\"}", &r, &e) == -1);
	ok(holds("[ \"$(wc -l <calls)\" = 1 ]"));
	(void)setenv("CODE", "7", 1);
	ok(ask_version("older", "ADD", new_request, &r, &e) == -1 && e.code == ERR_NETCONF);
	ok(holds("[ \"$(wc -l <calls)\" = 1 ]"));
	(void)unsetenv("CODE");
	test("a plugin that dies in the second try has not refused");
	plugin("dies", "grep -q '\"1.1.0\"' || exit 3; echo '{\"code\":1,\"msg\":\"no\"}'; exit 1");
	ok(ask_version("dies", "ADD", new_request, &r, &e) == -1 && e.code == ERR_DELEGATE);
	ok(!r.refused);
}

static int speaks(const char *type, const char *script, const char *version, struct err *e)
{
	const struct exec_call c = { .cni_path = dir, .type = type, .command = "GC",
				     .request = "x", .len = 1 };
	struct deadline d = deadline_in(60000);

	if (script)
		plugin(type, script);
	return delegate_speaks(&c, version, &d, e);
}

static void speaking(void)
{
	static const char tells[] =
		"echo \"$CNI_COMMAND $CNI_CONTAINERID $(cat)\" >said\n"
		"echo '{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[7,\"0.4.0\",\"1.0.0\"]}'";
	struct err e;

	test("a plugin tells by VERSION what it speaks");
	ok(speaks("v", tells, "1.0.0", &e) == 1);
	ok(speaks("v", NULL, "0.4.0", &e) == 1);
	ok(speaks("v", NULL, "1.1.0", &e) == 0);
	ok(speaks("v", NULL, "1.0", &e) == 0);
	ok(holds("[ \"$(cat said)\" = 'VERSION c {\"cniVersion\":\"1.1.0\"}' ]"));
	test("no such plugin, one that does not run, and an answer without versions are errors");
	ok(speaks("nosuch", NULL, "1.0.0", &e) == -1 && e.code == ERR_DELEGATE);
	ok(speaks("v", "exit 3", "1.0.0", &e) == -1 && e.code == ERR_DELEGATE);
	ok(speaks("v", "echo '{\"code\":4,\"msg\":\"no\"}'; exit 1", "1.0.0", &e) == -1);
	ok(e.code == ERR_ENV);
	ok(speaks("v", ":", "1.0.0", &e) == -1 && e.code == ERR_DELEGATE);
	eq(e.msg, "plugin v: its answer to VERSION has no supportedVersions");
	ok(speaks("v", "echo '{\"supportedVersions\":\"1.0.0\"}'", "1.0.0", &e) == -1);
	ok(speaks("v", "echo '[\"1.0.0\"]'", "1.0.0", &e) == -1);
}

static void forwarding(void)
{
	const struct exec_call c = { .cni_path = dir, .type = "f", .command = "STATUS",
				     .request = "{\"cniVersion\":\"1.1.0\"}", .len = 22 };
	struct deadline d = deadline_in(60000);
	struct err e;

	plugin("f", "echo \"$CNI_COMMAND\" >>calls\n"
		    "tell='{\"supportedVersions\":['$SPEAKS']}'\n"
		    "[ \"$CNI_COMMAND\" != VERSION ] || exec echo \"$tell\"\n"
		    "echo '{\"code\":50,\"msg\":\"not now\"}'; exit 1");
	test("C-DLG-06: GC and STATUS reach a plugin that has them, and its answer is ours");
	(void)unlink("calls");
	(void)setenv("SPEAKS", "\"1.0.0\",\"1.1.0\"", 1);
	ok(delegate_forward(&c, &d, &e) == -1 && e.code == ERR_UNAVAILABLE);
	ok(holds("[ \"$(echo $(cat calls))\" = 'VERSION STATUS' ]"));
	test("one that is older is well if it is there");
	(void)unlink("calls");
	(void)setenv("SPEAKS", "\"1.0.0\"", 1);
	ok(delegate_forward(&c, &d, &e) == 0 && holds("[ \"$(cat calls)\" = VERSION ]"));
	sh("rm f");
	ok(delegate_forward(&c, &d, &e) == -1 && e.code == ERR_DELEGATE);
}

/* Debian's own, whichever version they speak by now. */
static void real_plugins(void)
{
	static const char conf[] =
		"{\"cniVersion\":\"1.1.0\",\"name\":\"net\",\"type\":\"x\",\"ipam\":{\"type\":"
		"\"static\",\"addresses\":[{\"address\":\"192.0.2.5/24\"}]}}";
	auto_delegate_reply struct delegate_reply r = { .doc = NULL };
	bool new;
	struct err e;

	sh("ln -s /usr/lib/cni/static static");
	(void)setenv("CNI_NETNS", "/proc/self/ns/net", 1);
	test("what Debian's plugins speak");
	ok(speaks("static", NULL, "1.0.0", &e) == 1);
	new = speaks("static", NULL, "1.1.0", &e) == 1;
	test("they serve ADD, CHECK and DEL of 1.1.0, by a second try where that is needed");
	ok(ask_version("static", "ADD", conf, &r, &e) == 0);
	ok(r.version == (new ? CNI_1_1_0 : CNI_1_0_0) && json_is_object(r.doc));
	eq(json_string_value(json_object_get(r.doc, "cniVersion")), cni_version_name(r.version));
	ok(ask_version("static", "DEL", conf, &r, &e) == 0);
	ok(ask_version("static", "CHECK", conf, &r, &e) == -1 && e.code != ERR_VERSION);
	ok(r.version == (new ? CNI_1_1_0 : CNI_1_0_0));	/* what it misses is prevResult */
	test("older ones know neither GC nor STATUS");
	ok(ask_version("static", "STATUS", conf, &r, &e) == (new ? 0 : -1));
	ok(new || (e.code == ERR_ENV && r.refused));
	ok(ask_version("static", "GC", conf, &r, &e) == (new ? 0 : -1));
	ok(new || (e.code == ERR_ENV && strstr(e.msg, "unknown CNI_COMMAND: GC")));
}

int main(void)
{
	plugins_begin();
	leaves_nothing(retrying);
	leaves_nothing(not_retrying);
	leaves_nothing(speaking);
	leaves_nothing(forwarding);
	leaves_nothing(real_plugins);
	plugins_end();
	return tap_end();
}
