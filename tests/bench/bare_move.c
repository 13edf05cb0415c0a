/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare_move.c - the floor: a network device into a container and back, and nothing else
 *
 * One netlink message each way: namespace, name and (on ADD) up.  No configuration is read, no
 * state is written, nothing is checked or set back.  Takes CNI_COMMAND, CNI_NETNS and CNI_IFNAME,
 * and from BENCH_DEVICE the name of the device at home.
 */
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr n;
	struct ifinfomsg ifi;
	char attrs[64];
};

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static const char *need(const char *name)
{
	const char *v = getenv(name);

	if (!v)
		exit(2);
	return v;
}

static void put(struct request *r, unsigned short type, const void *data, size_t len)
{
	struct rtattr *a = (struct rtattr *)((char *)r + NLMSG_ALIGN(r->n.nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(a), data, len);
	r->n.nlmsg_len = NLMSG_ALIGN(r->n.nlmsg_len) + RTA_ALIGN(a->rta_len);
}

static int move(const char *from, int ns, const char *name, unsigned int flags)
{
	struct request r = {
		.n = { .nlmsg_len = NLMSG_LENGTH(sizeof(r.ifi)), .nlmsg_type = RTM_NEWLINK,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.ifi = { .ifi_index = (int)if_nametoindex(from), .ifi_flags = flags,
			 .ifi_change = flags },
	};
	struct {
		struct nlmsghdr n;
		struct nlmsgerr e;
		char rest[512];
	} answer;
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (s < 0 || r.ifi.ifi_index == 0 || strlen(name) >= IFNAMSIZ)
		fail(from);
	put(&r, IFLA_NET_NS_FD, &ns, sizeof(ns));
	put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	if (send(s, &r, r.n.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof(answer), 0) < 0)
		fail("netlink");
	if (answer.n.nlmsg_type == NLMSG_ERROR && answer.e.error != 0)
		(void)fprintf(stderr, "move %s: %s\n", from, strerror(-answer.e.error));
	return answer.n.nlmsg_type == NLMSG_ERROR && answer.e.error == 0 ? 0 : 1;
}

int main(void)
{
	const char *device = need("BENCH_DEVICE"), *ifname = need("CNI_IFNAME");
	int pod = open(need("CNI_NETNS"), O_RDONLY | O_CLOEXEC);
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (pod < 0 || home < 0)
		fail("open the namespaces");
	if (strcmp(need("CNI_COMMAND"), "ADD") == 0)
		return move(device, pod, ifname, IFF_UP);
	if (setns(pod, CLONE_NEWNET) < 0)
		fail("setns");
	return move(ifname, home, device, 0);
}
