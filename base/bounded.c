/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded.c - a system call that may block for ever, made by a child, until a deadline
 *
 * The answer comes by shared memory, for a pipe would be one more descriptor that the child can
 * hold.  What is in it counts when the child has said that it is complete, however it ended then.
 */
#include "base/bounded.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED_MS = 200 };	/* from SIGKILL to our giving up */

struct shared {
	atomic_bool done;	/* all of the rest is there */
	int ret;
	struct err e;
	_Alignas(max_align_t) unsigned char answer[];
};

/* -- the child -- */

/*
 * A kernel before 5.9 leaves all but the first three, which are open on purpose: what fn opens is
 * not to be taken for them.
 */
static void close_files(int keep)
{
	unsigned int first = STDERR_FILENO + 1;
	int null;

	if (keep > STDERR_FILENO) {
		(void)syscall(SYS_close_range, first, (unsigned int)keep - 1, 0);
		first = (unsigned int)keep + 1;
	}
	(void)syscall(SYS_close_range, first, ~0U, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			(void)close(fd);
	if (null > STDERR_FILENO)
		(void)close(null);
}

static _Noreturn void work(const struct bounded *b, struct shared *s)
{
	close_files(b->keep);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)!chdir("/");		/* holds no mount */
	s->ret = b->fn(b->arg, s->answer, &s->e);
	atomic_store(&s->done, true);
	_exit(0);
}

/* -- the parent -- */

static bool ends_in_time(struct child *c, const struct deadline *d, unsigned int grace_ms)
{
	struct deadline grace;

	if (child_wait(c, d))
		return true;
	grace = deadline_firm_in(grace_ms);
	return child_wait(c, &grace);
}

static int take_answer(const struct bounded *b, const struct shared *s, int status, struct err *e)
{
	if (!atomic_load(&s->done))
		return err_set(e, ERR_IO, 0, "a child of ours %s %d",
			       WIFSIGNALED(status) ? "died of signal" : "ended with status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (s->ret < 0)
		*e = s->e;
	else if (b->size > 0)
		memcpy(b->answer, s->answer, b->size);
	return s->ret;
}

static int run(const struct bounded *b, struct shared *s, const struct deadline *d, struct err *e)
{
	auto_child struct child c = CHILD_NONE;
	int r = child_fork(&c);
	bool in_time, left;

	if (r < 0)
		return err_set(e, ERR_IO, errno, "start a child of ours");
	if (r == 0)
		work(b, s);
	in_time = ends_in_time(&c, d, b->grace_ms);
	left = !in_time && !child_kill(&c, SIGKILL, KILLED_MS);
	if (b->left)
		*b->left = left;
	if (!in_time)
		return deadline_error(ERR_TRY_AGAIN, e, "no answer %s", deadline_end());
	return take_answer(b, s, c.status, e);
}

static struct shared *shared_new(const struct bounded *b, struct err *e)
{
	struct shared *s = mmap(NULL, sizeof(struct shared) + b->size, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s != MAP_FAILED)
		return s;
	(void)err_set(e, ERR_IO, errno, "memory for the answer of a child");
	return NULL;
}

static void shared_free(struct shared *s, const struct bounded *b)
{
	if (s)
		(void)munmap(s, sizeof(*s) + b->size);
}

int bounded_run(const struct bounded *b, const struct deadline *d, struct err *e)
{
	struct shared *s;
	int ret;

	if (deadline_left_ms(d) == 0 && b->grace_ms == 0)
		return deadline_error(ERR_TRY_AGAIN, e, "no time is left");
	s = shared_new(b, e);
	if (!s)
		return -1;
	ret = run(b, s, d, e);
	shared_free(s, b);
	return ret;
}

/* -- without waiting -- */

struct bounded_job {
	struct bounded b;
	struct child child;
	struct shared *shared;		/* owned */
};

struct bounded_job *bounded_begin(const struct bounded *b, struct err *e)
{
	struct bounded_job *j = malloc(sizeof(*j));
	int r;

	if (!j) {
		(void)err_set(e, ERR_IO, ENOMEM, "start a child of ours");
		return NULL;
	}
	*j = (struct bounded_job){ .b = *b, .child = CHILD_NONE, .shared = shared_new(b, e) };
	r = j->shared ? child_fork(&j->child) : -1;
	if (r == 0)
		work(b, j->shared);
	if (r > 0)
		return j;
	if (j->shared)
		(void)err_set(e, ERR_IO, errno, "start a child of ours");
	bounded_free(j);
	return NULL;
}

bool bounded_has_ended(struct bounded_job *j, int *ret, struct err *e)
{
	if (!child_has_ended(&j->child))
		return false;
	*ret = take_answer(&j->b, j->shared, j->child.status, e);
	return true;
}

void bounded_kill(const struct bounded_job *j)
{
	if (j->child.pid)
		(void)kill(j->child.pid, SIGKILL);
}

void bounded_free(struct bounded_job *j)
{
	if (!j)
		return;
	bounded_kill(j);
	(void)child_has_ended(&j->child);
	child_done(&j->child);
	shared_free(j->shared, &j->b);
	free(j);
}
