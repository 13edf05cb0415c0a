/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec.c - running another plugin */
#include "tests/unit/plugin.h"
#include "tests/unit/tap.h"

#include <sys/resource.h>
#include <sys/time.h>

static int search(const char *cni_path, const char *type, json_t **ret, struct err *e)
{
	const struct exec_call c = { .cni_path = cni_path, .type = type, .command = "ADD",
				     .request = "{}", .len = 2 };

	return call(&c, 60000, ret, e);
}

static void finding(void)
{
	static const char *const bad[] = { "../said", "sub/said", "/bin/true", "..", ".", "",
					   "said\n" };
	json_auto_t *out = NULL;
	char path[256];
	struct err e;

	plugin("said", "echo '{\"from\":\"here\"}'");
	sh("mkdir first first/said second sub && ln -s ../said second/said && cp said sub/said");
	test("C-DLG-01: CNI_PATH is searched in order for a regular file, links followed");
	(void)snprintf(path, sizeof(path), "/none:%s/first:%s/second:%s", dir, dir, dir);
	ok(search(path, "said", &out, &e) == 0 && json_is_object(out));
	sh("rm second/said");
	plugin("second/said", "echo [2]");
	ok(search(path, "said", &out, &e) == 0 && json_is_array(out));
	test("C-DLG-01: the first one counts, even if it cannot be executed");
	sh("chmod -x second/said");
	ok(search(path, "said", &out, &e) == -1 && refused);
	test("C-DLG-03: empty and relative elements are not searched");
	(void)snprintf(path, sizeof(path), ":.:sub::%s/first:", dir);
	ok(search(path, "said", &out, &e) == -1 && e.code == ERR_DELEGATE && !out && refused);
	eq(e.msg, "plugin said is in no directory of CNI_PATH");
	begins(e.details, "CNI_PATH is :.:sub::/");
	test("without CNI_PATH the error names the variable");
	ok(search("", "said", &out, &e) == -1 && e.code == ERR_ENV && refused);
	eq(e.msg, "required env variables [CNI_PATH] missing");
	test("C-DLG-02, C-PIT-26: a type that is no file name is refused");
	(void)snprintf(path, sizeof(path), "%s/first:%s", dir, dir);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(search(path, bad[i], &out, &e) == -1 && e.code == ERR_NETCONF && refused);
}

static void talking(void)
{
	static const struct exec_as other = { "dead", "", "eth7" };
	struct exec_call c = { .cni_path = dir, .type = "env", .command = "DEL",
			       .request = " { \"a\" : 1e0 }\n", .len = 15 };
	json_auto_t *out = NULL;
	struct err e;

	plugin("env", "{ env | grep ^CNI_ | sort | tr '\\n' ' '; echo \"$#\"; cat; } >said");
	test("C-DLG-04: the plugin gets our environment with CNI_COMMAND changed, no argument, and "
	     "the request's very bytes");
	(void)setenv("CNI_COMMAND", "VERSION", 1);
	(void)setenv("CNI_ARGS", "a=b", 1);
	ok(call(&c, 60000, &out, &e) == 0);
	ok(holds("printf 'CNI_ARGS=a=b CNI_COMMAND=DEL CNI_CONTAINERID=c CNI_IFNAME=net1 CNI_NETNS="
		 "/run/netns/c CNI_PATH=%s 0\\n { \"a\" : 1e0 }\\n' \"$PWD\" | cmp - said"));
	eq(getenv("CNI_COMMAND"), "VERSION");
	test("for another's attachment it gets that one's three variables, and we keep ours; its "
	     "CNI_PATH is where it was found");
	c.as = &other;
	(void)setenv("CNI_PATH", "", 1);
	ok(call(&c, 60000, &out, &e) == 0);
	ok(holds("grep -q \"CNI_CONTAINERID=dead CNI_IFNAME=eth7 CNI_NETNS= CNI_PATH=$PWD\" said"));
	eq(getenv("CNI_CONTAINERID"), "c");
	(void)setenv("CNI_PATH", dir, 1);
	test("C-DLG-05: no descriptor of ours but 0, 1 and 2 is the plugin's");
	plugin("fds", "exec ls /proc/self/fd >said");	/* 3 is what ls reads */
	ok(ask("fds", "DEL", &out, &e) == 0 && holds("[ \"$(echo $(cat said))\" = '0 1 2 3' ]"));
	test("C-DLG-04: signals that we ignore are the plugin's to receive");
	plugin("signals", "exec grep ^SigIgn /proc/self/status >said");
	(void)signal(SIGHUP, SIG_DFL);		/* of tests in the background, or under nohup(1) */
	(void)signal(SIGQUIT, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	/* make(1) leaves 32 and 33, which are the C library's, ignored */
	ok(ask("signals", "DEL", &out, &e) == 0 && holds("grep -q '[08]0000000$' said"));
}

static void answering(void)
{
	static const char *const nothing[] = { ":", "echo", "echo null", "printf ' null \\n\\n'" };
	json_auto_t *out = NULL;
	struct err e;

	test("an empty answer, or null, is no result, which is for the caller to judge");
	for (size_t i = 0; i < ARRAY_SIZE(nothing); i++) {
		plugin("nothing", nothing[i]);
		ok(ask("nothing", "ADD", &out, &e) == 0 && !out && !refused);
	}
	test("what a plugin prints on verbs without a result does not matter when it succeeds");
	plugin("chatty", "echo 'deleted eth0'");
	ok(ask("chatty", "DEL", &out, &e) == 0 && !out && !refused);
	ok(ask("chatty", "CHECK", &out, &e) == 0 && !out);
	ok(ask("chatty", "ADD", &out, &e) == -1 && e.code == ERR_DELEGATE && !refused);
	ok(ask("chatty", "VERSION", &out, &e) == -1);
}

struct fault {
	const char *script;
	enum err_code code;
	bool refused;
	const char *msg, *details;
};

static const struct fault faults[] = {
	/* its own error, with its code */
	{ "echo '{\"code\":11,\"msg\":\"no more\",\"details\":\"range 1\"}'; echo x >&2; exit 1",
	  ERR_TRY_AGAIN, true, "plugin bad: no more", "range 1" },
	{ "echo '{\"code\":4711,\"msg\":\"m\"}'; exit 200", 4711, true, "plugin bad: m", "" },
	{ "echo '{\"code\":7,\"msg\":\"m\"}'; kill -9 $$", ERR_NETCONF, true, "plugin bad: m", "" },
	/* no error that can be used: what it has printed tells why */
	{ "kill -9 $$", ERR_DELEGATE, false, "plugin bad died of signal 9", "" },
	{ "echo oops >&2; kill -SEGV $$", ERR_DELEGATE, false, "plugin bad died of signal 11",
	  "stderr: oops" },
	{ "exit 3", ERR_DELEGATE, false,
	  "plugin bad ended with status 3 and no usable error object", "" },
	{ "exit 127", ERR_DELEGATE, false,
	  "plugin bad ended with status 127 and no usable error object", "" },
	{ "printf 'one\\n\\ttwo\\001\\n\\n' >&2; exit 1", ERR_DELEGATE, false,
	  "plugin bad ended with status 1 and no usable error object", "stderr: one two" },
	{ "printf 'panic:\\toh no\\ngoroutine 1\\n'; echo why >&2; exit 2", ERR_DELEGATE, false,
	  "plugin bad ended with status 2 and no usable error object",
	  "stdout: panic: oh no; stderr: why" },
	{ "echo '{\"msg\":\"no code\"}'; exit 1", ERR_DELEGATE, false,
	  "plugin bad ended with status 1 and no usable error object",
	  "stdout: {\"msg\":\"no code\"}" },
	{ "echo '{\"code\":0,\"msg\":\"m\"}'; exit 1", ERR_DELEGATE, false,
	  "plugin bad ended with status 1 and no usable error object",
	  "stdout: {\"code\":0,\"msg\":\"m\"}" },
	{ "echo '{\"code\":\"7\",\"msg\":\"m\"}'; exit 1", ERR_DELEGATE, false,
	  "plugin bad ended with status 1 and no usable error object",
	  "stdout: {\"code\":\"7\",\"msg\":\"m\"}" },
	{ "echo '{\"code\":7,\"msg\":\"\"}'; exit 1", ERR_DELEGATE, false,
	  "plugin bad ended with status 1 and no usable error object",
	  "stdout: {\"code\":7,\"msg\":\"\"}" },
	{ "echo '[]'; exit 1", ERR_DELEGATE, false,
	  "plugin bad ended with status 1 and no usable error object", "stdout: []" },
	/* success that is none */
	{ "echo 'Usage: bad'; echo help", ERR_DELEGATE, false,
	  "plugin bad succeeded with a result that cannot be read: bad: not valid JSON",
	  "line 1, column 5: '[' or '{' expected; stdout: Usage: bad" },
	{ "printf '{\"x\":'; printf '[%.0s' $(seq 600); printf ']%.0s' $(seq 600); echo '}'",
	  ERR_DELEGATE, false, "plugin bad succeeded with a result that is too large: expected at "
	  "most 500000 values, 512 deep", "" },
	{ "echo \"[1$(yes ,1 | head -n 500000 | tr -d '\\n')]\"", ERR_DELEGATE, false,
	  "plugin bad succeeded with a result that is too large: expected at most 500000 values, "
	  "512 deep", "" },
	{ "echo '{} {}'", ERR_DELEGATE, false,
	  "plugin bad succeeded with a result that cannot be read: bad: not valid JSON",
	  "line 1, column 4: end of file expected; stdout: {} {}" },
};

static void misbehaving(void)
{
	json_auto_t *out = NULL;
	int old = stderr_to("err");
	char want[32];
	struct err e;

	test("C-ADD-06, C-DLG-07, C-ERR-04: a plugin's own error is ours, with its code; anything "
	     "odd is code 107, and what it said is in the details");
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		plugin("bad", faults[i].script);
		e = (struct err){ .code = ERR_OK };
		ok(ask("bad", "ADD", &out, &e) == -1 && !out && e.code == faults[i].code);
		ok(refused == faults[i].refused);
		eq(e.msg, faults[i].msg);
		eq(e.details, faults[i].details);
	}
	test("C-ERR-04: of a long stderr the end is told, of a long first line the beginning");
	plugin("bad", "seq 5000 >&2; seq -s , 5000; exit 1");
	ok(ask("bad", "ADD", &out, &e) == -1 && strlen(e.details) < 500);
	ok(strncmp(e.details, "stdout: 1,2,3,4,", 16) == 0 && strstr(e.details, "; stderr: "));
	(void)snprintf(want, sizeof(want), "%.15s", e.details + strlen(e.details) - 15);
	eq(want, " 4998 4999 5000");
	(void)close(swap_stderr(old));
}

static int busy = -1;

static void let_go(int sig)
{
	(void)sig;
	(void)close(busy);
}

static void not_runnable(void)
{
	static const char *const files[] = { "plain", "half", "empty" };
	const struct itimerval soon = { .it_value = { .tv_usec = 30000 } };
	json_auto_t *out = NULL;
	struct err e;

	test("C-DLG-08, C-PIT-08: a file that cannot be executed is a clean error");
	sh("cp /bin/true plain && chmod -x plain && head -c 40 /bin/true >half && : >empty && "
	   "chmod +x half empty && cp /bin/true busy");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char want[64];

		(void)snprintf(want, sizeof(want), "plugin %s cannot be executed", files[i]);
		ok(ask(files[i], "ADD", &out, &e) == -1 && e.code == ERR_DELEGATE && refused);
		eq(e.msg, want);
	}
	eq(e.details, "Exec format error");
	test("C-DLG-08, C-PIT-08: one that is being written is tried once more");
	busy = open("busy", O_RDWR | O_CLOEXEC);
	ok(ask("busy", "ADD", &out, &e) == -1 && e.code == ERR_DELEGATE && refused);
	eq(e.msg, "plugin busy cannot be executed: it is being installed");
	(void)signal(SIGALRM, let_go);
	(void)setitimer(ITIMER_REAL, &soon, NULL);	/* between the first try and the second */
	ok(ask("busy", "ADD", &out, &e) == 0);
}

static void no_descriptors(void)
{
	struct rlimit was, few;
	json_auto_t *out = NULL;
	bool clean = true, worked = false, started;
	struct err e;

	test("C-PRC-03: with too few descriptors it is an error, and nothing was done");
	plugin("marks", ": >mark; echo {}");
	(void)getrlimit(RLIMIT_NOFILE, &was);
	few = was;
	for (few.rlim_cur = 3; few.rlim_cur < 16; few.rlim_cur++) {
		(void)unlink("mark");
		(void)setrlimit(RLIMIT_NOFILE, &few);
		worked = ask("marks", "ADD", &out, &e) == 0;
		(void)setrlimit(RLIMIT_NOFILE, &was);
		started = access("mark", F_OK) == 0;
		clean = clean && !(started && refused) && (started || !worked);
	}
	ok(clean && worked);
}

static int begin(struct exec_run *run, const char *type, unsigned int ms, struct err *e)
{
	const struct exec_call c = { .cni_path = dir, .type = type, .command = "ADD",
				     .request = "{}", .len = 2 };
	struct deadline d = deadline_in(ms);

	return exec_start(run, &c, &d, e);
}

/* Its end, which nobody has collected yet. */
static void await_end(const struct exec_run *run)
{
	siginfo_t info;

	ok(waitid(P_PID, (id_t)run->program.child.pid, &info, WEXITED | WNOWAIT) == 0);
}

static void beginning(void)
{
	auto_exec_run struct exec_run run = EXEC_RUN_NONE;
	json_auto_t *out = NULL;
	struct err e;

	test("a plugin that has begun runs while we do something else");
	sh("mkfifo go");
	plugin("meanwhile", "read -r word <go; echo \"{\\\"word\\\":\\\"$word\\\"}\"");
	ok(begin(&run, "meanwhile", 60000, &e) == 0);
	sh("echo hello >go");
	ok(exec_collect(&run, &out, &refused, &e) == 0 && !refused);
	eq(json_string_value(json_object_get(out, "word")), "hello");
	exec_run_done(&run);
	test("one that is missing has not begun");
	ok(begin(&run, "missing", 60000, &e) == -1 && e.code == ERR_DELEGATE);
	test("more than a pipe holds waits for us");
	json_decref(steal_ptr(&out));
	plugin("much", "printf '[\"'; head -c 300000 /dev/zero | tr '\\0' x; printf '\"]'");
	ok(begin(&run, "much", 60000, &e) == 0 && usleep(50000) == 0);
	ok(exec_collect(&run, &out, &refused, &e) == 0);
	ok(json_string_length(json_array_get(out, 0)) == 300000);
	exec_run_done(&run);
}

static void late(void)
{
	auto_exec_run struct exec_run run = EXEC_RUN_NONE;
	json_auto_t *out = NULL;
	struct err e;

	test("the time of a plugin begins with its start: one that still runs behind that is late");
	plugin("late", "echo $$ >pid; exec sleep 600");
	ok(begin(&run, "late", 500, &e) == 0 && usleep(700000) == 0);
	ok(exec_collect(&run, &out, &refused, &e) == -1 && e.code == ERR_TRY_AGAIN && !refused);
	exec_run_done(&run);
	test("one that has ended is not, however late it is collected");
	plugin("early", "echo {}");
	ok(begin(&run, "early", 500, &e) == 0 && usleep(700000) == 0);
	await_end(&run);
	ok(exec_collect(&run, &out, &refused, &e) == 0 && json_is_object(out));
	exec_run_done(&run);
	test("one that nobody collects is ended");
	sh("rm -f pid; mkfifo started");
	plugin("late", "echo $$ >pid; : >started; exec sleep 600");
	ok(begin(&run, "late", 60000, &e) == 0 && holds("cat started"));
	exec_run_done(&run);
	ok(holds("! kill -0 $(cat pid) 2>/dev/null"));
}

int main(void)
{
	plugins_begin();
	leaves_nothing(finding);
	leaves_nothing(talking);
	leaves_nothing(answering);
	leaves_nothing(misbehaving);
	leaves_nothing(not_runnable);
	leaves_nothing(no_descriptors);
	leaves_nothing(beginning);
	leaves_nothing(late);
	plugins_end();
	return tap_end();
}
