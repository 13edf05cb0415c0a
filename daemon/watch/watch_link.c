/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_link.c - links that the kernel has changed, and the sockets of netlink
 *
 * Each pod makes a veth and takes it away, and each of its addresses can change a bridge; none of
 * that is a device to be handed out.  A device's own link says what it is on, also in the message
 * that it has left this namespace.
 */
#include "daemon/watch/watch_part.h"

#include "base/mem.h"
#include "netlink/nl_attr.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 1024 * 1024 };		/* bytes, of some 800 messages, while we look */

int watch_netlink_open(int protocol, unsigned int groups, struct err *e)
{
	const struct sockaddr_nl at = { .nl_family = AF_NETLINK, .nl_groups = groups };
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	int size = BUFFER;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		return err_set(e, ERR_NETLINK, errno, "listen to the kernel's messages");
	/* who may not have more than others gets what it may */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return steal_fd(&fd);
}

size_t watch_netlink_read(int fd, void *buf, size_t size, bool *lost)
{
	for (;;) {
		struct sockaddr_nl from = { .nl_pid = 0 };
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, buf, size, MSG_TRUNC, (struct sockaddr *)&from, &len);

		if (n < 0 && errno == ENOBUFS) {
			*lost = true;
			continue;
		}
		if (n < 0 && errno != EINTR)
			return 0;
		if (n > 0 && from.nl_pid == 0) {
			*lost |= (size_t)n > size;
			return (size_t)n > size ? size : (size_t)n;
		}
	}
}

static bool has_parent(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[IFLA_PARENT_DEV_NAME + 1];
	struct nl_rest rest = nl_attrs_of(nlh, sizeof(struct ifinfomsg));

	if (nlh->nlmsg_type != RTM_NEWLINK && nlh->nlmsg_type != RTM_DELLINK)
		return false;
	nl_attrs(rest.at, rest.len, tb, IFLA_PARENT_DEV_NAME);
	return tb[IFLA_PARENT_DEV_NAME] != NULL;
}

bool watch_is_hardware(const void *messages, size_t len)
{
	const struct nlmsghdr *nlh = messages;

	while (NLMSG_OK(nlh, len)) {
		size_t size = NLMSG_ALIGN(nlh->nlmsg_len);

		if (has_parent(nlh))
			return true;
		if (size >= len)
			break;
		len -= size;
		nlh = (const void *)((const char *)nlh + size);
	}
	return false;
}
