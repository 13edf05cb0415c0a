/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_listener.c - does somebody listen at a unix socket?  Found out without connecting to it
 *
 * Who listens may take the first that connects for its only peer: DPDK's virtio-user and QEMU do,
 * and one that hangs up at once leaves them without a switch; DPDK 22.11 panics when memif's
 * listener has not even said its HELLO.
 *
 * So the attempt is made from a socket that has a peer already, one of a pair.  unix(7) looks at
 * whom it is to be connected to first: ECONNREFUSED when nobody listens there, EPROTOTYPE when it
 * is of another type.  Only then it sees that there is a peer, EISCONN, before the listener has
 * been told anything.
 */
#include "cni/socket/socket_file.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* A queue that is full is one of somebody who listens. */
static int judge(int sys, const char *name, enum socket_found *ret, struct err *e)
{
	switch (sys) {
	case EISCONN:
	case EAGAIN:
		*ret = SOCKET_ACCEPTS;
		return 0;
	case ECONNREFUSED:
		*ret = SOCKET_STALE;
		return 0;
	case EPROTOTYPE:
		*ret = SOCKET_OTHER_TYPE;
		return 0;
	default:
		return err_set(e, ERR_IO, sys, "look who listens at '%s'", name);
	}
}

static int attempt(int at, const char *name, bool memif, enum socket_found *ret, struct err *e)
{
	int type = (memif ? SOCK_SEQPACKET : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, pair[2];
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (socketpair(AF_UNIX, type, 0, pair) < 0)
		return err_set(e, ERR_IO, errno, "socket");
	auto_close int fd = pair[0], peer = pair[1];
	(void)peer;
	(void)snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", at);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return err_set(e, ERR_IO, EISCONN, "this kernel connects '%s' twice", name);
	return judge(errno, name, ret, e);
}

int socket_file_probe(int dir, const char *name, bool memif, enum socket_found *ret, struct err *e)
{
	auto_close int at = fs_open_name(dir, name, O_PATH, 0);
	struct stat st;

	*ret = SOCKET_ABSENT;
	if (at < 0 && errno == ENOENT)
		return 0;
	if (at < 0 || fstat(at, &st) < 0)
		return err_set(e, ERR_IO, errno, "open '%s'", name);
	*ret = SOCKET_NO_SOCKET;
	return S_ISSOCK(st.st_mode) ? attempt(at, name, memif, ret, e) : 0;
}
