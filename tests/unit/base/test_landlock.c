/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_landlock.c - files are changed below some directories alone
 *
 * Each case is a child of its own, which nothing frees again.  The kernel's Landlock is asked; how
 * old one answers is played by a syscall() of our own.
 */
#include "base/landlock.h"

#include "base/attr.h"
#include "base/fs.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_THERE = 200, FAILED };

static char top[] = "/tmp/landlock.XXXXXX";
static int played;		/* the errno of a list of directories; 0: what the kernel says */
static bool knows_truncate = true;

static bool refuses_truncate(long attr)
{
	struct landlock_ruleset_attr known;

	memcpy(&known, (const void *)attr, sizeof(known.handled_access_fs));
	return !knows_truncate && known.handled_access_fs & UINT64_C(1) << 14;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_landlock_create_ruleset && a[0])
		errno = played ? played : refuses_truncate(a[0]) ? EINVAL : 0;
	if (number != SYS_landlock_create_ruleset || errno == 0)
		return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	return -1;
}

/* -- in the child: 0, or an errno -- */

static int result(int r)
{
	return r < 0 ? errno : 0;
}

static int make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd >= 0)
		(void)close(fd);
	return result(fd);
}

static int in_ours(void)
{
	auto_close int dir = open("ours", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct err e;

	if (fs_write_file(dir, "file", "a", 1, 0600, FS_SYNC_DIR, &e) < 0 ||
	    fs_write_file(dir, "file", "b", 1, 0600, 0, &e) < 0)
		return e.sys;
	return mkdir("ours/below", 0700) < 0 || make("ours/below/file") != 0 ||
	       symlink("x", "ours/link") < 0 || truncate("ours/file", 0) < 0 ||
	       unlink("ours/link") < 0 || unlink("ours/below/file") < 0 ||
	       rmdir("ours/below") < 0 || fs_remove(dir, "file", &e) < 0 ? result(-1) : 0;
}

static int across(void)
{
	int r = make("ours/a");

	return r ? r : result(rename("ours/a", "ours2/a"));
}

static int made_later(void)
{
	int r = result(mkdir("later/x", 0700));

	return r ? r : make("later/x/file");
}

static int outside(void) { return make("theirs/new"); }
static int write_theirs(void) { return result(open("theirs/file", O_WRONLY | O_CLOEXEC)); }
static int cut_theirs(void) { return result(truncate("theirs/file", 0)); }
static int remove_theirs(void) { return result(unlink("theirs/file")); }
static int directory(void) { return result(mkdir("theirs/dir", 0700)); }
static int by_link(void) { return make("ours/out/new"); }
static int carry_out(void) { return result(rename("ours/kept", "theirs/kept")); }
static int carry_in(void) { return result(link("theirs/file", "ours/stolen")); }
static int device(void) { return result(mknod("ours/node", S_IFCHR | 0600, 0x103)); }
static int run(void) { return result(execl("/bin/true", "true", NULL)); }
static int read_theirs(void) { return result(open("theirs/file", O_RDONLY | O_CLOEXEC)); }
static int null(void) { return result(open("/dev/null", O_RDWR | O_CLOEXEC)); }
static int zero(void) { return result(open("/dev/zero", O_WRONLY | O_CLOEXEC)); }

static int parents(void)
{
	return result(open("/proc/1/ns/net", O_PATH | O_CLOEXEC));
}

static int in_child(int (*fn)(void))
{
	const char *const paths[] = { "ours", "ours2", "later/x/y", "/dev/null" };
	char full[ARRAY_SIZE(paths)][64];
	const char *list[ARRAY_SIZE(paths)];
	struct err e;
	int status, r;
	pid_t pid = fork();

	if (pid != 0)
		return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) :
									       FAILED;
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		(void)snprintf(full[i], sizeof(full[i]), "%s%s%s", *paths[i] == '/' ? "" : top,
			       *paths[i] == '/' ? "" : "/", paths[i]);
		list[i] = full[i];
	}
	r = landlock_only_below(open("/", O_PATH | O_CLOEXEC), list, ARRAY_SIZE(list), &e);
	_exit(r < 0 ? FAILED : r == 0 ? NOT_THERE : fn());
}

static void scene(void)
{
	static const char *const dirs[] = { "ours", "ours2", "theirs", "later" };

	if (!mkdtemp(top) || chdir(top) < 0)
		exit(1);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		(void)mkdir(dirs[i], 0700);
	if (make("theirs/file") || make("ours/kept") || symlink("../theirs", "ours/out") < 0)
		exit(1);
}

static void old_kernels(void)
{
	static const int none[] = { ENOSYS, EOPNOTSUPP, EINVAL };

	test("a kernel without it, or with one that knows no renaming, is left as it is");
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		played = none[i];
		eqi(in_child(outside), NOT_THERE);
	}
	test("what it refuses is an error");
	played = EPERM;
	eqi(in_child(outside), FAILED);
	played = 0;
}

/* Linux 5.19 to 6.1. */
static void without_truncate(void)
{
	test("one that does not know how to keep files from being cut keeps all else");
	knows_truncate = false;
	eqi(in_child(in_ours), 0);
	eqi(in_child(outside), EACCES);
	eqi(in_child(cut_theirs), 0);
	knows_truncate = true;
}

int main(void)
{
	scene();
	old_kernels();
	/* none here: what follows is the kernel's */
	if (in_child(read_theirs) == NOT_THERE) {
		test("this kernel has no Landlock, and says so");
		ok(__real_syscall(SYS_landlock_create_ruleset, 0, 0,
				  LANDLOCK_CREATE_RULESET_VERSION) < 2);
		return tap_end();
	}
	test("all is done in our directories, from one to the other, and in one that comes later");
	eqi(in_child(in_ours), 0);
	eqi(in_child(across), 0);
	eqi(in_child(made_later), 0);
	test("nothing is changed elsewhere, be it by a link of ours");
	eqi(in_child(outside), EACCES);
	eqi(in_child(write_theirs), EACCES);
	eqi(in_child(cut_theirs), EACCES);
	eqi(in_child(remove_theirs), EACCES);
	eqi(in_child(directory), EACCES);
	eqi(in_child(by_link), EACCES);
	test("nothing is carried from there, or there");
	eqi(in_child(carry_out), EACCES);
	eqi(in_child(carry_in), EXDEV);
	test("no device node is made, and no program is executed");
	eqi(in_child(device), EACCES);
	eqi(in_child(run), EACCES);
	test("all is read; of files that may be written there is the one that was named");
	eqi(in_child(read_theirs), 0);
	eqi(in_child(null), 0);
	eqi(in_child(zero), EACCES);
	test("the namespaces of other processes are hidden, as the header says");
	eqi(in_child(parents), EACCES);
	without_truncate();
	if (chdir("/") == 0 && fork() == 0)
		execlp("rm", "rm", "-rf", top, NULL);
	return tap_end();
}
