/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confined.c - what the process that it is loaded into may still do (LD_PRELOAD)
 *
 *	CONFINED=FILE	a file of one page gets a line at its first fsync(2), and one at its end:
 *
 *	first prm=000001ffffffffff seccomp=0 exec=ENOEXEC mount=0 outside=0
 *
 * seccomp is 2 with a filter; the last three are tried: to execute FILE.program, which is empty, to
 * make the root mount private, and to make FILE.outside.  Programs that it executes are left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { PAGE = 4096 };

/* A mapping, which outlives the descriptors. */
static char *page, outside[4096], program[4096];
static size_t len;

__attribute__((constructor)) static void set_up(void)
{
	const char *file = getenv("CONFINED");
	int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;

	(void)unsetenv("LD_PRELOAD");
	if (fd < 0)
		return;
	(void)snprintf(outside, sizeof(outside), "%s.outside", file);
	(void)snprintf(program, sizeof(program), "%s.program", file);
	(void)close(open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0700));
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	page = page == MAP_FAILED ? NULL : page;
	(void)close(fd);
}

/* A line of /proc/self/status, from its value on, without its end. */
static void status(const char *text, const char *key, char ret[32])
{
	const char *at = strstr(text, key);
	size_t n;

	at = at ? at + strlen(key) : "";
	at += strspn(at, "\t ");
	n = strcspn(at, "\n");
	(void)snprintf(ret, 32, "%.*s", (int)(n < 31 ? n : 31), at);
}

static const char *why(long r)
{
	return r >= 0 ? "0" : strerrorname_np(errno);
}

static void tell(const char *when)
{
	const char *exec, *mount, *file;
	char text[8192], prm[32], filter[32];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	status(text, "CapPrm:", prm);
	status(text, "Seccomp:", filter);
	exec = why(syscall(SYS_execve, program, NULL, NULL));
	mount = syscall(SYS_mount, NULL, "/", NULL, MS_PRIVATE, NULL) < 0 && errno == EPERM ?
			"EPERM" : "0";
	fd = open(outside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	file = why(fd);
	if (fd >= 0)
		(void)close(fd);
	n = snprintf(page + len, PAGE - len, "%s prm=%s seccomp=%s exec=%s mount=%s outside=%s\n",
		     when, prm, filter, exec, mount, file);
	len += n > 0 ? (size_t)n : 0;
}

EXPORT int fsync(int fd)
{
	if (page && len == 0)
		tell("first");
	return (int)syscall(SYS_fsync, fd);
}

__attribute__((destructor)) static void at_end(void)
{
	if (page)
		tell("end");
}
