/* SPDX-License-Identifier: Apache-2.0 */
/* test_program.c - a plugin's output, time and end: nothing it does holds us or stays */
#include "cni/plugins/program.h"
#include "tests/unit/plugin.h"
#include "tests/unit/tap.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static long long ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* ADD by a plugin that is late. */
static int hurry(const char *type, unsigned int ms, json_t **ret, struct err *e)
{
	const struct exec_call c = { .cni_path = dir, .type = type, .command = "ADD",
				     .request = "{}", .len = 2 };

	return call(&c, ms, ret, e);
}

static long max_rss_kb(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void much(void)
{
	auto_free char *big = malloc(3000001);
	json_auto_t *out = NULL;
	long before = max_rss_kb();
	int old = stderr_to("err");
	struct err e;

	plugin("noisy", "head -c 52428800 /dev/zero >&2; cat >said; echo {}");
	test("C-DLG-04: 50 MiB on stderr pass on to ours, in little memory, and stop nothing");
	ok(ask("noisy", "ADD", &out, &e) == 0 && json_is_object(out));
	(void)close(swap_stderr(old));
	ok(max_rss_kb() - before < 8192);
	ok(holds("[ \"$(wc -c <err)\" = 52428800 ] && [ \"$(cat said)\" = '{}' ]"));

	test("a large request and a large answer pass at once");
	if (!big)
		exit(1);
	memset(big, 'x', 3000000);
	big[0] = big[2999999] = '"';
	big[3000000] = '\0';
	plugin("mirror", "printf [; cat; echo ]");
	ok(ask_with("mirror", "ADD", big, &out, &e) == 0);
	ok(json_string_length(json_array_get(out, 0)) == 2999998);

	test("one that does not read its request is not waited for");
	plugin("unread", "echo {}");
	ok(ask_with("unread", "ADD", big, &out, &e) == 0 && json_is_object(out));

	test("16 MiB on stdout are a result, one byte more is an error");
	ok(PROGRAM_OUTPUT_MAX == 16777216);
	plugin("exact", "printf '[\"'; head -c ${1:-16777212} /dev/zero | tr '\\0' x\n"
			"printf '\"]'");
	ok(ask("exact", "ADD", &out, &e) == 0);
	ok(json_string_length(json_array_get(out, 0)) == 16777212);
	plugin("over", "set -- 16777213; . ./exact");
	ok(ask("over", "ADD", &out, &e) == -1 && e.code == ERR_DELEGATE && !out && !refused);
	eq(e.msg, "plugin over printed over 16777216 bytes");
	plugin("endless", "exec yes");
	ok(ask("endless", "DEL", &out, &e) == -1 && e.code == ERR_DELEGATE);
	eq(e.msg, "plugin endless printed over 16777216 bytes");
}

/* A pipe that is full, with its reader in *reader. */
static int full_pipe(int *reader)
{
	static const char page[4096];
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		exit(1);
	while (write(fd[1], page, sizeof(page)) > 0)
		;
	(void)fcntl(fd[1], F_SETFL, 0);
	*reader = fd[0];
	return fd[1];
}

static void stderr_lost(void)
{
	json_auto_t *out = NULL;
	long long start = ms_now();
	int reader, old = swap_stderr(full_pipe(&reader));
	struct err e;

	test("C-DLG-04: a stderr of ours that nobody reads holds neither the plugin nor us");
	plugin("loud", "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo end >&2; echo \"$REPLY\"");
	(void)setenv("REPLY", "{}", 1);
	ok(ask("loud", "ADD", &out, &e) == 0 && json_is_object(out));
	ok(ms_now() - start < 6000);
	test("C-ERR-04: but its end is in the error all the same");
	(void)setenv("REPLY", "words", 1);
	ok(ask("loud", "ADD", &out, &e) == -1);
	ok(strstr(e.details, "; stdout: words; stderr: xxx") && strstr(e.details, "xxxend"));
	test("C-DLG-04: nor does one whose reader is gone");
	(void)setenv("REPLY", "{}", 1);
	(void)close(reader);
	ok(ask("loud", "ADD", &out, &e) == 0);
	(void)close(swap_stderr(old));
}

static void waiting(void)
{
	json_auto_t *out = NULL;
	long long start = ms_now();
	int old = stderr_to("err");
	struct err e;

	test("a plugin that is late gets SIGTERM, and time for its last words");
	plugin("polite", "trap 'echo bye >&2; : >termed; kill $!; exit 0' TERM; echo hi >&2\n"
			 "sleep 600 & wait");
	ok(hurry("polite", 1500, &out, &e) == -1 && e.code == ERR_TRY_AGAIN && !out && !refused);
	eq(e.msg, "plugin polite gave no answer in time");
	eq(e.details, "Connection timed out; stderr: hi bye");
	ok(access("termed", F_OK) == 0);
	test("one that ignores SIGTERM is killed");
	plugin("stubborn", "trap '' TERM; echo $$ >pid; exec sleep 600");
	ok(hurry("stubborn", 500, &out, &e) == -1 && e.code == ERR_TRY_AGAIN);
	ok(holds("! kill -0 $(cat pid) 2>/dev/null"));
	test("one that has closed stdout and stays is killed, too");
	plugin("deaf", "exec >&- 2>&- sleep 600");
	ok(hurry("deaf", 1500, &out, &e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "plugin deaf did not end in time");
	ok(ms_now() - start < 10000);
	test("one for which no time is left is not started");
	plugin("late", ": >started");
	ok(hurry("late", 0, &out, &e) == -1 && e.code == ERR_TRY_AGAIN && refused);
	ok(access("started", F_OK) < 0);
	(void)close(swap_stderr(old));
}

static void interrupted(void)
{
	json_auto_t *out = NULL;
	long long start = ms_now();
	struct err e;

	test("C-PRC-08: SIGTERM ends the wait, and the plugin gets SIGTERM and its time as well");
	plugin("hang", "trap ': >heard; kill $!; exit 1' TERM; sleep 600 &\n"
		       "kill -TERM $PPID; wait");
	deadline_catch_signals();
	ok(ask("hang", "ADD", &out, &e) == -1 && e.code == ERR_INTERRUPTED && !refused);
	ok(ms_now() - start < 6000);
	ok(access("heard", F_OK) == 0);
	deadline_catch_signals();
}

static void leaving(void)
{
	json_auto_t *out = NULL;
	long long start = ms_now();
	int old = stderr_to("err");
	struct err e;

	test("C-PRC-09, C-PIT-07: what a plugin leaves running does not hold us");
	plugin("orphan", "sleep 8 & echo {}");
	ok(ask("orphan", "ADD", &out, &e) == 0 && json_is_object(out));
	plugin("orphan", "sleep 8 & kill -9 $$");
	ok(ask("orphan", "ADD", &out, &e) == -1);
	eq(e.msg, "plugin orphan died of signal 9");
	plugin("orphan", "echo {}; exec >&-; sleep 8 & sleep 0.1");
	ok(ask("orphan", "ADD", &out, &e) == 0 && json_is_object(out));
	ok(ms_now() - start < 6000);
	(void)close(swap_stderr(old));
}

static void writing_on(void)
{
	json_auto_t *out = NULL;
	long long start = ms_now();
	int old = stderr_to("/dev/null");
	struct err e;

	test("C-PIT-07: nor does what goes on to write");
	plugin("orphan", "yes >&2 & sleep 0.2; echo {}");
	ok(ask("orphan", "ADD", &out, &e) == 0 && json_is_object(out));
	plugin("orphan", "yes & sleep 0.2; echo {}");
	ok(ask("orphan", "DEL", &out, &e) == 0 || e.code == ERR_DELEGATE);	/* 16 MiB */
	ok(ms_now() - start < 6000);
	(void)close(swap_stderr(old));
}

static void dying(void)
{
	json_auto_t *out = NULL;
	int status = 0;
	pid_t us, plugins = 0;
	struct err e;
	FILE *f;

	test("C-DLG-05: kill -9 of us kills the plugin");
	sh("mkfifo ready");
	plugin("child", "echo $$ >ready; exec sleep 600");
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);	/* its parent dies: it is ours to bury */
	us = fork();
	if (us == 0)
		_exit(ask("child", "ADD", &out, &e) == 0);
	f = fopen("ready", "re");
	ok(f && fscanf(f, "%d", &plugins) == 1 && plugins > 1 && fclose(f) == 0);
	(void)kill(us, SIGKILL);
	ok(waitpid(us, NULL, 0) == us);
	ok(waitpid(plugins, &status, 0) == plugins && WIFSIGNALED(status) &&
	   WTERMSIG(status) == SIGKILL);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

int main(void)
{
	plugins_begin();
	leaves_nothing(much);
	leaves_nothing(stderr_lost);
	leaves_nothing(waiting);
	leaves_nothing(interrupted);
	leaves_nothing(leaving);
	leaves_nothing(writing_on);
	leaves_nothing(dying);
	plugins_end();
	return tap_end();
}
