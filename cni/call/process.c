/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - the process around a call: descriptors, signals, limits, privileges, last words */
#include "cni/call/process.h"

#include "base/attr.h"
#include "base/capability.h"
#include "base/deadline.h"
#include "base/jx.h"
#include "cni/call/result.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY_MAX	((rlim_t)1 << 30)	/* bytes of address space */
#define CRASH_STACK	65536			/* bytes; some processors save 10 KiB on it */

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { MEMORY_IS_OURS = 0 };	/* its shadow takes terabytes of addresses */
#else
enum { MEMORY_IS_OURS = 1 };
#endif

/* A soft limit; the hard one could not be raised again without CAP_SYS_RESOURCE. */
struct limit {
	bool known;
	struct rlimit was;
};

/* What we were given; a plugin that we run gets it back. */
static struct {
	pid_t parent;
	bool set_up;
	mode_t mask;
	struct limit memory, core;
} given;

static void on_crash(int sig)
{
	result_last_words();
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);	/* pending until we return: the engine is to see how we ended */
}

/*
 * No descriptor of ours may become 0, 1 or 2.  A stdin that was closed must not read as empty, nor
 * may a result vanish in a closed stdout: so their stand-ins have the wrong direction.
 */
at_start void process_set_up_files(void)
{
	static const int stand_in[] = { O_WRONLY, O_RDONLY, O_RDWR };
	struct pollfd fds[] = { { .fd = 0 }, { .fd = 1 }, { .fd = 2 } };
	bool told;

	given.parent = getppid();
	told = poll(fds, ARRAY_SIZE(fds), 0) >= 0;
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (told ? fds[fd].revents & POLLNVAL : fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", stand_in[fd]);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
}

/*
 * All others are the engine's, and not for us or what we run to keep; a kernel before 5.9 leaves
 * them.
 */
static void leave_files(void)
{
	(void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	given.mask = umask(077);
}

/* The crash handlers have a stack of their own: the other one may be what overflowed. */
static void set_up_signals(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	static char stack[CRASH_STACK];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
	sigset_t none;

	(void)signal(SIGCHLD, SIG_DFL); /* ignored by our parent, it would hide how a child ended */
	deadline_catch_signals();
	(void)sigaltstack(&other, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		(void)sigaction(crashes[i], &crash, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void lower_limit(int resource, rlim_t max, struct limit *given_one)
{
	struct rlimit now;

	given_one->known = getrlimit(resource, &given_one->was) == 0;
	now = given_one->was;
	if (!given_one->known || now.rlim_cur <= max)
		return;
	now.rlim_cur = max;
	(void)setrlimit(resource, &now);
}

static void restore_limit(int resource, const struct limit *given_one)
{
	if (given_one->known)
		(void)setrlimit(resource, &given_one->was);
}

/* A request that makes us take more memory than any real one is refused, not the node's end. */
static void set_up_limits(void)
{
	lower_limit(RLIMIT_CORE, 0, &given.core);
	if (MEMORY_IS_OURS)
		lower_limit(RLIMIT_AS, MEMORY_MAX, &given.memory);
}

/* Those that only a call needs that runs plugins. */
#define OF_PLUGINS \
	(CAPABILITY(CAP_KILL) |			/* one that changed its user */ \
	 CAPABILITY(CAP_NET_RAW))		/* to announce the addresses that one gave */

#define USED \
	(OF_PLUGINS | \
	 CAPABILITY(CAP_SYS_ADMIN) |		/* setns */ \
	 CAPABILITY(CAP_NET_ADMIN) | \
	 CAPABILITY(CAP_SYS_PTRACE) |		/* /proc/PID/ns/net of who has more of them */ \
	 CAPABILITY(CAP_DAC_OVERRIDE) | CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_FOWNER) | \
	 CAPABILITY(CAP_CHOWN) | \
	 CAPABILITY(CAP_FSETID))		/* the setgid bit of a directory of others */

/*
 * Of root's capabilities only those that we use stay effective.  The permitted ones stay all: with
 * no_new_privs a plugin that we run gets no more than that, and portmap or firewall need theirs.
 * Best effort: who may not do this has not much to lose.
 */
static void set_up_privileges(void)
{
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)capability_keep(USED, UINT64_MAX);
}

void process_set_up(void)
{
	given.set_up = true;
	leave_files();
	set_up_signals();
	set_up_limits();
	set_up_privileges();
	jx_init(result_last_words);
}

void process_set_up_again(void)
{
	given.parent = getppid();
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	set_up_signals();
}

void process_raise(unsigned int capability)
{
	(void)capability_raise(capability);
}

void process_drop_capabilities(uint64_t raised)
{
	(void)capability_keep(USED & ~OF_PLUGINS, (USED & ~OF_PLUGINS) | raised);
}

void process_restore_for_child(void)
{
	if (!given.set_up)
		return;
	(void)umask(given.mask);
	restore_limit(RLIMIT_AS, &given.memory);
	restore_limit(RLIMIT_CORE, &given.core);
}

bool process_is_orphan(void)
{
	return getppid() != given.parent;
}
