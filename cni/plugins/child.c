/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.c - a program that is run, fed and listened to until it ends
 *
 * Four pipes: its stdin, stdout and stderr, served by one poll(2) until the child has
 * ended, and one that execve closes, or that carries the reason why execve failed.
 * None of them is waited for after the child's end: a grandchild may hold them.
 */
#include "cni/plugins/child.h"

#include "cni/call/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	GRACE_MS = 100,		/* from SIGTERM to SIGKILL */
	KILLED_MS = 1000,	/* from that to our giving up */
	TICK_MS = 100,		/* what a signal between the look at the clock and poll(2) costs */
	STDERR_MS = 100,	/* how long a reader of our own stderr may pause */
	REST_MS = 300,		/* for what its stderr still holds at its end */
};

/* Undo what we have changed for ourselves and what the program would inherit. */
static void restore_process(void)
{
	static const int ours[] = { SIGPIPE, SIGXFSZ, SIGTERM, SIGINT };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		(void)signal(ours[i], SIG_DFL);		/* ignored ones stay ignored */
	process_restore_for_child();
}

static int set_environment(const struct child_var *vars, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (vars[i].value && setenv(vars[i].name, vars[i].value, 1) < 0)
			return -1;
	return 0;
}

static _Noreturn void become(const struct child *c, const char *file, const struct child_var *vars,
			     size_t nvars, pid_t parent)
{
	char *const argv[] = { (char *)(uintptr_t)c->name, NULL };	/* execv writes to none */
	int why;

	restore_process();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent &&	/* else it died before we said so */
	    dup2(c->theirs[PIPE_IN], STDIN_FILENO) >= 0 &&
	    dup2(c->theirs[PIPE_OUT], STDOUT_FILENO) >= 0 &&
	    dup2(c->theirs[PIPE_ERR], STDERR_FILENO) >= 0 && set_environment(vars, nvars) == 0)
		(void)execv(file, argv);
	why = errno;
	(void)!write(c->theirs[PIPE_EXEC], &why, sizeof(why));
	_exit(1);
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static int open_pipes(struct child *c)
{
	for (int i = 0; i < PIPES; i++) {
		int fd[2];

		if (pipe2(fd, O_CLOEXEC) < 0)
			return -1;
		c->ours[i] = fd[i == PIPE_IN];
		c->theirs[i] = fd[i != PIPE_IN];
		(void)fcntl(c->ours[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

int child_start(struct child *c, const char *file, const char *name, const struct child_var *vars,
		size_t nvars, struct err *e)
{
	pid_t parent = getpid(), pid;

	c->name = name;
	if (open_pipes(c) < 0)
		return err_set(e, ERR_IO, errno, "start %s %s", c->what, name);
	pid = fork();
	if (pid < 0)
		return err_set(e, ERR_IO, errno, "start %s %s", c->what, name);
	if (pid == 0)
		become(c, file, vars, nvars, parent);
	c->pid = pid;
	for (int i = 0; i < PIPES; i++)
		close_end(&c->theirs[i]);
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

/* Write what fits of the request; the end is closed when all is out, or when nobody reads. */
static void feed(struct child *c, const char **request, size_t *len)
{
	ssize_t n = write(c->ours[PIPE_IN], *request, *len);

	if (n > 0) {
		*request += n;
		*len -= (size_t)n;
	}
	if (*len == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&c->ours[PIPE_IN]);
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
static int grow(struct child *c, struct err *e)
{
	size_t size = c->size ? c->size * 2 : 16384;
	char *text;

	if (c->len > CHILD_OUTPUT_MAX)
		return err_set(e, ERR_DELEGATE, ENOBUFS, "%s %s printed over %d bytes", c->what,
			       c->name, CHILD_OUTPUT_MAX);
	if (c->len < c->size)
		return 0;
	if (size > CHILD_OUTPUT_MAX)
		size = CHILD_OUTPUT_MAX + 1;
	text = realloc(c->text, size);
	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "output of %s %s", c->what, c->name);
	c->text = text;
	c->size = size;
	return 0;
}

/* A part of its stdout: 1 when there was some, 0 when there is none now. */
static int drain_stdout(struct child *c, struct err *e)
{
	size_t n;

	if (grow(c, e) < 0)
		return -1;
	n = read_end(&c->ours[PIPE_OUT], c->text + c->len, c->size - c->len);
	c->len += n;
	return n > 0;
}

/*
 * To our own stderr, or lost when nobody reads that: it must not hold us, and O_NONBLOCK would be
 * the engine's as well.  A pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking.
 */
static void pass_on(struct child *c, const char *buf, size_t n)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	c->stuck = poll(&p, 1, c->stuck ? 0 : STDERR_MS) <= 0;
	if (!c->stuck)
		(void)!write(STDERR_FILENO, buf, n);
}

static void keep_tail(struct child *c, const char *buf, size_t n)
{
	size_t new = n < CHILD_TAIL ? n : CHILD_TAIL;
	size_t old = c->tail_len < CHILD_TAIL - new ? c->tail_len : CHILD_TAIL - new;

	memmove(c->tail, c->tail + c->tail_len - old, old);
	memcpy(c->tail + old, buf + n - new, new);
	c->tail_len = old + new;
}

/* A part of its stderr; whether there was some. */
static bool drain_stderr(struct child *c)
{
	char buf[PIPE_BUF];
	size_t n = read_end(&c->ours[PIPE_ERR], buf, sizeof(buf));

	if (n == 0)
		return false;
	pass_on(c, buf, n);
	keep_tail(c, buf, n);
	return true;
}

/* What the pipes still hold at its end; bounded, for a grandchild may go on writing. */
static int drain_rest(struct child *c, struct err *e)
{
	struct deadline d = deadline_in(REST_MS);
	int more;

	while (drain_stderr(c) && deadline_left_ms(&d) > 0)
		;
	do {
		more = drain_stdout(c, e);
	} while (more > 0);
	return more;
}

/* Wait for ms at most until a pipe is ready, or the end, and serve what is. */
static int serve(struct child *c, const char **request, size_t *len, int ms, struct err *e)
{
	struct pollfd p[] = {
		{ .fd = c->ours[PIPE_IN], .events = POLLOUT },
		{ .fd = c->ours[PIPE_OUT], .events = POLLIN },
		{ .fd = c->ours[PIPE_ERR], .events = POLLIN },
		{ .fd = c->pidfd, .events = POLLIN },
	};

	if (poll(p, ARRAY_SIZE(p), ms < TICK_MS ? ms : TICK_MS) <= 0)
		return 0;	/* a signal, or no time left: the deadline knows */
	if (p[0].revents)
		feed(c, request, len);
	if (p[2].revents)
		(void)drain_stderr(c);
	return p[1].revents && drain_stdout(c, e) < 0 ? -1 : 0;
}

static int talk(struct child *c, const char *request, size_t len, const struct deadline *d,
		struct err *e)
{
	pid_t ended;

	while ((ended = waitpid(c->pid, &c->status, WNOHANG)) == 0) {
		int left = deadline_left_ms(d);

		if (left == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "%s %s %s in time", c->what,
					      c->name, c->ours[PIPE_OUT] < 0 ? "did not end"
								    : "gave no answer");
		if (serve(c, &request, &len, left, e) < 0)
			return -1;
	}
	c->pid = 0;
	if (ended < 0)
		return err_set(e, ERR_DELEGATE, errno, "wait for %s %s", c->what, c->name);
	return drain_rest(c, e);
}

/* Not by a deadline: after our own SIGTERM all of those are over. */
static bool ends_within(struct child *c, int limit_ms)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

	for (int ms = 0; ms < limit_ms; ms += 10) {
		if (waitpid(c->pid, &c->status, WNOHANG) != 0) {
			c->pid = 0;
			return true;
		}
		(void)poll(&p, 1, 10);
	}
	return false;
}

static void stop(struct child *c)
{
	if (c->pid == 0)
		return;
	(void)kill(c->pid, SIGTERM);
	if (ends_within(c, GRACE_MS))
		return;
	(void)kill(c->pid, SIGKILL);
	(void)ends_within(c, KILLED_MS);	/* one that hangs in the kernel is left to init */
}

int child_talk(struct child *c, const char *request, size_t len, const struct deadline *d,
	       struct err *e)
{
	struct err ignored;

	if (talk(c, request, len, d, e) == 0)
		return 0;
	stop(c);
	(void)drain_rest(c, &ignored);
	return -1;
}

int child_exec_errno(const struct child *c)
{
	int why = 0;

	return read(c->ours[PIPE_EXEC], &why, sizeof(why)) == sizeof(why) ? why : 0;
}

void child_done(struct child *c)
{
	stop(c);
	close_end(&c->pidfd);
	for (int i = 0; i < PIPES; i++) {
		close_end(&c->ours[i]);
		close_end(&c->theirs[i]);
	}
	free(c->text);
}
