/* SPDX-License-Identifier: Apache-2.0 */
/* test_privilege.c - each privilege is given up, whatever becomes of the others */
#include "daemon/process/privilege.h"

#include "tests/unit/logged.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_NEW = 1, FILTERED = 2, KEPT = 4, TOLD = 8, FAILED = 16, CRASHED = 255 };

static bool no_limit, no_capabilities;
static uint64_t kept;

int __real_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	errno = EPERM;
	return no_limit ? -1 : __real_setrlimit(what, limit);
}

int __wrap_capability_keep(uint64_t effective, uint64_t permitted);
int __wrap_capability_keep(uint64_t effective, uint64_t permitted)
{
	kept = effective & permitted;
	errno = EPERM;
	return no_capabilities ? -1 : 0;
}

/* What a child has come to. */
static int give_up(void)
{
	pid_t pid = fork();
	struct err e = { 0 };
	int status, r;

	if (pid == 0) {
		keep_log();
		r = privilege_give_up(5, &e) < 0 ? FAILED : 0;
		r |= prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? NO_NEW : 0;
		r |= syscall(SYS_execve, NULL, NULL, NULL) < 0 && errno == EPERM ? FILTERED : 0;
		r |= kept == 5 ? KEPT : 0;
		r |= logged("not confined") ? TOLD : 0;
		_exit(r);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
}

int main(void)
{
	test("all is given up, and nothing told");
	eqi(give_up(), NO_NEW | FILTERED | KEPT);
	test("where one cannot be, the others are, and that is told");
	no_limit = true;
	eqi(give_up(), NO_NEW | FILTERED | KEPT | TOLD);
	test("who keeps all capabilities is not to go on");
	no_limit = false;
	no_capabilities = true;
	eqi(give_up(), NO_NEW | FILTERED | KEPT | FAILED);
	return tap_end();
}
