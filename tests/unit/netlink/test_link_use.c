/* SPDX-License-Identifier: Apache-2.0 */
/* test_link_use.c - which addresses and routes count as a use of an interface */
#include "base/mem.h"
#include "netlink/link_use.h"
#include "tests/unit/netlink.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

enum { US = 7, US_TOO = 9, OTHER = 8 };

/* What the kernel answers to a dump of addresses, and to one of routes. */
static struct nl_req addrs[4], routes[4];
static size_t n_addrs, n_routes;
static bool begins_anew, fails;

/* With not a byte behind the message, so that a sanitizer sees who reads there. */
static int say(const struct nl_req *r, nl_reply_fn *fn, void *arg, struct err *e)
{
	auto_free struct nlmsghdr *h = malloc(r->h.nlmsg_len);

	return h ? fn(memcpy(h, r->buf, r->h.nlmsg_len), arg, e) : -1;
}

int __wrap_nl_request_dump(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg,
			   struct err *e);
int __wrap_nl_request_dump(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, void *arg,
			   struct err *e)
{
	bool of_addrs = r->h.nlmsg_type == RTM_GETADDR;

	(void)nl;
	if (fn(NULL, arg, e) < 0 || fails)
		return err_set(e, ERR_NETLINK, EIO, "dump");
	for (size_t i = 0; i < (of_addrs ? n_addrs : n_routes); i++)
		if (say(of_addrs ? &addrs[i] : &routes[i], fn, arg, e) < 0)
			return -1;
	return begins_anew ? fn(NULL, arg, e) : 0;
}

/* The use of US and US_TOO as "7 address 10.0.0.1/24"; "" is none. */
static const char *use(void)
{
	static const int ours[] = { US, US_TOO };
	static char ret[128];
	struct link_use found;
	char text[PREFIX_TEXT];
	struct err e;
	int r = link_use_find(NULL, ours, 2, &found, &e);

	*ret = '\0';
	if (r != 0)
		(void)snprintf(ret, sizeof(ret), r < 0 ? "error" : "%d %s %s", found.ifindex,
			       found.is_route ? "route" : "address",
			       prefix_format(&found.prefix, text));
	return ret;
}

static void reset(void)
{
	n_addrs = n_routes = 0;
	begins_anew = fails = false;
}

static struct nl_req *add_addr(int ifindex, const char *text)
{
	struct ip_prefix p = prefix(text);

	addr_compose(&addrs[n_addrs], ifindex, &p);
	return &addrs[n_addrs++];
}

static struct rtmsg *add_route(int ifindex, const char *dst)
{
	struct route route = { .dst = prefix(dst) };

	route_compose(&routes[n_routes], ifindex, &route);
	return mnl_nlmsg_get_payload(&routes[n_routes++].h);
}

static void test_addresses(void)
{
	static const char *const of_link[] = { "169.254.1.2/16", "224.0.0.1/32", "239.1.2.3/32",
					       "fe80::1/64", "febf::1/64", "ff02::1/128" };
	static const char *const count[] = { "169.253.1.2/16", "223.0.0.1/32", "240.0.0.1/32",
					     "fec0::1/64", "fe40::1/64", "10.0.0.1/32" };
	char want[64];

	test("nobody uses it");
	reset();
	eq(use(), "");
	(void)add_addr(OTHER, "10.0.0.1/24");
	(void)add_route(OTHER, "10.0.0.0/24");
	eq(use(), "");
	test("an address of the link alone is none");
	for (size_t i = 0; i < ARRAY_SIZE(of_link); i++) {
		reset();
		(void)add_addr(US, of_link[i]);
		eq(use(), "");
	}
	test("others are, be they beside these; the first is told");
	for (size_t i = 0; i < ARRAY_SIZE(count); i++) {
		reset();
		(void)add_addr(OTHER, "10.0.0.9/24");
		(void)add_addr(US, "fe80::1/64");
		(void)add_addr(US_TOO, count[i]);
		(void)add_addr(US, "10.0.0.7/24");
		(void)snprintf(want, sizeof(want), "9 address %s", count[i]);
		eq(use(), want);
	}
}

static void test_address_parts(void)
{
	struct ip_prefix p = prefix("10.0.0.1/24"), peer = prefix("10.9.9.9/32");
	struct ifaddrmsg *ifa;
	struct nl_req *r;
	int seen = 0;

	test("of a peer's address and our own ours counts");
	reset();
	r = &addrs[n_addrs++];
	ifa = nl_req_init(r, RTM_NEWADDR, 0, sizeof(*ifa));
	*ifa = (struct ifaddrmsg){ .ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = US };
	nl_put(r, IFA_ADDRESS, peer.ip.bytes, 4);
	nl_put(r, IFA_LOCAL, p.ip.bytes, 4);
	eq(use(), "7 address 10.0.0.1/24");
	test("a message of another type, family or length has none");
	r->h.nlmsg_type = RTM_DELADDR;
	eq(use(), "");
	r->h.nlmsg_type = RTM_NEWADDR;
	ifa->ifa_family = AF_PACKET;
	eq(use(), "");
	ifa->ifa_family = AF_INET6;	/* four bytes */
	eq(use(), "");
	reset();
	r = add_addr(US, "fd00::1/64");
	for (r->h.nlmsg_len = NLMSG_HDRLEN + sizeof(*ifa) + 20; r->h.nlmsg_len-- > NLMSG_HDRLEN;)
		seen += *use() != '\0';
	ok(seen == 0);
}

static void test_routes(void)
{
	struct rtmsg *rtm;

	test("a route is told where there is no address, with its destination");
	reset();
	(void)add_route(US, "192.0.2.0/24");
	eq(use(), "7 route 192.0.2.0/24");
	(void)add_addr(US, "10.0.0.1/24");
	eq(use(), "7 address 10.0.0.1/24");
	reset();
	(void)add_route(US_TOO, "::/0");
	eq(use(), "9 route ::/0");
	test("but not the kernel's own, to the link alone, cached, or of no unicast");
	reset();
	rtm = add_route(US, "192.0.2.0/24");
	rtm->rtm_protocol = RTPROT_KERNEL;
	eq(use(), "");
	rtm->rtm_protocol = RTPROT_STATIC;
	rtm->rtm_flags = RTM_F_CLONED;
	eq(use(), "");
	rtm->rtm_flags = 0;
	rtm->rtm_type = RTN_LOCAL;
	eq(use(), "");
	rtm->rtm_type = RTN_UNICAST;
	eq(use(), "7 route 192.0.2.0/24");
	routes[0].h.nlmsg_type = RTM_DELROUTE;
	eq(use(), "");
	reset();
	(void)add_route(US, "fe80::/64");
	(void)add_route(US, "ff00::/8");
	(void)add_route(US, "169.254.0.0/16");
	eq(use(), "");
}

static void put_hop(struct nl_req *r, int ifindex, int more)
{
	struct rtnexthop hop = { .rtnh_len = (uint16_t)((int)sizeof(hop) + more),
				 .rtnh_ifindex = ifindex };

	memcpy(mnl_nlmsg_get_payload_tail(&r->h), &hop, sizeof(hop));
	r->h.nlmsg_len += sizeof(hop);
}

/* By an interface of others and by ours, the lengths told as they are plus some. */
static void add_multipath(int first, int last)
{
	struct nl_req *r = &routes[n_routes++];
	struct rtmsg *rtm = nl_req_init(r, RTM_NEWROUTE, 0, sizeof(*rtm));
	struct nlattr *nest;

	*rtm = (struct rtmsg){ .rtm_family = AF_INET, .rtm_type = RTN_UNICAST };
	nest = nl_nest(r, RTA_MULTIPATH);
	put_hop(r, OTHER, first);
	put_hop(r, US, last);
	nl_nest_end(r, nest);
}

static void test_multipath(void)
{
	static const int wrong[] = { -8, -1, 100, 0x7fff };

	test("a route of several next hops is each one's");
	reset();
	add_multipath(0, 0);
	eq(use(), "7 route 0.0.0.0/0");
	test("a next hop of a wrong length ends the list");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		reset();
		add_multipath(wrong[i], 0);
		eq(use(), "");
		reset();
		add_multipath(0, wrong[i]);
		eq(use(), "");
	}
}

static void test_dump(void)
{
	struct link_use found;
	struct err e;

	test("a dump that begins anew forgets what it has seen");
	reset();
	(void)add_addr(US, "10.0.0.1/24");
	(void)add_route(US, "192.0.2.0/24");
	begins_anew = true;
	eq(use(), "");
	test("one that fails is an error, and of no interface nothing is asked");
	reset();
	fails = true;
	eq(use(), "error");
	ok(link_use_find(NULL, NULL, 0, &found, &e) == 0);
}

int main(void)
{
	test_addresses();
	test_address_parts();
	test_routes();
	test_multipath();
	test_dump();
	return tap_end();
}
