/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_netlink_kernel.c - round trips with the running kernel, in namespaces of our own
 *
 * Needs root or unprivileged user namespaces, and veth.  Two namespaces: "home", where
 * the process stays, and "pod", which only sockets enter.
 */
#include "base/mem.h"
#include "netlink/addr.h"
#include "netlink/addr_find.h"
#include "netlink/announce.h"
#include "netlink/default_route.h"
#include "netlink/link.h"
#include "netlink/link_stack.h"
#include "netlink/sriov.h"
#include "tests/unit/netlink.h"
#include "tests/unit/tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int home = -1, pod = -1;
static struct nl at_home, in_pod;

/* -- helpers -- */

/* Open a namespace of our own; the process is inside it afterwards. */
static int fresh_netns(void)
{
	struct err e;

	return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0
		       ? netns_open_own(&e)
		       : -1;
}

static bool set_up(void)
{
	struct err e;

	home = fresh_netns();
	pod = home < 0 ? -1 : fresh_netns();
	return pod >= 0 && setns(home, CLONE_NEWNET) == 0 &&
	       nl_open(NETNS_OWN, NETLINK_ROUTE, &at_home, &e) == 0 &&
	       nl_open(pod, NETLINK_ROUTE, &in_pod, &e) == 0 &&
	       make_veth(&at_home, "host0", "peer0") == 0;
}

static struct link get(struct nl *nl, const char *name)
{
	struct link l = { 0 };
	struct err e = { 0 };

	ok(link_get_by_name(nl, name, &l, &e) == 1);
	return l;
}

static bool absent(struct nl *nl, const char *name)
{
	struct link l;
	struct err e;

	return link_get_by_name(nl, name, &l, &e) == 0;
}

/* -- namespaces -- */

static void refused(const char *path, const char *why)
{
	struct err e = { 0 };
	int fd = 99;

	ok(netns_open(path, &fd, &e) == -1 && e.code == ERR_NETNS && fd == 99);
	ok(strstr(e.msg, path) && strstr(e.msg, why));
}

static void test_netns_open(void)
{
	static const char no_netns[] = "' is not a network namespace";
	char dir[] = "/tmp/test_netns.XXXXXX", path[64];
	struct err e = { 0 };
	int fd = 99;

	ok(mkdtemp(dir) != NULL);
	test("nothing at the path is absence, not an error");
	ok(netns_open("", &fd, &e) == 0 && netns_open("/proc/self/ns/nothing", &fd, &e) == 0);
	ok(netns_open("/dev/null/net", &fd, &e) == 0 && fd == 99);
	test("a directory, a device, a proc file and another kind of namespace are refused");
	refused(dir, no_netns);
	refused("/dev/null", no_netns);
	refused("/proc/self/status", no_netns);
	refused("/proc/self/ns/uts", "but of another kind");
	test("a plain file, as a reboot leaves it, is refused");
	(void)snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ok(fd >= 0 && close(fd) == 0);
	refused(path, no_netns);
	ok(unlink(path) == 0);
	test("a FIFO is refused without waiting for a writer");
	ok(mkfifo(path, 0600) == 0);
	refused(path, no_netns);
	ok(unlink(path) == 0 && rmdir(dir) == 0);

	test("our own namespace is recognised, another is not");
	ok(netns_open("/proc/self/ns/net", &fd, &e) == 1 && netns_is_own(fd) && close(fd) == 0);
	ok(netns_is_own(home) && !netns_is_own(pod) && !netns_is_own(-1));
	ok((fcntl(home, F_GETFD) & FD_CLOEXEC) != 0);
}

static int look(void *arg, struct err *e)
{
	*(bool *)arg = netns_is_own(pod);
	return err_set(e, ERR_IO, 0, "told by the function");
}

static int die(void *arg, struct err *e)
{
	(void)arg;
	(void)e;
	return kill(getpid(), SIGKILL);
}

static int nest(void *arg, struct err *e)
{
	return netns_do(pod, look, arg, e);
}

static void test_netns_do(void)
{
	int fd = -1;
	bool inside = false;
	struct err e = { 0 };
	struct nl nl;

	test("a function runs inside, its result is passed on, and we are home again");
	ok(netns_do(pod, look, &inside, &e) == -1 && inside && netns_is_own(home));
	eq(e.msg, "told by the function");
	test("one that is killed inside is an error, and we are home");
	ok(netns_do(pod, die, NULL, &e) == -1 && e.code == ERR_NETNS && netns_is_own(home));
	eq(e.msg, "enter a network namespace: the process that did was killed");
	ok(waitpid(-1, NULL, __WALL | WNOHANG) == -1 && errno == ECHILD);
	inside = false;
	test("inside there is no other one to enter: it would run on the same stack");
	ok(netns_do(pod, nest, &inside, &e) == -1 && !inside && netns_is_own(home));
	eq(e.msg, "enter a network namespace from inside another one");
	ok(netns_do(pod, look, &inside, &e) == -1 && inside);
	test("a descriptor that is no namespace is refused and nothing runs");
	inside = false;
	ok(netns_do(STDOUT_FILENO, look, &inside, &e) == -1 && !inside && e.code == ERR_NETNS);
	ok(nl_open(STDOUT_FILENO, NETLINK_ROUTE, &nl, &e) == -1);
	ok(announce_open(STDOUT_FILENO, &fd, &e) == -1 && fd == -1);
	ok(nl_open(NETNS_OWN, 31, &nl, &e) == -1 && e.sys == EPROTONOSUPPORT);
}

/* -- links -- */

static bool has_name(const struct link *link, const void *arg)
{
	return strcmp(link->name, arg) == 0;
}

static void test_link_get(void)
{
	struct link l = get(&at_home, "host0"), same;
	struct err e = { 0 };

	test("an interface is the same by name and by index");
	ok(link_get_by_index(&at_home, l.ifindex, &same, &e) == 1);
	ok(memcmp(&l, &same, sizeof(l)) == 0);
	eq(l.kind, "veth");
	ok(l.addr_len == 6 && l.mtu == 1500 && !(l.flags & IFF_UP) && !l.carrier);
	test("what is not there is absent, and the other namespace has it not");
	ok(absent(&at_home, "nosuch0") && absent(&in_pod, "host0"));
	ok(link_get_by_index(&at_home, 4711, &same, &e) == 0);
	test("no interface has a parent that does not exist");
	ok(link_find(&at_home, has_name, "nosuch0", &same, &e) == 0);
	ok(link_find(&at_home, has_name, "host0", &same, &e) == 1 && same.ifindex == l.ifindex);
	test("alias and queue length are changed, 0 and the empty text being values");
	ok(link_set(&at_home, l.ifindex,
		    &(struct link_change) { .alias = "a b", .txqlen = &(uint32_t) { 3 } },
		    &e) == 0);
	same = get(&at_home, "host0");
	eq(same.alias, "a b");
	ok(same.txqlen == 3 && same.master == 0);
	ok(link_set(&at_home, l.ifindex, &(struct link_change) { .alias = "", .txqlen = &l.txqlen },
		    &e) == 0);
	same = get(&at_home, "host0");
	ok(memcmp(&l, &same, sizeof(l)) == 0);
	test("a namespace has a cookie of its own");
	ok(nl_netns_cookie(&at_home) != 0 && nl_netns_cookie(&at_home) != nl_netns_cookie(&in_pod));
	test("a link without VFs has no VF");
	ok(vf_get(&at_home, l.ifindex, 0, &(struct vf_state){ 0 }, &e) == 0);
	ok(vf_get(&at_home, 4711, 0, &(struct vf_state){ 0 }, &e) == -1 && e.sys == ENODEV);
	eq(e.msg, "read vf 0 of interface 4711: the kernel refused");
}

static void test_altnames(void)
{
	static const struct altnames want = {
		.n = 2, .name = { "enp1s0f0v0", "a name of 25 bytes; a b c" }
	};
	static const struct altnames taken = { .n = 2, .name = { "free0", "lo" } };
	struct link l = get(&at_home, "host0"), other;
	struct altnames left;
	struct err e = { 0 };
	uint32_t seq = at_home.seq;

	test("alternative names are given, read along with the interface, and found by");
	ok(l.alt.n == 0 && altnames_add(&at_home, l.ifindex, &l.alt, &e) == 0 &&
	   at_home.seq == seq);
	ok(altnames_add(&at_home, l.ifindex, &want, &e) == 0);
	eq(e.msg, "");
	l = get(&at_home, "enp1s0f0v0");
	eq(l.name, "host0");
	ok(l.alt.n == 2 && !l.alt.more && memcmp(&l.alt, &want, sizeof(want)) == 0);
	test("one that somebody has is named, and the others are given");
	ok(altnames_add(&at_home, l.ifindex, &taken, &e) == -1 && e.sys == EEXIST);
	contains(e.msg, "give alternative name 'lo' to host0");
	l = get(&at_home, "free0");
	altnames_without(&l.alt, &want, &left);
	ok(left.n == 1);
	eq(left.name[0], "free0");
	test("they are listed in a dump, and taken away, be they there or not");
	ok(link_find(&at_home, has_name, "host0", &other, &e) == 1 && other.alt.n == 3);
	ok(altnames_remove(&at_home, l.ifindex, &l.alt, &e) == 0);
	ok(altnames_remove(&at_home, l.ifindex, &l.alt, &e) == 0);
	ok(get(&at_home, "host0").alt.n == 0 && absent(&at_home, "enp1s0f0v0"));
	ok(altnames_remove(&at_home, 4711, &want, &e) == -1 && e.sys == ENODEV);
}

static void test_link_set(void)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 0x42 }, multicast[6] = { 1 };
	struct link l = get(&at_home, "host0");
	struct link_change c = { .mac = mac, .mac_len = 6, .mtu = 1400, .name = "host1",
				 .flags = IFF_UP, .mask = IFF_UP };
	struct err e = { 0 };

	test("address, MTU, name and up go in one message");
	ok(link_set(&at_home, l.ifindex, &c, &e) == 0);
	l = get(&at_home, "host1");
	ok(memcmp(l.addr, mac, 6) == 0 && l.mtu == 1400 && (l.flags & IFF_UP));
	test("a refusal names the change and has the kernel's words");
	c = (struct link_change){ .mtu = 10, .mask = IFF_UP, .name = "host0" };
	ok(link_set(&at_home, l.ifindex, &c, &e) == -1 && at_home.refused);
	ok(e.code == ERR_NETLINK && e.sys == EINVAL && strstr(e.msg, " mtu 10 name host0 down: "));
	eq(e.details, "Invalid argument; \"mtu less than device minimum\"");
	c = (struct link_change){ .mtu = 10, .txqlen = &(uint32_t){ 3 } };
	ok(link_set(&at_home, l.ifindex, &c, &e) == -1);
	ok(strstr(e.msg, " mtu 10 txqueuelen 3: ") != NULL);
	c = (struct link_change){ .mac = multicast, .mac_len = 6, .mask = IFF_UP | IFF_PROMISC };
	ok(link_set(&at_home, l.ifindex, &c, &e) == -1);
	contains(e.msg, " mac 01:00:00:00:00:00 flags 0x0/0x101: the kernel refused");
	c = (struct link_change){ .mask = IFF_UP, .name = "host0" };
	ok(link_set(&at_home, l.ifindex, &c, &e) == 0);
}

static void test_delete_stacked(void)
{
	struct link_stacked s = { .n = 2, .names = "dst0,dst2" };
	struct err e;

	test("several are deleted as one group");
	ok(make_veth(&in_pod, "dst0", "dst1") == 0 && make_veth(&in_pod, "dst2", "dst3") == 0);
	s.ifindex[0] = get(&in_pod, "dst0").ifindex;
	s.ifindex[1] = get(&in_pod, "dst2").ifindex;

	uint32_t seq = in_pod.seq;
	ok(link_delete_stacked(&in_pod, &s, &e) == 0);
	eqi(in_pod.seq - seq, 3);	/* a group for each, and its deletion */
	ok(absent(&in_pod, "dst0") && absent(&in_pod, "dst2"));

	test("of what is to be deleted, what nobody can delete and what has gone are passed over");
	s = (struct link_stacked){ .n = 3, .ifindex = { 1, 0x7ffffffe }, .names = "lo,none,dst0" };
	ok(make_veth(&in_pod, "dst0", "dst1") == 0);
	s.ifindex[2] = get(&in_pod, "dst0").ifindex;
	ok(link_delete_stacked(&in_pod, &s, &e) == 0 && absent(&in_pod, "dst0"));
}

static void test_link_move(void)
{
	struct link peer = get(&at_home, "peer0"), host = get(&at_home, "host0"), l;
	struct link_target to = { .nsfd = pod, .name = "net1", .up = true };
	struct link_target back = { .nsfd = home, .name = "host0" };
	struct err e = { 0 };

	test("a move renames and ups in the other namespace");
	ok(link_move(&at_home, peer.ifindex, &to, &e) == 0);
	ok(absent(&at_home, "peer0") && absent(&at_home, "net1"));
	l = get(&in_pod, "net1");
	ok((l.flags & IFF_UP) && memcmp(l.addr, peer.addr, 6) == 0);
	test("a name that is taken there is EEXIST, and names both");
	ok(link_move(&at_home, host.ifindex, &to, &e) == -1 && e.sys == EEXIST);
	ok(strstr(e.msg, "move interface ") && strstr(e.msg, " as 'net1': the kernel refused"));
	test("the kernel has moved it under its old name all the same");
	l = get(&in_pod, "host0");
	ok(link_move(&in_pod, l.ifindex, &back, &e) == 0);
	ok(absent(&in_pod, "host0") && !(get(&at_home, "host0").flags & IFF_UP));

	test("a number can be asked for, and one that is taken is EBUSY with nothing moved");
	to = (struct link_target){ .nsfd = pod, .name = "host0", .ifindex = 777 };
	ok(link_move(&at_home, get(&at_home, "host0").ifindex, &to, &e) == 0);
	ok(get(&in_pod, "host0").ifindex == 777);
	back.ifindex = get(&at_home, "lo").ifindex;
	ok(link_move(&in_pod, 777, &back, &e) == -1 && e.sys == EBUSY);
	ok(get(&in_pod, "host0").ifindex == 777 && absent(&at_home, "host0"));
	back.ifindex = host.ifindex;
	ok(link_move(&in_pod, 777, &back, &e) == 0);
	ok(get(&at_home, "host0").ifindex == host.ifindex);
}

/* -- VFs, as far as an interface without them goes -- */

static void test_vf_set(void)
{
	struct vf_state want = { .have = VF_VLAN | VF_RATE, .vlan = 100, .max_tx_rate = 5 };
	int ifindex = get(&at_home, "host0").ifindex;
	struct err e = { 0 };

	test("a refusal of several VF attributes is narrowed down to the first that is refused");
	ok(vf_set(&at_home, ifindex, 3, &want, &e) == -1 && e.sys == EOPNOTSUPP);
	eq(e.msg, "vf 3: vlan 100 qos 0 proto 802.1q: the kernel refused");
	test("a single attribute is named at once, and none is nothing to do");
	want.have = VF_RATE;
	ok(vf_set(&at_home, ifindex, 3, &want, &e) == -1);
	eq(e.msg, "vf 3: rate min 0 max 5 Mbit/s: the kernel refused");
	want.have = 0;
	ok(vf_set(&at_home, ifindex, 3, &want, &e) == 0);
	test("so is a GUID");
	ok(vf_set_guids(&at_home, ifindex, 3, &want, &e) == -1 && at_home.refused);
	eq(e.msg, "vf 3: node guid 00:00:00:00:00:00:00:00: the kernel refused");
	ok(e.sys == EOPNOTSUPP);
}

static void test_lost_connection(void)
{
	struct vf_state want = { .have = VF_VLAN | VF_RATE };
	struct link link;
	struct nl nl = { 0 };
	struct err e = { 0 };

	test("a message that cannot be sent is an error of its own, not a refusal");
	ok(nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, &e) == 0);
	ok(vf_set(&nl, 1, 3, &want, &e) == -1 && nl.refused);
	ok(shutdown(nl.fd, SHUT_RDWR) < 0);	/* netlink knows no shutdown */
	ok(dup3(STDOUT_FILENO, nl.fd, O_CLOEXEC) >= 0);
	ok(vf_set(&nl, 1, 3, &want, &e) == -1 && !nl.refused && e.sys == ENOTSOCK);
	eq(e.msg, "set vf 3 of interface 1: send a netlink request");
	ok(link_get_by_index(&nl, 1, &link, &e) == -1 && e.sys == ENOTSOCK);
	nl_done(&nl);
	nl_done(&nl);	/* twice does no harm */
}

/* A process with CAP_NET_ADMIN in the namespace sends us an ACK before the kernel does. */
static void test_forged_answer(void)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = in_pod.port };
	struct nl_req forged;
	struct nl other = { 0 };
	struct nlmsgerr *ack;
	struct err e = { 0 };
	char msg[sizeof(e.msg)];

	test("an answer that the kernel did not send is not believed");
	ok(nl_open(pod, NETLINK_ROUTE, &other, &e) == 0);
	ack = nl_req_init(&forged, NLMSG_ERROR, 0, sizeof(*ack));
	forged.h.nlmsg_seq = in_pod.seq + 1;
	forged.h.nlmsg_pid = in_pod.port;
	ack->error = 0;
	ok(sendto(other.fd, forged.buf, forged.h.nlmsg_len, 0,
		  (struct sockaddr *)&to, sizeof(to)) > 0);
	ok(link_set(&in_pod, 4711, &(struct link_change){ .mtu = 1500 }, &e) == -1);
	memcpy(msg, e.msg, sizeof(msg));
	eq(msg, "set interface 4711 mtu 1500: the kernel refused");
	nl_done(&other);
}

/* -- addresses and routes -- */

struct count {
	int addrs, routes, defaults, gateways;
};

static int count_one(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct rtmsg *rtm = nlh ? mnl_nlmsg_get_payload(nlh) : NULL;
	const struct nlattr *tb[RTA_GATEWAY + 1];
	struct count *c = arg;

	(void)e;
	if (!nlh) {
		*c = (struct count){ 0 };
	} else if (nlh->nlmsg_type == RTM_NEWADDR) {
		c->addrs++;
	} else if (rtm->rtm_table == RT_TABLE_MAIN && rtm->rtm_type == RTN_UNICAST) {
		nl_attrs(rtm + 1, mnl_nlmsg_get_payload_len(nlh) - sizeof(*rtm), tb, RTA_GATEWAY);
		c->routes++;
		c->defaults += rtm->rtm_dst_len == 0;
		c->gateways += tb[RTA_GATEWAY] != NULL;
	}
	return 0;
}

static struct count count(uint16_t type, uint8_t family)
{
	struct count c = { 0 };
	struct nl_req r;
	struct err e;
	/* both headers begin with the family; strict checks want no more */
	uint8_t *header = nl_req_init(&r, type, 0,
				      type == RTM_GETADDR ? 8 : sizeof(struct rtmsg));

	*header = family;
	ok(nl_request_dump(&in_pod, &r, count_one, &c, &e) == 0);
	return c;
}

static void test_addr_apply(void)
{
	const struct ip_prefix addrs[] = { prefix("10.1.2.3/24"), prefix("2001:db8::7/64") };
	const struct route routes[] = {
		{ .dst = prefix("0.0.0.0/0"), .gw = ip("10.1.2.1"), .mtu = 1300, .advmss = 1200 },
		{ .dst = prefix("::/0"), .gw = ip("2001:db8::1") },
		{ .dst = prefix("10.9.0.0/16") },
		{ .dst = prefix("10.1.2.0/24") },	/* the kernel's own */
		{ .dst = prefix("10.8.0.0/16"), .gw = ip("10.1.2.2"), .priority = 7 },
	};
	int ifindex = get(&in_pod, "net1").ifindex;
	struct count v4, v6;
	struct err e = { 0 };
	uint32_t seq;

	test("addresses and routes of both families are there after one call");
	ok(link_set(&at_home, get(&at_home, "host0").ifindex,
		    &(struct link_change){ .flags = IFF_UP, .mask = IFF_UP }, &e) == 0);
	seq = in_pod.seq;
	ok(addr_apply(&in_pod, ifindex, addrs, 2, routes, 5, &e) == 0);
	eq(e.msg, "");
	ok(in_pod.seq == seq + 7);
	v4 = count(RTM_GETROUTE, AF_INET);
	v6 = count(RTM_GETROUTE, AF_INET6);
	ok(v4.routes == 4 && v4.defaults == 1 && v4.gateways == 2);
	ok(v6.defaults == 1 && v6.gateways == 1);
	ok(count(RTM_GETADDR, AF_INET).addrs == 1);

	test("nothing to apply is nothing to do");
	ok(addr_apply(&in_pod, ifindex, NULL, 0, NULL, 0, &e) == 0);
}

static int apply_route(const char *dst, const char *gw, struct err *e)
{
	struct route r = { .dst = prefix(dst) };

	if (*gw)
		r.gw = ip(gw);
	return addr_apply(&in_pod, get(&in_pod, "net1").ifindex, NULL, 0, &r, 1, e);
}

static void test_addr_refused(void)
{
	const struct ip_prefix addrs[] = { prefix("10.1.2.9/24"), prefix("10.1.2.3/24") };
	const struct ip_prefix lo = prefix("10.60.0.1/24");	/* lo is down */
	const struct route lo_route = { .dst = prefix("10.60.0.0/24") };
	struct route conflict = { .dst = prefix("10.1.2.0/24"), .mtu = 1000 };
	int ifindex = get(&in_pod, "net1").ifindex;
	struct err e = { 0 };

	test("a bad gateway is named, in the kernel's words");
	ok(apply_route("10.7.0.0/16", "10.99.0.1", &e) == -1 && e.sys == ENETUNREACH);
	contains(e.msg, ": route 10.7.0.0/16 via 10.99.0.1: the kernel refused");
	eq(e.details, "Network is unreachable; \"Nexthop has invalid gateway\"");
	test("a device route that exists is a conflict when no address explains it");
	ok(apply_route("10.9.0.0/16", "", &e) == -1 && e.sys == EEXIST);
	contains(e.msg, ": route 10.9.0.0/16 on the device: the kernel refused");
	test("nor is the kernel's own route accepted when something more was asked for");
	ok(addr_apply(&in_pod, ifindex, addrs, 1, &conflict, 1, &e) == -1);
	ok(e.sys == EEXIST);
	conflict = (struct route){ .dst = prefix("10.9.0.0/16"), .has_table = true, .table = 254 };
	ok(addr_apply(&in_pod, ifindex, NULL, 0, &conflict, 1, &e) == -1);
	test("nor when it was refused for another reason");
	ok(addr_apply(&in_pod, get(&in_pod, "lo").ifindex, &lo, 1, &lo_route, 1, &e) == -1);
	ok(e.sys == ENETDOWN && strstr(e.msg, ": route 10.60.0.0/24 on the device: ") != NULL);
	test("an address that is there already is named");
	ok(addr_apply(&in_pod, ifindex, addrs + 1, 1, NULL, 0, &e) == -1 && e.sys == EEXIST);
	contains(e.msg, ": address 10.1.2.3/24: the kernel refused");
}

static void test_addr_many(void)
{
	struct ip_prefix addrs[150];
	struct err e = { 0 };
	struct link l = get(&in_pod, "net1");

	test("150 addresses go out in three batches, and the 140th is named when it is refused");
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		addrs[i] = (struct ip_prefix){ .ip = { .family = AF_INET, .bytes = { 10, 50, 0 } },
					       .len = 32 };
		addrs[i].ip.bytes[3] = (uint8_t)i;
	}
	addrs[140] = addrs[3];
	ok(addr_apply(&in_pod, l.ifindex, addrs, ARRAY_SIZE(addrs), NULL, 0, &e) == -1);
	ok(strstr(e.msg, ": address 10.50.0.3/32: the kernel refused") != NULL && e.sys == EEXIST);
	ok(count(RTM_GETADDR, AF_INET).addrs >= 149);
}

/* -- announcements, seen by the other end of the veth -- */

/* Wait for a frame that equals want; others (the kernel's own neighbour discovery) pass by. */
static bool arrives(int fd, const uint8_t *want, size_t len)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t frame[2048];

	for (int i = 0; i < 100 && poll(&p, 1, 2000) == 1; i++) {
		ssize_t got = recv(fd, frame, sizeof(frame), 0);

		if (frame[12] == 0x86 && frame[13] == 0xdd) /* the kernel may choose a flow label */
			memset(frame + 15, 0, 3);
		if (got == (ssize_t)len && memcmp(frame, want, len) == 0)
			return true;
	}
	return false;
}

/* RFC 5227: a request for the sender's own address, from it, to everybody. */
static void gratuitous_arp(const uint8_t mac[6], const uint8_t ip[4], uint8_t ret[42])
{
	static const uint8_t arp[] = { 0x08, 0x06, 0, 1, 0x08, 0, 6, 4, 0, 1 };

	memset(ret, 0, 42);
	memset(ret, 0xff, 6);
	memcpy(ret + 6, mac, 6);
	memcpy(ret + 12, arp, sizeof(arp));
	memcpy(ret + 22, mac, 6);
	memcpy(ret + 28, ip, 4);
	memcpy(ret + 38, ip, 4);
}

/* Ethernet and IPv6 headers, and the checksum computed over all of it once more. */
static void whole_na(const uint8_t mac[6], const uint8_t ip[16], uint8_t ret[86])
{
	static const uint8_t head[] = { 0x33, 0x33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x86, 0xdd,
					0x60, 0, 0, 0, 0, 32, IPPROTO_ICMPV6, 255 };
	uint32_t sum = 32 + IPPROTO_ICMPV6;

	memset(ret, 0, 86);
	memcpy(ret, head, sizeof(head));
	memcpy(ret + 6, mac, 6);
	memcpy(ret + 22, ip, 16);
	ret[38] = 0xff;
	ret[39] = 0x02;
	ret[53] = 1;
	announce_na(mac, ip, ret + 54);
	for (int i = 22; i < 86; i += 2)
		sum += (uint32_t)ret[i] << 8 | ret[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	ret[56] = (uint8_t)(~sum >> 8);
	ret[57] = (uint8_t)~sum;
}

static void test_announce(void)
{
	const struct ip_prefix ips[] = { prefix("2001:db8::8/64"), prefix("10.61.2.3/24") };
	struct link host = get(&at_home, "host0"), l = get(&in_pod, "net1");
	struct sockaddr_ll bound = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				     .sll_ifindex = host.ifindex };
	auto_close int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	uint8_t arp[42], na[86];
	auto_close int icmp6 = -1;
	struct err e = { 0 };

	test("the neighbour receives the ARP and the Neighbor Advertisement");
	ok(bind(fd, (struct sockaddr *)&bound, sizeof(bound)) == 0);
	ok(announce_open(pod, &icmp6, &e) == 1);
	whole_na(l.addr, ips[0].ip.bytes, na);
	gratuitous_arp(l.addr, ips[1].ip.bytes, arp);
	ok(addr_apply_announced(&in_pod, l.ifindex, ips, 2, NULL, 0, &e) == 0);
	for (int i = 0; i < 3; i++) {
		ok(announce(icmp6, l.ifindex, l.addr, ips, 2, &e) == 0);
		ok(arrives(fd, na, sizeof(na)));
	}
	test("the kernel repeats the gratuitous ARP");
	ok(arrives(fd, arp, sizeof(arp)));
	ok(arrives(fd, arp, sizeof(arp)));
	test("nothing to announce is no error, an interface that is down is one");
	ok(announce(-1, l.ifindex, l.addr, ips + 1, 1, &e) == 0);
	ok(link_set(&in_pod, l.ifindex, &(struct link_change){ .mask = IFF_UP }, &e) == 0);
	ok(announce(icmp6, l.ifindex, l.addr, ips, 1, &e) == -1);
	eq(e.msg, "announce 2001:db8::8");
}

/* -- dumps that are interrupted: the kernel's own, with its flag put into the answer -- */

static int interruptions;		/* of so many dumps */
static bool at_the_end;			/* the last message of each has the flag, else the first */
static struct nl_req *meanwhile;	/* what changes the list; NULL: nothing */

/* By another connection; the kernel has done it when this returns, and its answer is nobody's. */
static void change(const struct nl_req *r)
{
	auto_nl struct nl nl = { 0 };
	struct err e;

	ok(nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, &e) == 0);
	ok(send(nl.fd, r->buf, r->h.nlmsg_len, 0) > 0);
}

static void interrupt(struct nlmsghdr *h)
{
	static uint32_t last;

	if (interruptions == 0 || h->nlmsg_seq == last || !(h->nlmsg_flags & NLM_F_MULTI) ||
	    (at_the_end && h->nlmsg_type != NLMSG_DONE))
		return;
	last = h->nlmsg_seq;
	interruptions--;
	h->nlmsg_flags |= NLM_F_DUMP_INTR;
	if (meanwhile)
		change(meanwhile);
	meanwhile = NULL;
}

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t len = __real_recvmsg(fd, msg, flags);
	struct nlmsghdr *h = msg->msg_iov->iov_base;

	for (int left = (int)len; mnl_nlmsg_ok(h, left); h = mnl_nlmsg_next(h, &left))
		interrupt(h);
	return len;
}

/* A new interface at home, with an address and a default route. */
static int add_host1(const struct ip_prefix *addr)
{
	const struct route route = { .dst = prefix("0.0.0.0/0"), .gw = ip("10.70.0.2") };
	struct link_change up = { .flags = IFF_UP, .mask = IFF_UP };
	struct err e;
	int ifindex;

	ok(make_veth(&at_home, "host1", "peer1") == 0);
	ifindex = get(&at_home, "host1").ifindex;
	ok(link_set(&at_home, ifindex, &up, &e) == 0);
	ok(addr_apply(&at_home, ifindex, addr, 1, &route, 1, &e) == 0);
	return ifindex;
}

static void compose_deletion(struct nl_req *r, int ifindex)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_DELLINK, 0, sizeof(*ifi));

	ifi->ifi_index = ifindex;
}

/* Whatever a reader keeps of an interrupted dump would be there twice, or after it has gone. */
static void test_interrupted(void)
{
	const struct ip_prefix addr = prefix("10.70.0.1/24");
	auto_default_routes struct default_routes routes = { 0 };
	int ifindex = add_host1(&addr);
	struct nl_req gone;
	struct link link;
	struct err e = { 0 };
	uint32_t seq;
	size_t missing;

	for (int i = 0; i < 2; i++) {
		at_the_end = i == 1;
		test("a list that changed while it was read is read again, nothing doubled");
		for (int n = 0; n < 5; n++) {
			interruptions = n;
			seq = at_home.seq;
			ok(link_find(&at_home, has_name, "host1", &link, &e) == 1);
			ok(at_home.seq == seq + (uint32_t)n + 1 && interruptions == 0);
		}
		test("one that changes again and again is given up after five times");
		interruptions = 100;
		seq = at_home.seq;
		ok(link_find(&at_home, has_name, "host1", &link, &e) == -1);
		ok(e.code == ERR_TRY_AGAIN && at_home.seq == seq + 5 && interruptions == 95);
		eq(e.msg, "list the interfaces: the kernel's list changed while it was read, 5 "
			  "times");
		interruptions = 0;
	}
	test("what has gone between the two is not found: an address, an interface, a route");
	addr_compose(&gone, ifindex, &addr);
	gone.h.nlmsg_type = RTM_DELADDR;
	gone.h.nlmsg_flags = NLM_F_REQUEST;
	interruptions = 1;
	meanwhile = &gone;
	ok(addr_find(&at_home, ifindex, &addr, 1, &missing, &e) == 0 && missing == 0);
	compose_deletion(&gone, ifindex);
	interruptions = 1;
	meanwhile = &gone;
	ok(link_find(&at_home, has_name, "host1", &link, &e) == 0);
	compose_deletion(&gone, add_host1(&addr));
	interruptions = 1;
	meanwhile = &gone;
	ok(default_routes_get(&at_home, &routes, &e) == 0 && routes.n == 0 && interruptions == 0);
}

int main(void)
{
	if (!set_up()) {
		(void)printf("1..0 # SKIP no namespaces of our own, or no veth\n");
		return 0;
	}
	test_netns_open();
	test_netns_do();
	test_link_get();
	test_altnames();
	test_link_set();
	test_delete_stacked();
	test_link_move();
	test_vf_set();
	test_lost_connection();
	test_forged_answer();
	test_addr_apply();
	test_addr_refused();
	test_addr_many();
	test_announce();
	test_interrupted();
	nl_done(&at_home);
	nl_done(&in_pod);
	(void)close(home);
	(void)close(pod);
	return tap_end();
}
