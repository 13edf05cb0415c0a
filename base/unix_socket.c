/* SPDX-License-Identifier: Apache-2.0 */
/* unix_socket.c - connect to a unix socket that is a path of the node */
#include "base/unix_socket.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { BACKLOG_RETRY_MS = 5 };

/*
 * /proc/self/fd/N names the opened socket: it is the one found inside root, and a path may be
 * longer than the 107 bytes of sun_path.
 */
int unix_socket_connect(int root, const char *path, int type, const struct deadline *d,
			enum err_code code, struct err *e)
{
	auto_close int at = fs_open(root, path, O_PATH, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;

	if (at < 0 || fstat(at, &st) < 0)
		return err_set(e, code, errno, "open the socket");
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, code, ENOTSOCK, "the path is not a socket");

	auto_close int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(e, code, errno, "socket");
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", at);
	while (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		/* EAGAIN: the listener's backlog is full, and there is nothing to poll for */
		if (errno != EAGAIN && errno != EINTR)
			return err_set(e, code, errno, "connect");
		if (deadline_left_ms(d) == 0)
			return deadline_error(code, e, "connect: the server accepts nobody");
		deadline_sleep(d, BACKLOG_RETRY_MS);
	}
	return steal_fd(&fd);
}
