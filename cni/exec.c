/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - run another plugin */
#include "cni/exec.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Exit statuses of a child that did not become the plugin; the shell's. */
enum { BEING_WRITTEN = 126, NOT_EXECUTED = 127 };

struct child {
	pid_t pid;
	int pidfd;		/* becomes readable when it ends; -1 before Linux 5.3 */
	int in, out;		/* our ends of its stdin and stdout, -1 when closed */
	char *text;		/* its stdout so far */
	size_t len, size;
};

/* Like libcni: the first regular file of that name; only absolute directories are searched. */
static int find(const char *cni_path, const char *type, char ret[PATH_MAX], struct err *e)
{
	struct stat st;

	if (!name_is_file(type))
		return err_set(e, ERR_NETCONF, 0, "plugin type '%.64s' is no file name", type);
	if (!*cni_path)
		return err_set(e, ERR_ENV, 0, "required env variables [CNI_PATH] missing");
	for (const char *p = cni_path; *p;) {
		size_t len = strcspn(p, ":");
		int n = snprintf(ret, PATH_MAX, "%.*s/%s", (int)len, p, type);

		if (*p == '/' && n < PATH_MAX && stat(ret, &st) == 0 && S_ISREG(st.st_mode))
			return 0;
		p += len + (p[len] == ':');
	}
	(void)err_set(e, ERR_DELEGATE, 0, "plugin %s is in no directory of CNI_PATH", type);
	return err_detail(e, "CNI_PATH is %.300s", cni_path);
}

static _Noreturn void run_child(const char *file, const char *type, const char *command, int in,
				int out, pid_t parent)
{
	static const int ours[] = { SIGPIPE, SIGXFSZ, SIGTERM,
				    SIGINT };                   /* ignored ones are inherited */
	char *const argv[] = { (char *)(uintptr_t)type, NULL };	/* execv's const is historical */

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		(void)signal(ours[i], SIG_DFL);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)	/* it died before we said so */
		_exit(NOT_EXECUTED);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    setenv("CNI_COMMAND", command, 1) < 0)
		_exit(NOT_EXECUTED);
	(void)execv(file, argv);
	_exit(errno == ETXTBSY ? BEING_WRITTEN : NOT_EXECUTED);
}

static int start(const char *file, const char *type, const char *command, struct child *ret,
		 struct err *e)
{
	int in[2], out[2];
	pid_t parent = getpid();

	if (pipe2(in, O_CLOEXEC) < 0)
		return err_set(e, ERR_IO, errno, "start plugin %s", type);
	if (pipe2(out, O_CLOEXEC) < 0) {
		(void)err_set(e, ERR_IO, errno, "start plugin %s", type);
		(void)close(in[0]);
		(void)close(in[1]);
		return -1;
	}
	ret->pid = fork();
	if (ret->pid == 0)
		run_child(file, type, command, in[0], out[1], parent);
	if (ret->pid < 0)
		(void)err_set(e, ERR_IO, errno, "start plugin %s", type);
	else
		ret->pidfd = (int)syscall(SYS_pidfd_open, ret->pid, 0);
	(void)close(in[0]);
	(void)close(out[1]);
	ret->in = in[1];
	ret->out = out[0];
	(void)fcntl(ret->in, F_SETFL, O_NONBLOCK);
	(void)fcntl(ret->out, F_SETFL, O_NONBLOCK);
	return ret->pid < 0 ? -1 : 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* Write what fits of the request; the end is closed when all is out, or when nobody reads. */
static void feed(struct child *c, const char **request, size_t *len)
{
	ssize_t n = write(c->in, *request, *len);

	if (n > 0) {
		*request += n;
		*len -= (size_t)n;
	}
	if (*len == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&c->in);
}

static int drain(struct child *c, const char *type, struct err *e)
{
	ssize_t n;

	if (c->size - c->len < 4096) {
		size_t size = c->size ? c->size * 2 : 16384;
		char *text = size > EXEC_OUTPUT_MAX ? NULL : realloc(c->text, size);

		if (!text)
			return err_set(e, ERR_DELEGATE, ENOBUFS, "plugin %s printed over %d bytes",
				       type, EXEC_OUTPUT_MAX / 2);
		c->text = text;
		c->size = size;
	}
	n = read(c->out, c->text + c->len, c->size - c->len - 1);
	if (n > 0)
		c->len += (size_t)n;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&c->out);
	return 0;
}

/*
 * Exchange until it closes its stdout, or ends while something it started keeps that open; bounded
 * by the deadline.
 */
static int talk(struct child *c, const char *type, const char *request, size_t len,
		const struct deadline *d, struct err *e)
{
	while (c->out >= 0) {
		struct pollfd p[3] = {
			{ .fd = c->out, .events = POLLIN },
			{ .fd = c->in, .events = POLLOUT },
			{ .fd = c->pidfd, .events = POLLIN },
		};
		int left = deadline_left_ms(d);

		if (left == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "plugin %s gave no answer in time",
					      type);
		if (poll(p, ARRAY_SIZE(p), left) < 0)
			continue;	/* EINTR: the deadline knows */
		if (p[1].revents)
			feed(c, &request, &len);
		if (p[0].revents && drain(c, type, e) < 0)
			return -1;
		if (p[2].revents && !p[0].revents)
			close_end(&c->out);
	}
	return 0;
}

/* Its wait status; a child that closed stdout and lives on is killed at the deadline. */
static int reap(struct child *c, const char *type, const struct deadline *d, int *status,
		struct err *e)
{
	close_end(&c->in);
	for (;;) {
		pid_t pid = waitpid(c->pid, status, WNOHANG);

		if (pid == c->pid)
			break;
		if (pid < 0 && errno != EINTR)
			return err_set(e, ERR_DELEGATE, errno, "wait for plugin %s", type);
		if (deadline_left_ms(d) == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "plugin %s did not end in time",
					      type);
		deadline_sleep(d, 1);
	}
	c->pid = -1;
	return 0;
}

static void child_done(struct child *c)
{
	close_end(&c->in);
	close_end(&c->out);
	close_end(&c->pidfd);
	if (c->pid > 0) {
		(void)kill(c->pid, SIGKILL);
		(void)waitpid(c->pid, NULL, 0);
	}
	free(c->text);
}

/* A plugin's error object, with its code, or our words about its death. */
static int failed(const char *type, int status, const json_t *out, bool *refused, struct err *e)
{
	struct err ignored;
	const char *msg = NULL, *details = NULL;
	json_int_t code = 0;

	if (json_is_object(out) && jx_int(out, "", "code", 1, INT_MAX, &code, &ignored) == 1 &&
	    jx_string(out, "", "msg", &msg, &ignored) == 1) {
		*refused = true;
		(void)err_set(e, (enum err_code)code, 0, "plugin %s: %s", type, msg);
		if (jx_string(out, "", "details", &details, &ignored) == 1 && *details)
			(void)err_detail(e, "%s", details);
		return -1;
	}
	if (WIFSIGNALED(status))
		return err_set(e, ERR_DELEGATE, 0, "plugin %s died of signal %d", type,
			       WTERMSIG(status));
	if (!out && (WEXITSTATUS(status) == NOT_EXECUTED || WEXITSTATUS(status) == BEING_WRITTEN)) {
		*refused = true;
		return err_set(e, ERR_DELEGATE, 0, "plugin %s cannot be executed%s", type,
			       WEXITSTATUS(status) == BEING_WRITTEN ? ": it is being installed"
								    : "");
	}
	return err_set(e, ERR_DELEGATE, 0, "plugin %s ended with status %d and no error object",
		       type, WEXITSTATUS(status));
}

int exec_plugin(const char *cni_path, const char *type, const char *command, const char *request,
		size_t len, const struct deadline *d, json_t **ret, bool *refused, struct err *e)
{
	auto_with(child_done) struct child c = { .pid = -1, .pidfd = -1, .in = -1, .out = -1 };
	char file[PATH_MAX];
	json_auto_t *out = NULL;
	struct err bad;
	int status = 0;

	*refused = true;
	if (find(cni_path, type, file, e) < 0 || start(file, type, command, &c, e) < 0)
		return -1;
	*refused = false;
	if (talk(&c, type, request, len, d, e) < 0 || reap(&c, type, d, &status, e) < 0)
		return -1;
	if (c.len > 0)
		out = jx_parse(c.text, c.len, ERR_DELEGATE, type, &bad);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return failed(type, status, out, refused, e);
	if (!out && c.len > 0) {
		*e = bad;
		return err_wrap(e, "plugin %s succeeded with a result that cannot be read", type);
	}
	*ret = steal_ptr(&out);
	return 0;
}
