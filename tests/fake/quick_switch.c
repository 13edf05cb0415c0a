/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quick_switch.c - a switch program that takes no time, and follows no link
 *
 * "add" listens at hostPath for LISTEN_S seconds where the application connects; all else is done
 * at once.  tests/fake/switch.sh says more of what it was asked.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { LISTEN_S = 1 };

/* The text of a member, which has no escapes; "" when there is none. */
static void member(const char *request, const char *key, char *ret, size_t size)
{
	char head[64];
	const char *p;

	(void)snprintf(head, sizeof(head), "\"%s\":\"", key);
	p = strstr(request, head);
	(void)snprintf(ret, size, "%.*s", p ? (int)strcspn(p + strlen(head), "\"") : 0,
		       p ? p + strlen(head) : "");
}

static int listen_at(char *path, int type)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY, .resolve = RESOLVE_NO_SYMLINKS };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char *name = strrchr(path, '/');
	int fd = socket(AF_UNIX, type, 0), dir;

	*name++ = '\0';
	dir = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd < 0 || dir < 0)
		return -1;
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%.64s", dir, name);
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 4) < 0 ? -1 : 0;
}

int main(void)
{
	static char request[65536];
	char command[16], role[16], path[108];
	size_t n = fread(request, 1, sizeof(request) - 1, stdin);
	int stream;

	request[n] = '\0';
	member(request, "command", command, sizeof(command));
	member(request, "hostPath", path, sizeof(path));
	member(request, "hostMode", role, sizeof(role));
	if (!*role)
		member(request, "hostRole", role, sizeof(role));
	stream = strcmp(role, "server") == 0;
	if (strcmp(command, "add") != 0 || (!stream && strcmp(role, "master") != 0))
		return 0;
	if (!strchr(path, '/') || listen_at(path, stream ? SOCK_STREAM : SOCK_SEQPACKET) < 0) {
		perror(path);
		return 1;
	}
	if (fork() != 0)
		return 0;
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
	(void)sleep(LISTEN_S);
	return 0;
}
