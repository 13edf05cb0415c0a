/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vf_stats.c - counters of VFs, as the kernel's rtnl_fill_vfinfo() writes them and as damage
 * could; libmnl composes, and no kernel is asked
 */
#include "netlink/vf_stats.h"

#include "tests/unit/tap.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

enum { VFS_MAX = 512 };

union pf_reply {
	struct nlmsghdr h;
	char buf[256 * 1024];
};

/* The kernel pads before each 64-bit value, with an attribute of its own. */
static void put_count(struct nlmsghdr *h, uint16_t type, uint64_t value)
{
	mnl_attr_put(h, IFLA_VF_STATS_PAD, 0, NULL);
	mnl_attr_put_u64(h, type, value);
}

/* old: of a kernel that does not count drops; factor 0: of a driver that counts nothing. */
static void put_vf(struct nlmsghdr *h, uint32_t vf, uint64_t factor, bool old)
{
	struct ifla_vf_mac mac = { .vf = vf, .mac = { 2 } };
	struct nlattr *info = mnl_attr_nest_start(h, IFLA_VF_INFO), *stats;

	mnl_attr_put(h, IFLA_VF_MAC, sizeof(mac), &mac);
	stats = mnl_attr_nest_start(h, IFLA_VF_STATS);
	for (uint16_t type = IFLA_VF_STATS_RX_PACKETS; type <= IFLA_VF_STATS_TX_DROPPED; type++)
		if (type != IFLA_VF_STATS_PAD && (!old || type < IFLA_VF_STATS_PAD))
			put_count(h, type, factor * (vf * 100 + type + 1));
	mnl_attr_nest_end(h, stats);
	mnl_attr_nest_end(h, info);
}

static void put_pf(union pf_reply *p, uint32_t vfs, uint64_t factor, bool old)
{
	struct nlattr *list;

	(void)mnl_nlmsg_put_header(p->buf);
	p->h.nlmsg_type = RTM_NEWLINK;
	(void)mnl_nlmsg_put_extra_header(&p->h, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(&p->h, IFLA_NUM_VF, vfs);
	list = mnl_attr_nest_start(&p->h, IFLA_VFINFO_LIST);
	for (uint32_t i = 0; i < vfs; i++)
		put_vf(&p->h, i, factor, old);
	mnl_attr_nest_end(&p->h, list);
}

struct seen {
	unsigned int n, right, empty;
	struct vf_stats last;
};

static void see(unsigned int vf, const struct vf_stats *s, void *arg)
{
	static const uint16_t types[VF_COUNTS] = { 0, 1, 2, 3, 4, 5, 7, 8 };
	struct seen *seen = arg;
	unsigned int right = 0;

	for (unsigned int i = 0; i < VF_COUNTS; i++)
		right += (s->have >> i & 1) && s->count[i] == vf * 100 + types[i] + 1;
	seen->right += right == VF_COUNTS && vf == seen->n;
	seen->empty += vf_stats_is_empty(s);
	seen->last = *s;
	seen->n++;
}

static struct seen read_pf(const union pf_reply *p)
{
	struct seen seen = { .n = 0 };

	vf_stats_parse(&p->h, &(struct vf_stats_reader){ .fn = see, .arg = &seen });
	return seen;
}

static void whole(void)
{
	static union pf_reply p;
	struct seen seen;

	test("each of 64 VFs is told with its own eight counters");
	put_pf(&p, 64, 1, false);
	seen = read_pf(&p);
	eqi(seen.n, 64);
	eqi(seen.right, 64);
	eqi(seen.empty, 0);
	test("a list whose length has wrapped is read to its last VF");
	put_pf(&p, VFS_MAX, 1, false);
	ok(p.h.nlmsg_len > UINT16_MAX);
	seen = read_pf(&p);
	eqi(seen.right, VFS_MAX);
	test("an old kernel tells no drops, and these are absent, not zero");
	put_pf(&p, 1, 1, true);
	seen = read_pf(&p);
	eqi(seen.last.have, (1 << VF_RX_DROPPED) - 1);
	test("a driver that counts nothing is known by its zeros");
	put_pf(&p, 3, 0, false);
	seen = read_pf(&p);
	ok(seen.n == 3 && seen.empty == 3);
	test("a PF without VFs tells none, nor does another message");
	put_pf(&p, 0, 1, false);
	eqi(read_pf(&p).n, 0);
	put_pf(&p, 1, 1, false);
	p.h.nlmsg_type = RTM_DELLINK;
	eqi(read_pf(&p).n, 0);
}

static void damaged(void)
{
	static union pf_reply p;
	struct nlattr *list, *info;
	uint32_t full, bad = 0;
	struct seen seen;

	test("an answer that is cut at any byte has whole counters or none");
	put_pf(&p, 1, 1, false);
	full = p.h.nlmsg_len;
	for (uint32_t len = NLMSG_HDRLEN; len < full; len++) {
		p.h.nlmsg_len = len;
		seen = read_pf(&p);
		for (unsigned int i = 0; i < VF_COUNTS; i++)
			bad += !(seen.last.have >> i & 1) && seen.last.count[i] != 0;
	}
	eqi(bad, 0);
	test("a VF without counters, and one of short ones, has none");
	(void)mnl_nlmsg_put_header(p.buf);
	p.h.nlmsg_type = RTM_NEWLINK;
	(void)mnl_nlmsg_put_extra_header(&p.h, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(&p.h, IFLA_NUM_VF, 2);
	list = mnl_attr_nest_start(&p.h, IFLA_VFINFO_LIST);
	for (uint32_t vf = 0; vf < 2; vf++) {
		info = mnl_attr_nest_start(&p.h, IFLA_VF_INFO);
		mnl_attr_put_u32(&p.h, IFLA_VF_MAC, vf);
		if (vf == 1) {
			struct nlattr *stats = mnl_attr_nest_start(&p.h, IFLA_VF_STATS);

			mnl_attr_put_u32(&p.h, IFLA_VF_STATS_RX_BYTES, 7);
			mnl_attr_nest_end(&p.h, stats);
		}
		mnl_attr_nest_end(&p.h, info);
	}
	mnl_attr_nest_end(&p.h, list);
	seen = read_pf(&p);
	ok(seen.n == 2 && seen.empty == 2 && seen.last.have == 0);
}

static void composed(void)
{
	const struct nlattr *tb[IFLA_EXT_MASK + 1];
	const struct ifinfomsg *ifi;
	uint32_t mask = 0;
	struct nl_req r;

	test("one PF is asked for with its VFs and their counters, and not all links");
	vf_stats_compose(&r, 7);
	ifi = nl_payload(&r.h);
	nl_attrs(ifi + 1, nl_payload_len(&r.h) - sizeof(*ifi), tb, IFLA_EXT_MASK);
	ok(r.h.nlmsg_type == RTM_GETLINK && !(r.h.nlmsg_flags & NLM_F_DUMP));
	eqi(ifi->ifi_index, 7);
	ok(nl_get(tb[IFLA_EXT_MASK], &mask, sizeof(mask)));
	eqi(mask, RTEXT_FILTER_VF);
}

int main(void)
{
	whole();
	damaged();
	composed();
	return tap_end();
}
