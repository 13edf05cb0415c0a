/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rdma.c - RDMA devices and InfiniBand GUIDs, from ADD to DEL, with a kernel of our own
 *
 * No machine at hand has such hardware, so the sockets of NETLINK_RDMA and NETLINK_ROUTE are
 * answered here, after what drivers/infiniband/core and net/core/rtnetlink.c do: one VF with
 * an RDMA device and an IPoIB interface, in two real network namespaces, and its driver's bind and
 * unbind files.  What it is asked to change it writes down.  Needs root.
 */
#include "base/guid.h"
#include "base/mem.h"
#include "cni/infiniband.h"
#include "cni/netdev.h"
#include "cni/rdma.h"
#include "cni/verb.h"
#include "cni/vf.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define VF	"0000:03:00.2"
#define PF	"0000:03:00.0"
#define VF_DIR	"sys/devices/pci0000:00/" VF
#define GUID_A	UINT64_C(0x0011223344556601)
#define GUID_B	UINT64_C(0x0011223344556602)
#define GUID_C	UINT64_C(0x0011223344556603)

enum { PF_INDEX = 5, VF_NUMBER = 1, IPOIB = 20 };

static struct fake_node n;

static void sh(const char *command)
{
	node_sh(&n, command);
}

/* -- the kernel -- */

static struct {
	bool no_rdma, shared, old_mode, reports_guids, ipoib_follows, ethernet;
	int refuse_move, refuse_port;		/* errno */
	bool no_return;				/* the driver makes no RDMA device any more */

	uint32_t rdma_index;			/* 0: there is none */
	char rdma_name[64], next_name[64];	/* next: as a bind calls it */
	char taken[64];				/* a name of another device */
	ino_t rdma_ns;

	int ifindex;				/* 0: there is none */
	char ifname[16];
	ino_t if_ns;
	uint32_t mtu;
	uint64_t guid;				/* what the VF runs with */

	uint64_t node, port;			/* what the PF holds for it */
	bool bound;
	char log[1024];
} k;

static ino_t home_ns, pod_ns;
static int pod_fd = -1;
static pid_t pod_pid;

static void note(const char *fmt, ...) printflike(1, 2);
static void note(const char *fmt, ...)
{
	size_t len = strlen(k.log);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(k.log + len, sizeof(k.log) - len, fmt, ap);
	va_end(ap);
}

static ino_t this_ns(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) == 0 ? st.st_ino : 0;
}

static ino_t ns_of(uint32_t fd)
{
	struct stat st;

	return fstat((int)fd, &st) == 0 ? st.st_ino : 0;
}

static const char *ns_name(ino_t ns)
{
	return ns == home_ns ? "home" : ns == pod_ns ? "pod" : "?";
}

/* sysfs shows what is in the namespace it was mounted in. */
static void show(void)
{
	auto_free char *make = NULL;

	sh("rm -rf " VF_DIR "/infiniband && mkdir " VF_DIR "/infiniband");
	if (k.rdma_index && k.rdma_ns == home_ns &&
	    asprintf(&make, "mkdir " VF_DIR "/infiniband/%s", k.rdma_name) > 0)
		sh(make);
	sh("rm -f " VF_DIR "/driver");
	if (k.bound)
		sh("ln -s ../../../bus/pci/drivers/mlx5_core " VF_DIR "/driver");
}

/* ipoib_add_port(): a number and a name of its own; from Linux 6.17 on where the RDMA device is. */
static void make_interface(void)
{
	if (k.ethernet || !k.ifindex)
		return;
	k.ifindex += 10;
	(void)snprintf(k.ifname, sizeof(k.ifname), "ib%d", k.ifindex);
	k.if_ns = k.ipoib_follows ? k.rdma_ns : home_ns;
	k.mtu = 2044;
}

static void unbind_vf(void)
{
	note("unbind; ");
	k.bound = false;
	k.rdma_index = 0;
	show();
}

static void bind_vf(void)
{
	note("bind; ");
	k.bound = true;
	if (!k.no_return) {
		static uint32_t next = 100;

		k.rdma_index = next++;
		k.rdma_ns = home_ns;
		memcpy(k.rdma_name, k.next_name, sizeof(k.rdma_name));
	}
	if (k.port)
		k.guid = k.port;
	make_interface();
	show();
}

/* -- its answers -- */

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

static void answer(const struct nl_req *r)
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

static void finish(int error)
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

static int refuse(int error, const char *why)
{
	words = why;
	return error;
}

static void put_rdma(uint32_t index, const char *name)
{
	struct nl_req r;

	(void)nl_req_init(&r, 5 << 10 | RDMA_NLDEV_CMD_GET, NLM_F_MULTI, 0);
	nl_put_u32(&r, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	nl_put(&r, RDMA_NLDEV_ATTR_DEV_NAME, name, strlen(name) + 1);
	answer(&r);
}

/* nldev_set_doit(): found by the socket's namespace, then to be in the sender's. */
static int rdma_set(const struct nlattr *const tb[], ino_t sender)
{
	char name[64];
	uint32_t index = 0, fd = 0;

	(void)nl_get(tb[RDMA_NLDEV_ATTR_DEV_INDEX], &index, sizeof(index));
	if (!k.rdma_index || index != k.rdma_index || k.rdma_ns != socks[at].ns)
		return EINVAL;
	if (nl_get_text(tb[RDMA_NLDEV_ATTR_DEV_NAME], name, sizeof(name))) {
		if (strcmp(name, k.taken) == 0)
			return EEXIST;
		note("rename %s %s; ", k.rdma_name, name);
		memcpy(k.rdma_name, name, sizeof(name));
		show();
		return 0;
	}
	(void)nl_get(tb[RDMA_NLDEV_NET_NS_FD], &fd, sizeof(fd));
	if (k.shared || k.refuse_move)
		return refuse(k.refuse_move ? k.refuse_move : EOPNOTSUPP, "cannot be moved");
	if (k.rdma_ns != sender)
		return ENODEV;
	k.rdma_ns = ns_of(fd);
	note("rdma to %s; ", ns_name(k.rdma_ns));
	make_interface();
	show();
	return 0;
}

static int rdma_request(const struct nlmsghdr *h, ino_t sender)
{
	const struct nlattr *tb[RDMA_NLDEV_NET_NS_FD + 1];
	struct nl_req r;

	nl_attrs(mnl_nlmsg_get_payload(h), mnl_nlmsg_get_payload_len(h), tb, RDMA_NLDEV_NET_NS_FD);
	switch (h->nlmsg_type & 0x3ff) {
	case RDMA_NLDEV_CMD_SYS_GET:
		if (k.old_mode)
			return EINVAL;
		(void)nl_req_init(&r, 5 << 10 | RDMA_NLDEV_CMD_SYS_GET, 0, 0);
		nl_put(&r, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, k.shared ? "\1" : "\0", 1);
		answer(&r);
		return 0;
	case RDMA_NLDEV_CMD_GET:
		put_rdma(2, "other");
		if (k.rdma_index && (k.shared || k.rdma_ns == socks[at].ns))
			put_rdma(k.rdma_index, k.rdma_name);
		return 0;
	default:
		return rdma_set(tb, sender);
	}
}

static void put_address(struct nl_req *r)
{
	uint8_t addr[IPOIB] = { 0, 0, 0, (uint8_t)k.ifindex, 0xfe, 0x80 };

	for (int i = 0; i < 8; i++)
		addr[12 + i] = (uint8_t)(k.guid >> (56 - 8 * i));
	nl_put(r, IFLA_ADDRESS, addr, k.ethernet ? 6 : IPOIB);
}

static void put_interface(void)
{
	struct nl_req r;
	struct ifinfomsg *ifi = nl_req_init(&r, RTM_NEWLINK, NLM_F_MULTI, sizeof(*ifi));

	ifi->ifi_index = k.ifindex;
	nl_put(&r, IFLA_IFNAME, k.ifname, strlen(k.ifname) + 1);
	nl_put_u32(&r, IFLA_MTU, k.mtu);
	put_address(&r);
	nl_put(&r, IFLA_PARENT_DEV_NAME, VF, sizeof(VF));
	nl_put(&r, IFLA_PARENT_DEV_BUS_NAME, "pci", 4);
	answer(&r);
}

static void put_pf(void)
{
	struct ifla_vf_mac mac = { .vf = VF_NUMBER };
	struct ifla_vf_guid node = { .vf = VF_NUMBER, .guid = k.node };
	struct ifla_vf_guid port = { .vf = VF_NUMBER, .guid = k.port };
	struct nlattr *list, *info;
	struct nl_req r;
	struct ifinfomsg *ifi = nl_req_init(&r, RTM_NEWLINK, 0, sizeof(*ifi));

	ifi->ifi_index = PF_INDEX;
	nl_put(&r, IFLA_IFNAME, "ibpf", 5);
	nl_put_u32(&r, IFLA_NUM_VF, 1);
	list = nl_nest(&r, IFLA_VFINFO_LIST);
	info = nl_nest(&r, IFLA_VF_INFO);
	nl_put(&r, IFLA_VF_MAC, &mac, sizeof(mac));
	if (k.reports_guids) {
		nl_put(&r, IFLA_VF_IB_NODE_GUID, &node, sizeof(node));
		nl_put(&r, IFLA_VF_IB_PORT_GUID, &port, sizeof(port));
	}
	nl_nest_end(&r, info);
	nl_nest_end(&r, list);
	answer(&r);
}

static int get_link(const struct ifinfomsg *ifi, const struct nlattr *const tb[])
{
	bool here = k.ifindex && k.if_ns == socks[at].ns, dump;
	char name[16] = "";

	(void)nl_get_text(tb[IFLA_IFNAME], name, sizeof(name));
	dump = socks[at].req.nlmsg_flags & NLM_F_DUMP;
	if (ifi->ifi_index == PF_INDEX && socks[at].ns == home_ns) {
		put_pf();
		return 0;
	}
	if (here && (dump || ifi->ifi_index == k.ifindex || strcmp(name, k.ifname) == 0)) {
		put_interface();
		return 0;
	}
	return dump ? 0 : ENODEV;
}

/* do_setvfinfo(): it looks at nothing behind a node GUID. */
static int set_vf(const struct nlattr *list)
{
	const struct nlattr *infos[IFLA_VF_INFO + 1], *tb[IFLA_VF_IB_PORT_GUID + 1];
	struct ifla_vf_guid guid;
	char text[GUID_TEXT];

	nl_attrs_nested(list, infos, IFLA_VF_INFO);
	nl_attrs_nested(infos[IFLA_VF_INFO], tb, IFLA_VF_IB_PORT_GUID);
	if (nl_get(tb[IFLA_VF_IB_NODE_GUID], &guid, sizeof(guid)) && guid.vf == VF_NUMBER) {
		note("node %s; ", guid_format(guid.guid, text) + 15);
		k.node = guid.guid;
		return 0;
	}
	if (!nl_get(tb[IFLA_VF_IB_PORT_GUID], &guid, sizeof(guid)) || guid.vf != VF_NUMBER)
		return EINVAL;
	if (k.refuse_port)
		return refuse(k.refuse_port, "no such port");
	note("port %s; ", guid_format(guid.guid, text) + 15);
	k.port = guid.guid;
	return 0;
}

static int set_link(const struct ifinfomsg *ifi, const struct nlattr *const tb[])
{
	uint32_t fd, mtu;

	if (tb[IFLA_VFINFO_LIST])
		return set_vf(tb[IFLA_VFINFO_LIST]);
	if (!k.ifindex || ifi->ifi_index != k.ifindex || k.if_ns != socks[at].ns)
		return ENODEV;
	if (tb[IFLA_ADDRESS])		/* ipoib_check_lladdr(): the QPN must agree */
		return EINVAL;
	if (nl_get(tb[IFLA_MTU], &mtu, sizeof(mtu)))
		k.mtu = mtu;
	(void)nl_get_text(tb[IFLA_IFNAME], k.ifname, sizeof(k.ifname));
	if (nl_get(tb[IFLA_NET_NS_FD], &fd, sizeof(fd)))
		k.if_ns = ns_of(fd);
	note("link %s %s %u; ", k.ifname, ns_name(k.if_ns), k.mtu);
	return 0;
}

static int route_request(const struct nlmsghdr *h)
{
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(h);

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
	if (ours && protocol == NETLINK_RDMA && k.no_rdma) {
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
	const struct nlmsghdr *h = buf;

	(void)flags;
	(void)to;
	(void)tolen;
	if (fd < 0 || fd >= FDS || socks[fd].bus < 0)
		return -1;
	at = fd;
	socks[fd].len = socks[fd].taken = 0;
	socks[fd].req = *h;
	words = NULL;
	finish(socks[fd].bus == NETLINK_RDMA ? rdma_request(h, this_ns()) : route_request(h));
	return (ssize_t)len;
}

VISIBLE ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	size_t len = socks[fd].len - socks[fd].taken;

	(void)flags;
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

VISIBLE ssize_t write(int fd, const void *buf, size_t len)
{
	static ssize_t (*real)(int, const void *, size_t);
	char link[32], path[256] = "";
	ssize_t r;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	r = readlink(link, path, sizeof(path) - 1);
	if (r > 0 && strstr(path, "/drivers/mlx5_core/")) {
		bool unbinding = strstr(path, "/unbind") != NULL;

		if (len != strlen(VF) || memcmp(buf, VF, len) != 0 || unbinding != k.bound) {
			errno = ENODEV;
			return -1;
		}
		unbinding ? unbind_vf() : bind_vf();
		return (ssize_t)len;
	}
	return real(fd, buf, len);
}

/* -- one attachment on it -- */

static struct attachment a;
static struct netconf nc;
static struct cni_call call;
static char netns_path[64];

static void attachment_reset(void)
{
	struct stat st;
	struct err e;
	int r;

	attach_done(&a);
	sh("rm -rf var");
	memset(&a, 0, sizeof(a));
	nc = (struct netconf){ .vlan = -1, .vlan_qos = -1, .min_tx_rate = -1, .max_tx_rate = -1,
			       .mtu = -1 };
	call = (struct cni_call){ .ifname = "net1" };
	a.host = &n.host;
	a.call = &call;
	a.conf = &nc;
	a.icmp6 = -1;
	a.netns = dup(pod_fd);
	a.journal = (struct journal){ .dir = -1, .lock = -1 };
	(void)fstat(pod_fd, &st);
	r = journal_open(&n.host, JOURNAL_CREATE, &a.journal, &e);
	ok(r == 1 && nl_open(NETNS_OWN, NETLINK_ROUTE, &a.home, &e) == 0 &&
	   nl_open(pod_fd, NETLINK_ROUTE, &a.pod, &e) == 0);
	a.rec = (struct record){
		.owner = { .network = "net", .container_id = "c0ffee", .ifname = "net1",
			   .netns = netns_path, .netns_dev = st.st_dev, .netns_ino = st.st_ino },
		.boot_id = "b", .device = VF, .is_pci = true, .sole = true,
		.devinfo_dir = "/d", .run_dir = "/r",
	};
}

/* As look() leaves it. */
static void look_so_far(void)
{
	struct link link;
	struct err e;

	memcpy(a.dev.key, VF, sizeof(VF));
	a.dev.is_pci = true;
	ok(sysfs_pci(&n.host, VF, &a.dev.pci, &e) == 1);
	ok(vf_get(&a.home, PF_INDEX, VF_NUMBER, &a.rec.vf, &e) == 1);
	a.rec.vf_set = nc.guid ? VF_GUIDS : 0;
	if (k.ifindex && link_get_by_index(&a.home, k.ifindex, &link, &e) == 1)
		netdev_state_of(&link, &a.rec.netdev);
}

/* A VF at home, in exclusive mode, with an RDMA device and, of InfiniBand, an interface on it. */
static void start(bool ethernet)
{
	memset(&k, 0, sizeof(k));
	k.ethernet = ethernet;
	k.reports_guids = !ethernet;
	k.rdma_index = 7;
	(void)snprintf(k.rdma_name, sizeof(k.rdma_name), "mlx5_2");
	(void)snprintf(k.next_name, sizeof(k.next_name), "mlx5_2");
	k.rdma_ns = k.if_ns = home_ns;
	k.ifindex = 30;
	(void)snprintf(k.ifname, sizeof(k.ifname), "ibs3v1");
	k.mtu = 4092;
	k.guid = GUID_A;
	k.bound = true;
	show();
	attachment_reset();
}

static int look_all(struct err *e)
{
	return infiniband_look(&a, e) < 0 || rdma_look(&a, e) < 0 ||
			       infiniband_look_again(&a, e) < 0 ?
		       -1 :
		       journal_write(&a.journal, &a.rec, e);
}

static int add(struct err *e)
{
	struct link_target to = { .nsfd = pod_fd, .name = "net1" };

	if (look_all(e) < 0 || infiniband_set_guid(&a, e) < 0 || rdma_move_in(&a, e) < 0)
		return -1;
	return a.rec.netdev.present ? link_move(&a.home, a.rec.netdev.ifindex, &to, e) : 0;
}

/* From the record on disk, as DEL has it. */
static int del(struct err *e)
{
	auto_record struct record rec = { 0 };
	struct pci_device dev = { 0 };
	struct netdev_place place;
	bool refused;

	if (journal_find(&a.journal, &a.rec.owner, &rec, e) != 1 ||
	    sysfs_pci(&n.host, VF, &dev, e) != 1 ||
	    infiniband_restore(&n.host, &a.journal, &rec, &dev, e) < 0)
		return -1;
	if (rec.netdev.present &&
	    (netdev_await(&a.home, &a.pod, &rec, *dev.driver, &place, e) != 1 ||
	     netdev_fetch(&a.home, &a.pod, &a.journal, &rec, &place, e) < 0 ||
	     netdev_settle(&a.home, &rec, &place.link, &refused, e) < 0))
		return -1;
	return infiniband_settle(&n.host, &rec, &dev, e);
}

/* -- what is decided -- */

static void decisions(void)
{
	enum { STAYS, MOVES, REFUSED };
	static const struct {
		const char *what;
		bool shared, no_rdma, old_mode, is_pf;
		int devices;
		enum onoff isolation;
		int want;
		const char *msg;
	} rows[] = {
		{ "exclusive: it moves", .devices = 1, .want = MOVES },
		{ "exclusive, demanded", .devices = 1, .isolation = ONOFF_ON, .want = MOVES },
		{ "exclusive, forbidden", .devices = 1, .isolation = ONOFF_OFF, .want = STAYS },
		{ "shared", .shared = true, .devices = 1, .want = STAYS },
		{ "shared, demanded", .shared = true, .devices = 1, .isolation = ONOFF_ON,
		  .want = REFUSED,
		  .msg = "rdmaIsolation: the RDMA subsystem is in shared mode (rdma system set "
			 "netns exclusive)" },
		{ "a kernel that only shares", .old_mode = true, .devices = 1, .want = STAYS },
		{ "none", .want = STAYS },
		{ "none, demanded", .isolation = ONOFF_ON, .want = REFUSED,
		  .msg = "rdmaIsolation: " VF " has no RDMA device here" },
		{ "two", .devices = 2, .want = STAYS },
		{ "two, demanded", .devices = 2, .isolation = ONOFF_ON, .want = REFUSED,
		  .msg = "rdmaIsolation: " VF " has 2 RDMA devices" },
		{ "a PF's", .is_pf = true, .devices = 1, .want = STAYS },
		{ "a PF's, demanded", .is_pf = true, .devices = 1, .isolation = ONOFF_ON,
		  .want = MOVES },
		{ "no RDMA in the kernel", .no_rdma = true, .devices = 1, .want = REFUSED,
		  .msg = VF " has RDMA device mlx5_2, but the kernel no RDMA" },
	};
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r;

		test(rows[i].what);
		start(true);
		look_so_far();
		k.shared = rows[i].shared;
		k.no_rdma = rows[i].no_rdma;
		k.old_mode = rows[i].old_mode;
		nc.rdma_isolation = rows[i].isolation;
		a.dev.pci.is_vf = !rows[i].is_pf;
		if (rows[i].devices == 0)
			sh("rmdir " VF_DIR "/infiniband/*");
		if (rows[i].devices == 2)
			sh("mkdir " VF_DIR "/infiniband/mlx5_9");
		r = rdma_look(&a, &e);
		ok(r == (rows[i].want == REFUSED ? -1 : 0));
		ok(a.rec.rdma.isolated == (rows[i].want == MOVES));
		eq(a.rec.rdma.name, rows[i].want == MOVES ? "mlx5_2" : "");
		ok(a.rec.rdma.index == (rows[i].want == MOVES ? 7 : 0));
		if (rows[i].want == REFUSED) {
			e.msg[strlen(rows[i].msg)] = '\0';
			eq(e.msg, rows[i].msg);
		}
		eq(k.log, "");
	}
}

static void auxiliary(void)
{
	struct err e;

	test("an auxiliary device's RDMA device is found below it, and moves");
	start(true);
	sh("mkdir -p sys/bus/auxiliary/devices/mlx5_core.sf.4/infiniband/mlx5_2");
	(void)snprintf(a.dev.key, sizeof(a.dev.key), "mlx5_core.sf.4");
	ok(rdma_look(&a, &e) == 0 && a.rec.rdma.isolated && a.rec.rdma.index == 7);
	test("a network device of the host has none");
	start(true);
	(void)snprintf(a.dev.key, sizeof(a.dev.key), "eth0");
	ok(rdma_look(&a, &e) == 0 && !*a.rec.rdma.name);
}

/* -- there and back -- */

static void ethernet(void)
{
	struct rdma_device dev;
	struct err e;

	test("the RDMA device goes before the network device, and both come home");
	start(true);
	look_so_far();
	ok(add(&e) == 0);
	eq(k.log, "rdma to pod; link net1 pod 4092; ");
	ok(rdma_find_in(pod_fd, &a.rec, &dev, &e) == 1);
	eq(dev.name, "mlx5_2");
	ok(rdma_find_in(NETNS_OWN, &a.rec, &dev, &e) == 0);
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "rdma to home; link ibs3v1 home 4092; ");
	test("a second DEL finds everything at home");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "");

	test("one that the pod has renamed is brought home, and gets its name back");
	start(true);
	look_so_far();
	ok(add(&e) == 0);
	(void)snprintf(k.rdma_name, sizeof(k.rdma_name), "mine");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "rdma to home; link ibs3v1 home 4092; rename mine mlx5_2; ");
	test("unless another has that by now");
	start(true);
	look_so_far();
	ok(add(&e) == 0);
	(void)snprintf(k.rdma_name, sizeof(k.rdma_name), "mine");
	(void)snprintf(k.taken, sizeof(k.taken), "mlx5_2");
	ok(del(&e) == 0);
	eq(k.rdma_name, "mine");
	ok(k.rdma_ns == home_ns);

	test("the kernel has brought it home from a dead namespace: only its name is looked at");
	start(true);
	look_so_far();
	ok(add(&e) == 0);
	k.rdma_ns = k.if_ns = home_ns;
	show();
	a.rec.owner.netns = "/nowhere";
	ok(journal_write(&a.journal, &a.rec, &e) == 0);
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "link ibs3v1 home 4092; ");

	test("killed before it moved: DEL leaves it where it is");
	start(true);
	look_so_far();
	ok(look_all(&e) == 0 && del(&e) == 0);
	eq(k.log, "");

	test("in shared mode nothing is done");
	start(true);
	k.shared = true;
	look_so_far();
	ok(add(&e) == 0);
	eq(k.log, "link net1 pod 4092; ");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "link ibs3v1 home 4092; ");
}

static void refusals(void)
{
	struct err e;

	test("a driver that cannot move it is told in the kernel's words, with nothing moved");
	start(true);
	look_so_far();
	k.refuse_move = EOPNOTSUPP;
	ok(add(&e) == -1 && e.sys == EOPNOTSUPP && e.code == ERR_NETLINK);
	eq(e.msg, "mlx5_2: move RDMA device 7 to another namespace: the kernel refused");
	ok(strstr(e.details, "\"cannot be moved\"") != NULL);
	eq(k.log, "");
	ok(del(&e) == 0);
	eq(k.log, "");
	test("one that does not come home leaves the work to the next DEL");
	start(true);
	look_so_far();
	ok(add(&e) == 0);
	k.refuse_move = EBUSY;
	ok(del(&e) == -1 && e.sys == EBUSY);
	eq(e.msg, "bring RDMA device mlx5_2 home from the pod: move RDMA device 7 to another "
		  "namespace: the kernel refused");
	k.refuse_move = 0;
	ok(del(&e) == 0 && k.rdma_ns == home_ns && k.if_ns == home_ns);
}

/* -- InfiniBand -- */

static void infiniband_refusals(void)
{
	static const struct {
		const char *what, *msg;
		int vlan, rate;
		enum onoff spoofchk, trust;
		bool has_mac;
		const char *ipam;
	} rows[] = {
		{ "a mac", "mac: " VF " is an InfiniBand device", -1, -1, .has_mac = true },
		{ "a vlan", "vlan: " VF " is an InfiniBand device", 0, -1, .has_mac = false },
		{ "spoofchk", "spoofchk: " VF " is an InfiniBand device", -1, -1,
		  .spoofchk = ONOFF_OFF },
		{ "trust", "trust: " VF " is an InfiniBand device", -1, -1, .trust = ONOFF_ON },
		{ "a rate", "max_tx_rate: " VF " is an InfiniBand device", -1, 0, .ipam = NULL },
		{ "dhcp", "ipam.type: dhcp, but " VF " is an InfiniBand device", -1, -1,
		  .ipam = "dhcp" },
	};
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		test(rows[i].what);
		start(false);
		look_so_far();
		nc.vlan = rows[i].vlan;
		nc.max_tx_rate = rows[i].rate;
		nc.spoofchk = rows[i].spoofchk;
		nc.trust = rows[i].trust;
		nc.ipam_type = rows[i].ipam;
		a.has_mac = rows[i].has_mac;
		ok(infiniband_look(&a, &e) == -1 && e.code == ERR_NETCONF);
		eq(e.msg, rows[i].msg);
	}
	test("an Ethernet VF has no GUID");
	start(true);
	nc.guid = GUID_B;
	look_so_far();
	ok(infiniband_look(&a, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "guid: " VF " is no InfiniBand device");
	test("an InfiniBand VF without a GUID needs one");
	start(false);
	k.guid = GUID_UNASSIGNED;
	look_so_far();
	ok(infiniband_look(&a, &e) == -1 && e.code == ERR_DEVICE);
	eq(e.msg, VF " has no GUID (ff:ff:ff:ff:ff:ff:ff:ff), and none is configured");
	nc.guid = GUID_B;
	ok(infiniband_look(&a, &e) == 0);
	test("link_state and other addresses than DHCP's are fine");
	start(false);
	nc.link_state = LINK_POLICY_ENABLE;
	nc.ipam_type = "host-local";
	look_so_far();
	ok(infiniband_look(&a, &e) == 0 && !*a.rec.rebind);
	test("an interface made anew is looked for by its parent, which the kernel has to tell");
	start(false);
	look_so_far();
	a.rec.sole = false;
	ok(look_all(&e) == -1 && e.sys == EOPNOTSUPP);
}

static void guids_before(void)
{
	static const struct {
		const char *what;
		uint64_t reported, vf, want;
	} rows[] = {
		{ "the administrator's is put back", GUID_C, GUID_A, GUID_C },
		{ "else the firmware's", GUID_NONE, GUID_A, GUID_A },
		{ "which goes before all ones", GUID_UNASSIGNED, GUID_A, GUID_A },
		{ "without any it is taken away", GUID_NONE, GUID_NONE, GUID_UNASSIGNED },
	};
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		test(rows[i].what);
		start(false);
		k.node = k.port = rows[i].reported;
		k.guid = rows[i].vf;
		nc.guid = GUID_B;
		look_so_far();
		ok(infiniband_look(&a, &e) == 0);
		ok(a.rec.vf.node_guid == rows[i].want && a.rec.vf.port_guid == rows[i].want);
		ok((a.rec.vf.have & VF_GUIDS) == VF_GUIDS);
		eq(a.rec.rebind, "mlx5_core");
	}
}

static void guid_there_and_back(void)
{
	struct err e;

	test("a GUID is set while the driver is away; what that makes anew gets its names back");
	start(false);
	k.shared = true;
	k.node = k.port = GUID_C;
	(void)snprintf(k.next_name, sizeof(k.next_name), "mlx5_8");
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == 0);
	eq(k.log, "unbind; node 55:66:02; port 55:66:02; bind; rename mlx5_8 mlx5_2; "
		  "link ib40 home 4092; link net1 pod 4092; ");
	ok(k.node == GUID_B && k.port == GUID_B && k.guid == GUID_B);
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "unbind; node 55:66:03; port 55:66:03; bind; link ibs3v1 home 4092; "
		  "rename mlx5_8 mlx5_2; ");
	ok(k.guid == GUID_C);
	test("a second DEL finds everything as it was, and lets the driver be");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "");

	test("in exclusive mode the RDMA device moves after that, and comes home before");
	start(false);
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == 0);
	eq(k.log, "unbind; node 55:66:02; port 55:66:02; bind; rdma to pod; link ib50 home 4092; "
		  "link net1 pod 4092; ");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "rdma to home; unbind; node 55:66:01; port 55:66:01; bind; "
		  "link ibs3v1 home 4092; ");

	test("an interface that the kernel makes where the RDMA device is is taken home first");
	start(false);
	k.ipoib_follows = true;
	nc.rdma_isolation = ONOFF_ON;
	look_so_far();
	ok(add(&e) == 0);
	eq(k.log, "rdma to pod; link ibs3v1 home 2044; link ibs3v1 home 4092; "
		  "link net1 pod 4092; ");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "rdma to home; link ibs3v1 home 4092; ");
	ok(k.if_ns == home_ns);
}

static void guid_unusual(void)
{
	struct err e;

	test("a kernel that does not report GUIDs is told them all the same");
	start(false);
	k.shared = true;
	k.reports_guids = false;
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == 0 && k.guid == GUID_B);
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "unbind; node 55:66:01; port 55:66:01; bind; link ibs3v1 home 4092; ");

	test("a VF in user space has its GUID set, and its driver let be");
	start(false);
	k.ifindex = 0;
	k.rdma_index = 0;
	show();
	sh("rm " VF_DIR "/driver && ln -s ../../../bus/pci/drivers/vfio-pci " VF_DIR "/driver");
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == 0 && !*a.rec.rebind);
	eq(k.log, "node 55:66:02; port 55:66:02; ");
	k.log[0] = '\0';
	ok(del(&e) == 0);
	eq(k.log, "node ff:ff:ff; port ff:ff:ff; ");

	test("a GUID that is refused leaves the VF with its driver, and DEL the GUID of before");
	start(false);
	k.shared = true;
	k.node = k.port = GUID_C;
	k.refuse_port = EINVAL;
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == -1 && e.sys == EINVAL);
	eq(e.msg, "set the GUID of VF 1 of ibpf: vf 1: port guid 00:11:22:33:44:55:66:02: "
		  "the kernel refused");
	ok(strstr(e.details, "no such port") != NULL);
	eq(k.log, "unbind; node 55:66:02; bind; ");
	ok(k.bound);
	k.refuse_port = 0;
	ok(del(&e) == 0 && k.node == GUID_C && k.port == GUID_C && k.bound);

	test("killed before anything was set: DEL does nothing");
	start(false);
	k.shared = true;
	nc.guid = GUID_B;
	look_so_far();
	ok(look_all(&e) == 0 && del(&e) == 0);
	eq(k.log, "");
	test("killed while the driver was away: DEL brings it back");
	unbind_vf();
	k.log[0] = '\0';
	ok(del(&e) == 0 && k.bound);
	eq(k.log, "node 55:66:01; port 55:66:01; bind; link ibs3v1 home 4092; ");
}

/* -- CHECK -- */

/* What it says is not as ADD left it: "" when all is. */
static const char *check(struct err *e)
{
	static const char text[] =
		"{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"guid\":\"00:11:22:33:44:55:66:02\","
		"\"prevResult\":{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"net1\"}]}}";
	auto_netconf struct netconf conf = { 0 };
	const struct verb_input in = { .host = &n.host, .call = &call, .conf = &conf };

	call.container_id = "c0ffee";
	call.netns = netns_path;
	call.path = "";
	e->details[0] = '\0';
	if (netconf_parse(text, sizeof(text) - 1, &conf, e) < 0 || verb_check(&in, e) == 0)
		return "";
	return e->details;
}

static void checking(void)
{
	struct pci_device dev = { 0 };
	struct err e;

	test("CHECK compares the GUIDs, and where the RDMA device is");
	start(false);
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == 0);
	ok(!strstr(check(&e), "rdma") && !strstr(e.details, "guid") && e.code == ERR_DRIFT);
	k.port = GUID_C;
	(void)snprintf(k.rdma_name, sizeof(k.rdma_name), "mine");
	ok(strstr(check(&e), "rdma: want mlx5_2, have mine") != NULL);
	ok(strstr(e.details, "port guid of VF 1 of ibpf: want 00:11:22:33:44:55:66:02, have "
			     "00:11:22:33:44:55:66:03") != NULL);
	ok(!strstr(e.details, "node guid"));
	k.rdma_ns = home_ns;
	ok(strstr(check(&e), "rdma: mlx5_2 is not in the container") != NULL);

	test("a GUID is not put back as the other attributes are");
	ok(sysfs_pci(&n.host, VF, &dev, &e) == 1);
	k.log[0] = '\0';
	ok(vf_restore(&a.home, &dev, &a.rec.vf, a.rec.vf_set | VF_MAC, 0, &e) == 0);
	eq(k.log, "");
}

/* -- the record -- */

static void record(void)
{
	auto_record struct record r = { 0 };
	struct err e;

	test("the record keeps the RDMA device, the GUIDs and the driver");
	start(false);
	nc.guid = GUID_B;
	k.node = GUID_C;
	look_so_far();
	ok(look_all(&e) == 0 && journal_find(&a.journal, &a.rec.owner, &r, &e) == 1);
	eq(r.rdma.name, "mlx5_2");
	eq(r.rebind, "mlx5_core");
	ok(r.rdma.index == 7 && r.rdma.isolated);
	ok(r.vf.node_guid == GUID_C && r.vf.port_guid == GUID_A && r.vf_set == VF_GUIDS);
	test("and no address of an interface that will be another");
	ok(r.netdev.present && r.netdev.addr_len == 0);
	record_done(&r);
	test("names that lead elsewhere are refused");
	memcpy(a.rec.rebind, "../x", 5);
	ok(journal_write(&a.journal, &a.rec, &e) == 0);
	ok(journal_find(&a.journal, &a.rec.owner, &r, &e) == 0);
	a.rec.rebind[0] = '\0';
	memcpy(a.rec.rdma.name, "a/b", 4);
	ok(journal_write(&a.journal, &a.rec, &e) == 0);
	ok(journal_find(&a.journal, &a.rec.owner, &r, &e) == 0);
}

/* Waits end when we are told to stop, so this comes last. */
static void never_home(void)
{
	struct err e;

	deadline_catch_signals();
	(void)raise(SIGTERM);
	test("one that is nowhere is told of, and tried again");
	start(true);
	look_so_far();
	ok(look_all(&e) == 0);
	k.rdma_index = 0;
	show();
	ok(del(&e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "RDMA device mlx5_2 of " VF " has not come home");
	test("but not of a VF without a driver");
	k.bound = false;
	show();
	a.rec.netdev.present = false;
	ok(journal_write(&a.journal, &a.rec, &e) == 0 && del(&e) == 0);
	test("a VF whose driver DEL has brought back should have one again");
	start(false);
	k.shared = true;
	nc.guid = GUID_B;
	look_so_far();
	ok(look_all(&e) == 0);
	unbind_vf();
	k.no_return = true;
	ok(del(&e) == -1 && e.code == ERR_TRY_AGAIN && k.bound);
	test("an ADD whose driver makes no RDMA device any more fails");
	start(false);
	k.no_return = true;
	nc.guid = GUID_B;
	look_so_far();
	ok(add(&e) == -1 && e.code == ERR_TRY_AGAIN);
	eq(e.msg, "RDMA device mlx5_2 did not come back with its driver");
}

/* -- the scene -- */

static void make_pod(void)
{
	char path[64];
	int ready[2];
	char c;

	if (pipe(ready) < 0)
		exit(1);
	pod_pid = fork();
	if (pod_pid == 0) {
		if (unshare(CLONE_NEWNET) < 0)
			_exit(1);
		(void)close(ready[1]);
		(void)pause();
		_exit(0);
	}
	(void)close(ready[1]);
	if (pod_pid < 0 || read(ready[0], &c, 1) != 0)	/* closed: it is in its namespace */
		exit(1);
	(void)close(ready[0]);
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pod_pid);
	(void)snprintf(netns_path, sizeof(netns_path), "%s", path);
	pod_fd = open(path, O_RDONLY | O_CLOEXEC);
	home_ns = this_ns();
	pod_ns = ns_of((uint32_t)pod_fd);
}

static void make_node(void)
{
	node_open(NULL, &n);
	sh("mkdir -p sys/bus/pci/devices sys/class/net " VF_DIR);
	sh("mkdir -p sys/bus/pci/drivers/mlx5_core sys/bus/pci/drivers/vfio-pci");
	sh("mkdir -p sys/devices/pci0000:00/" PF "/net/ibpf");
	sh("touch sys/bus/pci/drivers/mlx5_core/bind sys/bus/pci/drivers/mlx5_core/unbind");
	sh("ln -s ../../../devices/pci0000:00/" VF " sys/bus/pci/devices/" VF);
	sh("ln -s ../../../devices/pci0000:00/" PF " sys/bus/pci/devices/" PF);
	sh("ln -s ../" PF " " VF_DIR "/physfn");
	sh("ln -s ../" VF " sys/devices/pci0000:00/" PF "/virtfn1");
	sh("echo 5 >sys/devices/pci0000:00/" PF "/net/ibpf/ifindex");
	sh("echo 32 >sys/devices/pci0000:00/" PF "/net/ibpf/type");
	sh("ln -s ../../devices/pci0000:00/" PF "/net/ibpf sys/class/net/ibpf");
	sh("echo 0x020700 >" VF_DIR "/class");
}

int main(void)
{
	memset(socks, 0xff, sizeof(socks));
	make_pod();
	make_node();
	a.icmp6 = a.netns = a.journal.dir = a.journal.lock = -1;
	decisions();
	auxiliary();
	ethernet();
	refusals();
	infiniband_refusals();
	guids_before();
	guid_there_and_back();
	guid_unusual();
	checking();
	record();
	never_home();
	attach_done(&a);
	(void)kill(pod_pid, SIGKILL);
	(void)waitpid(pod_pid, NULL, 0);
	node_close(&n);
	return tap_end();
}
