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
