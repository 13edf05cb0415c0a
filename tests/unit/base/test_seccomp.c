/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_seccomp.c - system calls that are refused, and all others
 *
 * Each number is called by a child of its own that has the filter, with arguments that the kernel
 * itself refuses otherwise.
 */
#include "base/seccomp.h"

#include "base/attr.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANY	(-1L)		/* no descriptor, no address, no flags */

enum { CRASHED = 254, NO_FILTER };

/* The answer of fn in a child with the filter: 0, or an errno. */
static int in_child(enum seccomp_who who, int (*fn)(long arg), long arg)
{
	pid_t pid = fork();
	struct err e;
	int status;

	if (pid == 0) {
		(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(seccomp_refuse(who, &e) == 1 ? fn(arg) : NO_FILTER);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
}

static int make(long number)
{
	return syscall(number, ANY, ANY, ANY, ANY, ANY, ANY) < 0 ? errno : 0;
}

static void refuse_each(void)
{
	static const long never[] = {
		SYS_execve, SYS_execveat, SYS_process_vm_readv, SYS_process_vm_writev,
		SYS_perf_event_open, SYS_umount2, SYS_pivot_root, SYS_open_tree, SYS_move_mount,
		SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_open_by_handle_at,
		SYS_fanotify_init, SYS_swapon, SYS_swapoff, SYS_sethostname, SYS_setdomainname,
		SYS_quotactl, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_io_uring_setup,
		SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd, SYS_mount, SYS_unshare,
		438, 442, 443,
	};
	int others = 0;

	test("what is listed is refused, whatever its arguments");
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		others += in_child(SECCOMP_CALL, make, never[i]) != EPERM;
	eqi(others, 0);
}

/* The neighbours of those, which the kernel judges by itself: none of it is EPERM. */
static void allow_neighbours(void)
{
	static const long allowed[] = {
		SYS_read, SYS_openat, SYS_wait4, SYS_fcntl, SYS_setns, SYS_openat2, SYS_clone3,
		SYS_close_range, SYS_pidfd_open, SYS_renameat2, SYS_statx, SYS_memfd_create,
		SYS_landlock_create_ruleset, SYS_name_to_handle_at, SYS_prlimit64, SYS_sendmmsg,
		SYS_capget, SYS_linkat, SYS_mknodat, SYS_faccessat2, SYS_pidfd_send_signal,
	};
	int refused = 0;

	test("all else is the kernel's to judge");
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		refused += in_child(SECCOMP_CALL, make, allowed[i]) == EPERM;
	eqi(refused, 0);
}

/* A child of a child, a socket in it: what a bounded request and a visit to a namespace need. */
static int work(long arg)
{
	pid_t pid = fork();
	int status;

	(void)arg;
	if (pid == 0)
		_exit(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ||
		      open("/proc/self/status", O_RDONLY | O_CLOEXEC) < 0 || !malloc(1 << 20) ||
		      make(SYS_execve) != EPERM);
	return waitpid(pid, &status, 0) != pid || status != 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int work_in_thread(long arg)
{
	pthread_t thread;

	(void)arg;
	return pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0;
}

static const long namespaces[] = {
	CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID,
	CLONE_NEWNET,
};

/* CLONE_THREAD alone is refused by the kernel: no child is made. */
static int clone_into(long flag)
{
	return syscall(SYS_clone, flag | CLONE_THREAD, 0, 0, 0, 0) < 0 ? errno : 0;
}

/* What of a daemon alone is refused, and that it can do all that a call can. */
static void refuse_daemons(void)
{
	static const long never[] = {
		SYS_bpf, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
		SYS_reboot, SYS_acct, SYS_syslog, SYS_chroot, SYS_kcmp, SYS_move_pages,
		SYS_migrate_pages, SYS_execve, SYS_unshare, 440,
	};
	int others = 0;

	test("a daemon is refused more");
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		others += in_child(SECCOMP_DAEMON, make, never[i]) != EPERM;
	eqi(others, 0);
	test("as a call is not");
	eqi(in_child(SECCOMP_CALL, make, SYS_bpf) != EPERM, true);
	test("it makes children and threads, and none of these in namespaces of its own");
	eqi(in_child(SECCOMP_DAEMON, work, 0), 0);
	eqi(in_child(SECCOMP_DAEMON, work_in_thread, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++)
		eqi(in_child(SECCOMP_DAEMON, clone_into, namespaces[i]), EPERM);
	eqi(in_child(SECCOMP_DAEMON, make, SYS_clone3), ENOSYS);
}

static int mount_nothing(long arg)
{
	(void)arg;
	return mount("none", "/nowhere/at/all", "tmpfs", 0, NULL) < 0 ? errno : 0;
}

static int unshare_nothing(long arg)
{
	(void)arg;
	return unshare(0) < 0 ? errno : 0;
}

#ifdef __x86_64__
/* execve is 11 there, and getpid 20. */
static int by_i386(long number)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(number), "b"(0), "c"(0), "d"(0) : "memory");
	return ret < 0 ? (int)-ret : 0;
}

/* A kernel without that ABI ends the child. */
static bool refuses_i386(long number)
{
	int r = in_child(SECCOMP_CALL, by_i386, number);

	return r == EPERM || r == CRASHED;
}

static int by_x32(long number)
{
	return make(number | 0x40000000);
}
#endif

int main(void)
{
	refuse_each();
	allow_neighbours();
	refuse_daemons();
	test("a child works as before, and is refused the same");
	eqi(in_child(SECCOMP_CALL, work, 0), 0);
	test("who still has to mount may do that, and nothing else of it");
	eqi(in_child(SECCOMP_MOUNTING, mount_nothing, 0), geteuid() == 0 ? ENOENT : EPERM);
	eqi(in_child(SECCOMP_MOUNTING, unshare_nothing, 0), 0);
	eqi(in_child(SECCOMP_MOUNTING, make, SYS_execve), EPERM);
	eqi(in_child(SECCOMP_MOUNTING, make, SYS_umount2), EPERM);
#ifdef __x86_64__
	test("another ABI of the same processor is no way around it");
	ok(refuses_i386(11) && refuses_i386(20));
	eqi(in_child(SECCOMP_CALL, by_x32, SYS_getpid), EPERM);
#endif
	return tap_end();
}
