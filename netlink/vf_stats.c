/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf_stats.c - what the VFs of a PF have sent and received
 *
 *	IFLA_VFINFO_LIST { IFLA_VF_INFO { IFLA_VF_MAC, IFLA_VF_STATS { ..., u64 } ... } ... }
 */
#include "netlink/vf_stats.h"

#include "netlink/link_name.h"
#include "netlink/vf_list.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

static const uint16_t attributes[VF_COUNTS] = {
	[VF_RX_PACKETS] = IFLA_VF_STATS_RX_PACKETS,
	[VF_TX_PACKETS] = IFLA_VF_STATS_TX_PACKETS,
	[VF_RX_BYTES] = IFLA_VF_STATS_RX_BYTES,
	[VF_TX_BYTES] = IFLA_VF_STATS_TX_BYTES,
	[VF_BROADCAST] = IFLA_VF_STATS_BROADCAST,
	[VF_MULTICAST] = IFLA_VF_STATS_MULTICAST,
	[VF_RX_DROPPED] = IFLA_VF_STATS_RX_DROPPED,
	[VF_TX_DROPPED] = IFLA_VF_STATS_TX_DROPPED,
};

void vf_stats_compose(struct nl_req *r, int pf_ifindex)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_GETLINK, 0, sizeof(*ifi));

	ifi->ifi_index = pf_ifindex;
	nl_put_u32(r, IFLA_EXT_MASK, RTEXT_FILTER_VF);
}

static bool take_vf(unsigned int vf, const struct nlattr *info, void *arg)
{
	const struct nlattr *tb[IFLA_VF_STATS + 1], *of[IFLA_VF_STATS_TX_DROPPED + 1] = { 0 };
	const struct vf_stats_reader *reader = arg;
	struct vf_stats s = { .have = 0 };

	nl_attrs_nested(info, tb, IFLA_VF_STATS);
	if (tb[IFLA_VF_STATS])
		nl_attrs_nested(tb[IFLA_VF_STATS], of, IFLA_VF_STATS_TX_DROPPED);
	for (unsigned int i = 0; i < VF_COUNTS; i++)
		if (nl_get(of[attributes[i]], &s.count[i], sizeof(s.count[i])))
			s.have |= 1U << i;
	reader->fn(vf, &s, reader->arg);
	return true;
}

void vf_stats_parse(const struct nlmsghdr *nlh, const struct vf_stats_reader *reader)
{
	struct vf_stats_reader r = *reader;

	(void)vf_list_walk(nlh, take_vf, &r);
}

static int on_pf(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	(void)e;
	vf_stats_parse(nlh, arg);
	return 0;
}

int vf_stats_each(struct nl *nl, int pf_ifindex, vf_stats_fn *fn, void *arg, struct err *e)
{
	struct vf_stats_reader reader = { .fn = fn, .arg = arg };
	char called[LINK_CALLED];
	struct nl_req r;

	vf_stats_compose(&r, pf_ifindex);
	nl_make_room(nl);
	return nl_request(nl, &r, on_pf, &reader, e) < 0 ?
		       err_wrap(e, "read the counters of the VFs of %s",
				link_called(nl, pf_ifindex, called)) : 0;
}

bool vf_stats_is_empty(const struct vf_stats *s)
{
	for (unsigned int i = 0; i < VF_COUNTS; i++)
		if (s->count[i] != 0)
			return false;
	return true;
}
