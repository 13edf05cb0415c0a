/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_addr_find.c - finding addresses and routes: in composed messages, and in the kernel's
 *
 * The second half needs root or unprivileged user namespaces, and veth.
 */
#include "base/mem.h"
#include "netlink/addr_find.h"
#include "netlink/link.h"
#include "tests/unit/netlink.h"
#include "tests/unit/tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>

#ifndef NETLINK_GET_STRICT_CHK
#define NETLINK_GET_STRICT_CHK 12
#endif

enum { US = 7, OTHER = 8 };		/* interfaces of composed messages */

/* -- composed messages -- */

/* With not a byte behind the message, so that a sanitizer sees who reads there. */
static bool sees(const struct nl_req *r, nl_reply_fn *fn, struct addr_list list)
{
	auto_free struct nlmsghdr *h = malloc(r->h.nlmsg_len);
	bool seen = false;
	struct err e;

	list.ifindex = US;
	list.n = 1;
	list.seen = &seen;
	return h && fn(memcpy(h, r->buf, r->h.nlmsg_len), &list, &e) == 0 && seen;
}

static bool sees_addr(const struct nl_req *r, const struct ip_prefix *want)
{
	return sees(r, addr_see, (struct addr_list){ .addrs = want });
}

static bool sees_route(const struct nl_req *r, const struct route *want)
{
	return sees(r, route_see, (struct addr_list){ .routes = want });
}

static void test_addr_see(void)
{
	static const char *const other[] = { "10.1.2.3/25", "10.1.2.4/24", "10.1.2.0/24",
					     "a01:203::/24" };
	const struct ip_prefix v4 = prefix("10.1.2.3/24"), v6 = prefix("fd00::3/64");
	struct nl_req r;

	test("an address is seen whatever its length, where any is wanted");
	addr_compose(&r, US, &v4);
	ok(sees_addr(&r, &(struct ip_prefix){ .ip = v4.ip, .len = ADDR_ANY_LEN }) &&
	   !sees_addr(&r, &(struct ip_prefix){ .ip = v6.ip, .len = ADDR_ANY_LEN }));
	test("an address of either family is seen with its length and its host bits");
	addr_compose(&r, US, &v4);
	ok(sees_addr(&r, &v4) && !sees_addr(&r, &v6));
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		struct ip_prefix want = prefix(other[i]);

		ok(!sees_addr(&r, &want));
	}
	addr_compose(&r, US, &v6);
	ok(sees_addr(&r, &v6) && !sees_addr(&r, &v4));
	test("another interface's is not, nor a message that says an address went");
	addr_compose(&r, OTHER, &v4);
	ok(!sees_addr(&r, &v4));
	addr_compose(&r, US, &v4);
	r.h.nlmsg_type = RTM_DELADDR;
	ok(!sees_addr(&r, &v4));
}

static void test_addr_see_parts(void)
{
	const struct ip_prefix local = prefix("10.1.2.3/24"), peer = prefix("10.9.9.9/24");
	const struct ip_prefix v6 = prefix("fd00::3/64"), network = prefix("fd00::/64");
	struct ifaddrmsg *ifa;
	struct nl_req r;
	int early = 0;

	test("of a peer's address and our own ours counts; IPv6 has one that is both");
	ifa = nl_req_init(&r, RTM_NEWADDR, 0, sizeof(*ifa));
	*ifa = (struct ifaddrmsg){ .ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = US };
	nl_put(&r, IFA_ADDRESS, peer.ip.bytes, 4);
	ok(sees_addr(&r, &peer));
	nl_put(&r, IFA_LOCAL, local.ip.bytes, 4);
	ok(sees_addr(&r, &local) && !sees_addr(&r, &peer));
	test("cut at any byte it is not seen");
	addr_compose(&r, US, &v6);
	for (r.h.nlmsg_len = NLMSG_HDRLEN + sizeof(*ifa) + 20; r.h.nlmsg_len-- > NLMSG_HDRLEN;)
		early += sees_addr(&r, &v6);
	ok(early == 0);
	test("nor is one whose bytes are too few for its family, or of another family");
	ifa = nl_req_init(&r, RTM_NEWADDR, 0, sizeof(*ifa));
	*ifa = (struct ifaddrmsg){ .ifa_family = AF_INET6, .ifa_prefixlen = 64, .ifa_index = US };
	nl_put(&r, IFA_ADDRESS, network.ip.bytes, 15);
	r.buf[r.h.nlmsg_len - 1] = 0;	/* the padding equals the 16th */
	ok(!sees_addr(&r, &network));
	ifa->ifa_family = AF_PACKET;
	nl_put(&r, IFA_ADDRESS, local.ip.bytes, 16);
	ok(!sees_addr(&r, &local));
}

/* All that a route can have. */
static struct route whole(void)
{
	return (struct route){ .dst = prefix("10.9.1.2/16"), .gw = ip("10.1.2.1"), .mtu = 1300,
			       .advmss = 1200, .priority = 5, .has_table = true, .table = 1000,
			       .has_scope = true, .scope = RT_SCOPE_SITE };
}

static void test_route_see(void)
{
	struct route have = whole(), want = { .dst = have.dst, .has_table = true, .table = 1000 };
	struct route other[9];
	struct nl_req r;

	test("a route is seen by its destination, without host bits, and its table");
	route_compose(&r, US, &have);
	ok(sees_route(&r, &want));
	want.dst = prefix("10.9.0.0/16");
	ok(sees_route(&r, &want));
	test("and by everything at once");
	ok(sees_route(&r, &have));
	test("but not when any of what was given differs");
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		other[i] = have;
	other[0].dst = prefix("10.8.0.0/16");
	other[1].dst = prefix("10.9.0.0/17");
	other[2].dst = prefix("a09::/16");
	other[3].gw = ip("10.1.2.2");
	other[4].mtu = 1301;
	other[5].advmss = 1201;
	other[6].priority = 6;
	other[7].table = 1001;
	other[8].scope = RT_SCOPE_LINK;
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		ok(!sees_route(&r, &other[i]));
	test("C-CHK-05: where no table is wanted any will do, but the kernel's local one");
	want.has_table = false;
	ok(sees_route(&r, &want));
	have.table = RT_TABLE_LOCAL;
	route_compose(&r, US, &have);
	ok(!sees_route(&r, &want));
	have.has_table = false;
	route_compose(&r, US, &have);
	ok(sees_route(&r, &want));
	test("another interface's is not seen");
	route_compose(&r, OTHER, &have);
	ok(!sees_route(&r, &want));
}

static void test_route_see_kinds(void)
{
	const struct route v4 = { .dst = prefix("0.0.0.0/0"), .gw = ip("fd00::1") };
	const struct route v6 = { .dst = prefix("::/0") };
	struct route want = { .dst = v4.dst };
	struct nl_req r;
	struct rtmsg *rtm;

	test("default routes of the families differ, and so do gateways of the other family");
	route_compose(&r, US, &v4);
	ok(sees_route(&r, &v4) && sees_route(&r, &want) && !sees_route(&r, &v6));
	want.gw = ip("fd00::2");
	ok(!sees_route(&r, &want));
	want.gw = ip("0.0.0.0");
	ok(!sees_route(&r, &want));
	test("IPv6 keeps no scope: any is right, and so is the metric that the kernel chose");
	route_compose(&r, US, &v6);
	nl_put_u32(&r, RTA_PRIORITY, 1024);
	want = (struct route){ .dst = v6.dst, .has_scope = true, .scope = RT_SCOPE_SITE };
	ok(sees_route(&r, &want) && sees_route(&r, &v6));
	test("local, broadcast and cached routes, and multicast's, are none of ours");
	rtm = mnl_nlmsg_get_payload(&r.h);
	rtm->rtm_type = RTN_LOCAL;
	ok(!sees_route(&r, &v6));
	rtm->rtm_type = RTN_UNICAST;
	rtm->rtm_flags = RTM_F_CLONED;
	ok(!sees_route(&r, &v6));
	rtm->rtm_flags = 0;
	rtm->rtm_family = 128;
	ok(!sees_route(&r, &v6));
	rtm->rtm_family = AF_INET6;
	r.h.nlmsg_type = RTM_DELROUTE;
	ok(!sees_route(&r, &v6));
	r.h.nlmsg_type = RTM_NEWROUTE;
	ok(sees_route(&r, &v6));
}

/* A next hop with a gateway, its length told as it is plus some. */
static void put_hop(struct nl_req *r, int ifindex, const char *gw, int more)
{
	struct rtnexthop hop = { .rtnh_len = (uint16_t)(sizeof(hop) + 8 + more),
				 .rtnh_ifindex = ifindex };
	struct ip i = ip(gw);

	memcpy(mnl_nlmsg_get_payload_tail(&r->h), &hop, sizeof(hop));
	r->h.nlmsg_len += sizeof(hop);
	nl_put(r, RTA_GATEWAY, i.bytes, 4);
}

/* One hop of another interface, then two of ours, the first and the last with wrong lengths. */
static struct nlattr *put_multipath(struct nl_req *r, const struct route *route, int first,
				    int last)
{
	struct rtmsg *rtm = nl_req_init(r, RTM_NEWROUTE, NLM_F_CREATE, sizeof(*rtm));
	struct nlattr *nest;

	rtm->rtm_family = AF_INET;
	rtm->rtm_dst_len = route->dst.len;
	rtm->rtm_table = RT_TABLE_MAIN;
	rtm->rtm_type = RTN_UNICAST;
	nl_put(r, RTA_DST, route->dst.ip.bytes, 4);
	nest = nl_nest(r, RTA_MULTIPATH);
	put_hop(r, OTHER, "10.1.1.1", first);
	put_hop(r, US, "10.1.2.1", 0);
	put_hop(r, US, "10.1.2.2", last);
	nl_nest_end(r, nest);
	return nest;
}

static void test_route_see_multipath(void)
{
	static const int wrong[] = { -16, -9, 1000, 0x7fff };	/* added to what it is */
	struct route want = { .dst = prefix("10.9.0.0/16") };
	struct nl_req r;

	test("a route of several next hops is seen by each of ours");
	(void)put_multipath(&r, &want, 0, 0);
	ok(sees_route(&r, &want));
	want.gw = ip("10.1.2.1");
	ok(sees_route(&r, &want));
	want.gw = ip("10.1.2.2");
	ok(sees_route(&r, &want));
	test("but not by another's");
	want.gw = ip("10.1.1.1");
	ok(!sees_route(&r, &want));
	test("a next hop of a wrong length ends the list");
	want.gw.family = 0;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		(void)put_multipath(&r, &want, wrong[i], 0);
		ok(!sees_route(&r, &want));
	}
	test("be it the last one, or one that is not padded to its end");
	want.gw = ip("10.1.2.2");
	(void)put_multipath(&r, &want, 0, 64);
	ok(!sees_route(&r, &want));
	put_multipath(&r, &want, 0, -1)->nla_len--;
	r.h.nlmsg_len--;
	ok(!sees_route(&r, &want));
}

static void test_route_see_truncated(void)
{
	struct route want = whole();
	struct nl_req r;
	int early = 0;
	uint32_t full;

	test("cut at any byte it is not seen");
	route_compose(&r, US, &want);
	for (full = r.h.nlmsg_len--; r.h.nlmsg_len >= NLMSG_HDRLEN; r.h.nlmsg_len--)
		early += sees_route(&r, &want);
	ok(early == 0);
	r.h.nlmsg_len = full;
	ok(sees_route(&r, &want));
	test("nor is the last of several next hops");
	want = (struct route){ .dst = prefix("10.9.0.0/16"), .gw = ip("10.1.2.2") };
	(void)put_multipath(&r, &want, 0, 0);
	for (full = r.h.nlmsg_len--; r.h.nlmsg_len >= NLMSG_HDRLEN; r.h.nlmsg_len--)
		early += sees_route(&r, &want);
	ok(early == 0);
}

static void test_answer(void)
{
	const struct ip_prefix addrs[] = { prefix("10.1.2.3/24"), prefix("fd00::3/64") };
	bool seen[2] = { 0 };
	struct addr_list list = { .ifindex = US, .addrs = addrs, .n = 2, .seen = seen };
	struct nl_answer a = { .port = 1, .first = 5, .n = 1, .reply = addr_see, .arg = &list };
	struct nl_req r;
	struct err e = { 0 };

	test("what is seen is kept from message to message of a dump");
	for (int i = 1; i >= 0; i--) {
		addr_compose(&r, US, &addrs[i]);
		r.h.nlmsg_seq = 5;
		r.h.nlmsg_pid = 1;
		ok(!nl_answer_feed(&a, r.buf, r.h.nlmsg_len, &e) && seen[i]);
	}
	ok(seen[0] && seen[1] && !a.failed);
	test("and forgotten when the dump is made again");
	ok(addr_see(NULL, &list, &e) == 0 && !seen[0] && !seen[1]);
	seen[1] = true;
	list.routes = NULL;
	ok(route_see(NULL, &list, &e) == 0 && !seen[1]);
}

/* -- the kernel -- */

static bool set_up(struct nl *nl)
{
	struct err e;

	return (unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) &&
	       nl_open(NETNS_OWN, NETLINK_ROUTE, nl, &e) == 0 && make_veth(nl, "us", "them") == 0;
}

/* Its number, once it is up. */
static int up(struct nl *nl, const char *name)
{
	struct link_change c = { .flags = IFF_UP, .mask = IFF_UP };
	struct link l = { 0 };
	struct err e = { 0 };

	ok(link_get_by_name(nl, name, &l, &e) == 1);
	ok(link_set(nl, l.ifindex, &c, &e) == 0);
	return l.ifindex;
}

static void test_addr_find(struct nl *nl, int us, int them)
{
	const struct ip_prefix addrs[] = { prefix("10.1.2.3/24"), prefix("2001:db8::7/64"),
					   prefix("10.1.2.4/32") };
	const struct ip_prefix lacking[] = { addrs[0], addrs[1], prefix("10.1.2.3/16"), addrs[2] };
	size_t missing = 99;
	struct err e = { 0 };
	uint32_t seq;

	test("the kernel has the addresses that it was given; the first that is lacking is told");
	ok(addr_apply(nl, us, addrs, 3, NULL, 0, &e) == 0);
	ok(addr_find(nl, us, addrs, 3, &missing, &e) == 1 && missing == 99);
	ok(addr_find(nl, us, addrs + 1, 1, &missing, &e) == 1);
	ok(addr_find(nl, us, lacking, 4, &missing, &e) == 0 && missing == 2);
	test("another interface has none of them");
	ok(addr_find(nl, them, addrs, 3, &missing, &e) == 0 && missing == 0);
	test("an interface that is not there is an error, nothing to look for is there");
	ok(addr_find(nl, 4711, addrs, 3, &missing, &e) == -1 && e.sys == ENODEV);
	eq(e.msg, "list the addresses of interface 4711: the kernel refused");
	seq = nl->seq;
	ok(addr_find(nl, us, NULL, 0, &missing, &e) == 1 && nl->seq == seq);
}

static void test_route_find(struct nl *nl, int us, int them)
{
	const struct route routes[] = {
		{ .dst = prefix("0.0.0.0/0"), .gw = ip("10.1.2.1"), .mtu = 1300, .advmss = 1200 },
		{ .dst = prefix("::/0"), .gw = ip("2001:db8::1"), .mtu = 1400 },
		{ .dst = prefix("10.8.0.0/16"), .priority = 7, .has_scope = true,
		  .scope = RT_SCOPE_LINK },
		{ .dst = prefix("2001:db8:1::/48"), .priority = 8, .has_scope = true,
		  .scope = RT_SCOPE_SITE },
		{ .dst = prefix("10.7.7.7/16"), .gw = ip("10.1.2.2"), .has_table = true,
		  .table = 4000 },
		{ .dst = prefix("2001:db8:2::9/48"), .has_table = true, .table = 77 },
		{ .dst = prefix("10.6.0.0/16"), .gw = ip("2001:db8::2") },
	};
	const size_t n = ARRAY_SIZE(routes);
	size_t missing = 99;
	struct err e = { 0 };

	test("the kernel has the routes that it was given, with all they were given");
	ok(addr_apply(nl, us, NULL, 0, routes, n, &e) == 0);
	eq(e.msg, "");
	ok(route_find(nl, us, routes, n, &missing, &e) == 1 && missing == 99);
	test("another interface has none of them");
	ok(route_find(nl, them, routes, n, &missing, &e) == 0 && missing == 0);
	test("the first that is lacking is told, be it for its table alone");
	for (size_t i = 0; i < n; i++) {
		struct route lacking[ARRAY_SIZE(routes)];

		memcpy(lacking, routes, sizeof(routes));
		lacking[i].table = 99;
		lacking[i].has_table = true;
		ok(route_find(nl, us, lacking, n, &missing, &e) == 0 && missing == i);
	}
	test("an interface that is not there is an error, nothing to look for is there");
	ok(route_find(nl, 4711, routes, n, &missing, &e) == -1 && e.sys == ENODEV);
	eq(e.msg, "list the routes of interface 4711: the kernel refused");
	ok(route_find(nl, us, NULL, 0, &missing, &e) == 1);
}

static void test_route_find_connected(struct nl *nl, int us)
{
	const struct route made[] = { { .dst = prefix("10.1.2.0/24") },
				      { .dst = prefix("2001:db8::/64") },
				      { .dst = prefix("10.1.2.3/24"), .has_table = true,
					.table = RT_TABLE_MAIN } };
	const struct route local = { .dst = prefix("10.1.2.3/32") };
	size_t missing;
	struct err e = { 0 };

	test("routes that the kernel made along with an address are there");
	ok(route_find(nl, us, made, ARRAY_SIZE(made), &missing, &e) == 1);
	test("but an address is no route to itself");
	ok(route_find(nl, us, &local, 1, &missing, &e) == 0 && missing == 0);
}

/* Equal routes by two interfaces; false when this kernel knows none in the family. */
static bool add_multipath(struct nl *nl, int us, int them, const struct route *route)
{
	struct nl_req r;
	struct rtnexthop *hop;
	struct nlattr *nest;
	struct rtmsg *rtm = nl_req_init(&r, RTM_NEWROUTE, NLM_F_CREATE, sizeof(*rtm));
	const int oif[] = { them, us };
	struct err e = { 0 };

	rtm->rtm_family = (uint8_t)route->dst.ip.family;
	rtm->rtm_dst_len = route->dst.len;
	rtm->rtm_table = RT_TABLE_MAIN;
	rtm->rtm_type = RTN_UNICAST;
	nl_put(&r, RTA_DST, route->dst.ip.bytes, ip_len(&route->dst.ip));
	nest = nl_nest(&r, RTA_MULTIPATH);
	for (size_t i = 0; i < ARRAY_SIZE(oif); i++) {
		hop = mnl_nlmsg_get_payload_tail(&r.h);
		*hop = (struct rtnexthop){ .rtnh_len = sizeof(*hop), .rtnh_ifindex = oif[i] };
		r.h.nlmsg_len += sizeof(*hop);
	}
	nl_nest_end(&r, nest);
	return nl_request(nl, &r, NULL, NULL, &e) == 0;
}

static void test_route_find_multipath(struct nl *nl, int us, int them)
{
	const struct route want[] = { { .dst = prefix("10.20.0.0/16") },
				      { .dst = prefix("2001:db8:20::/48") } };
	size_t missing;
	struct err e = { 0 };

	test("a route by two interfaces is there for each of them");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		if (!add_multipath(nl, us, them, &want[i]))
			continue;	/* composed ones have shown it */
		ok(route_find(nl, us, &want[i], 1, &missing, &e) == 1);
		ok(route_find(nl, them, &want[i], 1, &missing, &e) == 1);
	}
}

static void test_many(struct nl *nl, int us)
{
	static struct route many[1500];
	struct route first;
	size_t missing = 99;
	struct err e = { 0 };
	uint32_t seq;

	test("1500 routes are looked for in one list, and the last one is told when it is lacking");
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i].dst = (struct ip_prefix){
			.ip = { .family = AF_INET,
				.bytes = { 10, 30, (uint8_t)(i >> 8), (uint8_t)i } },
			.len = 32
		};
	ok(addr_apply(nl, us, NULL, 0, many, ARRAY_SIZE(many) - 1, &e) == 0);
	seq = nl->seq;
	ok(route_find(nl, us, many, ARRAY_SIZE(many) - 1, &missing, &e) == 1);
	ok(nl->seq == seq + 1);
	ok(route_find(nl, us, many, ARRAY_SIZE(many), &missing, &e) == 0);
	ok(missing == ARRAY_SIZE(many) - 1);
	first = many[0];
	ok(route_find(nl, us, &first, 1, &missing, &e) == 1);
}

/* A kernel that does not take the filter lists everything. */
static void test_without_filter(struct nl *nl, int us, int them)
{
	const struct ip_prefix addr = prefix("10.1.2.3/24");
	const struct route route = { .dst = prefix("10.8.0.0/16") };
	struct err e = { 0 };
	size_t missing;
	int off = 0;

	test("what an old kernel lists of other interfaces is passed over");
	ok(setsockopt(nl->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &off, sizeof(off)) == 0);
	ok(addr_find(nl, us, &addr, 1, &missing, &e) == 1);
	ok(addr_find(nl, them, &addr, 1, &missing, &e) == 0);
	ok(route_find(nl, us, &route, 1, &missing, &e) == 1);
	ok(route_find(nl, them, &route, 1, &missing, &e) == 0);
}

static void test_kernel(void)
{
	struct nl nl = { 0 };
	int us, them;

	if (!set_up(&nl)) {
		(void)printf("ok %d - # SKIP no namespace of our own, or no veth\n", ++tap_no);
		return;
	}
	us = up(&nl, "us");
	them = up(&nl, "them");
	test_addr_find(&nl, us, them);
	test_route_find(&nl, us, them);
	test_route_find_connected(&nl, us);
	test_route_find_multipath(&nl, us, them);
	test_many(&nl, us);
	test_without_filter(&nl, us, them);
	nl_done(&nl);
}

int main(void)
{
	test_addr_see();
	test_addr_see_parts();
	test_route_see();
	test_route_see_kinds();
	test_route_see_multipath();
	test_route_see_truncated();
	test_answer();
	test_kernel();
	return tap_end();
}
