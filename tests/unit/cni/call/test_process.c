/* SPDX-License-Identifier: Apache-2.0 */
/* test_process.c - what process_set_up() makes of the process that an engine starts */
#include "cni/call/process.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <jansson.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INHERITED	200	/* a descriptor of our parent's */

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

/* A number of /proc/self/status, in this base. */
static uint64_t status_of(const char *key, int base)
{
	char line[256];
	uint64_t n = UINT64_MAX;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			n = strtoull(line + strlen(key) + 1, NULL, base);
	if (f)
		(void)fclose(f);
	return n;
}

static void odd_surroundings(void)
{
	const struct rlimit files = { 1024, 1024 };
	sigset_t set;

	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)umask(0277);
	(void)dup2(STDERR_FILENO, INHERITED);
	(void)signal(SIGCHLD, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)sigfillset(&set);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

static mode_t mask_now(void)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return mask;
}

static bool is_ignored(int sig)
{
	struct sigaction sa;

	return sigaction(sig, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN;
}

static void set_up(void)
{
	uint64_t permitted = status_of("CapPrm", 16), effective = status_of("CapEff", 16);
	uint64_t used = status_of("CapEff", 16) &
			(1ULL << CAP_SYS_ADMIN | 1ULL << CAP_NET_ADMIN | 1ULL << CAP_NET_RAW |
			 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_KILL | 1ULL << CAP_DAC_OVERRIDE |
			 1ULL << CAP_DAC_READ_SEARCH | 1ULL << CAP_FOWNER | 1ULL << CAP_CHOWN |
			 1ULL << CAP_FSETID);
	struct rlimit before, now;

	(void)getrlimit(RLIMIT_AS, &before);
	odd_surroundings();
	process_set_up_files();
	process_set_up();

	test("C-PRC-11: no new privileges, no core file, nothing for others in our files");
	ok(status_of("NoNewPrivs", 10) == 1);
	ok(getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_cur == 0);
	ok(mask_now() == 077);
	test("C-PRC-11: descriptors of our parent are closed, but for the first three");
	ok(fcntl(INHERITED, F_GETFD) < 0 && fcntl(STDIN_FILENO, F_GETFD) >= 0 &&
	   fcntl(STDOUT_FILENO, F_GETFD) >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0);
	test("C-PRC-11: a reader that is gone and a file that is full do not kill");
	ok(is_ignored(SIGPIPE) && is_ignored(SIGXFSZ));
	test("signals are not blocked, and the end of a child is seen, whatever our parent did");
	ok(status_of("SigBlk", 16) == 0 && !is_ignored(SIGCHLD) && !is_ignored(SIGTERM));

	test("C-REQ-11: memory is bounded, but for a sanitizer's");
	ok(getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_max == before.rlim_max);
	ok(now.rlim_cur <= 1UL << 30 || (IS_SANITIZED && now.rlim_cur == before.rlim_cur));

	test("C-PRC-12: the capabilities that we use stay, and no others");
	ok(status_of("CapEff", 16) == used && (geteuid() != 0 || used != effective));
	test("C-PRC-12: a plugin that we run can have them all");
	ok(status_of("CapPrm", 16) == permitted);

	test("a plugin that we run has the limit and the umask that we were given");
	process_restore_for_child();
	ok(getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur == before.rlim_cur &&
	   now.rlim_max == before.rlim_max);
	ok(mask_now() == 0277);
}

static void lower_limit(void)
{
	const struct rlimit low = { 512UL << 20, RLIM_INFINITY };
	struct rlimit now;

	test("a lower limit of memory is left as it is");
	if (!IS_SANITIZED)
		(void)setrlimit(RLIMIT_AS, &low);
	process_set_up_files();
	process_set_up();
	ok(getrlimit(RLIMIT_AS, &now) == 0 && (IS_SANITIZED || now.rlim_cur == low.rlim_cur));
}

static int overflow(unsigned int depth)
{
	volatile char page[4096];

	page[0] = (char)depth;
	return depth == 0 ? 0 : overflow(depth - 1) + page[0];
}

static void crash(int sig)
{
	const struct rlimit stack = { 1 << 20, RLIM_INFINITY };

	if (sig) {
		(void)raise(sig);
		abort();
	}
	(void)setrlimit(RLIMIT_STACK, &stack);
	_exit(overflow(1000000));
}

/* What a child says that crashes: its last words, and its wait status. */
static int last_words(int sig, char *ret, size_t size)
{
	int out[2], status = 0;
	ssize_t n, len = 0;
	pid_t pid;

	if (pipe(out) < 0)
		exit(1);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)dup2(out[1], STDOUT_FILENO);
		crash(sig);
	}
	(void)close(out[1]);
	while ((n = read(out[0], ret + len, size - 1 - (size_t)len)) > 0)
		len += n;
	ret[len] = '\0';
	(void)close(out[0]);
	(void)waitpid(pid, &status, 0);
	return status;
}

static void crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, 0 };
	char said[1024];

	test("C-ERR-07, C-PIT-03: whatever the crash, a stack overflow too, there is one error "
	     "document, and the signal");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int status = last_words(signals[i], said, sizeof(said));
		json_t *v = json_loads(said, 0, NULL);

		ok(json_is_integer(json_object_get(v, "code")) &&
		   json_string_length(json_object_get(v, "msg")) > 0 &&
		   json_is_string(json_object_get(v, "cniVersion")));
		ok(WIFSIGNALED(status) && WTERMSIG(status) == (signals[i] ? signals[i] : SIGSEGV));
		json_decref(v);
	}
}

/* Says with a letter whether it is an orphan before its parent dies, and with one whether after. */
static _Noreturn void ask_orphan(void)
{
	char c;

	process_set_up_files();
	process_set_up();
	c = process_is_orphan() ? 'y' : 'n';
	(void)!write(STDOUT_FILENO, &c, 1);
	(void)!read(STDIN_FILENO, &c, 1);	/* until its parent is about to be dead */
	for (int i = 0; i < 600 && !process_is_orphan(); i++)
		(void)usleep(10000);
	c = process_is_orphan() ? 'y' : 'n';
	(void)!write(STDOUT_FILENO, &c, 1);
	_exit(0);
}

static void orphans(void)
{
	int out[2], alive[2];
	char said[2] = "";
	pid_t pid;

	test("C-ADD-11: a call whose parent has died is an orphan, and none before");
	(void)fflush(stdout);
	ok(pipe(out) == 0);
	pid = fork();
	if (pid == 0) {
		if (pipe(alive) < 0)
			_exit(1);
		if (fork() == 0) {	/* process_set_up() closes its copies */
			(void)dup2(alive[0], STDIN_FILENO);
			(void)dup2(out[1], STDOUT_FILENO);
			ask_orphan();
		}
		_exit(read(out[0], said, 1) == 1 && *said == 'n' ? 0 : 1);
	}
	(void)close(out[1]);
	int status = -1;

	ok(waitpid(pid, &status, 0) == pid && status == 0);
	ok(read(out[0], said, 1) == 1 && *said == 'y');
	(void)close(out[0]);
}

int main(void)
{
	set_up();
	lower_limit();
	crashes();
	orphans();
	return tap_end();
}
