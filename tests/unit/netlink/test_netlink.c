/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_netlink.c - texts, and the bytes we send; no kernel and no root
 *
 * What we compose is decoded by libnl-route, which shares no code with us.  Where
 * libnl 3.7 is known to be wrong (the byte order of a VF's VLAN protocol) or knows
 * nothing, the bytes themselves are compared.
 *
 * libnl's own addr.h comes first, under the one name that cannot mean ours: later
 * includes of <netlink/addr.h> within libnl then find netlink/addr.h of this tree, which does no
 * harm.
 */
#include <libnl3/netlink/addr.h>
#include <libnl3/netlink/msg.h>
#include <libnl3/netlink/route/addr.h>
#include <libnl3/netlink/route/link.h>
#include <libnl3/netlink/route/link/sriov.h>
#include <libnl3/netlink/route/route.h>

#include "netlink/addr.h"
#include "netlink/announce.h"
#include "netlink/link.h"
#include "netlink/sriov.h"
#include "tests/unit/netlink.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

/* -- helpers -- */

static void keep_object(struct nl_object *o, void *arg)
{
	nl_object_get(o);
	*(struct nl_object **)arg = o;
}

/* What libnl makes of a request; NULL when it cannot read it. */
static void *decode(struct nl_req *r)
{
	struct nl_msg *msg = nlmsg_convert(&r->h);
	struct nl_object *o = NULL;

	nlmsg_set_proto(msg, NETLINK_ROUTE);
	if (nl_msg_parse(msg, keep_object, &o) < 0)
		o = NULL;
	nlmsg_free(msg);
	return o;
}

/* libnl reads links only from RTM_NEWLINK with a name. */
static struct rtnl_link *decode_link(struct nl_req *r, bool add_name, uint32_t num_vf)
{
	r->h.nlmsg_type = RTM_NEWLINK;
	if (add_name)
		nl_put(r, IFLA_IFNAME, "pf0", 4);
	if (num_vf)
		nl_put_u32(r, IFLA_NUM_VF, num_vf);
	return decode(r);
}

/* The attribute at a path of types below a header, or NULL. */
static const struct nlattr *find(const struct nl_req *r, size_t header, const int *path)
{
	const struct nlattr *tb[64];

	nl_attrs((const uint8_t *)mnl_nlmsg_get_payload(&r->h) + header,
		 mnl_nlmsg_get_payload_len(&r->h) - header, tb, 63);
	for (;; path++) {
		const struct nlattr *a = tb[*path];

		if (!a || path[1] == 0)
			return a;
		nl_attrs_nested(a, tb, 63);
	}
}

#define LINK_ATTR(r, ...) find((r), sizeof(struct ifinfomsg), (const int[]){ __VA_ARGS__, 0 })

static bool has_bytes(const struct nlattr *a, const void *want, size_t len)
{
	return a && mnl_attr_get_payload_len(a) == len &&
	       memcmp(mnl_attr_get_payload(a), want, len) == 0;
}

static void eq_addr(struct nl_addr *addr, const char *want)
{
	char buf[64];

	eq(addr ? nl_addr2str(addr, buf, sizeof(buf)) : "(none)", want);
}

/* -- texts -- */

static void test_mac_text(void)
{
	static const char *const bad[] = {
		"", "02:00:00:00:00", "02:00:00:00:00:1", "02:00:00:00:00:0g", "02-00-00-00-00-01",
		"02:00:00:00:00:01 ", "2:00:00:00:00:001", "02:00:00:00:00:01:",
		" 2:00:00:00:00:01",
	};
	uint8_t mac[6] = { 9, 9, 9, 9, 9, 9 };
	char buf[MAC_TEXT];

	test("a MAC address is six pairs of hex digits in either case");
	ok(mac_parse("0a:1B:2c:3D:4e:fF", mac));
	eq(mac_format(mac, buf), "0a:1b:2c:3d:4e:ff");
	test("anything else is refused and leaves the result alone");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!mac_parse(bad[i], mac));
	eq(mac_format(mac, buf), "0a:1b:2c:3d:4e:ff");
	test("zero and multicast addresses are not unicast");
	ok(mac_is_unicast(mac));
	ok(!mac_is_unicast((const uint8_t[6]){ 0 }));
	ok(!mac_is_unicast((const uint8_t[6]){ 0x33, 0x33, 0, 0, 0, 1 }));
}

static void test_ip_text(void)
{
	static const char *const good[] = { "10.0.0.1/24", "0.0.0.0/0", "2001:db8::1/64", "::/0",
					    "fe80::1/128", "255.255.255.255/32" };
	static const char *const bad[] = {
		"", "/", "10.0.0.1", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/024", "10.0.0.1/+4",
		"10.0.0.1/24 ", "10.0.0/24", "010.0.0.1/8", "::1/129", "::1/1000", "::1/-1", "x/8",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb/64", "fe80::1%eth0/64",
	};
	struct ip_prefix p = prefix("10.0.0.1/24");
	struct ip i;
	char buf[PREFIX_TEXT];

	test("prefixes of both families are read and written back");
	for (size_t k = 0; k < ARRAY_SIZE(good); k++) {
		ok(prefix_parse(good[k], &p));
		eq(prefix_format(&p, buf), good[k]);
	}
	test("malformed prefixes are refused and leave the result alone");
	for (size_t k = 0; k < ARRAY_SIZE(bad); k++)
		ok(!prefix_parse(bad[k], &p));
	eq(prefix_format(&p, buf), "255.255.255.255/32");
	test("an absent address has a text too");
	eq(ip_format(&(struct ip){ 0 }, buf), "none");
	ok(!ip_parse("host.example", &i));
}

/* -- links -- */

static void test_link_set(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 9 };
	struct link_change c = { .mac = mac, .mac_len = 6, .mtu = 9000, .name = "net1",
				 .flags = IFF_UP | IFF_PROMISC, .mask = IFF_UP };
	struct ifinfomsg *ifi;
	struct rtnl_link *link;
	struct nl_req r;

	test("libnl reads every change of link_set");
	ok(link_compose_set(&r, 7, &c));
	ok(r.h.nlmsg_type == RTM_SETLINK && r.h.nlmsg_flags == NLM_F_REQUEST && !r.full);
	ifi = mnl_nlmsg_get_payload(&r.h);
	ok(ifi->ifi_flags == IFF_UP && ifi->ifi_change == IFF_UP);
	link = decode_link(&r, false, 0);
	ok(link != NULL);
	ok(rtnl_link_get_ifindex(link) == 7);
	ok(rtnl_link_get_mtu(link) == 9000);
	eq(rtnl_link_get_name(link), "net1");
	eq_addr(rtnl_link_get_addr(link), "02:00:00:00:00:09");
	rtnl_link_put(link);

	test("what is not to change is not in the message");
	ok(link_compose_set(&r, 7, &(struct link_change){ 0 }));
	ok(r.h.nlmsg_len == NLMSG_HDRLEN + sizeof(struct ifinfomsg));
}

static void test_link_move(void)
{
	struct nl_req r;
	static const uint8_t big[NL_REQ_MAX];
	struct link_change change = { .name = "" };
	struct nl nl = { .refused = true };
	struct link found;
	struct err e;
	const struct ifinfomsg *ifi;
	int fd = 42, number = 1234;
	struct link_target to = { .nsfd = fd, .name = "net1", .up = true };

	test("C-ISS-06: a move is one message with namespace, name and up");
	ok(link_compose_move(&r, 7, &to));
	ifi = mnl_nlmsg_get_payload(&r.h);
	ok(r.h.nlmsg_type == RTM_SETLINK && ifi->ifi_index == 7);
	ok(ifi->ifi_flags == IFF_UP && ifi->ifi_change == IFF_UP);
	ok(has_bytes(LINK_ATTR(&r, IFLA_NET_NS_FD), &fd, sizeof(fd)));
	ok(has_bytes(LINK_ATTR(&r, IFLA_IFNAME), "net1", 5));
	ok(!LINK_ATTR(&r, IFLA_NEW_IFINDEX));
	test("a move without up leaves the flags alone, and may ask for a number");
	to = (struct link_target){ .nsfd = fd, .name = "eth0", .ifindex = number };
	ok(link_compose_move(&r, 7, &to));
	ok(ifi->ifi_flags == 0 && ifi->ifi_change == 0);
	ok(has_bytes(LINK_ATTR(&r, IFLA_NEW_IFINDEX), &number, sizeof(number)));

	test("a name of 16 bytes or of none is refused before anything is sent");
	to.name = "0123456789abcdef";
	ok(!link_compose_move(&r, 7, &to));
	ok(link_move(&nl, 7, &to, &e) == -1 && e.sys == EINVAL);
	ok(link_set(&nl, 7, &change, &e) == -1);
	ok(link_get_by_name(&nl, "0123456789abcdef", &found, &e) == -1);
	eq(e.msg, "'0123456789abcdef' cannot be an interface name");
	test("a request that is too long is never sent");
	change = (struct link_change){ .mac = big, .mac_len = sizeof(big) };
	ok(link_set(&nl, 7, &change, &e) == -1);
	ok(e.sys == EMSGSIZE && !nl.refused);
}

static void test_link_settings(void)
{
	static const struct link_settings settings = {
		.mode = 1, .gso_max_size = 5000, .gso_ipv4_max_size = 4000,
	};
	const struct link_change change = { .settings = &settings };
	const struct ifinfomsg *ifi;
	struct nl_req r;

	test("group, mode and sizes are set in the same request, those of zero are not");
	ok(link_compose_set(&r, 7, &change));
	ok(has_bytes(LINK_ATTR(&r, IFLA_GROUP), &(uint32_t){ 0 }, 4));
	ok(has_bytes(LINK_ATTR(&r, IFLA_LINKMODE), &(uint8_t){ 1 }, 1));
	ok(has_bytes(LINK_ATTR(&r, IFLA_GSO_MAX_SIZE), &settings.gso_max_size, 4));
	ok(!LINK_ATTR(&r, IFLA_GSO_MAX_SEGS) && !LINK_ATTR(&r, IFLA_GRO_MAX_SIZE));
	ok(has_bytes(LINK_ATTR(&r, 63), &settings.gso_ipv4_max_size, 4));
	test("an XDP program is taken off in its own mode, as descriptor -1");
	link_compose_detach_xdp(&r, 7, 1);
	ifi = mnl_nlmsg_get_payload(&r.h);
	ok(r.h.nlmsg_type == RTM_SETLINK && ifi->ifi_index == 7);
	ok(has_bytes(LINK_ATTR(&r, IFLA_XDP, IFLA_XDP_FD), &(int32_t){ -1 }, 4));
	ok(has_bytes(LINK_ATTR(&r, IFLA_XDP, IFLA_XDP_FLAGS), &(uint32_t){ XDP_FLAGS_SKB_MODE },
		     4));
}

/* -- VFs -- */

static const struct vf_state full_state = {
	.have = VF_ALL, .mac = { 2, 0, 0, 0, 0, 0x22 }, .vlan = 100, .qos = 3,
	.proto = VF_PROTO_8021Q, .min_tx_rate = 10, .max_tx_rate = 200, .spoofchk = true,
	.trust = true, .link_state = VF_LINK_ENABLE,
};

static void test_vf_compose(void)
{
	struct rtnl_link_vf *vf;
	struct rtnl_link *link;
	nl_vf_vlans_t *vlans = NULL;
	struct nl_vf_rate rate;
	uint32_t value = 99;
	struct nl_req r;

	test("libnl reads all attributes of a VF from one message");
	vf_compose_set(&r, 5, 3, &full_state, VF_ALL);
	ok(r.h.nlmsg_type == RTM_SETLINK && !r.full);
	link = decode_link(&r, true, 7);
	ok(link && rtnl_link_get_ifindex(link) == 5 && rtnl_link_has_vf_list(link));
	vf = rtnl_link_vf_get(link, 3);
	ok(vf != NULL);
	{
		struct nl_addr *mac = NULL;

		ok(rtnl_link_vf_get_addr(vf, &mac) == 0);
		eq_addr(mac, "02:00:00:00:00:22");
	}
	ok(rtnl_link_vf_get_vlans(vf, &vlans) == 0 && vlans->size == 1);
	ok(vlans->vlans[0].vf_vlan == 100 && vlans->vlans[0].vf_vlan_qos == 3);
	rtnl_link_vf_vlan_put(vlans);
	ok(rtnl_link_vf_get_rate(vf, &rate) == 0);
	ok(rate.min_tx_rate == 10 && rate.max_tx_rate == 200);
	ok(rtnl_link_vf_get_spoofchk(vf, &value) == 0 && value == 1);
	ok(rtnl_link_vf_get_trust(vf, &value) == 0 && value == 1);
	ok(rtnl_link_vf_get_linkstate(vf, &value) == 0 && value == IFLA_VF_LINK_STATE_ENABLE);
	rtnl_link_vf_put(vf);
	rtnl_link_put(link);
}

static void test_altname_compose(void)
{
	struct nl_req r;
	char name[ALTNAME_SIZE];

	test("an alternative name is a property, for the kernel to append");
	altname_compose(&r, RTM_NEWLINKPROP, 5, "enp1s0f0v0");
	ok(r.h.nlmsg_type == 108 && !r.full);
	ok(r.h.nlmsg_flags == (NLM_F_REQUEST | NLM_F_EXCL | NLM_F_CREATE | NLM_F_APPEND));
	ok(((struct ifinfomsg *)mnl_nlmsg_get_payload(&r.h))->ifi_index == 5);
	ok(has_bytes(LINK_ATTR(&r, IFLA_PROP_LIST, IFLA_ALT_IFNAME), "enp1s0f0v0", 11));
	ok(LINK_ATTR(&r, IFLA_PROP_LIST)->nla_type == (IFLA_PROP_LIST | NLA_F_NESTED));
	test("the longest fits, and taking one away creates nothing");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	altname_compose(&r, RTM_DELLINKPROP, 5, name);
	ok(r.h.nlmsg_type == 109 && r.h.nlmsg_flags == NLM_F_REQUEST && !r.full);
	ok(has_bytes(LINK_ATTR(&r, IFLA_PROP_LIST, IFLA_ALT_IFNAME), name, sizeof(name)));
}

#define VF_PATH(r, ...) LINK_ATTR((r), IFLA_VFINFO_LIST, IFLA_VF_INFO, __VA_ARGS__)

static void test_vf_bytes(void)
{
	/* vf 3, vlan 100, qos 5 in host order; the protocol in network order, then two pad bytes */
	struct ifla_vf_vlan_info ad = { .vf = 3, .vlan = 100, .qos = 5 };
	struct vf_state want = full_state;
	struct nl_req r;

	test("C-ISS-24: the protocol 802.1ad is the bytes 88 a8 on every machine");
	memcpy(&ad.vlan_proto, (const uint8_t[]){ 0x88, 0xa8 }, 2);
	want.qos = 5;
	want.proto = VF_PROTO_8021AD;
	vf_compose_set(&r, 5, 3, &want, VF_VLAN);
	ok(has_bytes(VF_PATH(&r, IFLA_VF_VLAN_LIST, IFLA_VF_VLAN_INFO), &ad, sizeof(ad)));
	ok(!VF_PATH(&r, IFLA_VF_VLAN));
	test("C-ISS-24: 802.1Q and an unset protocol use the old VLAN attribute");
	want.proto = 0;
	vf_compose_set(&r, 5, 3, &want, VF_VLAN);
	ok(has_bytes(VF_PATH(&r, IFLA_VF_VLAN),
		     &(struct ifla_vf_vlan){ .vf = 3, .vlan = 100, .qos = 5 }, 12));
	ok(!VF_PATH(&r, IFLA_VF_VLAN_LIST));

	test("only what was asked for is in the message, and zero is a value");
	want = (struct vf_state){ 0 };
	vf_compose_set(&r, 5, 3, &want, VF_RATE | VF_TRUST);
	ok(has_bytes(VF_PATH(&r, IFLA_VF_RATE), &(struct ifla_vf_rate){ .vf = 3 }, 12));
	ok(has_bytes(VF_PATH(&r, IFLA_VF_TRUST), &(struct ifla_vf_trust){ .vf = 3 }, 8));
	ok(!VF_PATH(&r, IFLA_VF_MAC) && !VF_PATH(&r, IFLA_VF_VLAN));
	ok(!VF_PATH(&r, IFLA_VF_SPOOFCHK) && !VF_PATH(&r, IFLA_VF_LINK_STATE));

	test("a PF is asked for its VFs without statistics");
	vf_compose_get(&r, 5);
	ok(has_bytes(LINK_ATTR(&r, IFLA_EXT_MASK), &(uint32_t){ 1 | 8 }, 4));
}

static void test_vf_diff(void)
{
	struct vf_state a = full_state, b = full_state;

	test("equal states have no difference");
	ok(vf_diff(&a, &b) == 0);
	test("each attribute's difference has its own bit");
	b.mac[31] = 1;
	ok(vf_diff(&a, &b) == VF_MAC);
	b = a, b.qos = 4;
	ok(vf_diff(&a, &b) == VF_VLAN);
	b = a, b.proto = VF_PROTO_8021AD;
	ok(vf_diff(&a, &b) == VF_VLAN);
	b = a, b.min_tx_rate = 0;
	ok(vf_diff(&a, &b) == VF_RATE);
	b = a, b.spoofchk = false;
	ok(vf_diff(&a, &b) == VF_SPOOFCHK);
	b = a, b.trust = false;
	ok(vf_diff(&a, &b) == VF_TRUST);
	b = a, b.link_state = VF_LINK_AUTO;
	ok(vf_diff(&a, &b) == VF_LINK_STATE);
	test("what one side does not have is no difference");
	b.have = VF_ALL & ~(uint32_t)VF_LINK_STATE;
	ok(vf_diff(&a, &b) == 0);
	test("without a tag its protocol does not matter, and unset means 802.1Q");
	a = (struct vf_state){ .have = VF_VLAN, .proto = VF_PROTO_8021AD };
	b = (struct vf_state){ .have = VF_VLAN };
	ok(vf_diff(&a, &b) == 0);
	a = (struct vf_state){ .have = VF_VLAN, .vlan = 5, .proto = VF_PROTO_8021Q };
	b = (struct vf_state){ .have = VF_VLAN, .vlan = 5 };
	ok(vf_diff(&a, &b) == 0);
}

static void test_vf_text(void)
{
	static const char *const want[] = {
		"mac 02:00:00:00:00:22", "vlan 100 qos 3 proto 802.1q",
		"rate min 10 max 200 Mbit/s",
		"spoofchk on", "link state enable", "trust on",
	};
	struct vf_state v = full_state;
	char buf[VF_ATTR_TEXT];

	test("each attribute is shown with its value");
	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++)
		eq(vf_attr_format(&v, (enum vf_attr)(1U << i), buf), want[i]);
	test("other protocols and states have a text too");
	v.proto = VF_PROTO_8021AD;
	eq(vf_attr_format(&v, VF_VLAN, buf), "vlan 100 qos 3 proto 802.1ad");
	v.proto = 0x9100;
	eq(vf_attr_format(&v, VF_VLAN, buf), "vlan 100 qos 3 proto 0x9100");
	v.link_state = 77;
	eq(vf_attr_format(&v, VF_LINK_STATE, buf), "link state unknown");
	eq(vf_attr_name(VF_ALL), "attributes");
}

/* -- addresses and routes -- */

static void test_addr_compose(void)
{
	struct ip_prefix v4 = prefix("10.1.2.3/20"), v6 = prefix("2001:db8::7/64");
	struct ip_prefix p2p = prefix("10.1.2.3/31");
	struct rtnl_addr *a;
	struct nl_req r;

	test("libnl reads an IPv4 address with its broadcast address");
	addr_compose(&r, 9, &v4);
	ok(r.h.nlmsg_type == RTM_NEWADDR);
	ok(r.h.nlmsg_flags == (NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL));
	a = decode(&r);
	ok(a && rtnl_addr_get_ifindex(a) == 9 && rtnl_addr_get_prefixlen(a) == 20);
	ok(rtnl_addr_get_family(a) == AF_INET && rtnl_addr_get_scope(a) == RT_SCOPE_UNIVERSE);
	ok(rtnl_addr_get_flags(a) == 0);
	eq_addr(rtnl_addr_get_local(a), "10.1.2.3/20");
	eq_addr(rtnl_addr_get_broadcast(a), "10.1.15.255");
	rtnl_addr_put(a);
	ok(has_bytes(find(&r, sizeof(struct ifaddrmsg), (const int[]){ IFA_ADDRESS, 0 }),
		     v4.ip.bytes, 4));

	test("a /31 has no broadcast address");
	addr_compose(&r, 9, &p2p);
	a = decode(&r);
	eq_addr(rtnl_addr_get_broadcast(a), "(none)");
	rtnl_addr_put(a);

	test("an IPv6 address goes without duplicate address detection");
	addr_compose(&r, 9, &v6);
	a = decode(&r);
	eq_addr(rtnl_addr_get_local(a), "2001:db8::7/64");
	ok(rtnl_addr_get_flags(a) == IFA_F_NODAD && rtnl_addr_get_family(a) == AF_INET6);
	rtnl_addr_put(a);
}

static void test_route_compose(void)
{
	struct route route = { .dst = prefix("0.0.0.0/0"), .gw = ip("10.1.0.1"), .mtu = 1400,
			       .advmss = 1360, .priority = 50, .has_table = true, .table = 1000 };
	struct rtnl_nexthop *nh;
	struct rtnl_route *d;
	struct nl_req r;
	uint32_t value = 0;

	test("libnl reads a default route with metrics, priority and a large table");
	route_compose(&r, 9, &route);
	ok(r.h.nlmsg_flags == (NLM_F_REQUEST | NLM_F_CREATE));	/* beside another's */
	d = decode(&r);
	ok(d != NULL);
	eq_addr(rtnl_route_get_dst(d), "none");
	ok(rtnl_route_get_table(d) == 1000 && rtnl_route_get_priority(d) == 50);
	ok(rtnl_route_get_scope(d) == RT_SCOPE_UNIVERSE && rtnl_route_get_type(d) == RTN_UNICAST);
	ok(rtnl_route_get_metric(d, RTAX_MTU, &value) == 0 && value == 1400);
	ok(rtnl_route_get_metric(d, RTAX_ADVMSS, &value) == 0 && value == 1360);
	nh = rtnl_route_nexthop_n(d, 0);
	ok(nh && rtnl_route_nh_get_ifindex(nh) == 9);
	eq_addr(rtnl_route_nh_get_gateway(nh), "10.1.0.1");
	rtnl_route_put(d);

	test("a device route has link scope, the main table and no host bits");
	route = (struct route){ .dst = prefix("10.2.3.4/13") };
	route_compose(&r, 9, &route);
	d = decode(&r);
	eq_addr(rtnl_route_get_dst(d), "10.0.0.0/13");
	ok(rtnl_route_get_scope(d) == RT_SCOPE_LINK && rtnl_route_get_table(d) == RT_TABLE_MAIN);
	ok(!rtnl_route_nh_get_gateway(rtnl_route_nexthop_n(d, 0)));
	rtnl_route_put(d);
}

static void test_route_forms(void)
{
	struct route route = { .dst = prefix("2001:db8:1::5/48"), .gw = ip("fe80::1"),
			       .has_scope = true, .scope = RT_SCOPE_SITE };
	uint8_t via[18] = { 0 };
	struct rtnl_route *d;
	struct nl_req r;

	test("an IPv6 route keeps its gateway and the scope asked for");
	route_compose(&r, 9, &route);
	d = decode(&r);
	eq_addr(rtnl_route_get_dst(d), "2001:db8:1::/48");
	ok(rtnl_route_get_scope(d) == RT_SCOPE_SITE);
	eq_addr(rtnl_route_nh_get_gateway(rtnl_route_nexthop_n(d, 0)), "fe80::1");
	rtnl_route_put(d);

	test("an IPv4 route through an IPv6 gateway says so in RTA_VIA");
	route.dst = prefix("0.0.0.0/0");
	route_compose(&r, 9, &route);
	memcpy(via, &(uint16_t){ AF_INET6 }, 2);
	memcpy(via + 2, route.gw.bytes, 16);
	ok(has_bytes(find(&r, sizeof(struct rtmsg), (const int[]){ RTA_VIA, 0 }), via,
		     sizeof(via)));
	ok(!find(&r, sizeof(struct rtmsg), (const int[]){ RTA_GATEWAY, 0 }));
}

/* -- frames -- */

static void test_announcements(void)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 9 };
	static const uint8_t na[ANNOUNCE_NA_LEN] = {
		136, 0, 0, 0, 0x20, 0, 0, 0,	/* the checksum is the kernel's */
		0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		2, 1, 2, 0, 0, 0, 0, 9,
	};
	const struct ip own = ip("10.1.2.3");
	uint8_t message[ANNOUNCE_NA_LEN];
	const struct ndmsg *nd;
	struct nl_req r;

	test("the gratuitous ARP is asked for by using a neighbour with the own address");
	announce_compose(&r, 9, &own);
	nd = mnl_nlmsg_get_payload(&r.h);
	ok(r.h.nlmsg_type == RTM_NEWNEIGH && nd->ndm_family == AF_INET && nd->ndm_ifindex == 9);
	ok(nd->ndm_flags == NTF_USE && nd->ndm_state == NUD_NONE);
	ok(has_bytes(find(&r, sizeof(*nd), (const int[]){ NDA_DST, 0 }), own.bytes, 4));
	test("the Neighbor Advertisement overrides and carries the link-layer address");
	announce_na(mac, ip("2001:db8::1").bytes, message);
	ok(memcmp(message, na, sizeof(na)) == 0);
}

int main(void)
{
	test_mac_text();
	test_ip_text();
	test_link_set();
	test_link_move();
	test_link_settings();
	test_altname_compose();
	test_vf_compose();
	test_vf_bytes();
	test_vf_diff();
	test_vf_text();
	test_addr_compose();
	test_route_compose();
	test_route_forms();
	test_announcements();
	return tap_end();
}
