/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_watch_link.c - messages of the kernel, from a socket to who is told
 *
 * The kernel is played by the other end of a pair of sockets for each protocol of netlink.
 */
#include "daemon/watch/watch_part.h"

#include "netlink/genl.h"
#include "netlink/nl.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <linux/devlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROTOCOLS = 32, GROUP_OF_PORTS = 7 };

static struct {
	int kernel[PROTOCOLS];		/* 0: nobody listens */
	unsigned int group[PROTOCOLS];
	bool without_ports;
	int refused;			/* a protocol; 0: none */
	int unread;			/* one that the loop does not take; 0: none */
	int last;			/* protocol that was opened */
} play;

int __wrap_watch_netlink_open(int protocol, unsigned int group, struct err *e);
int __wrap_watch_netlink_open(int protocol, unsigned int group, struct err *e)
{
	int ends[2];

	if (play.refused == protocol + 1)
		return err_set(e, ERR_NETLINK, 0, "refused");
	ok(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends) == 0);
	play.kernel[protocol] = ends[1];
	play.group[protocol] = group;
	play.last = protocol + 1;
	return ends[0];
}
int __real_watch_netlink_open(int protocol, unsigned int group, struct err *e);

typedef void source_fn(short revents, void *arg);
struct loop_source *__real_loop_add(struct loop *l, int fd, short events, source_fn *fn, void *arg,
				    struct err *e);
struct loop_source *__wrap_loop_add(struct loop *l, int fd, short events, source_fn *fn, void *arg,
				    struct err *e);
struct loop_source *__wrap_loop_add(struct loop *l, int fd, short events, source_fn *fn, void *arg,
				    struct err *e)
{
	if (play.unread && play.unread == play.last)
		return NULL;
	return __real_loop_add(l, fd, events, fn, arg, e);
}

unsigned int __wrap_watch_port_group(void);
unsigned int __wrap_watch_port_group(void)
{
	return play.without_ports ? 0 : GROUP_OF_PORTS;
}

static void forget(void)
{
	for (size_t i = 0; i < PROTOCOLS; i++)
		if (play.kernel[i] > 0)
			(void)close(play.kernel[i]);
	memset(&play, 0, sizeof(play));
}

static void on_change(unsigned int what, void *arg)
{
	*(unsigned int *)arg |= what;
}

/* What is told in the time that events are gathered for, and some more. */
static unsigned int told(struct loop *l, unsigned int *what)
{
	int64_t end = loop_now() + 3 * WATCH_GATHER_MS;
	struct err e = { 0 };

	*what = 0;
	while (loop_now() < end)
		ok(loop_turn(l, (int)(end - loop_now()) + 1, &e) == 0);
	return *what;
}

static bool says(int protocol, const void *message, size_t len)
{
	return send(play.kernel[protocol], message, len, 0) == (ssize_t)len;
}

static void compose_link(struct nl_req *r, const char *parent)
{
	struct nlattr *info;

	(void)nl_req_init(r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	info = nl_nest(r, IFLA_LINKINFO);
	nl_put(r, IFLA_INFO_KIND, "veth", 5);
	nl_nest_end(r, info);
	if (parent)
		nl_put(r, IFLA_PARENT_DEV_NAME, parent, strlen(parent) + 1);
}

static void links(struct loop *l, unsigned int *what)
{
	static const char long_one[48 * 1024];
	struct nl_req device, veth;

	compose_link(&device, "0000:03:00.0");
	compose_link(&veth, NULL);
	test("a device's link is told, also among those of pods");
	ok(play.group[NETLINK_ROUTE] == RTNLGRP_LINK);
	ok(says(NETLINK_ROUTE, veth.buf, veth.h.nlmsg_len));
	ok(told(l, what) == 0);
	ok(says(NETLINK_ROUTE, device.buf, device.h.nlmsg_len) &&
	   says(NETLINK_ROUTE, veth.buf, veth.h.nlmsg_len));
	ok(told(l, what) == WATCH_DEVICES);

	test("a message that is longer than there is room for may have told of any");
	ok(says(NETLINK_ROUTE, long_one, sizeof(long_one)));
	ok(told(l, what) == WATCH_DEVICES);
}

static void others(struct loop *l, unsigned int *what)
{
	static const char bound[] = "bind@/devices/x\0DEVPATH=/devices/x\0SUBSYSTEM=pci";
	static const char module[] = "add@/module/x\0DEVPATH=/module/x\0SUBSYSTEM=module";
	struct nl_req r;

	test("uevents are those of the kernel, and judged as such");
	ok(play.group[NETLINK_KOBJECT_UEVENT] == 1);
	ok(says(NETLINK_KOBJECT_UEVENT, module, sizeof(module)) && told(l, what) == 0);
	ok(says(NETLINK_KOBJECT_UEVENT, bound, sizeof(bound)));
	ok(told(l, what) == WATCH_DEVICES);

	test("so are ports");
	ok(play.group[NETLINK_GENERIC] == GROUP_OF_PORTS);
	genl_req_init(&r, 30, DEVLINK_CMD_PARAM_NEW);
	ok(says(NETLINK_GENERIC, r.buf, r.h.nlmsg_len) && told(l, what) == 0);
	genl_req_init(&r, 30, DEVLINK_CMD_PORT_NEW);
	ok(says(NETLINK_GENERIC, r.buf, r.h.nlmsg_len));
	ok(told(l, what) == WATCH_DEVICES);

	test("of RDMA each message counts");
	ok(says(NETLINK_RDMA, "x", 1) && told(l, what) == WATCH_DEVICES);
}

/* What a node need not have, and what it must. */
static void absent(struct loop *l, const struct fake_node *n, const struct watch_places *places,
		   unsigned int *what)
{
	struct err e = { 0 };
	struct watch *w;

	test("a node without RDMA and ports is not listened to about them");
	node_sh(n, "rm -r sys/class/infiniband");
	play.without_ports = true;
	w = watch_new(l, &n->host, places, on_change, what, &e);
	ok(w && play.kernel[NETLINK_RDMA] == 0 && play.kernel[NETLINK_GENERIC] == 0);
	ok(play.kernel[NETLINK_ROUTE] > 0 && play.kernel[NETLINK_KOBJECT_UEVENT] > 0);
	watch_free(w);
	forget();

	test("a kernel that refuses ports is watched without them, one that refuses links is not");
	play.refused = NETLINK_GENERIC + 1;
	w = watch_new(l, &n->host, places, on_change, what, &e);
	ok(w != NULL);
	watch_free(w);
	forget();
	test("what the loop cannot take is not listened to");
	play.unread = NETLINK_GENERIC + 1;
	w = watch_new(l, &n->host, places, on_change, what, &e);
	ok(w && send(play.kernel[NETLINK_GENERIC], "x", 1, MSG_NOSIGNAL) < 0);
	watch_free(w);
	forget();
	test("nor without links or uevents at all");
	play.refused = NETLINK_ROUTE + 1;
	ok(!watch_new(l, &n->host, places, on_change, what, &e) && e.code == ERR_NETLINK);
	forget();
	play.refused = NETLINK_KOBJECT_UEVENT + 1;
	ok(!watch_new(l, &n->host, places, on_change, what, &e) && e.code == ERR_NETLINK);
	forget();
}

/* This one is about the real kernel, in a namespace where we may send to any socket. */
static void senders(void)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	socklen_t len = sizeof(to);
	struct err e = { 0 };
	bool lost = false;
	struct nl_req r;
	char buf[4096];

	test("a message of another program's is none of the kernel's");
	ok(unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
	int fd = __real_watch_netlink_open(NETLINK_ROUTE, RTNLGRP_LINK, &e);
	int other = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ok(fd >= 0 && other >= 0 && getsockname(fd, (struct sockaddr *)&to, &len) == 0);
	compose_link(&r, "0000:03:00.0");
	ok(sendto(other, r.buf, r.h.nlmsg_len, 0, (struct sockaddr *)&to, sizeof(to)) ==
	   (ssize_t)r.h.nlmsg_len);
	ok(sendto(other, r.buf, r.h.nlmsg_len, 0, (struct sockaddr *)&to, sizeof(to)) ==
	   (ssize_t)r.h.nlmsg_len);
	test("and counts, for who reads a bounded number of them");
	eqi(watch_netlink_read(fd, buf, sizeof(buf), &lost), 0);
	eqi(watch_netlink_read(fd, buf, sizeof(buf), &lost), 0);
	eqi(watch_netlink_read(fd, buf, sizeof(buf), &lost), -1);
	ok(!lost);
	ok(recv(fd, buf, sizeof(buf), MSG_DONTWAIT) < 0);
	(void)close(other);
	(void)close(fd);
}

int main(void)
{
	const struct watch_places places = { .attachments = "/var/lib/devinfo/attachments" };
	struct err e = { 0 };
	unsigned int what = 0;
	struct fake_node n;
	struct loop *l = loop_new(&e);

	node_open(NULL, &n);
	node_sh(&n, "mkdir -p sys/class/infiniband");
	struct watch *w = watch_new(l, &n.host, &places, on_change, &what, &e);
	ok(w != NULL);
	links(l, &what);
	others(l, &what);
	watch_free(w);
	forget();
	absent(l, &n, &places, &what);
	senders();
	loop_free(l);
	node_close(&n);
	return tap_end();
}
