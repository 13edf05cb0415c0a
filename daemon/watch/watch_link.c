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
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 1024 * 1024 };		/* bytes, of some 800 messages, while we look */

int watch_netlink_open(int protocol, unsigned int group, struct err *e)
{
	const struct sockaddr_nl at = { .nl_family = AF_NETLINK };
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	int size = BUFFER;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return err_set(e, ERR_NETLINK, errno, "listen to the kernel's messages");
	/* who may not have more than others gets what it may */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return steal_fd(&fd);
}

ssize_t watch_netlink_read(int fd, void *buf, size_t size, bool *lost)
{
	struct sockaddr_nl from = { .nl_pid = 0 };
	socklen_t len = sizeof(from);
	ssize_t n = recvfrom(fd, buf, size, MSG_TRUNC, (struct sockaddr *)&from, &len);

	if (n < 0 && errno != ENOBUFS && errno != EINTR)
		return -1;
	*lost |= n < 0 && errno == ENOBUFS;
	if (n < 0 || from.nl_pid != 0)
		return 0;
	*lost |= (size_t)n > size;
	return (size_t)n > size ? (ssize_t)size : n;
}

/* What is made by software says of which kind it is; before Linux 5.14 no link tells its parent. */
static bool is_hardware(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[IFLA_PARENT_DEV_NAME + 1], *info[IFLA_INFO_KIND + 1];
	struct nl_rest rest = nl_attrs_of(nlh, sizeof(struct ifinfomsg));
	const struct ifinfomsg *ifi = nl_payload(nlh);

	if ((nlh->nlmsg_type != RTM_NEWLINK && nlh->nlmsg_type != RTM_DELLINK) ||
	    nl_payload_len(nlh) < sizeof(*ifi))
		return false;
	/* the others are about a port of a bridge, or addresses */
	if (ifi->ifi_family != AF_UNSPEC || ifi->ifi_type == ARPHRD_LOOPBACK)
		return false;
	nl_attrs(rest.at, rest.len, tb, IFLA_PARENT_DEV_NAME);
	if (tb[IFLA_PARENT_DEV_NAME] || !tb[IFLA_LINKINFO])
		return true;
	nl_attrs_nested(tb[IFLA_LINKINFO], info, IFLA_INFO_KIND);
	return !info[IFLA_INFO_KIND];	/* it is a port of a bond, say */
}

bool watch_is_hardware(const void *messages, size_t len)
{
	struct nl_rest rest = { .at = messages, .len = len };
	const struct nlmsghdr *nlh;

	while ((nlh = nl_next_message(&rest)))
		if (is_hardware(nlh))
			return true;
	return false;
}
