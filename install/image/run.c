/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - the output of a program goes into a file in memory, which it cannot make wait */
#include "install/image/run.h"

#include "base/child.h"
#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { OUTPUT_MAX = 16 * 1024 * 1024, KILL_MS = 5000, NOT_EXECUTED = 127 };

/* In the child. */
static void execute(char *const *argv, int out)
{
	const struct rlimit limit = { OUTPUT_MAX, OUTPUT_MAX };

	if (dup2(out, STDOUT_FILENO) >= 0 && setrlimit(RLIMIT_FSIZE, &limit) == 0)
		(void)execvp(argv[0], argv);
	_exit(NOT_EXECUTED);
}

/* c: of a child that was waited for. */
static int judge(struct child *c, bool ended, const char *name, struct err *e)
{
	if (!ended) {
		if (!child_kill(c, SIGTERM, KILL_MS))
			(void)child_kill(c, SIGKILL, KILL_MS);
		return deadline_error(ERR_TRY_AGAIN, e, "'%s' did not end", name);
	}
	if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0)
		return 0;
	if (WIFEXITED(c->status))
		return err_set(e, ERR_IO, 0, "'%s' ended with status %d%s", name,
			       WEXITSTATUS(c->status), WEXITSTATUS(c->status) == NOT_EXECUTED ?
			       ": it may not be there" : "");
	return err_set(e, ERR_IO, 0, "'%s' was ended by signal %d%s", name, WTERMSIG(c->status),
		       WTERMSIG(c->status) == SIGXFSZ ? ": it printed too much" : "");
}

static int read_output(int fd, char **ret, size_t *len, struct err *e)
{
	auto_free char *text = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size > OUTPUT_MAX)
		return err_set(e, ERR_IO, EFBIG, "read what was printed");
	text = malloc((size_t)st.st_size + 1);
	if (!text || pread(fd, text, (size_t)st.st_size, 0) != st.st_size)
		return err_set(e, ERR_IO, text ? errno : ENOMEM, "read what was printed");
	text[st.st_size] = '\0';
	*len = (size_t)st.st_size;
	*ret = steal_ptr(&text);
	return 0;
}

int run_program(char *const *argv, unsigned int ms, char **ret, size_t *len, struct err *e)
{
	auto_close int out = memfd_create("output", MFD_CLOEXEC);
	auto_child struct child c = CHILD_NONE;
	const struct deadline d = deadline_in(ms);
	int r = out < 0 ? -1 : child_fork(&c);

	if (r < 0)
		return err_set(e, ERR_IO, errno, "start '%s'", argv[0]);
	if (r == 0)
		execute(argv, out);
	if (judge(&c, child_wait(&c, &d), argv[0], e) < 0)
		return -1;
	return read_output(out, ret, len, e);
}
