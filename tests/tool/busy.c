/* SPDX-License-Identifier: Apache-2.0 */
/*
 * busy.c - have the drivers of network devices not be ready at first (LD_PRELOAD)
 *
 *	BUSY_UP=N	the first N requests that set an interface up do all else, and are EBUSY
 *	BUSY_VF=N	the first N requests that set attributes of a VF do nothing, and are EAGAIN
 *
 * So do iavf and i40e while a VF is in reset.  The request is sent without that part, and the
 * kernel's ACK is turned into the error: what else is in it has happened, or has failed by itself.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define EXPORT __attribute__((visibility("default")))

static long up, vf;
static uint32_t seq;		/* of the request that is to fail */
static int error;		/* 0: none */

/* Children are none of our business. */
__attribute__((constructor)) static void set_up(void)
{
	const char *n = getenv("BUSY_UP");

	up = n ? atol(n) : 0;
	n = getenv("BUSY_VF");
	vf = n ? atol(n) : 0;
	(void)unsetenv("LD_PRELOAD");
}

static int is_route(int fd)
{
	int protocol = -1;
	socklen_t len = sizeof(protocol);

	return getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) == 0 &&
	       protocol == NETLINK_ROUTE;
}

static int has_vf(const struct nlmsghdr *h)
{
	size_t at = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	struct nlattr a;

	for (; at + sizeof(a) <= h->nlmsg_len; at += NLA_ALIGN(a.nla_len)) {
		memcpy(&a, (const char *)h + at, sizeof(a));
		if (a.nla_len < sizeof(a))
			return 0;
		if ((a.nla_type & NLA_TYPE_MASK) == IFLA_VFINFO_LIST)
			return 1;
	}
	return 0;
}

/* Take that part out of the request, which is a copy. */
static void spoil(struct nlmsghdr *h)
{
	struct ifinfomsg *ifi = NLMSG_DATA(h);

	if (vf > 0 && has_vf(h)) {
		vf--;
		error = EAGAIN;
		h->nlmsg_len = NLMSG_LENGTH(sizeof(*ifi));
	} else if (up > 0 && (ifi->ifi_change & ifi->ifi_flags & IFF_UP)) {
		up--;
		error = EBUSY;
		ifi->ifi_change &= ~(unsigned int)IFF_UP;
		ifi->ifi_flags &= ~(unsigned int)IFF_UP;
	}
	seq = h->nlmsg_seq;
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t len, int flags, __CONST_SOCKADDR_ARG to,
		      socklen_t tolen)
{
	static ssize_t (*real)(int, const void *, size_t, int, __CONST_SOCKADDR_ARG, socklen_t);
	static union {
		struct nlmsghdr h;
		char bytes[65536];
	} copy;
	ssize_t r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sendto");
	if (len < NLMSG_LENGTH(sizeof(struct ifinfomsg)) || len > sizeof(copy))
		return real(fd, buf, len, flags, to, tolen);
	memcpy(&copy, buf, len);
	if (copy.h.nlmsg_type != RTM_SETLINK || copy.h.nlmsg_len != len || !is_route(fd))
		return real(fd, buf, len, flags, to, tolen);
	spoil(&copy.h);
	r = real(fd, &copy, copy.h.nlmsg_len, flags, to, tolen);
	return r < 0 ? r : (ssize_t)len;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int, struct msghdr *, int);
	struct nlmsghdr *h = msg->msg_iov[0].iov_base;
	ssize_t len;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "recvmsg");
	len = real(fd, msg, flags);
	if (error && len >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)) &&
	    h->nlmsg_type == NLMSG_ERROR && h->nlmsg_seq == seq) {
		struct nlmsgerr *e = NLMSG_DATA(h);

		if (e->error == 0)
			e->error = -error;
		error = 0;
	}
	return len;
}
