/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_answers.h - what the kernel of rdma_kernel.h answers to system calls
 *
 * Sockets of NETLINK_RDMA and NETLINK_ROUTE are answered after what drivers/infiniband/core and
 * net/core/rtnetlink.c do; so are writes to the files by which the VF gets another driver.
 */
#ifndef TESTS_UNIT_RDMA_ANSWERS_H
#define TESTS_UNIT_RDMA_ANSWERS_H

#include "devinfo/journal/journal.h"
#include "netlink/nl.h"
#include "tests/unit/rdma_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { FDS = 1024 };

static struct {
	int bus;				/* -1: not ours to answer */
	ino_t ns;
	struct nlmsghdr req;
	size_t len, taken;
	_Alignas(struct nlmsghdr) uint8_t buf[8192];
} socks[FDS];

static int at;					/* the socket being answered */
static const char *words;			/* of a refusal */

static inline void answer(const struct nl_req *r)
{
	struct nlmsghdr *h = (struct nlmsghdr *)(void *)(socks[at].buf + socks[at].len);
	struct sockaddr_nl self;
	socklen_t len = sizeof(self);

	(void)getsockname(at, (struct sockaddr *)&self, &len);
	memcpy(h, r->buf, r->h.nlmsg_len);
	h->nlmsg_seq = socks[at].req.nlmsg_seq;
	h->nlmsg_pid = self.nl_pid;
	socks[at].len += MNL_ALIGN(h->nlmsg_len);
}

static inline void finish(int error)
{
	struct nl_req r;
	struct nlmsgerr *err;
	bool dump = socks[at].req.nlmsg_flags & NLM_F_DUMP && error == 0;

	if (dump) {
		*(int *)nl_req_init(&r, NLMSG_DONE, 0, sizeof(int)) = 0;
	} else {
		err = nl_req_init(&r, NLMSG_ERROR, 0, sizeof(*err));
		err->error = -error;
		err->msg = socks[at].req;
		r.h.nlmsg_flags = 0x100 | (words ? 0x200 : 0);	/* capped, with TLVs */
		if (words)
			nl_put(&r, NLMSGERR_ATTR_MSG, words, strlen(words) + 1);
	}
	answer(&r);
}

static inline int refuse(int error, const char *why)
{
	words = why;
	return error;
}

static inline void put_rdma(uint32_t index, const char *name)
{
	struct nl_req r;

	(void)nl_req_init(&r, 5 << 10 | RDMA_NLDEV_CMD_GET, NLM_F_MULTI, 0);
	nl_put_u32(&r, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	nl_put(&r, RDMA_NLDEV_ATTR_DEV_NAME, name, strlen(name) + 1);
	answer(&r);
}

/* Has somebody the lock of RDMA devices? */
static inline bool is_locked(void)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct deadline now = deadline_in(0);
	struct err e;

	return journal_open(&n.host, JOURNAL_UPDATE, &j, &e) == 1 &&
	       journal_lock_device(&j, "rdma/", &now, &e) < 0;
}

/* nldev_set_doit(): found by the socket's namespace, then to be in the sender's. */
static inline int rdma_set(const struct nlattr *const tb[], ino_t sender)
{
	char name[64];
	uint32_t index = 0, fd = 0;

	(void)nl_get(tb[RDMA_NLDEV_ATTR_DEV_INDEX], &index, sizeof(index));
	if (!k->rdma_index || index != k->rdma_index || k->rdma_ns != socks[at].ns)
		return EINVAL;
	if (nl_get_text(tb[RDMA_NLDEV_ATTR_DEV_NAME], name, sizeof(name))) {
		if (strcmp(name, k->taken) == 0)
			return EEXIST;
		point();
		note("rename %s %s; ", k->rdma_name, name);
		k->renames++;
		k->locked_renames += is_locked();
		memcpy(k->rdma_name, name, sizeof(name));
		show();
		point();
		return 0;
	}
	(void)nl_get(tb[RDMA_NLDEV_NET_NS_FD], &fd, sizeof(fd));
	if (k->shared || k->refuse_move)
		return refuse(k->refuse_move ? k->refuse_move : EOPNOTSUPP, "cannot be moved");
	if (k->rdma_ns != sender)
		return ENODEV;
	point();
	k->rdma_ns = ns_of(fd);
	note("rdma to %s; ", ns_name(k->rdma_ns));
	if (!k->ethernet)
		make_interface();
	show();
	point();
	return 0;
}

static inline int rdma_request(const struct nlmsghdr *h, ino_t sender)
{
	const struct nlattr *tb[RDMA_NLDEV_NET_NS_FD + 1];
	struct nl_req r;

	nl_attrs(mnl_nlmsg_get_payload(h), mnl_nlmsg_get_payload_len(h), tb, RDMA_NLDEV_NET_NS_FD);
	switch (h->nlmsg_type & 0x3ff) {
	case RDMA_NLDEV_CMD_SYS_GET:
		if (k->old_mode)
			return EINVAL;
		(void)nl_req_init(&r, 5 << 10 | RDMA_NLDEV_CMD_SYS_GET, 0, 0);
		nl_put(&r, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, k->shared ? "\1" : "\0", 1);
		answer(&r);
		return 0;
	case RDMA_NLDEV_CMD_GET:
		if (k->shared || socks[at].ns == home_ns)
			put_rdma(2, *k->taken ? k->taken : "other");
		if (k->rdma_index && (k->shared || k->rdma_ns == socks[at].ns))
			put_rdma(k->rdma_index, k->rdma_name);
		if (*k->switched) {
			memcpy(k->rdma_name, k->switched, sizeof(k->rdma_name));
			show();
		}
		return 0;
	default:
		return rdma_set(tb, sender);
	}
}

static inline void put_address(struct nl_req *r)
{
	uint8_t addr[IPOIB] = { 0, 0, 0, (uint8_t)k->ifindex, 0xfe, 0x80 };

	for (int i = 0; i < 8; i++)
		addr[12 + i] = (uint8_t)(k->guid >> (56 - 8 * i));
	nl_put(r, IFLA_ADDRESS, addr, k->ethernet ? 6 : IPOIB);
}

static inline void put_interface(void)
{
	struct nl_req r;
	struct ifinfomsg *ifi = nl_req_init(&r, RTM_NEWLINK, NLM_F_MULTI, sizeof(*ifi));
	struct nlattr *info, *data;

	ifi->ifi_index = k->ifindex;
	ifi->ifi_flags = k->up ? IFF_UP : 0;
	nl_put(&r, IFLA_IFNAME, k->ifname, strlen(k->ifname) + 1);
	nl_put_u32(&r, IFLA_MTU, k->mtu);
	put_address(&r);
	nl_put(&r, IFLA_PARENT_DEV_NAME, VF, sizeof(VF));
	nl_put(&r, IFLA_PARENT_DEV_BUS_NAME, "pci", 4);
	if (!k->ethernet) {
		info = nl_nest(&r, IFLA_LINKINFO);
		nl_put(&r, IFLA_INFO_KIND, "ipoib", 6);
		data = nl_nest(&r, IFLA_INFO_DATA);
		nl_put(&r, IFLA_IPOIB_MODE, &k->mode, sizeof(k->mode));
		nl_put(&r, IFLA_IPOIB_UMCAST, &k->umcast, sizeof(k->umcast));
		nl_nest_end(&r, data);
		nl_nest_end(&r, info);
	}
	answer(&r);
}

static inline void put_pf(void)
{
	struct ifla_vf_mac mac = { .vf = VF_NUMBER };
	struct ifla_vf_guid node = { .vf = VF_NUMBER, .guid = k->node };
	struct ifla_vf_guid port = { .vf = VF_NUMBER, .guid = k->port };
	struct nlattr *list, *info;
	struct nl_req r;
	struct ifinfomsg *ifi = nl_req_init(&r, RTM_NEWLINK, 0, sizeof(*ifi));

	ifi->ifi_index = PF_INDEX;
	nl_put(&r, IFLA_IFNAME, "ibpf", 5);
	nl_put_u32(&r, IFLA_NUM_VF, 1);
	list = nl_nest(&r, IFLA_VFINFO_LIST);
	info = nl_nest(&r, IFLA_VF_INFO);
	nl_put(&r, IFLA_VF_MAC, &mac, sizeof(mac));
	if (k->reports_guids) {
		nl_put(&r, IFLA_VF_IB_NODE_GUID, &node, sizeof(node));
		nl_put(&r, IFLA_VF_IB_PORT_GUID, &port, sizeof(port));
	}
	nl_nest_end(&r, info);
	nl_nest_end(&r, list);
	answer(&r);
}

static inline int get_link(const struct ifinfomsg *ifi, const struct nlattr *const tb[])
{
	bool here = k->ifindex && k->if_ns == socks[at].ns, dump;
	char name[16] = "";

	(void)nl_get_text(tb[IFLA_IFNAME], name, sizeof(name));
	dump = socks[at].req.nlmsg_flags & NLM_F_DUMP;
	if (ifi->ifi_index == PF_INDEX && socks[at].ns == home_ns) {
		put_pf();
		return 0;
	}
	if (here && (dump || ifi->ifi_index == k->ifindex || strcmp(name, k->ifname) == 0)) {
		put_interface();
		return 0;
	}
	return dump ? 0 : ENODEV;
}

/* do_setvfinfo(): it looks at nothing behind a node GUID. */
static inline int set_vf(const struct nlattr *list)
{
	const struct nlattr *infos[IFLA_VF_INFO + 1], *tb[IFLA_VF_IB_PORT_GUID + 1];
	struct ifla_vf_guid guid;
	char text[GUID_TEXT];

	nl_attrs_nested(list, infos, IFLA_VF_INFO);
	nl_attrs_nested(infos[IFLA_VF_INFO], tb, IFLA_VF_IB_PORT_GUID);
	if (nl_get(tb[IFLA_VF_IB_NODE_GUID], &guid, sizeof(guid)) && guid.vf == VF_NUMBER) {
		point();
		note("node %s; ", guid_format(guid.guid, text) + 15);
		k->node = k->forgets_guids ? 0 : k->keeps_guids ? k->node : guid.guid;
		point();
		return 0;
	}
	if (!nl_get(tb[IFLA_VF_IB_PORT_GUID], &guid, sizeof(guid)) || guid.vf != VF_NUMBER)
		return EINVAL;
	if (k->refuse_port)
		return refuse(k->refuse_port, "no such port");
	point();
	note("port %s; ", guid_format(guid.guid, text) + 15);
	k->port = k->forgets_guids ? 0 : k->keeps_guids ? k->port : guid.guid;
	point();
	return 0;
}

/* ipoib_set_mode(): a mode has an MTU of its own, and a limit. */
static inline void set_ipoib(const struct nlattr *info)
{
	const struct nlattr *tb[IFLA_INFO_DATA + 1], *data[IFLA_IPOIB_UMCAST + 1];

	nl_attrs_nested(info, tb, IFLA_INFO_DATA);
	nl_attrs_nested(tb[IFLA_INFO_DATA], data, IFLA_IPOIB_UMCAST);
	(void)nl_get(data[IFLA_IPOIB_MODE], &k->mode, sizeof(k->mode));
	(void)nl_get(data[IFLA_IPOIB_UMCAST], &k->umcast, sizeof(k->umcast));
	k->mtu = k->mode ? 65520 : 2044;
	note("mode %u %u; ", k->mode, k->umcast);
}

/* do_setlink(): from top to bottom, and it stops at what it refuses. */
static inline int change_link(const struct ifinfomsg *ifi, const struct nlattr *const tb[])
{
	uint32_t fd, mtu;
	char name[16];

	if (nl_get(tb[IFLA_NET_NS_FD], &fd, sizeof(fd)))
		k->if_ns = ns_of(fd);
	if (nl_get(tb[IFLA_MTU], &mtu, sizeof(mtu))) {
		if (!k->ethernet && mtu > (k->mode ? 65520 : 4092))
			return refuse(EINVAL, "mtu greater than device maximum");
		k->mtu = mtu;
	}
	if (nl_get_text(tb[IFLA_IFNAME], name, sizeof(name)))
		(void)snprintf(k->ifname, sizeof(k->ifname), "%s",
			       strcmp(name, "dev%d") == 0 ? "dev0" : name);
	if (ifi->ifi_change & IFF_UP)
		k->up = ifi->ifi_flags & IFF_UP;
	note("link %s %s %u; ", k->ifname, ns_name(k->if_ns), k->mtu);
	return 0;
}

static inline int set_link(const struct ifinfomsg *ifi, const struct nlattr *const tb[])
{
	int r = 0;

	if (tb[IFLA_VFINFO_LIST])
		return set_vf(tb[IFLA_VFINFO_LIST]);
	if (!k->ifindex || ifi->ifi_index != k->ifindex || k->if_ns != socks[at].ns)
		return ENODEV;
	if (tb[IFLA_ADDRESS])		/* ipoib_check_lladdr(): the QPN must agree */
		return EINVAL;
	point();
	if (tb[IFLA_LINKINFO])
		set_ipoib(tb[IFLA_LINKINFO]);
	else
		r = change_link(ifi, tb);
	show();
	point();
	return r;
}

static inline int route_request(const struct nlmsghdr *h)
{
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(h);

	if (h->nlmsg_type == RTM_GETROUTE)	/* there is none */
		return 0;
	nl_attrs(ifi + 1, mnl_nlmsg_get_payload_len(h) - sizeof(*ifi), tb, IFLA_MAX);
	if (h->nlmsg_type == RTM_GETLINK)
		return get_link(ifi, tb);
	return set_link(ifi, tb);
}

/* -- the system calls that lead to it: our own definitions go before the C library's -- */

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int socket(int domain, int type, int protocol)
{
	static int (*real)(int, int, int);
	bool ours = domain == AF_NETLINK && (protocol == NETLINK_RDMA || protocol == NETLINK_ROUTE);
	int fd;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "socket");
	if (ours && protocol == NETLINK_RDMA && k->no_rdma) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	fd = real(domain, type, ours ? NETLINK_USERSOCK : protocol);
	if (fd >= 0 && fd < FDS) {
		socks[fd].bus = ours ? protocol : -1;
		socks[fd].ns = this_ns();
		socks[fd].len = socks[fd].taken = 0;
	}
	return fd;
}

VISIBLE ssize_t sendto(int fd, const void *buf, size_t len, int flags, __CONST_SOCKADDR_ARG to,
		       socklen_t tolen)
{
	static ssize_t (*real)(int, const void *, size_t, int, __CONST_SOCKADDR_ARG, socklen_t);
	const struct nlmsghdr *h = buf;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sendto");
	if (fd < 0 || fd >= FDS || socks[fd].bus < 0)
		return real(fd, buf, len, flags, to, tolen);
	at = fd;
	socks[fd].len = socks[fd].taken = 0;
	socks[fd].req = *h;
	words = NULL;
	finish(socks[fd].bus == NETLINK_RDMA ? rdma_request(h, this_ns()) : route_request(h));
	return (ssize_t)len;
}

VISIBLE ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	static ssize_t (*real)(int, struct msghdr *, int);
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	size_t len;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "recvmsg");
	if (fd < 0 || fd >= FDS || socks[fd].bus < 0)
		return real(fd, msg, flags);
	len = socks[fd].len - socks[fd].taken;
	if (len == 0 || len > msg->msg_iov[0].iov_len) {
		errno = EAGAIN;
		return -1;
	}
	memcpy(msg->msg_name, &kernel, sizeof(kernel));
	msg->msg_namelen = sizeof(kernel);
	msg->msg_flags = 0;
	memcpy(msg->msg_iov[0].iov_base, socks[fd].buf, len);
	socks[fd].taken = socks[fd].len;
	return (ssize_t)len;
}

/* The driver whose name the file has; it stays away where it was unloaded. */
static inline const char *read_override(void)
{
	static char name[64];
	char path[160];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/" VF_DIR "/driver_override", n.dir);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%63s", name) != 1)
		*name = '\0';
	if (f)
		(void)fclose(f);
	return name;
}

/* What is written to a file of the PCI bus or a driver: -2 when it is no concern of ours. */
static inline ssize_t write_to_bus(const char *path, const char *text, size_t len)
{
	const char *file = strrchr(path, '/') + 1;
	bool unbinding = strcmp(file, "unbind") == 0;

	if (strncmp(path, n.dir, strlen(n.dir)) != 0 ||
	    (!unbinding && strcmp(file, "drivers_probe") != 0))
		return -2;
	if (len != strlen(VF) || memcmp(text, VF, len) != 0 || unbinding != (*k->driver != '\0')) {
		errno = ENODEV;
		return -1;
	}
	point();
	if (unbinding)
		unbind_vf();
	else
		bind_vf(read_override());
	point();
	return (ssize_t)len;
}

VISIBLE ssize_t write(int fd, const void *buf, size_t len)
{
	static ssize_t (*real)(int, const void *, size_t);
	char link[32], path[256] = "";
	ssize_t r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) > 0 && *path == '/') {
		r = write_to_bus(path, buf, len);
		if (r != -2)
			return r;
	}
	return real(fd, buf, len);
}

/* Nobody has called us, so nobody can have died; a child of ours looks whether we have. */
VISIBLE pid_t getppid(void)
{
	return getpid() == k->call ? 0 : (pid_t)syscall(SYS_getppid);
}

#endif
