/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_netlink_answer.c - what the kernel may answer, whole, cut short and garbled; no root
 */
#include "base/mem.h"
#include "netlink/link.h"
#include "netlink/nlerr.h"
#include "netlink/sriov.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/mman.h>

/* -- links -- */

static void put_link(struct nl_req *r)
{
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 9 }, perm[] = { 2, 0, 0, 0, 0, 8 };
	struct ifinfomsg *ifi = nl_req_init(r, RTM_NEWLINK, 0, sizeof(*ifi));
	struct nlattr *info;

	ifi->ifi_index = 12;
	ifi->ifi_flags = IFF_UP | IFF_ALLMULTI;
	nl_put(r, 9999, "a type of the future", 20);
	nl_put(r, IFLA_IFNAME, "ens1f0v3", 9);
	nl_put_u32(r, IFLA_MTU, 1500);
	nl_put(r, IFLA_ADDRESS, mac, sizeof(mac));
	nl_put(r, IFLA_PERM_ADDRESS, perm, sizeof(perm));
	nl_put_u32(r, IFLA_PROMISCUITY, 2);
	nl_put(r, IFLA_CARRIER, "\1", 1);
	nl_put_u32(r, IFLA_NUM_VF, 7);
	nl_put(r, IFLA_PARENT_DEV_NAME, "0000:01:10.0", 13);
	nl_put(r, IFLA_PARENT_DEV_BUS_NAME, "pci", 4);
	info = nl_nest(r, IFLA_LINKINFO);
	nl_put(r, IFLA_INFO_KIND, "veth", 5);
	nl_nest_end(r, info);
	nl_put_u32(r, IFLA_LINK, 13);
}

static void put_macvlan(struct nl_req *r)
{
	struct nlattr *nest;

	(void)nl_req_init(r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	nl_put(r, IFLA_IFNAME, "mv0", 4);
	nl_put_u32(r, IFLA_LINK, 8);
	nl_put_u32(r, IFLA_GROUP, 7);
	nl_put(r, IFLA_LINKMODE, &(uint8_t){ 1 }, 1);
	nl_put_u32(r, IFLA_GSO_MAX_SIZE, 5000);
	nl_put_u32(r, 64, 6000);	/* IFLA_GRO_IPV4_MAX_SIZE, Linux 6.3 */
	nest = nl_nest(r, IFLA_XDP);
	nl_put(r, IFLA_XDP_ATTACHED, &(uint8_t){ XDP_ATTACHED_SKB }, 1);
	nl_put_u32(r, IFLA_XDP_PROG_ID, 33);
	nl_put_u32(r, IFLA_XDP_SKB_PROG_ID, 33);
	nl_nest_end(r, nest);
}

static void test_link_parse(void)
{
	struct link l = { 0 };
	struct nl_req r;
	uint32_t full;
	char buf[MAC_TEXT];

	test("all known attributes of a link are read, unknown ones are skipped");
	put_link(&r);
	ok(link_parse(&r.h, &l));
	eq(l.name, "ens1f0v3");
	eq(l.parent_dev, "0000:01:10.0");
	eq(l.parent_bus, "pci");
	eq(l.kind, "veth");
	eq(mac_format(l.addr, buf), "02:00:00:00:00:09");
	eq(mac_format(l.perm, buf), "02:00:00:00:00:08");
	ok(l.ifindex == 12 && l.flags == (IFF_UP | IFF_ALLMULTI) && l.mtu == 1500);
	ok(l.addr_len == 6 && l.perm_len == 6 && l.promiscuity == 2 && l.carrier && l.num_vf == 7);

	ok(l.lower == 0);	/* it is one end of a pair */

	test("a message cut at any byte is read as far as it goes or refused");
	full = r.h.nlmsg_len;
	for (r.h.nlmsg_len = NLMSG_HDRLEN; r.h.nlmsg_len < full; r.h.nlmsg_len++) {
		bool parsed = link_parse(&r.h, &l);

		/* header, the future's attribute (24), the name (4 + 9) */
		ok(parsed == (r.h.nlmsg_len >= NLMSG_HDRLEN + sizeof(struct ifinfomsg) + 24 + 13));
	}
	test("group, sizes, XDP by its mode, and what it is stacked on are read");
	put_macvlan(&r);
	ok(link_parse(&r.h, &l));
	ok(l.settings.group == 7 && l.settings.mode == 1 && l.settings.gso_max_size == 5000 &&
	   l.settings.gro_ipv4_max_size == 6000 && l.settings.gso_max_segs == 0);
	ok(l.xdp.id[0] == 0 && l.xdp.id[1] == 33 && l.xdp.id[2] == 0);
	ok(l.lower == 8);
	test("what is in another namespace has only that one's number");
	nl_put_u32(&r, IFLA_LINK_NETNSID, 0);
	ok(link_parse(&r.h, &l) && l.lower == 0 && l.peer_elsewhere);
	put_link(&r);
	test("a message of another type is no link");
	r.h.nlmsg_type = RTM_NEWADDR;
	ok(!link_parse(&r.h, &l));

	test("values of a wrong length are left out");
	(void)nl_req_init(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, "eth0", 4);	/* no NUL: taken */
	nl_put(&r, IFLA_MTU, "\1\2", 2);
	nl_put(&r, IFLA_ADDRESS, r.buf, LINK_ADDR_MAX + 1);
	nl_put(&r, IFLA_CARRIER, "", 0);
	nl_put(&r, IFLA_PARENT_DEV_NAME, r.buf + NLMSG_HDRLEN, 0);
	ok(link_parse(&r.h, &l));
	eq(l.name, "eth0");
	eq(l.parent_dev, "");
	ok(l.mtu == 0 && l.addr_len == 0 && !l.carrier);
	test("a name that is too long is no name");
	(void)nl_req_init(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, "0123456789abcdef", 17);
	ok(!link_parse(&r.h, &l));
}

/* -- VFs -- */

/* A PF's reply as the kernel builds it: too large for a struct nl_req. */
struct pf_reply {
	union {
		struct nlmsghdr h;
		uint8_t buf[96 * 1024];
	};
};

static void put_vf(struct nlmsghdr *h, uint32_t vf, bool extras)
{
	struct nlattr *info = mnl_attr_nest_start(h, IFLA_VF_INFO), *list;
	struct ifla_vf_mac mac = { .vf = vf, .mac = { 2, 0, 0, 0, 1, (uint8_t)vf } };
	struct ifla_vf_vlan vlan = { .vf = vf, .vlan = vf + 1, .qos = 1 };
	struct ifla_vf_vlan_info vi = { .vf = vf, .vlan = vf + 1, .qos = 1 };
	struct ifla_vf_rate rate = { .vf = vf, .max_tx_rate = vf * 10 };
	struct ifla_vf_spoofchk on = { .vf = vf, .setting = 1 };
	struct ifla_vf_spoofchk unknown = { .vf = vf, .setting = UINT32_MAX };

	memcpy(&vi.vlan_proto, (const uint8_t[]){ 0x88, 0xa8 }, 2);
	mnl_attr_put(h, IFLA_VF_MAC, sizeof(mac), &mac);
	mnl_attr_put(h, IFLA_VF_BROADCAST, 32, mac.mac);
	mnl_attr_put(h, IFLA_VF_VLAN, sizeof(vlan), &vlan);
	mnl_attr_put(h, IFLA_VF_RATE, sizeof(rate), &rate);
	mnl_attr_put(h, IFLA_VF_SPOOFCHK, sizeof(on), &on);
	mnl_attr_put(h, IFLA_VF_LINK_STATE, sizeof(on), &on);
	mnl_attr_put(h, IFLA_VF_TRUST, sizeof(on), extras ? &on : &unknown);
	if (extras) {
		mnl_attr_put(h, 200, 3, "abc");
		list = mnl_attr_nest_start(h, IFLA_VF_VLAN_LIST);
		mnl_attr_put(h, IFLA_VF_VLAN_INFO, sizeof(vi), &vi);
		mnl_attr_nest_end(h, list);
	}
	mnl_attr_nest_end(h, info);
}

static void put_names(struct pf_reply *p, unsigned int n, size_t len)
{
	struct nlattr *list;
	char name[200];

	(void)mnl_nlmsg_put_header(p->buf);
	p->h.nlmsg_type = RTM_NEWLINK;
	(void)mnl_nlmsg_put_extra_header(&p->h, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(&p->h, IFLA_IFNAME, "eth0");
	list = mnl_attr_nest_start(&p->h, IFLA_PROP_LIST);
	mnl_attr_put_strz(&p->h, 200, "another property");
	for (unsigned int i = 0; i < n; i++) {
		memset(name, 'a' + (int)i, len);
		name[len] = '\0';
		mnl_attr_put_strz(&p->h, IFLA_ALT_IFNAME, name);
	}
	mnl_attr_nest_end(&p->h, list);
}

static void test_altnames_parse(void)
{
	static struct pf_reply p;
	struct link l;
	int bad = 0;
	uint32_t full;

	test("alternative names are read up to their number and length");
	put_names(&p, 8, 127);
	ok(link_parse(&p.h, &l) && l.alt.n == 8 && !l.alt.more && strlen(l.alt.name[7]) == 127);
	put_names(&p, 9, 4);
	ok(link_parse(&p.h, &l) && l.alt.n == 8 && l.alt.more);
	eq(l.alt.name[7], "hhhh");
	test("one that is longer than the kernel takes, or empty, is none");
	put_names(&p, 2, 128);
	ok(link_parse(&p.h, &l) && l.alt.n == 0);
	put_names(&p, 2, 0);
	ok(link_parse(&p.h, &l) && l.alt.n == 0);
	test("a list cut at any byte gives only whole names");
	put_names(&p, 1, 9);
	full = p.h.nlmsg_len;
	for (uint32_t len = NLMSG_HDRLEN; len < full; len++) {
		p.h.nlmsg_len = len;
		bad += link_parse(&p.h, &l) && l.alt.n > 0;
	}
	ok(bad == 0);
}

static void put_pf(struct pf_reply *p, uint32_t vfs)
{
	struct nlattr *list;

	(void)mnl_nlmsg_put_header(p->buf);
	p->h.nlmsg_type = RTM_NEWLINK;
	(void)mnl_nlmsg_put_extra_header(&p->h, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(&p->h, IFLA_IFNAME, "pf0");
	mnl_attr_put_u32(&p->h, IFLA_NUM_VF, vfs);
	list = mnl_attr_nest_start(&p->h, IFLA_VFINFO_LIST);
	for (uint32_t i = 0; i < vfs; i++)
		put_vf(&p->h, i, i % 2);
	mnl_attr_nest_end(&p->h, list);
}

/* Has this message that VF? */
static bool has_vf(const struct nlmsghdr *nlh, unsigned int vf, struct vf_state *ret)
{
	struct vf_lookup l = { .vf = vf };

	if (vf_parse(nlh, &l))
		*ret = l.state;
	return l.found;
}

struct vf_sum {
	unsigned int n, vlans;
	bool ascending;
};

static void add_vf(unsigned int vf, const struct vf_state *v, void *arg)
{
	struct vf_sum *sum = arg;

	sum->ascending = sum->ascending && vf == sum->n;
	sum->n++;
	sum->vlans += v->vlan;
}

static void test_vf_parse(void)
{
	struct vf_sum sum = { .ascending = true };
	struct vf_lookup all = { .fn = add_vf, .arg = &sum };
	static struct pf_reply p;
	struct vf_state v = { 0 };
	int right = 0;

	test("each of 256 VFs is read with its own values");
	put_pf(&p, 256);
	for (unsigned int i = 0; i < 256; i++)
		right += has_vf(&p.h, i, &v) && v.mac[5] == i && v.vlan == i + 1 && v.qos == 1 &&
			 v.max_tx_rate == i * 10 && v.spoofchk && v.link_state == VF_LINK_ENABLE;
	ok(right == 256);
	test("the protocol comes from the VLAN list, else it is 802.1Q");
	ok(has_vf(&p.h, 1, &v) && v.proto == VF_PROTO_8021AD && v.have == VF_ALL && v.trust);
	ok(has_vf(&p.h, 2, &v) && v.proto == VF_PROTO_8021Q);
	test("trust that the driver does not report is not known");
	ok(v.have == (VF_ALL & ~(uint32_t)VF_TRUST));
	test("a VF beyond the table is absent");
	ok(!has_vf(&p.h, 256, &v));
	test("all of them are told, once");
	ok(!vf_parse(&p.h, &all) && sum.n == 256 && sum.vlans == 256 * 257 / 2 && sum.ascending);
	test("a PF without a table has no VF");
	put_pf(&p, 0);
	ok(!has_vf(&p.h, 0, &v));
	p.h.nlmsg_type = RTM_DELLINK;
	ok(!has_vf(&p.h, 0, &v));
}

/* The kernel lets the 16 bits of the table's length wrap, and still sends all of it. */
static void test_vf_wrapped(void)
{
	static struct pf_reply p;
	struct vf_state v = { 0 };
	int right = 0;

	test("C-ISS-30: a table whose length has wrapped is read to its last VF");
	put_pf(&p, 500);
	ok(p.h.nlmsg_len > UINT16_MAX);
	/* what is no attribute any more, behind the wrapped end, must not be taken for one */
	mnl_attr_put_u32(&p.h, IFLA_VFINFO_LIST, 0);
	for (unsigned int i = 0; i < 500; i++)
		right += has_vf(&p.h, i, &v) && v.vlan == i + 1 && v.max_tx_rate == i * 10;
	ok(right == 500);
	ok(!has_vf(&p.h, 500, &v));
	test("a message that ends within it has the VFs before");
	p.h.nlmsg_len = 66000;
	ok(has_vf(&p.h, 300, &v) && v.vlan == 301);
	ok(!has_vf(&p.h, 499, &v));
}

static void test_vf_truncated(void)
{
	static struct pf_reply p;
	struct vf_state v;
	uint32_t full;
	int bad = 0;

	test("a reply cut at any byte gives no VF or only complete attributes of it");
	put_pf(&p, 1);
	full = p.h.nlmsg_len;
	for (uint32_t len = NLMSG_HDRLEN; len < full; len++) {
		p.h.nlmsg_len = len;
		bad += has_vf(&p.h, 0, &v) && (!(v.have & VF_MAC) || v.mac[0] != 2);
	}
	ok(bad == 0);
	p.h.nlmsg_len = full;

	test("attributes shorter than their structs are left out");
	(void)mnl_nlmsg_put_header(p.buf);
	p.h.nlmsg_type = RTM_NEWLINK;
	(void)mnl_nlmsg_put_extra_header(&p.h, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(&p.h, IFLA_NUM_VF, 1);
	{
		struct nlattr *list = mnl_attr_nest_start(&p.h, IFLA_VFINFO_LIST);
		struct nlattr *info = mnl_attr_nest_start(&p.h, IFLA_VF_INFO);

		mnl_attr_put_u32(&p.h, IFLA_VF_MAC, 0);
		mnl_attr_put_u32(&p.h, IFLA_VF_VLAN, 0);
		mnl_attr_put_u32(&p.h, IFLA_VF_TRUST, 0);
		mnl_attr_put_u32(&p.h, IFLA_VF_VLAN_LIST, 1);
		mnl_attr_nest_end(&p.h, info);
		mnl_attr_nest_end(&p.h, list);
	}
	ok(has_vf(&p.h, 0, &v) && v.have == 0);
}

/* The memory ends with the message: what is read behind it is read from somebody else. */
static void test_vf_end(void)
{
	static struct pf_reply p;
	struct vf_state v;
	int found = 0;

	test("a message whose length is no multiple of four is read to its end, not beyond");
	put_pf(&p, 1);
	for (uint32_t cut = 1; cut < 4; cut++) {
		auto_free struct nlmsghdr *exact = malloc(p.h.nlmsg_len - cut);

		memcpy(exact, p.buf, p.h.nlmsg_len - cut);
		exact->nlmsg_len = p.h.nlmsg_len - cut;
		found += has_vf(exact, 0, &v) && !(v.have & VF_TRUST);
	}
	ok(found == 0);
	/* the last attribute, which says that it is one byte longer than there is */
	(void)mnl_nlmsg_put_header(p.buf);
	p.h.nlmsg_type = RTM_NEWLINK;
	(void)mnl_nlmsg_put_extra_header(&p.h, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(&p.h, IFLA_NUM_VF, 1);
	for (uint32_t cut = 1; cut < 4; cut++) {
		struct nlmsghdr *exact = malloc(p.h.nlmsg_len + 8 - cut);
		struct nlattr *last = (void *)((uint8_t *)exact + p.h.nlmsg_len);

		memcpy(exact, p.buf, p.h.nlmsg_len);
		exact->nlmsg_len = p.h.nlmsg_len + 8 - cut;
		memset(last, 0, 8 - cut);
		last->nla_type = IFLA_NUM_VF;
		last->nla_len = 8;
		found += has_vf(exact, 0, &v);
		free(exact);
	}
	ok(found == 0);
}

/* -- the kernel's answers -- */

/* An NLMSG_ERROR about a request with `echo` bytes of payload, and the words of an extended ACK. */
static void put_error(struct nl_req *r, uint32_t seq, int error, size_t echo, const char *words)
{
	struct nlmsgerr *err = nl_req_init(r, NLMSG_ERROR, 0, sizeof(*err) + echo);

	r->h.nlmsg_flags = (uint16_t)(words ? 0x200 : 0) | (echo ? 0 : 0x100);
	r->h.nlmsg_seq = seq;
	err->error = error;
	err->msg.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + echo);
	if (words) {
		nl_put(r, NLMSGERR_ATTR_MSG, words, strlen(words) + 1);
		nl_put_u32(r, NLMSGERR_ATTR_OFFS, 36);
	}
}

static void test_nlerr(void)
{
	struct err e = { 0 };
	struct nl_req r;

	test("an ACK is no error");
	put_error(&r, 1, 0, 0, NULL);
	ok(nlerr_get(&r.h, &e) == 0);
	test("errno and the kernel's words are kept, with and without a copy of the request");
	for (size_t echo = 0; echo <= 40; echo += 40) {
		put_error(&r, 1, -ENETUNREACH, echo, "Nexthop has invalid gateway");
		ok(nlerr_get(&r.h, &e) == -1 && e.code == ERR_NETLINK && e.sys == ENETUNREACH);
		eq(e.msg, "the kernel refused");
		eq(e.details, "Network is unreachable; \"Nexthop has invalid gateway\"; "
			      "byte 36 of the request");
	}
	test("an error without words has strerror's");
	put_error(&r, 1, -EPERM, 0, NULL);
	ok(nlerr_get(&r.h, &e) == -1 && e.code == ERR_PERMISSION);
	eq(e.details, "Operation not permitted");
	test("a dump's end carries its error in front of the words");
	memcpy(nl_req_init(&r, NLMSG_DONE, 0, 4), &(int){ -EMSGSIZE }, 4);
	nl_put(&r, NLMSGERR_ATTR_MSG, "too big", 8);
	r.h.nlmsg_flags = 0x200;
	ok(nlerr_get(&r.h, &e) == -1 && e.sys == EMSGSIZE);
	eq(e.details, "Message too long; \"too big\"");
}

static void test_nlerr_malformed(void)
{
	auto_free struct nlmsghdr *exact = NULL;
	struct err e = { 0 };
	struct nl_req r;
	uint32_t full;
	int bad = 0;

	test("an answer without an error number is an error");
	(void)nl_req_init(&r, NLMSG_ERROR, 0, 0);
	exact = memcpy(malloc(NLMSG_HDRLEN), r.buf, NLMSG_HDRLEN); /* a sanitizer sees its end */
	ok(nlerr_get(exact, &e) == -1 && e.sys == EBADMSG);
	test("an answer cut at any byte keeps its errno");
	put_error(&r, 1, -EINVAL, 0, "words");
	full = r.h.nlmsg_len;
	for (r.h.nlmsg_len = NLMSG_HDRLEN + 4; r.h.nlmsg_len < full; r.h.nlmsg_len++)
		bad += nlerr_get(&r.h, &e) != -1 || e.sys != EINVAL;
	ok(bad == 0);
	test("an error number that is no errno is an error of the answer");
	put_error(&r, 1, INT_MIN, 0, "words");
	ok(nlerr_get(&r.h, &e) == -1 && e.code == ERR_NETLINK && e.sys == EBADMSG);
	eq(e.msg, "the kernel's answer has no errno: -2147483648");
	put_error(&r, 1, -4096, 0, NULL);
	ok(nlerr_get(&r.h, &e) == -1 && e.sys == EBADMSG);
	put_error(&r, 1, -4095, 0, NULL);
	ok(nlerr_get(&r.h, &e) == -1 && e.sys == 4095);
	test("a request length beyond or below reason gives no words");
	put_error(&r, 1, -EINVAL, 8, "words");
	((struct nlmsgerr *)mnl_nlmsg_get_payload(&r.h))->msg.nlmsg_len = UINT32_MAX;
	ok(nlerr_get(&r.h, &e) == -1);
	eq(e.details, "Invalid argument");
	((struct nlmsgerr *)mnl_nlmsg_get_payload(&r.h))->msg.nlmsg_len = 3;
	ok(nlerr_get(&r.h, &e) == -1);
	eq(e.details, "Invalid argument");
}

/* The same bytes where nothing can be read behind them. */
static struct nlmsghdr *at_the_end(const struct nl_req *r, uint32_t len)
{
	static uint8_t *page;

	if (!page) {
		page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE) < 0)
			exit(1);
	}
	memcpy(page + 4096 - len, r->buf, len);
	memcpy(page + 4096 - len, &len, sizeof(len));
	return (struct nlmsghdr *)(void *)(page + 4096 - len);
}

static void test_nlerr_end(void)
{
	struct err e = { 0 };
	struct nl_req r;

	test("of an answer that is cut no byte behind it is read");
	put_error(&r, 1, -EINVAL, 8, "words");
	for (uint32_t len = NLMSG_HDRLEN; len < r.h.nlmsg_len; len += 4)
		ok(nlerr_get(at_the_end(&r, len), &e) == -1 &&
		   e.sys == (len == NLMSG_HDRLEN ? EBADMSG : EINVAL));
	test("of a request that was not sent back the length does not count");
	put_error(&r, 1, -EINVAL, 0, "words");
	((struct nlmsgerr *)mnl_nlmsg_get_payload(&r.h))->msg.nlmsg_len = 3;
	ok(nlerr_get(&r.h, &e) == -1);
	eq(e.details, "Invalid argument; \"words\"; byte 36 of the request");
	test("words are there only when the kernel says so");
	memcpy(nl_req_init(&r, NLMSG_DONE, 0, 4), &(int){ -EMSGSIZE }, 4);
	nl_put(&r, NLMSGERR_ATTR_MSG, "too big", 8);
	r.h.nlmsg_flags = 0;
	ok(nlerr_get(&r.h, &e) == -1);
	eq(e.details, "Message too long");
}

static void test_attrs_of(void)
{
	struct nl_req r;
	struct nl_rest rest;

	test("attributes begin behind a header and its padding, or there are none");
	(void)nl_req_init(&r, RTM_NEWLINK, 0, 8);
	rest = nl_attrs_of(&r.h, 1);
	ok(rest.at == r.buf + NLMSG_HDRLEN + 4 && rest.len == 4);
	r.h.nlmsg_len = NLMSG_HDRLEN + 3;
	ok(nl_attrs_of(&r.h, 1).len == 0);
}

static int count_reply(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	int *left = arg;

	(void)nlh;
	return (*left)-- > 0 ? 0 : err_set(e, ERR_NETLINK, 0, "one reply too many");
}

static bool feed(struct nl_answer *a, const struct nl_req *r, struct err *e)
{
	return nl_answer_feed(a, r->buf, r->h.nlmsg_len, e);
}

static void test_answer(void)
{
	static const uint32_t lengths[] = { INT32_MAX, UINT32_C(1) << 31, UINT32_MAX, 15, 0 };
	int left = 1;
	struct nl_answer a = { .port = 77, .first = 5, .n = 1, .reply = count_reply, .arg = &left };
	struct nl_req r;
	struct err e = { 0 };

	test("answers to earlier requests and to others are skipped");
	put_error(&r, 4, -EPERM, 0, NULL);
	r.h.nlmsg_pid = 77;
	ok(!feed(&a, &r, &e) && !a.failed);
	put_error(&r, 5, -EPERM, 0, NULL);
	r.h.nlmsg_pid = 78;
	ok(!feed(&a, &r, &e) && !a.failed);
	test("a reply is passed on, a no-op is not");
	(void)nl_req_init(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	r.h.nlmsg_seq = 5;
	r.h.nlmsg_pid = 77;
	ok(!feed(&a, &r, &e) && left == 0);
	r.h.nlmsg_type = NLMSG_NOOP;
	ok(!feed(&a, &r, &e) && left == 0 && !a.failed);
	test("an inconsistent dump is noticed, unless it is another's");
	r.h.nlmsg_flags |= NLM_F_DUMP_INTR;
	r.h.nlmsg_pid = 78;
	ok(!feed(&a, &r, &e) && !a.interrupted);
	r.h.nlmsg_pid = 77;
	ok(!feed(&a, &r, &e) && a.interrupted);
	test("an error of the reader is kept while the rest is read");
	r.h.nlmsg_type = RTM_NEWLINK;
	ok(!feed(&a, &r, &e) && a.failed);
	eq(e.msg, "one reply too many");
	put_error(&r, 5, -EPERM, 0, NULL);
	r.h.nlmsg_pid = 77;
	ok(feed(&a, &r, &e));
	eq(e.msg, "one reply too many");
	test("where one reply is the answer no ACK is waited for, and an error ends it as well");
	left = 1;
	a = (struct nl_answer){ .port = 77, .first = 5, .n = 1, .reply = count_reply,
				.arg = &left, .one = true };
	(void)nl_req_init(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	r.h.nlmsg_seq = 4;
	r.h.nlmsg_pid = 77;
	ok(!feed(&a, &r, &e) && left == 1);
	r.h.nlmsg_seq = 5;
	ok(feed(&a, &r, &e) && left == 0 && !a.failed);
	a.acked = 0;
	ok(feed(&a, &r, &e) && a.failed);
	a = (struct nl_answer){ .port = 77, .first = 5, .n = 1, .one = true };
	put_error(&r, 5, -ENODEV, 0, NULL);
	r.h.nlmsg_pid = 77;
	ok(feed(&a, &r, &e) && a.failed && e.sys == ENODEV);
	(void)nl_req_init(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
	r.h.nlmsg_seq = 5;
	r.h.nlmsg_pid = 77;
	test("a message that claims 2 GiB, or more than there is, or no header, ends the reading");
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		auto_free uint8_t *exact = malloc(r.h.nlmsg_len);

		a = (struct nl_answer){ .port = 77, .first = 5, .n = 1 };
		memcpy(exact, r.buf, r.h.nlmsg_len);
		memcpy(exact, &lengths[i], sizeof(lengths[i]));
		ok(!nl_answer_feed(&a, exact, r.h.nlmsg_len, &e) && !a.acked);
	}
	test("garbage and half messages complete nothing");
	a = (struct nl_answer){ .port = 77, .first = 5, .n = 1 };
	for (uint32_t len = 0; len < r.h.nlmsg_len; len++)
		ok(!nl_answer_feed(&a, r.buf, len, &e));
}

static int accept_exist(unsigned int index, void *arg, struct err *e)
{
	++*(int *)arg;
	return e->sys == EEXIST ? 0 : err_wrap(e, "request %u", index);
}

static void test_batch_answer(void)
{
	static const int errors[] = { 0, -EEXIST, -EINVAL, -EPERM };
	int asked = 0;
	struct nl_answer a = {
		.first = UINT32_MAX, .n = 4, .refused = accept_exist, .arg = &asked
	};
	struct err e = { 0 };
	struct nl_req r;

	test("a batch is complete when each request has its answer, also when numbers wrap");
	for (uint32_t i = 0; i < 4; i++) {
		put_error(&r, UINT32_MAX + i, errors[i], 0, NULL);
		ok(feed(&a, &r, &e) == (i == 3));
		ok(feed(&a, &r, &e) == (i == 3));	/* a second answer counts nothing */
	}
	test("the first refusal that is not accepted is the batch's error");
	ok(a.failed && e.sys == EINVAL && asked == 3);
	eq(e.msg, "request 2: the kernel refused");
	test("a full batch of 64 is counted to its end");
	a = (struct nl_answer){ .first = 1, .n = NL_BATCH_MAX };
	for (uint32_t i = 0; i < NL_BATCH_MAX; i++) {
		put_error(&r, 1 + i, 0, 0, NULL);
		ok(feed(&a, &r, &e) == (i == NL_BATCH_MAX - 1));
	}
	ok(!a.failed);
}

static void test_batch_room(void)
{
	static const uint8_t big[900];
	static struct nl_batch b;
	struct nl_req r;
	struct nl nl = { .refused = true };
	struct err e = { 0 };
	unsigned int n = 0;

	test("a batch takes 64 small requests and no more");
	(void)nl_req_init(&r, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	while (nl_batch_add(&b, &r))
		n++;
	ok(n == 64 && b.n == 64 && b.len == n * r.h.nlmsg_len);
	test("a batch takes large requests up to its bytes");
	b = (struct nl_batch){ 0 };
	nl_put(&r, 1, big, sizeof(big));
	while (nl_batch_add(&b, &r))
		;
	ok(b.n == NL_BATCH_BYTES / r.h.nlmsg_len && b.len <= NL_BATCH_BYTES);
	test("a request that did not fit its buffer fits no batch, and an empty one is not sent");
	b = (struct nl_batch){ 0 };
	nl_put(&r, 1, big, sizeof(big));
	ok(r.full && !nl_batch_add(&b, &r));
	ok(nl_batch_send(&nl, &b, NULL, NULL, &e) == -1 && e.sys == EMSGSIZE && !nl.refused);
	ok(nl_request(&nl, &r, NULL, NULL, &e) == -1 && e.sys == EMSGSIZE);
	ok(nl_request_dump(&nl, &r, NULL, NULL, &e) == -1 && e.sys == EMSGSIZE);
	test("a nested attribute that has no room is left out");
	(void)nl_req_init(&r, RTM_SETLINK, 0, NL_REQ_MAX - NLMSG_HDRLEN);
	ok(!r.full && !nl_nest(&r, 1) && r.full);
	nl_nest_end(&r, NULL);
}

int main(void)
{
	test_link_parse();
	test_altnames_parse();
	test_vf_parse();
	test_vf_wrapped();
	test_vf_truncated();
	test_vf_end();
	test_nlerr();
	test_nlerr_malformed();
	test_nlerr_end();
	test_attrs_of();
	test_answer();
	test_batch_answer();
	test_batch_room();
	return tap_end();
}
