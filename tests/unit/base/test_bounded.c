/* SPDX-License-Identifier: Apache-2.0 */
/* test_bounded.c - work in a child until a deadline: its answer, error, end, and what it holds */
#include "base/bounded.h"
#include "tests/unit/plugin.h"
#include "tests/unit/tap.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

/* What the children tell of themselves. */
struct told {
	_Atomic pid_t pid;
	int files;		/* descriptors that are open */
	int nulls;		/* of the first three, those that are /dev/null */
	bool handled;		/* SIGTERM has a handler */
	char dir[16];
};

static struct told *told;
static int pipe_in, pipe_out;	/* of a pipe whose reader waits for its end */

static long long ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static int within(const struct bounded *b, unsigned int ms, struct err *e)
{
	struct deadline d = deadline_in(ms);

	*told = (struct told){ 0 };
	*e = (struct err){ 0 };
	return bounded_run(b, &d, e);
}

/* -- what children do -- */

static int add(const void *arg, void *answer, struct err *e)
{
	const int *n = arg;
	int *sum = answer;

	(void)e;
	told->pid = getpid();
	*sum += n[0] + n[1];	/* the answer begins with zero */
	return n[2];
}

static int refuse(const void *arg, void *answer, struct err *e)
{
	*(int *)answer = 7;
	(void)err_set(e, ERR_NETLINK, EBUSY, "%s is taken", (const char *)arg);
	return err_detail(e, "\"by another\"");
}

/* Where only SIGKILL reaches it. */
static int hang(const void *arg, void *answer, struct err *e)
{
	sigset_t all;

	(void)arg;
	(void)answer;
	(void)e;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	told->pid = getpid();
	while (told->pid)
		(void)pause();
	return 0;
}

static int terminate_parent(const void *arg, void *answer, struct err *e)
{
	told->pid = getpid();
	(void)kill(getppid(), SIGTERM);
	return hang(arg, answer, e);
}

static int die(const void *arg, void *answer, struct err *e)
{
	const int *sig = arg;

	(void)answer;
	(void)e;
	if (*sig)
		(void)raise(*sig);
	_exit(3);
}

static int probe_context(const void *arg, void *answer, struct err *e)
{
	struct sigaction sa;
	struct stat st, null;

	(void)arg;
	(void)answer;
	(void)e;
	told->files = open_fds();
	(void)stat("/dev/null", &null);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		told->nulls += fstat(fd, &st) == 0 && st.st_rdev == null.st_rdev;
	told->handled = sigaction(SIGTERM, NULL, &sa) == 0 && sa.sa_handler != SIG_DFL;
	(void)!getcwd(told->dir, sizeof(told->dir));
	return 0;
}

static int write_kept(const void *arg, void *answer, struct err *e)
{
	const int *fd = arg;

	(void)answer;
	(void)e;
	told->files = open_fds();
	return write(*fd, "kept", 4) == 4;
}

/* Tells its parent to close the pipe, and reads to the end that only comes if it has no copy. */
static int read_to_end(const void *arg, void *answer, struct err *e)
{
	char path[48], c;

	(void)arg;
	(void)answer;
	(void)e;
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", getppid(), pipe_out);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	(void)kill(getppid(), SIGUSR1);
	return fd >= 0 && read(fd, &c, 1) == 0;
}

/* -- tests -- */

static void answering(void)
{
	int n[] = { 3, 4, 0 }, sum = 1;
	const struct bounded b = { .fn = add, .arg = n, .answer = &sum, .size = sizeof(sum) };
	struct err e;

	test("the answer and the result of the child arrive");
	ok(within(&b, 60000, &e) == 0 && sum == 7 && told->pid != getpid());
	n[2] = 1;
	ok(within(&b, 60000, &e) == 1 && sum == 7);
	test("also where our parent has us ignore how children end");
	(void)signal(SIGCHLD, SIG_IGN);
	sum = 0;
	ok(within(&b, 60000, &e) == 1 && sum == 7);
	(void)signal(SIGCHLD, SIG_DFL);
}

static void refusing(void)
{
	int answer = 1;
	const struct bounded b = { .fn = refuse, .arg = "the name", .answer = &answer,
				   .size = sizeof(answer) };
	struct err e;

	test("an error arrives whole, and the answer is left alone");
	ok(within(&b, 60000, &e) == -1 && answer == 1);
	ok(e.code == ERR_NETLINK && e.sys == EBUSY);
	eq(e.msg, "the name is taken");
	eq(e.details, "Device or resource busy; \"by another\"");
}

static void waiting(void)
{
	bool left = true;
	const struct bounded b = { .fn = hang, .left = &left };
	long long start = ms_now();
	struct err e;

	test("a child that is late is killed, whatever it thinks of signals, and we go on");
	ok(within(&b, 500, &e) == -1 && e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	eq(e.msg, "no answer in time");
	ok(told->pid > 0 && kill(told->pid, 0) < 0 && errno == ESRCH);
	ok(ms_now() - start >= 500 && ms_now() - start < 10000);
	ok(!left);
	test("without time left nothing is begun");
	ok(within(&b, 0, &e) == -1 && e.code == ERR_TRY_AGAIN && told->pid == 0);
	eq(e.msg, "no time is left");
}

static void interrupted(void)
{
	const struct bounded b = { .fn = terminate_parent };
	long long start = ms_now();
	struct err e;

	test("SIGTERM ends the wait, and the child");
	deadline_catch_signals();
	ok(within(&b, 60000, &e) == -1 && e.code == ERR_INTERRUPTED);
	ok(told->pid > 0 && kill(told->pid, 0) < 0 && errno == ESRCH);
	ok(ms_now() - start < 10000);
	deadline_catch_signals();
}

static void dying(void)
{
	int sig = SIGKILL;
	const struct bounded b = { .fn = die, .arg = &sig };
	struct err e;

	test("a child that dies says how, and has no answer");
	ok(within(&b, 60000, &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "a child of ours died of signal 9");
	sig = 0;
	ok(within(&b, 60000, &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "a child of ours ended with status 3");
}

static void holding(void)
{
	const struct bounded b = { .fn = probe_context };
	int fd[2];
	const struct bounded kept = { .fn = write_kept, .arg = &fd[1] };
	struct bounded k = kept;
	char text[8] = "";
	struct err e;

	test("the child has no descriptor of ours, no handler and no directory");
	deadline_catch_signals();
	ok(pipe2(fd, O_CLOEXEC) == 0);
	ok(within(&b, 60000, &e) == 0);
	ok(told->nulls == 3 && told->files == 3 + 3);	/* ".", "..", the directory itself */
	ok(!told->handled);
	eq(told->dir, "/");
	test("but the one that it shall keep, whatever its number");
	k.keep = fd[1];
	ok(within(&k, 60000, &e) == 1 && told->files == 3 + 4);
	ok(read(fd[0], text, sizeof(text)) == 4);
	eq(text, "kept");
	k.arg = &(int){ 200 };
	k.keep = dup2(fd[1], 200);
	ok(within(&k, 60000, &e) == 1 && told->files == 3 + 4);
	test("and not when that is none");
	k.keep = 0;
	ok(within(&k, 60000, &e) == 0 && told->files == 3 + 3);
	(void)close(200);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

static void on_usr1(int sig)
{
	(void)sig;
	(void)close(pipe_in);
	(void)close(STDOUT_FILENO);
}

static void end_of_output(void)
{
	const struct sigaction sa = { .sa_handler = on_usr1 };
	const struct bounded b = { .fn = read_to_end };
	int fd[2], ret, out;
	struct err e;

	test("who reads our stdout sees its end while the child is still at work");
	(void)fflush(stdout);
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	(void)sigaction(SIGUSR1, &sa, NULL);
	ok(pipe(fd) == 0);	/* without O_CLOEXEC */
	(void)fflush(stdout);
	pipe_out = fd[0];
	pipe_in = fd[1];
	(void)dup2(fd[1], STDOUT_FILENO);
	ret = within(&b, 20000, &e);
	(void)dup2(out, STDOUT_FILENO);
	ok(ret == 1);
	(void)close(out);
	(void)close(fd[0]);
}

static void orphaned(void)
{
	const struct bounded b = { .fn = hang };
	int status = 0;
	struct err e;
	pid_t us;

	test("kill -9 of us kills the child");
	*told = (struct told){ 0 };
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);	/* its parent dies: it is ours to bury */
	us = fork();
	if (us == 0)
		_exit(within(&b, 60000, &e) == 0);
	for (int i = 0; i < 1000 && told->pid == 0; i++)
		(void)usleep(10000);
	ok(us > 0 && told->pid > 0);
	(void)kill(us, SIGKILL);
	ok(waitpid(us, NULL, 0) == us);
	ok(waitpid(told->pid, &status, 0) == told->pid && WIFSIGNALED(status) &&
	   WTERMSIG(status) == SIGKILL);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Wait for its end, as a timer would look. */
static bool ends(struct bounded_job *j, int *ret, struct err *e)
{
	for (int i = 0; i < 1000; i++) {
		if (bounded_has_ended(j, ret, e))
			return true;
		(void)usleep(5000);
	}
	return false;
}

static void not_waited_for(void)
{
	int n[] = { 3, 4, 5 }, sum = 1, ret = 0;
	const struct bounded b = { .fn = add, .arg = n, .answer = &sum, .size = sizeof(sum) };
	const struct bounded refusing_one = { .fn = refuse, .arg = "it", .answer = &sum,
					      .size = sizeof(sum) };
	const struct bounded late = { .fn = hang };
	struct bounded_job *j;
	struct err e = { 0 };

	test("a child that is not waited for has its answer at its end");
	j = bounded_begin(&b, &e);
	ok(j && ends(j, &ret, &e));
	eqi(ret, 5);
	eqi(sum, 7);
	bounded_free(j);

	test("or its error");
	j = bounded_begin(&refusing_one, &e);
	ok(j && ends(j, &ret, &e));
	eqi(ret, -1);
	eq(e.msg, "it is taken");
	bounded_free(j);

	test("one that hangs has not ended, until it is killed");
	*told = (struct told){ 0 };
	j = bounded_begin(&late, &e);
	for (int i = 0; i < 1000 && told->pid == 0; i++)
		(void)usleep(5000);
	ok(j && !bounded_has_ended(j, &ret, &e));
	bounded_kill(j);
	ok(ends(j, &ret, &e));
	eqi(ret, -1);
	contains(e.msg, "died of signal 9");
	bounded_free(j);
}

int main(void)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 1;
	(void)setvbuf(stdout, NULL, _IOLBF, 0);	/* nothing for a fork to print again */
	(void)syscall(SYS_close_range, 3, ~0U, 0);	/* what the test's caller has left open */
	leaves_nothing(answering);
	leaves_nothing(refusing);
	leaves_nothing(waiting);
	leaves_nothing(interrupted);
	leaves_nothing(dying);
	leaves_nothing(holding);
	leaves_nothing(end_of_output);
	leaves_nothing(orphaned);
	leaves_nothing(not_waited_for);
	return tap_end();
}
