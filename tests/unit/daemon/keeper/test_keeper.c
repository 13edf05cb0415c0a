/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_keeper.c - what the keeper's process runs, and how it answers; its time is short here
 *
 * When it is asked is told by tests/net/keeper.bats.
 */
#include "daemon/keeper/keeper_part.h"

#include "base/deadline.h"
#include "tests/unit/tap.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUN_MS = 300 * 1000, GRACE_MS = 10 * 1000 };

struct deadline __real_deadline_in(unsigned int ms);
struct deadline __wrap_deadline_in(unsigned int ms);
struct deadline __wrap_deadline_in(unsigned int ms)
{
	return __real_deadline_in(ms == RUN_MS ? 300 : ms);
}

struct deadline __real_deadline_firm_in(unsigned int ms);
struct deadline __wrap_deadline_firm_in(unsigned int ms);
struct deadline __wrap_deadline_firm_in(unsigned int ms)
{
	return __real_deadline_firm_in(ms == GRACE_MS ? 300 : ms);
}

static char dir[] = "/tmp/keeper.XXXXXX", program[64];

static void write_program(const char *text)
{
	FILE *f = fopen(program, "w");

	ok(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0 && fclose(f) == 0);
	ok(chmod(program, 0755) == 0);
}

static pid_t start(int *fd)
{
	int both[2];
	pid_t pid;

	ok(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) == 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		keeper_serve(both[1], program);
	(void)close(both[1]);
	*fd = both[0];
	return pid;
}

/* How long its text is; -1: there is no answer. */
static ssize_t ask(int fd, struct keeper_answer *ret)
{
	const char order = KEEPER_ORDER;
	ssize_t n;

	*ret = (struct keeper_answer){ .status = -7 };
	if (send(fd, &order, 1, MSG_NOSIGNAL) != 1)
		return -1;
	n = recv(fd, ret, sizeof(*ret), 0);
	if (n < (ssize_t)offsetof(struct keeper_answer, text) || n == (ssize_t)sizeof(*ret))
		return -1;
	n -= (ssize_t)offsetof(struct keeper_answer, text);
	ret->text[n] = '\0';
	return n;
}

static void runs(void)
{
	struct keeper_answer a;
	int fd, status;
	pid_t pid = start(&fd);

	test("the answer has the status and all that was printed");
	write_program("echo \"$*\"; echo failed >&2; exit 3");
	ok(ask(fd, &a) == 10);
	eqi(WEXITSTATUS(a.status), 3);
	ok(!a.late);
	eq(a.text, "gc\nfailed\n");

	test("it can be asked again, and each run is of its own");
	write_program("exit 0");
	eqi(ask(fd, &a), 0);
	eqi(a.status, 0);

	test("too much text is cut, and its program is not held up");
	write_program("yes | head -c 1000000; exit 4");
	eqi(ask(fd, &a), KEEPER_TEXT - 1);
	eqi(WEXITSTATUS(a.status), 4);

	test("one that takes too long is told to end");
	write_program("echo begun; exec sleep 1000");
	ok(ask(fd, &a) == 6);
	ok(a.late);
	eqi(WTERMSIG(a.status), SIGTERM);

	test("and killed when it does not");
	write_program("trap '' TERM; while :; do sleep 0.05; done");
	ok(ask(fd, &a) >= 0);
	ok(a.late);
	eqi(WTERMSIG(a.status), SIGKILL);

	test("a process that it has left holds up nobody");
	write_program("sleep 5 & echo $!");
	ok(ask(fd, &a) > 0);
	eqi(a.status, 0);
	ok(!a.late);
	(void)kill((pid_t)strtol(a.text, NULL, 10), SIGKILL);

	test("without the program it says so");
	ok(unlink(program) == 0);
	ok(ask(fd, &a) > 0);
	eqi(WEXITSTATUS(a.status), 127);
	begins(a.text, "cannot execute /tmp/keeper.");

	test("it ends by itself when nobody is there any more");
	(void)close(fd);
	ok(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
	ok(mkdtemp(dir) != NULL);
	(void)snprintf(program, sizeof(program), "%s/program", dir);
	runs();
	(void)rmdir(dir);
	return tap_end();
}
