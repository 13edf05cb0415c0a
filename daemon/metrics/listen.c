/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - the socket at which metrics are asked for */
#include "daemon/metrics/listen.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/unix_socket.h"
#include "conf/listen_address.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BACKLOG = 16, NAME_LIMIT = 80, CONNECT_MS = 20 };

/* Open the directory of a path; *name is the last component. */
static int open_dir_of(const struct host *host, const char *path, const char **name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	int fd;

	(void)snprintf(dir, sizeof(dir), "%.*s/", (int)(slash - path), path);
	fd = fs_open(host->root, dir, O_PATH | O_DIRECTORY, 0);
	*name = slash + 1;
	return fd >= 0 ? fd : err_set(e, ERR_IO, errno, "open the directory of '%s'", path);
}

/* A socket at which nobody listens any more. */
static bool is_left(const struct host *host, const char *path, int dir, const char *name)
{
	const struct deadline until = deadline_in(CONNECT_MS);
	struct err e = { 0 };
	auto_close int fd = -1;

	if (file_id_in(dir, name).ino == 0)
		return false;
	fd = unix_socket_connect(host->root, path, SOCK_STREAM, &until, ERR_IO, &e);
	return fd < 0 && e.sys == ECONNREFUSED;
}

/* By way of a descriptor of the directory: 107 bytes are the limit of a socket's path. */
static int open_unix(const struct host *host, const char *path, struct file_id *file,
		     struct err *e)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *name;
	auto_close int dir = open_dir_of(host, path, &name, e);

	if (dir < 0)
		return -1;
	if (strlen(name) > NAME_LIMIT)
		return err_set(e, ERR_NETCONF, ENAMETOOLONG, "listen on '%s'", path);
	(void)snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%.80s", dir, name);
	if (is_left(host, path, dir, name))
		(void)unlinkat(dir, name, 0);	/* bind() tells */
	/* the file gets the mode of the socket */
	if (fd < 0 || fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return err_set(e, errno == EADDRINUSE ? ERR_BUSY : ERR_IO, errno, "bind '%s'",
			       path);
	*file = file_id_in(dir, name);
	return listen(fd, BACKLOG) < 0 ? err_set(e, ERR_IO, errno, "listen on '%s'", path) :
					 steal_fd(&fd);
}

static int open_ip(const struct listen_address *a, const char *address, struct err *e)
{
	auto_close int fd = socket(a->ip.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const int yes = 1;

	/* else the port is taken for a minute after each end */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, (const struct sockaddr *)&a->ip, a->ip_len) < 0)
		return err_set(e, errno == EADDRINUSE ? ERR_BUSY : ERR_IO, errno, "bind %s",
			       address);
	return listen(fd, BACKLOG) < 0 ? err_set(e, ERR_IO, errno, "listen on %s", address) :
					 steal_fd(&fd);
}

int listen_open(const struct host *host, const char *address, struct file_id *file,
		struct err *e)
{
	struct listen_address a;

	if (listen_address_parse(address, "metricsAddress", &a, e) < 0)
		return -1;
	return a.path ? open_unix(host, a.path, file, e) : open_ip(&a, address, e);
}

void listen_remove(const struct host *host, const char *address, const struct file_id *file)
{
	struct file_id now;
	struct listen_address a;
	const char *name;
	struct err ignored;
	auto_close int dir = -1;

	if (listen_address_parse(address, "metricsAddress", &a, &ignored) < 0 || !a.path)
		return;
	dir = open_dir_of(host, a.path, &name, &ignored);
	if (dir < 0)
		return;
	now = file_id_in(dir, name);
	if (now.ino != 0 && file_id_equal(&now, file))
		(void)unlinkat(dir, name, 0);
}
