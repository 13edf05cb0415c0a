/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_root_open.c - paths below a root while openat2(2) says EAGAIN: played, and by a busy machine
 *
 * syscall(2) is ours (see WRAP in GNUmakefile), and asks the kernel unless a refusal is played.
 */
#include "base/root_open.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/mem.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define LOOKUPS	10000

static struct fake_node n;
static int refusals;		/* so many next look-ups are EAGAIN */
static bool is_strict;		/* and, behind them, each that has ".." or follows a link */
static int calls;

/* Would the kernel meet a ".." on its way? */
static bool is_hard(int root, const char *path, uint64_t flags)
{
	char part[4096];
	struct stat st;

	for (const char *end = path; *end;) {
		end += 1 + strcspn(end + 1, "/");
		(void)snprintf(part, sizeof(part), ".%.*s", (int)(end - path), path);
		if (strstr(part, "/..") || (fstatat(root, part, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
					    S_ISLNK(st.st_mode) && (*end || !(flags & O_NOFOLLOW))))
			return true;
	}
	return false;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long arg[6];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_SIZE(arg); i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_openat2) {
		calls++;
		if (refusals > 0 || (is_strict && is_hard((int)arg[0], (const char *)arg[1],
							  *(const uint64_t *)arg[2]))) {
			refusals -= refusals > 0;
			errno = EAGAIN;
			return -1;
		}
	}
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

/* What is read through this path while the kernel cannot look it up at once; "" and errno. */
static const char *through(const char *path, int flags)
{
	static char text[64];
	auto_close int fd = -1;
	ssize_t len;

	refusals = 1;
	is_strict = true;
	*text = '\0';
	fd = root_open(n.host.root, path, flags, 0600);
	is_strict = false;
	if (fd < 0)
		return "";
	len = flags & O_PATH ? readlinkat(fd, "", text, sizeof(text) - 1) :
			       read(fd, text, sizeof(text) - 1);
	text[len > 0 ? len : 0] = '\0';
	return text;
}

static void resolving(void)
{
	node_sh(&n, "mkdir -p sys/bus/pci/devices sys/devices/pci0/0000:04:00.0/net/eth0 out d &&"
		    " printf 5 >sys/devices/pci0/0000:04:00.0/numa && printf root >top &&"
		    " ln -s ../../../devices/pci0/0000:04:00.0 sys/bus/pci/devices/ &&"
		    " ln -s ../../../0000:04:00.0 sys/devices/pci0/0000:04:00.0/net/eth0/device &&"
		    " ln -s /sys/bus/pci/devices/0000:04:00.0/numa abs && ln -s loop loop &&"
		    " ln -s ../../../../top up && ln -s none/../top broken && ln -s top last");

	test("links with '..' are resolved when the kernel cannot");
	eq(through("/sys/bus/pci/devices/0000:04:00.0/numa", O_RDONLY), "5");
	eq(through("sys/bus/pci/devices/0000:04:00.0/net/eth0/device/net/../numa", O_RDONLY), "5");
	eq(through("//sys/./bus//pci/devices/0000:04:00.0/numa", O_RDONLY), "5");
	eq(through("/abs", O_RDONLY), "5");
	test("no '..' leads out of the root");
	eq(through("/up", O_RDONLY), "root");
	eq(through("/../../../../top", O_RDONLY), "root");
	eq(through("/d/../../../../top", O_RDONLY), "root");
	test("the last component is followed unless it must not be");
	eq(through("/sys/../last", O_RDONLY), "root");
	eq(through("/sys/../last", O_PATH | O_NOFOLLOW), "top");
	eq(through("/sys/bus/pci/devices/0000:04:00.0", O_PATH | O_NOFOLLOW),
	   "../../../devices/pci0/0000:04:00.0");
	eq(through("/sys/../last", O_RDONLY | O_NOFOLLOW), "");
	ok(errno == ELOOP);
	refusals = 1;
	ok(root_open(n.host.root, "/loop", O_RDONLY, 0) < 0);
	ok(errno == ELOOP);
	test("errors are the kernel's");
	eq(through("/none/../top", O_RDONLY), "");
	ok(errno == ENOENT);
	eq(through("/broken", O_RDONLY), "");
	ok(errno == ENOENT);
	eq(through("/top/../top", O_RDONLY), "");
	ok(errno == ENOTDIR);
	eq(through("/top/", O_RDONLY), "");
	ok(errno == ENOTDIR);
	eq(through("/d/../none", O_RDONLY), "");
	ok(errno == ENOENT);
	test("a new file is made where it was meant");
	eq(through("/d/../d/new", O_RDWR | O_CREAT | O_EXCL), "");
	ok(node_holds(&n, "-f d/new"));
	ok(root_open(n.host.root, "/", O_PATH, 0) >= 0);
}

static void waiting(void)
{
	auto_close int fd = -1;
	struct deadline d;

	test("it is asked once where nothing hinders");
	calls = 0;
	fd = root_open(n.host.root, "/abs", O_RDONLY, 0);
	ok(fd >= 0);
	ok(calls == 1);
	test("whatever is refused a few times is tried again");
	refusals = 400;
	mem_close_fd(&fd);
	fd = root_open(n.host.root, "/top", O_RDONLY, 0);
	ok(fd >= 0);
	ok(refusals == 0);
	test("and for no longer than the call may take");
	deadline_catch_signals();
	deadline_limit("testTimeoutMs", 200, 50);
	d = deadline_firm_in(5000);
	refusals = 1000000;
	errno = 0;
	ok(root_open(n.host.root, "/top", O_RDONLY, 0) < 0);
	ok(errno == EAGAIN);
	ok(deadline_left_ms(&d) > 2000);
	ok(refusals > 990000);		/* with pauses */
	refusals = 0;
	deadline_limit("testTimeoutMs", 600000, 50);
}

/* Until it is killed: renames, mounts, and mount namespaces that end. */
static void disturb(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0 || mkdir("/tmp/m", 0700) < 0 ||
	    mkdir("/tmp/a", 0700) < 0)
		_exit(1);
	for (unsigned int i = 0;; i++) {
		if (rename(i % 2 ? "/tmp/b" : "/tmp/a", i % 2 ? "/tmp/a" : "/tmp/b") < 0)
			_exit(1);
		if (i % 16 == 0 && (mount("/tmp", "/tmp/m", NULL, MS_BIND, NULL) < 0 ||
				    umount2("/tmp/m", MNT_DETACH) < 0))
			_exit(1);
		if (i % 256 == 0) {
			pid_t pid = fork();

			if (pid == 0)
				_exit(unshare(CLONE_NEWNS) < 0);
			(void)waitpid(pid, NULL, 0);
		}
	}
}

static void busy_machine(void)
{
	pid_t pid[3];
	int failed = 0, status;
	char text[16];
	struct err e;

	if (geteuid() != 0) {
		(void)printf("ok %d # SKIP needs root\n", ++tap_no);
		return;
	}
	test("while others rename, mount and end mount namespaces no look-up fails");
	(void)fflush(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			disturb();
	}
	calls = 0;
	for (int i = 0; i < LOOKUPS; i++)
		failed += fs_read_line(n.host.root, text, sizeof(text), &e,
				       "/sys/bus/pci/devices/%s/net/eth0/device/net/../numa",
				       "0000:04:00.0") != 1 || strcmp(text, "5") != 0;
	ok(failed == 0);
	(void)printf("# %d look-ups, %d calls of openat2\n", LOOKUPS, calls);
	for (size_t i = 0; i < ARRAY_SIZE(pid); i++) {
		ok(waitpid(pid[i], &status, WNOHANG) == 0);	/* it was at it to the end */
		(void)kill(pid[i], SIGKILL);
		(void)waitpid(pid[i], NULL, 0);
	}
}

int main(void)
{
	node_open(NULL, &n);
	resolving();
	waiting();
	busy_machine();
	node_close(&n);
	return tap_end();
}
