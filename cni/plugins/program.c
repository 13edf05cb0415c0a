/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - a program that is run, fed and listened to until it ends
 *
 * Four pipes: its stdin, stdout and stderr, served in one wait until the child has
 * ended, and one that execve closes, or that carries the reason why execve failed.
 * None of them is waited for after the child's end: a grandchild may hold them.
 */
#include "cni/plugins/program.h"

#include "base/log.h"
#include "cni/call/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

enum {
	OWN_END_MS = 300,	/* when we are told to stop: for it to come to its own end */
	GRACE_MS = 200,		/* from SIGTERM to SIGKILL */
	KILLED_MS = 1000,	/* from that to our giving up: it hangs in the kernel */
	REST_MS = 300,		/* for what its stderr still holds at its end */
};

static int set_environment(const struct program_var *vars, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (vars[i].value && setenv(vars[i].name, vars[i].value, 1) < 0)
			return -1;
	return 0;
}

static _Noreturn void become(const struct program *p, const char *file,
			     const struct program_var *vars, size_t nvars)
{
	char *const argv[] = { (char *)(uintptr_t)p->name, NULL };	/* execv writes to none */
	int why;

	process_restore_for_child();
	if (dup2(p->theirs[PIPE_IN], STDIN_FILENO) >= 0 &&
	    dup2(p->theirs[PIPE_OUT], STDOUT_FILENO) >= 0 &&
	    dup2(p->theirs[PIPE_ERR], STDERR_FILENO) >= 0 && set_environment(vars, nvars) == 0)
		(void)execv(file, argv);
	why = errno;
	(void)!write(p->theirs[PIPE_EXEC], &why, sizeof(why));
	_exit(1);
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static int open_pipes(struct program *p)
{
	for (int i = 0; i < PIPES; i++) {
		int fd[2];

		if (pipe2(fd, O_CLOEXEC) < 0)
			return -1;
		p->ours[i] = fd[i == PIPE_IN];
		p->theirs[i] = fd[i != PIPE_IN];
		(void)fcntl(p->ours[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

/* Write what fits of the request; the end is closed when all is out, or when nobody reads. */
static void feed(struct program *p)
{
	ssize_t n = write(p->ours[PIPE_IN], p->request, p->left);

	if (n > 0) {
		p->request += n;
		p->left -= (size_t)n;
	}
	if (p->left == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&p->ours[PIPE_IN]);
}

int program_start(struct program *p, const char *file, const char *name,
		  const struct program_var *vars, size_t nvars, struct err *e)
{
	int r;

	p->name = name;
	r = open_pipes(p) < 0 ? -1 : child_fork(&p->child);
	if (r < 0)
		return err_set(e, ERR_IO, errno, "start %s %s", p->what, name);
	if (r == 0)
		become(p, file, vars, nvars);
	for (int i = 0; i < PIPES; i++)
		close_end(&p->theirs[i]);
	feed(p);
	return 0;
}

/* What there is to read now; at its end the pipe is closed. */
static size_t read_end(int *fd, char *buf, size_t size)
{
	ssize_t n = read(*fd, buf, size);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_end(fd);
	return n > 0 ? (size_t)n : 0;
}

/* Room for more of its stdout: for one byte over the limit, too, to see that there is one. */
static int grow(struct program *p, struct err *e)
{
	size_t size = p->size ? p->size * 2 : 16384;
	char *text;

	if (p->len > PROGRAM_OUTPUT_MAX)
		return err_set(e, ERR_DELEGATE, ENOBUFS, "%s %s printed over %d bytes", p->what,
			       p->name, PROGRAM_OUTPUT_MAX);
	if (p->len < p->size)
		return 0;
	if (size > PROGRAM_OUTPUT_MAX)
		size = PROGRAM_OUTPUT_MAX + 1;
	text = realloc(p->text, size);
	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "output of %s %s", p->what, p->name);
	p->text = text;
	p->size = size;
	return 0;
}

/* A part of its stdout: 1 when there was some, 0 when there is none now. */
static int drain_stdout(struct program *p, struct err *e)
{
	size_t n;

	if (grow(p, e) < 0)
		return -1;
	n = read_end(&p->ours[PIPE_OUT], p->text + p->len, p->size - p->len);
	p->len += n;
	return n > 0;
}

static void keep_tail(struct program *p, const char *buf, size_t n)
{
	size_t new = n < PROGRAM_TAIL ? n : PROGRAM_TAIL;
	size_t old = p->tail_len < PROGRAM_TAIL - new ? p->tail_len : PROGRAM_TAIL - new;

	memmove(p->tail, p->tail + p->tail_len - old, old);
	memcpy(p->tail + old, buf + n - new, new);
	p->tail_len = old + new;
}

/* A part of its stderr; whether there was some. */
static bool drain_stderr(struct program *p)
{
	char buf[PIPE_BUF];
	size_t n = read_end(&p->ours[PIPE_ERR], buf, sizeof(buf));

	if (n == 0)
		return false;
	log_pass_on(buf, n);
	keep_tail(p, buf, n);
	return true;
}

/* What the pipes still hold at its end; bounded, for a grandchild may go on writing. */
static int drain_rest(struct program *p, struct err *e)
{
	struct deadline d = deadline_in(REST_MS);
	int more;

	while (drain_stderr(p) && deadline_left_ms(&d) > 0)
		;
	do {
		more = drain_stdout(p, e);
	} while (more > 0);
	return more;
}

/* Wait until a pipe is ready, or the end, and serve what is. */
static int serve(struct program *p, const struct deadline *d, struct err *e)
{
	struct pollfd fds[] = {
		{ .fd = -1 },	/* the child's */
		{ .fd = p->ours[PIPE_IN], .events = POLLOUT },
		{ .fd = p->ours[PIPE_OUT], .events = POLLIN },
		{ .fd = p->ours[PIPE_ERR], .events = POLLIN },
	};

	if (!child_poll(&p->child, fds, ARRAY_SIZE(fds), d))
		return 0;	/* a signal, or no time left: the deadline knows */
	if (fds[1].revents)
		feed(p);
	if (fds[3].revents)
		(void)drain_stderr(p);
	return fds[2].revents && drain_stdout(p, e) < 0 ? -1 : 0;
}

static int talk(struct program *p, const struct deadline *d, struct err *e)
{
	while (p->child.pid) {
		int left = deadline_left_ms(d);

		if (serve(p, d, e) < 0)
			return -1;
		if (p->child.pid && left == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "%s %s %s %s", p->what, p->name,
					      p->ours[PIPE_OUT] < 0 ? "did not end"
								    : "gave no answer",
					      deadline_end());
	}
	return drain_rest(p, e);
}

/*
 * Few plugins clean up when they are stopped halfway, and what they have made then may have a name
 * that their DEL does not know.  So one that is nearly done ends by itself.
 */
static void stop(struct program *p)
{
	const struct deadline d = deadline_firm_in(OWN_END_MS);

	if (deadline_interrupted() && child_wait(&p->child, &d))
		return;
	if (!child_kill(&p->child, SIGTERM, GRACE_MS))
		(void)child_kill(&p->child, SIGKILL, KILLED_MS);
}

int program_talk(struct program *p, const struct deadline *d, struct err *e)
{
	struct err ignored;

	if (talk(p, d, e) == 0)
		return 0;
	stop(p);
	(void)drain_rest(p, &ignored);
	return -1;
}

int program_exec_errno(const struct program *p)
{
	int why = 0;

	return read(p->ours[PIPE_EXEC], &why, sizeof(why)) == sizeof(why) ? why : 0;
}

void program_done(struct program *p)
{
	stop(p);
	child_done(&p->child);
	for (int i = 0; i < PIPES; i++) {
		close_end(&p->ours[i]);
		close_end(&p->theirs[i]);
	}
	free(p->text);
}
