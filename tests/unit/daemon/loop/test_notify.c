/* SPDX-License-Identifier: Apache-2.0 */
/* test_notify.c - what the service manager is told */
#include "daemon/loop/notify.h"

#include "tests/unit/tap.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A name of the abstract namespace: nothing stays behind. */
static int manager(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(at.sun_path + 1, name, strlen(name));
	ok(fd >= 0 && bind(fd, (struct sockaddr *)&at,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				       strlen(name))) == 0);
	return fd;
}

static const char *told(int fd)
{
	static char text[256];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

/* Fill the manager's queue; returns how many lines there are in it. */
static int fill(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), n = 0;

	memcpy(to.sun_path + 1, name, strlen(name));
	while (sendto(fd, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) == 1)
		n++;
	(void)close(fd);
	return n;
}

/* It reads later; exit status 0: READY=1 was the last line. */
static _Noreturn void read_late(int fd)
{
	const char *last = "x";

	(void)usleep(100 * 1000);
	for (int i = 0; i < 5000 && strcmp(last, "READY=1") != 0; i++) {
		last = told(fd);
		if (!*last)
			(void)usleep(1000);
	}
	_exit(strcmp(last, "READY=1") != 0);
}

static void slow(int fd, const char *name)
{
	int status;
	pid_t pid;

	ok(fill(name) > 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		read_late(fd);
	notify("READY=1");
	ok(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
	char name[64], where[80], pid[32];
	int fd;

	(void)snprintf(name, sizeof(name), "devinfod-test-%d", (int)getpid());
	(void)snprintf(where, sizeof(where), "@%s", name);
	fd = manager(name);

	test("nothing is told where nobody wants to hear it, or where nobody listens");
	ok(unsetenv("NOTIFY_SOCKET") == 0);
	notify("READY=1");
	ok(setenv("NOTIFY_SOCKET", "relative", 1) == 0);
	notify("READY=1");
	ok(setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1) == 0);
	notify("READY=1");
	eq(told(fd), "");

	test("lines arrive as they are, of a reload with the time");
	ok(setenv("NOTIFY_SOCKET", where, 1) == 0);
	notify("READY=1\nSTATUS=x");
	eq(told(fd), "READY=1\nSTATUS=x");
	notify_reloading();
	ok(strncmp(told(fd), "RELOADING=1\nMONOTONIC_USEC=", 27) == 0);

	test("that it lives is told where a watchdog waits for it");
	ok(unsetenv("WATCHDOG_USEC") == 0 && unsetenv("WATCHDOG_PID") == 0);
	notify_alive();
	eq(told(fd), "");
	ok(setenv("WATCHDOG_USEC", "3000000", 1) == 0);
	notify_alive();
	eq(told(fd), "WATCHDOG=1");

	test("a manager that is slow gets its line all the same");
	slow(fd, name);
	(void)close(fd);

	test("the watchdog is fed twice in its time, by the process that is meant");
	ok(unsetenv("WATCHDOG_USEC") == 0 && unsetenv("WATCHDOG_PID") == 0);
	ok(notify_watchdog_ms() == 0);
	ok(setenv("WATCHDOG_USEC", "3000000", 1) == 0 && notify_watchdog_ms() == 1500);
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	ok(setenv("WATCHDOG_PID", pid, 1) == 0 && notify_watchdog_ms() == 1500);
	ok(setenv("WATCHDOG_PID", "1", 1) == 0 && notify_watchdog_ms() == 0);
	return tap_end();
}
