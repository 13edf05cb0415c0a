/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.c - system calls that this process makes no more
 *
 * The numbers are sorted and joined to ranges, and the program compares with one range after the
 * other, up to the first that begins behind the number: two instructions a range, and calls with
 * small numbers, which are the frequent ones, are through at once.
 */
#include "base/seccomp.h"

#include "base/attr.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif
#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if defined(__x86_64__)
#define NATIVE	AUDIT_ARCH_X86_64
#define OTHERS	UINT32_C(0x40000000)	/* from here on x32's */
#elif defined(__aarch64__)
#define NATIVE	AUDIT_ARCH_AARCH64
#define OTHERS	UINT32_MAX
#endif

#define REFUSE	(SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN	(SECCOMP_RET_ERRNO | ENOSYS)
#define NEW_NAMESPACES \
	((uint32_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)

/* The numbers of calls that a C library's headers may not know are the same for all processors. */
enum {
	CLONE3 = 435, PIDFD_GETFD = 438, PROCESS_MADVISE = 440, MOUNT_SETATTR = 442,
	QUOTACTL_FD = 443, OPEN_TREE_ATTR = 467,
};

static const uint32_t never[] = {
	/* another program */
	SYS_execve, SYS_execveat,
	/* another process */
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)	/* which looks for leaks */
	SYS_ptrace,
#endif
	SYS_process_vm_readv, SYS_process_vm_writev, PIDFD_GETFD, SYS_perf_event_open,
	/* what is mounted, and files by another way than their path */
	SYS_umount2, SYS_pivot_root, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig,
	SYS_fsmount, SYS_fspick, MOUNT_SETATTR, OPEN_TREE_ATTR, SYS_open_by_handle_at,
	SYS_fanotify_init,
	/* the node */
	SYS_swapon, SYS_swapoff, SYS_sethostname, SYS_setdomainname, SYS_quotactl, QUOTACTL_FD,
	SYS_add_key, SYS_request_key, SYS_keyctl,
#ifdef SYS_iopl
	SYS_iopl, SYS_ioperm,
#endif
	/* calls that are made past a filter, and what exploits of the kernel like */
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_userfaultfd,
};

static const uint32_t to_mount[] = { SYS_mount, SYS_unshare };

/* What a call may need of these, or a plugin's library, no program does that only looks. */
static const uint32_t of_daemons[] = {
	SYS_bpf, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
	SYS_reboot, SYS_acct, SYS_syslog, SYS_chroot, SYS_kcmp, SYS_move_pages, SYS_migrate_pages,
	PROCESS_MADVISE,
};

enum {
	NUMBERS_MAX = ARRAY_SIZE(never) + ARRAY_SIZE(to_mount) + ARRAY_SIZE(of_daemons),
	CODE_MAX = 2 * NUMBERS_MAX + 17,
};

struct code {
	struct sock_filter at[CODE_MAX];
	unsigned short len;
};

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* All that are refused, in their order; returns how many. */
static size_t collect(enum seccomp_who who, uint32_t ret[NUMBERS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		ret[n++] = never[i];
	for (size_t i = 0; i < ARRAY_SIZE(to_mount) && who >= SECCOMP_CALL; i++)
		ret[n++] = to_mount[i];
	for (size_t i = 0; i < ARRAY_SIZE(of_daemons) && who >= SECCOMP_DAEMON; i++)
		ret[n++] = of_daemons[i];
	qsort(ret, n, sizeof(*ret), compare);
	return n;
}

static void add(struct code *c, unsigned int code, uint32_t k, unsigned int yes, unsigned int no)
{
	c->at[c->len++] = (struct sock_filter){ (uint16_t)code, (uint8_t)yes, (uint8_t)no, k };
}

/*
 * Below the first number of a range all is well, and up to its last it is refused: two comparisons,
 * behind all of which are those of other ABIs and the two ends.
 */
static void add_ranges(struct code *c, const uint32_t *number, size_t n)
{
	unsigned int left = 0;		/* comparisons behind this one */

	for (size_t i = 0; i < n; i++)
		left += i == 0 || number[i] > number[i - 1] + 1 ? 2 : 0;
	for (size_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && number[last + 1] <= number[last] + 1;)
			last++;
		add(c, BPF_JMP | BPF_JGE | BPF_K, number[i], 0, --left + 1);
		add(c, BPF_JMP | BPF_JGT | BPF_K, number[last], 0, --left + 2);
	}
	add(c, BPF_JMP | BPF_JGE | BPF_K, OTHERS, 1, 0);
	add(c, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	add(c, BPF_RET | BPF_K, REFUSE, 0, 0);
}

/* A child may be made, but in no namespace of its own.  The flags are 32 bits wide. */
static void add_clone(struct code *c)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
	add(c, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]), 0, 0);
	add(c, BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
	add(c, BPF_RET | BPF_K, REFUSE, 0, 0);
	add(c, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 0, 1);
	add(c, BPF_RET | BPF_K, UNKNOWN, 0, 0);
}

static void compose(enum seccomp_who who, struct code *c)
{
	uint32_t number[NUMBERS_MAX];
	size_t n = collect(who, number);

	c->len = 0;
	add(c, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
	add(c, BPF_RET | BPF_K, REFUSE, 0, 0);
	add(c, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	if (who == SECCOMP_DAEMON)
		add_clone(c);
	add_ranges(c, number, n);
}

/*
 * Without SPEC_ALLOW kernels before 5.16 switch off what makes this processor fast, for all of this
 * process: nothing that others wrote runs in it.
 */
int seccomp_refuse(enum seccomp_who who, struct err *e)
{
	struct code c;
	struct sock_fprog program = { .filter = c.at };

	compose(who, &c);
	program.len = c.len;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program) == 0)
		return 1;
	if (errno == ENOSYS || errno == EINVAL)
		return 0;
	return err_set(e, ERR_PERMISSION, errno, "refuse system calls to ourselves");
}
