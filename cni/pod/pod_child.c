/* SPDX-License-Identifier: Apache-2.0 */
/* pod_child.c - a call of this program in a process of its own, forked and not executed */
#include "cni/pod/pod_child.h"

#include "base/jx.h"
#include "base/mem.h"
#include "cni/call/process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL	0x0008U		/* Linux 6.3 */
#endif

enum {
	CHILDREN_MAX = 16,	/* that are waited for at once */
	TICK_MS = 20,		/* how often ends are asked for without a pidfd */
	STOP_MS = 3000,		/* for their roll-backs */
	KILLED_MS = 1000,	/* from SIGKILL to our giving up: it hangs in the kernel */
	ANSWER_MAX = 32 << 20,	/* bytes */
};

static _Noreturn void become(int out, pod_child_fn *fn, void *arg)
{
	if (dup2(out, STDOUT_FILENO) < 0)
		_exit(1);
	process_set_up_again();
	exit(fn(arg));
}

/* A node may refuse one that could be executed (vm.memfd_noexec); an older kernel has no other. */
static int open_output(void)
{
	int fd = memfd_create("devinfo", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return fd < 0 && errno == EINVAL ? memfd_create("devinfo", MFD_CLOEXEC) : fd;
}

int pod_child_start(struct pod_child *c, pod_child_fn *fn, void *arg, struct err *e)
{
	auto_close int out = open_output();
	int r = out < 0 ? -1 : child_fork(&c->child);

	if (r < 0)
		return err_set(e, ERR_IO, errno, "start a process for an attachment");
	if (r == 0)
		become(out, fn, arg);
	c->out = steal_fd(&out);
	return 0;
}

/* The first that has ended. */
static size_t find_ended(struct pod_child *const *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (child_has_ended(&c[i]->child))
			return i;
	return n;
}

size_t pod_child_wait(struct pod_child *const *c, size_t n, const struct deadline *d)
{
	size_t ended = find_ended(c, n), known = 0;
	struct pollfd fds[CHILDREN_MAX];

	for (size_t i = 0; i < n && i < CHILDREN_MAX; i++) {
		fds[i] = (struct pollfd){ .fd = c[i]->child.pidfd, .events = POLLIN };
		known += fds[i].fd >= 0;
	}
	while (ended == n && deadline_left_ms(d) > 0) {
		struct deadline tick = deadline_earlier(d, deadline_in(TICK_MS));

		(void)deadline_poll(known == n ? d : &tick, fds, n);
		ended = find_ended(c, n);
	}
	return ended;
}

static void signal_all(struct pod_child *const *c, size_t n, int sig)
{
	for (size_t i = 0; i < n; i++)
		if (c[i]->child.pid)
			(void)kill(c[i]->child.pid, sig);
}

static bool have_ended(struct pod_child *const *c, size_t n, unsigned int ms)
{
	const struct deadline d = deadline_firm_in(ms);
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= child_wait(&c[i]->child, &d);
	return all;
}

void pod_child_stop(struct pod_child *const *c, size_t n)
{
	signal_all(c, n, SIGTERM);
	if (have_ended(c, n, STOP_MS))
		return;
	signal_all(c, n, SIGKILL);
	(void)have_ended(c, n, KILLED_MS);
}

/* All of what it printed, owned by the caller. */
static char *read_all(int fd, size_t *len, struct err *e)
{
	auto_free char *text = NULL;
	ssize_t n = -1;
	struct stat st;

	if (fstat(fd, &st) == 0) {
		if (st.st_size <= ANSWER_MAX)
			text = malloc((size_t)st.st_size + 1);
		else
			errno = EFBIG;
	}
	if (text)
		n = pread(fd, text, (size_t)st.st_size, 0);
	if (n < 0) {
		(void)err_set(e, ERR_IO, errno, "read the answer of an attachment");
		return NULL;
	}
	*len = (size_t)n;
	return steal_ptr(&text);
}

/* Without an error object it was killed. */
static int take_error(const json_t *o, int status, struct err *e)
{
	const char *msg = NULL, *details = NULL;
	json_int_t code = 0;
	struct err ignored;

	if (jx_int(o, "", "code", 1, INT_MAX, &code, &ignored) == 1 &&
	    jx_string(o, "", "msg", &msg, &ignored) == 1) {
		(void)err_set(e, (enum err_code)code, 0, "%s", msg);
		return jx_string(o, "", "details", &details, &ignored) == 1 ?
			       err_detail(e, "%s", details) : -1;
	}
	return WIFSIGNALED(status) ?
		       err_set(e, ERR_IO, 0, "its process died of signal %d", WTERMSIG(status)) :
		       err_set(e, ERR_IO, 0, "its process ended with status %d and no error",
			       WEXITSTATUS(status));
}

static int take_answer(const struct pod_child *c, json_t **ret, struct err *e)
{
	bool failed = !WIFEXITED(c->child.status) || WEXITSTATUS(c->child.status) != 0;
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	size_t len = 0;

	if (c->child.pid)
		return err_set(e, ERR_TRY_AGAIN, ETIMEDOUT, "its process %d does not end, though "
			       "it was killed", (int)c->child.pid);
	text = read_all(c->out, &len, e);
	if (!text)
		return -1;
	if (len > 0)
		doc = jx_parse(text, len, ERR_IO, "the answer of an attachment", e);
	if (failed)
		return take_error(doc, c->child.status, e);
	if (len > 0 && !doc)
		return -1;
	*ret = steal_ptr(&doc);
	return 0;
}

int pod_child_collect(struct pod_child *c, json_t **ret, struct err *e)
{
	int r = take_answer(c, ret, e);

	mem_close_fd(&c->out);
	child_done(&c->child);
	c->out = -1;
	return r;
}

int pod_child_await(struct pod_child *c, const struct deadline *d, json_t **ret, struct err *e)
{
	struct pod_child *one = c;

	if (pod_child_wait(&one, 1, d) == 0)
		return pod_child_collect(c, ret, e);
	pod_child_stop(&one, 1);
	if (pod_child_collect(c, ret, e) == 0)	/* it was just done */
		return 0;
	return deadline_error(ERR_TRY_AGAIN, e, "its process did not end %s", deadline_end());
}
