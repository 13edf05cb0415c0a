/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfault.c - run a command and count its system calls, or break one of them
 *
 *	sysfault count COMMAND...		their number goes to descriptor 3
 *	sysfault kill N COMMAND...		SIGKILL at the entry of the N-th, which is not done
 *	sysfault fail N ERRNO COMMAND...	the N-th is not done and returns -ERRNO; where that
 *						is a call that cannot fail, the next that can
 *	sysfault fail N+ ERRNO COMMAND...	... and so does each later one of the same name
 *	sysfault list COMMAND...		each of them goes to descriptor 3, a line with its
 *						number in linux/unistd.h and its first two arguments
 *	sysfault changes count|kill|fail ...	the same, of those calls only that change something
 *						which outlives the command
 *	sysfault of NAME,... count|kill|fail ...
 *						the same, of the calls of these names, or numbers,
 *						only
 *	sysfault children count|kill|fail ...	the same, of the calls of its children only, until
 *						they execute another program; that one is not seen
 *
 * Changes are: a file gets or loses its name, a directory is made, sysfs or standard output is
 * written to, a child with descriptors of its own is started, rtnetlink is asked, by sendto(2),
 * for anything but to tell, or the database of Open vSwitch for anything.  What goes to a file
 * without a name is none, nor what the index of records gets, nor is fsync(2), for the kernel
 * lives on.
 *
 * Calls of all kinds are numbered together, which strace's fault injection cannot do; 1 is the
 * first one after execve(2).  Those of children and of further threads are neither seen nor
 * counted, but where it is they who are meant: then only one at a time may be there, for theirs are
 * numbered together.  What failed goes on untraced; strace stops more often and for longer, which a
 * machine without KVM feels.  The exit status is the command's, 128 and its number for a signal,
 * 127 when it cannot be executed, and 125 for a fault of our own.  Needs Linux 5.3.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>	/* after sys/ptrace.h, whose enum it would break */

#ifdef __x86_64__
#define CALL_NUMBER offsetof(struct user, regs.orig_rax)
#define CALL_RESULT offsetof(struct user, regs.rax)
#else
#error "say where this architecture keeps the number and the result of a system call"
#endif

enum { REPORT_FD = 3, TROUBLE = 125, NOT_EXECUTED = 127, ERRNO_MAX = 4095, NAMES_MAX = 16 };

struct fault {
	unsigned long n;	/* 0: none, or it is done */
	int error;		/* 0: kill */
	bool lasting;		/* all later calls of the same number fail, too */
	unsigned long long nr;	/* that number, once the first of them was there */
};

struct run {
	struct fault fault;
	bool changes;		/* no other calls are counted */
	bool children;		/* nor the command's own */
	bool list;
	unsigned long long of[NAMES_MAX];	/* nor others than these, if there is one */
	size_t n_of;
	pid_t command;
	pid_t pid;		/* who is stopped: the command or a child of it */
	bool started;		/* its execve is over */
	pid_t failing;		/* who is between entry and exit of the call that fails */
	bool done;		/* it has failed: nothing more to see */
	unsigned long calls;
};

static pid_t command;		/* for the signal handler */

/* brk(2) tells of a failure by the old end, which is no errno. */
static const long infallible[] = {
	__NR_exit, __NR_exit_group, __NR_rt_sigreturn, __NR_getpid, __NR_gettid, __NR_getppid,
	__NR_brk,
#ifdef __SANITIZE_ADDRESS__
	/* Those of a command built like this are the sanitizer's, which gives up at once. */
	__NR_mmap, __NR_munmap, __NR_mprotect, __NR_madvise, __NR_mremap,
#endif
};

static const struct {
	const char *name;
	unsigned long long nr;
} named[] = {
	{ "clone", __NR_clone }, { "fsync", __NR_fsync }, { "linkat", __NR_linkat },
	{ "munmap", __NR_munmap }, { "pidfd_open", __NR_pidfd_open }, { "sendto", __NR_sendto },
	{ "setns", __NR_setns }, { "unlinkat", __NR_unlinkat }, { "write", __NR_write },
};

static void trouble(const char *what)
{
	(void)fprintf(stderr, "sysfault: %s: %s\n", what, strerror(errno));
	exit(TROUBLE);
}

static void pass_on(int sig)
{
	(void)kill(command, sig);
}

static pid_t start(char *const argv[])
{
	pid_t pid = fork();

	if (pid < 0)
		trouble("fork");
	if (pid > 0)
		return pid;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 || raise(SIGSTOP) != 0)
		_exit(TROUBLE);
	(void)execvp(argv[0], argv);
	_exit(NOT_EXECUTED);
}

static void poke(pid_t pid, size_t where, long value)
{
	if (ptrace(PTRACE_POKEUSER, pid, where, value) < 0)
		trouble("PTRACE_POKEUSER");
}

static bool can_fail(unsigned long long nr)
{
	for (size_t i = 0; i < sizeof(infallible) / sizeof(*infallible); i++)
		if (nr == (unsigned long long)infallible[i])
			return false;
	return true;
}

/* The word of the command's memory there, 0 where there is none. */
static unsigned long peek(pid_t pid, __u64 where)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, pid, where, NULL);
	return errno == 0 ? (unsigned long)word : 0;
}

/*
 * Of a message its first 8 bytes are length and type; of rtnetlink's types each 4th asks.  To whom
 * we are connected a JSON object is a request; kubelet gets none.
 */
static bool is_request(pid_t pid, const __u64 args[6])
{
	enum { ASKS = 2, KINDS = 4 };
	unsigned long type = peek(pid, args[1]) >> 32 & 0xffff;

	if (!args[4])
		return (peek(pid, args[1]) & 0xff) == '{';
	return (peek(pid, args[4]) & 0xffff) == AF_NETLINK && type % KINDS != ASKS;
}

/* "": not known. */
static void path_of(pid_t pid, __u64 fd, char ret[PATH_MAX])
{
	char link[64];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, (int)fd);
	n = readlink(link, ret, PATH_MAX - 1);
	ret[n < 0 ? 0 : n] = '\0';
}

/* Not what goes to a temporary file, the log or another plugin. */
static bool is_kept(pid_t pid, __u64 fd)
{
	char path[PATH_MAX];

	path_of(pid, fd, path);
	return *path && (fd == STDOUT_FILENO || strncmp(path, "/sys/", 5) == 0);
}

/* The index of records is no state: what is in it says what may be. */
static bool is_of_index(pid_t pid, __u64 fd)
{
	char path[PATH_MAX];
	size_t len;

	path_of(pid, fd, path);
	len = strlen(path);
	return len > 6 && strcmp(path + len - 6, "/index") == 0;
}

static bool is_change(pid_t pid, unsigned long long nr, const __u64 args[6])
{
	switch (nr) {
	case __NR_linkat: case __NR_renameat: case __NR_renameat2:
	case __NR_clone3: case __NR_fork: case __NR_vfork:
		return true;
	case __NR_clone:	/* but who only opens a socket in another namespace, netns_do() */
		return !(args[0] & CLONE_FILES);
	case __NR_mkdirat:
		return !is_of_index(pid, args[0]);
	case __NR_unlinkat:	/* names of temporary files begin with a '.' */
		return (peek(pid, args[1]) & 0xff) != '.' && !is_of_index(pid, args[0]);
	case __NR_write:
		return is_kept(pid, args[0]);
	case __NR_sendto:
		return is_request(pid, args);
	default:
		return false;
	}
}

static bool is_named(const struct run *r, unsigned long long nr)
{
	for (size_t i = 0; i < r->n_of; i++)
		if (r->of[i] == nr)
			return true;
	return false;
}

static bool counts(const struct run *r, unsigned long long nr, const __u64 args[6])
{
	if (r->children == (r->pid == r->command))
		return false;
	if (r->n_of)
		return is_named(r, nr);
	return !r->changes || is_change(r->pid, nr, args);
}

static void fail(struct run *r, unsigned long long nr)
{
	if (nr != __NR_close)	/* which closes even when it fails */
		poke(r->pid, CALL_NUMBER, -1);	/* no such call: nothing is done */
	r->failing = r->pid;
	r->fault.n = 0;
	r->fault.nr = nr;
}

static void on_entry(struct run *r, unsigned long long nr, const __u64 args[6])
{
	r->calls++;
	if (r->list)
		(void)dprintf(REPORT_FD, "%llu %llu %llu\n", nr, args[0], args[1]);
	if (r->fault.lasting && r->fault.n == 0 && nr == r->fault.nr)
		fail(r, nr);
	if (r->calls < r->fault.n || r->fault.n == 0)
		return;
	if (r->fault.error == 0) {
		(void)kill(r->pid, SIGKILL);
		r->fault.n = 0;		/* of its children no other one */
	} else if (can_fail(nr)) {
		fail(r, nr);
	}
}

static void on_exit_of_call(struct run *r)
{
	if (r->failing != r->pid)
		return;
	poke(r->pid, CALL_RESULT, -r->fault.error);
	r->failing = 0;
	r->done = !r->fault.lasting;
}

static void on_call(struct run *r)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, r->pid, sizeof(info), &info) < 0)
		trouble("PTRACE_GET_SYSCALL_INFO");
	if (r->started && info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		if (counts(r, info.entry.nr, info.entry.args))
			on_entry(r, info.entry.nr, info.entry.args);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		on_exit_of_call(r);
	}
}

/* The signal that who stopped goes on with; a child that is another program now goes on alone. */
static int on_stop(struct run *r, int status)
{
	const bool is_child = r->pid != r->command;

	if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
		on_call(r);
		return 0;
	}
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
		r->started = true;
		if (is_child && ptrace(PTRACE_DETACH, r->pid, NULL, NULL) < 0 && errno != ESRCH)
			trouble("PTRACE_DETACH");
		return 0;
	}
	if (status >> 16 || (is_child && WSTOPSIG(status) == SIGSTOP))	/* a child begins */
		return 0;
	return WSTOPSIG(status);
}

/* The next one who stops or ends. */
static int await(struct run *r)
{
	int status;

	r->pid = waitpid(-1, &status, __WALL);
	if (r->pid < 0)
		trouble("waitpid");
	return status;
}

/* To the end of the command, whose exit status it is. */
static int follow(struct run *r)
{
	const long children = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
			     (r->children ? children : 0);
	int sig = 0, status = await(r);		/* the SIGSTOP that it sends itself */

	if (WIFSTOPPED(status) && ptrace(PTRACE_SETOPTIONS, r->pid, NULL, options) < 0)
		trouble("PTRACE_SETOPTIONS");
	while (WIFSTOPPED(status) || r->pid != r->command) {
		/* gone: it was killed while it stood, which waitpid tells, or goes on alone */
		if (WIFSTOPPED(status) &&
		    ptrace(r->done ? PTRACE_DETACH : PTRACE_SYSCALL, r->pid, NULL, (long)sig) < 0 &&
		    errno != ESRCH)
			trouble("ptrace");
		status = await(r);
		sig = WIFSTOPPED(status) ? on_stop(r, status) : 0;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n == 0 || n > max) {
		(void)fprintf(stderr, "sysfault: '%s' is no number from 1 to %lu\n", text, max);
		exit(TROUBLE);
	}
	return n;
}

static void usage(void)
{
	(void)fprintf(stderr, "usage: sysfault [changes|of NAME,...|children]... "
			      "count|list|kill N|fail N[+] ERRNO COMMAND...\n");
	exit(TROUBLE);
}

/* The number of the call with this name of len bytes, or this number. */
static unsigned long long call_of(const char *name, size_t len)
{
	size_t i;

	if (*name >= '0' && *name <= '9')
		return strtoul(name, NULL, 10);
	for (i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strlen(named[i].name) == len && strncmp(named[i].name, name, len) == 0)
			return named[i].nr;
	usage();
	return 0;
}

/* These names, with commas between. */
static void read_names(struct run *r, const char *list)
{
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (r->n_of == NAMES_MAX)
			usage();
		r->of[r->n_of++] = call_of(list, len);
		if (!list[len])
			return;
	}
}

/* Which calls are meant; returns where the rest begins. */
static char **read_options(struct run *r, char **argv)
{
	for (; *argv; argv++) {
		if (strcmp(*argv, "changes") == 0)
			r->changes = true;
		else if (strcmp(*argv, "children") == 0)
			r->children = true;
		else if (strcmp(*argv, "of") == 0 && argv[1])
			read_names(r, *++argv);
		else
			break;
	}
	return argv;
}

/* "N", or "N+" for each later one as well */
static void read_number(struct fault *ret, char *text)
{
	size_t len = strlen(text);

	ret->lasting = len > 0 && text[len - 1] == '+';
	if (ret->lasting)
		text[len - 1] = '\0';
	ret->n = number(text, LONG_MAX);
}

/* The fault that was asked for; returns where the command begins, NULL for a wrong usage. */
static char **parse(struct run *r, char **argv)
{
	const char *verb = argv[0] ? argv[0] : "";

	r->list = strcmp(verb, "list") == 0;
	if ((r->list || strcmp(verb, "count") == 0) && argv[1]) {
		if (fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC) < 0)
			trouble("descriptor 3");
		return argv + 1;
	}
	if (strcmp(verb, "kill") == 0 && argv[1] && argv[2]) {
		r->fault.n = number(argv[1], LONG_MAX);
		return argv + 2;
	}
	if (strcmp(verb, "fail") == 0 && argv[1] && argv[2] && argv[3]) {
		read_number(&r->fault, argv[1]);
		r->fault.error = (int)number(argv[2], ERRNO_MAX);
		return argv + 3;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const int passed[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	struct run r = { 0 };
	bool counting;
	int status;
	char **cmd;

	cmd = argc > 1 ? parse(&r, read_options(&r, argv + 1)) : NULL;
	if (!cmd)
		usage();
	counting = r.fault.n == 0 && !r.list;
	r.command = command = start(cmd);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		(void)signal(passed[i], pass_on);
	status = follow(&r);
	if (counting)
		(void)dprintf(REPORT_FD, "%lu\n", r.calls);
	return status;
}
