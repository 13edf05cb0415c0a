/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper_child.c - the process that runs `devinfoctl gc` when it is told to
 *
 * It ignores the signals that end a daemon: a service manager sends these to all processes, and the
 * run that is under way, which gets them as well, comes to its own end.  What ends the keeper is
 * that nobody is at the other end of its socket.
 */
#include "daemon/keeper/keeper_part.h"

#include "base/capability.h"
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum {
	RUN_MS = 300 * 1000,		/* for a run */
	GRACE_MS = 10 * 1000,		/* from SIGTERM to SIGKILL: a release comes to its end */
	KILLED_MS = 1000,
	READS_MAX = 64,
};

/* What install/devinfo-gc.service leaves to it, with the reasons; tests/net/units.bats compares. */
#define KEPT \
	(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_NET_ADMIN) | CAPABILITY(CAP_NET_RAW) | \
	 CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_KILL) | CAPABILITY(CAP_DAC_OVERRIDE) | \
	 CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_FOWNER) | CAPABILITY(CAP_CHOWN) | \
	 CAPABILITY(CAP_FSETID) | CAPABILITY(CAP_SYS_RAWIO))

struct run {
	struct child child;
	int out;			/* what it prints; -1: its end */
	struct keeper_answer answer;
	size_t len;			/* of the text */
};

/* Who may not give something up has not much to lose, as in confine(). */
static void set_up(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP };
	const struct rlimit none = { 0, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)prctl(PR_SET_PDEATHSIG, 0);	/* the socket tells */
	(void)prctl(PR_SET_NAME, "devinfod-keeper");
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)capability_keep(KEPT, KEPT);
}

/* Nothing of ours but where the node's file is. */
static _Noreturn void become(const char *program, int out)
{
	const char *conf = getenv("DEVINFO_CONF");
	char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", lang[] = "LC_ALL=C", own[PATH_MAX + 16];
	char name[] = "devinfoctl", command[] = "gc";
	char *const argv[] = { name, command, NULL }, *env[] = { path, lang, NULL, NULL };
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)snprintf(own, sizeof(own), "DEVINFO_CONF=%s", conf ? conf : "");
	if (conf)
		env[2] = own;
	(void)signal(SIGHUP, SIG_DFL);
	if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(out, STDERR_FILENO) >= 0)
		(void)execve(program, argv, env);
	(void)dprintf(out, "cannot execute %s: %s\n", program, strerror(errno));
	_exit(127);
}

static int start(struct run *r, const char *program)
{
	int fd[2], is;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -1;
	is = child_fork(&r->child);
	if (is == 0)
		become(program, fd[1]);
	(void)close(fd[1]);
	if (is < 0) {
		(void)close(fd[0]);
		return -1;
	}
	r->out = fd[0];
	(void)fcntl(r->out, F_SETFL, O_NONBLOCK);
	return 0;
}

/* What there is to read now, of which the end is dropped when it is too much. */
static void drain(struct run *r)
{
	char part[4096];
	ssize_t n;

	for (int i = 0; i < READS_MAX && r->out >= 0; i++) {
		size_t left = sizeof(r->answer.text) - 1 - r->len;

		n = read(r->out, part, sizeof(part));
		if (n == 0) {
			(void)close(r->out);
			r->out = -1;
		}
		if (n <= 0)
			return;
		left = left < (size_t)n ? left : (size_t)n;
		memcpy(r->answer.text + r->len, part, left);
		r->len += left;
	}
}

/* Until its end, or that of its time, or of the daemon. */
static void await(struct run *r, int fd)
{
	const struct deadline d = deadline_in(RUN_MS);
	struct pollfd fds[] = {
		{ .fd = -1 },	/* the child's */
		{ .fd = r->out, .events = POLLIN },
		{ .fd = fd },	/* for POLLHUP */
	};

	while (r->child.pid && !fds[2].revents) {
		fds[1].fd = r->out;
		if (!child_poll(&r->child, fds, ARRAY_SIZE(fds), &d) &&
		    deadline_left_ms(&d) == 0) {
			r->answer.late = true;
			break;
		}
		drain(r);
	}
	if (r->child.pid && !child_kill(&r->child, SIGTERM, GRACE_MS))
		(void)child_kill(&r->child, SIGKILL, KILLED_MS);
	drain(r);		/* a process that it has left may have the pipe open */
}

/* 0, -1: nobody gets the answer. */
static int run(int fd, const char *program)
{
	struct run r = { .child = CHILD_NONE, .out = -1, .answer = { .status = -1 } };

	if (start(&r, program) == 0) {
		await(&r, fd);
		if (!r.child.pid)
			r.answer.status = r.child.status;
		child_done(&r.child);
		mem_close_fd(&r.out);
	}
	return send(fd, &r.answer, offsetof(struct keeper_answer, text) + r.len,
		    MSG_NOSIGNAL) < 0 ? -1 : 0;
}

_Noreturn void keeper_serve(int fd, const char *program)
{
	char order;

	set_up();
	/* descriptors 0 to 2 are the daemon's, whose log may be there */
	if (dup2(fd, STDERR_FILENO + 1) < 0 || fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC) < 0)
		_exit(1);
	(void)syscall(SYS_close_range, STDERR_FILENO + 2, ~0U, 0);
	while (recv(STDERR_FILENO + 1, &order, sizeof(order), 0) == 1)
		if (run(STDERR_FILENO + 1, program) < 0)
			break;
	_exit(0);
}
