/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - tell the service manager how the daemon is, by the protocol of sd_notify(3) */
#include "daemon/loop/notify.h"

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/*
 * To a path, or with '@' in front a name of the abstract namespace.  A manager that has much to
 * read is waited for: who is not ready for it in time is killed.
 */
void notify(const char *lines)
{
	const char *where = getenv("NOTIFY_SOCKET");
	const struct timeval patience = { .tv_sec = 1 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	auto_close int fd = -1;

	if (!where || (*where != '/' && *where != '@') || strlen(where) >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, where, strlen(where));
	if (*where == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0)
		(void)sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (struct sockaddr *)&to,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(where)));
}

void notify_reloading(void)
{
	struct timespec now;
	char lines[64];

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	(void)snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%lld",
		       (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	notify(lines);
}

void notify_alive(void)
{
	if (notify_watchdog_ms() > 0)
		notify("WATCHDOG=1");
}

unsigned int notify_watchdog_ms(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	unsigned long long n = usec ? strtoull(usec, NULL, 10) : 0;

	if (pid && strtoll(pid, NULL, 10) != getpid())
		return 0;
	n /= 2000;
	return n > UINT32_MAX / 2 ? 0 : (unsigned int)n;
}
