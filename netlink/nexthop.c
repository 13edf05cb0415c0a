/* SPDX-License-Identifier: Apache-2.0 */
/* nexthop.c - by which interfaces does a next hop leave that is an object of its own? */
#include "netlink/nexthop.h"

#include <errno.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <string.h>

enum { MEMBERS_MAX = UINT16_MAX / sizeof(struct nexthop_grp) };	/* what fits an attribute */

struct search {
	nexthop_fn *fn;
	void *arg;
	size_t n;
	uint32_t *members;	/* NULL: of a member, which has none */
};

static void add_group(struct search *s, const struct nlattr *group)
{
	const uint8_t *p = nl_attr_data(group);
	size_t left = nl_attr_len(group);
	struct nexthop_grp one;

	for (; left >= sizeof(one) && s->n < MEMBERS_MAX; p += sizeof(one), left -= sizeof(one)) {
		memcpy(&one, p, sizeof(one));
		s->members[s->n++] = one.id;
	}
}

static int on_hop(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct nhmsg *nhm = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	const struct nlattr *tb[NHA_OIF + 1];
	struct search *s = arg;
	uint32_t number;

	(void)e;
	if (nlh->nlmsg_type != RTM_NEWNEXTHOP || len < sizeof(*nhm))
		return 0;
	nl_attrs(nhm + 1, len - sizeof(*nhm), tb, NHA_OIF);
	if (nl_get(tb[NHA_OIF], &number, sizeof(number)))
		s->fn(number, s->arg);
	if (s->members && tb[NHA_GROUP])
		add_group(s, tb[NHA_GROUP]);
	return 0;
}

static int get_hop(struct nl *nl, uint32_t id, struct search *s, struct err *e)
{
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETNEXTHOP, 0, sizeof(struct nhmsg));
	nl_put_u32(&r, NHA_ID, id);
	if (nl_request(nl, &r, on_hop, s, e) == 0 || e->sys == ENOENT)	/* gone meanwhile */
		return 0;
	return err_wrap(e, "next hop %u of a route", id);
}

/* A group has no groups. */
int nexthop_each(struct nl *nl, uint32_t id, nexthop_fn *fn, void *arg, struct err *e)
{
	static uint32_t members[MEMBERS_MAX];
	struct search group = { .fn = fn, .arg = arg, .members = members };
	struct search member = { .fn = fn, .arg = arg };

	if (get_hop(nl, id, &group, e) < 0)
		return -1;
	for (size_t i = 0; i < group.n; i++)
		if (get_hop(nl, members[i], &member, e) < 0)
			return -1;
	return 0;
}
