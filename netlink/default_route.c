/* SPDX-License-Identifier: Apache-2.0 */
/*
 * default_route.c - by which interfaces does a namespace reach everything else?
 *
 * One dump of all routes, for the kernel can select them by much, but not by destination.  A next
 * hop that is an object (net.ipv4.nexthop_compat_mode=0 shows nothing but its number) is asked for
 * afterwards, a group of such by its members.
 */
#include "netlink/default_route.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 4096 };	/* interfaces, or next hops: more than a kernel's default routes */

struct numbers {
	uint32_t *list;
	size_t n;
	bool failed;		/* too many, or no memory */
};

struct search {
	struct numbers interfaces, hops;
};

static void add(struct numbers *s, uint32_t number)
{
	uint32_t *more;

	for (size_t i = 0; i < s->n; i++)
		if (s->list[i] == number)
			return;
	more = s->n < NUMBERS_MAX ? reallocarray(s->list, s->n + 1, sizeof(*more)) : NULL;
	s->failed |= !more;
	if (!more)
		return;
	s->list = more;
	s->list[s->n++] = number;
}

static void search_done(struct search *s)
{
	free(s->interfaces.list);
	free(s->hops.list);
}

#define auto_search auto_with(search_done)

/* -- routes -- */

/* Next hops lie one after the other, each with its own length and attributes. */
static void add_multipath(struct search *s, const struct nlattr *hops)
{
	const uint8_t *p = mnl_attr_get_payload(hops);
	size_t left = mnl_attr_get_payload_len(hops);
	struct rtnexthop hop;

	for (size_t step; left >= sizeof(hop); p += step, left -= step) {
		memcpy(&hop, p, sizeof(hop));
		if (hop.rtnh_len < sizeof(hop) || hop.rtnh_len > left)
			return;
		if (hop.rtnh_ifindex > 0)
			add(&s->interfaces, (uint32_t)hop.rtnh_ifindex);
		step = MNL_ALIGN((size_t)hop.rtnh_len);
		if (step > left)
			return;
	}
}

static void add_route(struct search *s, const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	const struct nlattr *tb[RTA_NH_ID + 1];
	uint32_t number;

	if (nlh->nlmsg_type != RTM_NEWROUTE || len < sizeof(*rtm) || rtm->rtm_dst_len > 0 ||
	    rtm->rtm_type != RTN_UNICAST || rtm->rtm_flags & RTM_F_CLONED ||
	    (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6))
		return;
	nl_attrs(rtm + 1, len - sizeof(*rtm), tb, RTA_NH_ID);
	if (nl_get(tb[RTA_OIF], &number, sizeof(number)))
		add(&s->interfaces, number);
	else if (tb[RTA_MULTIPATH])
		add_multipath(s, tb[RTA_MULTIPATH]);
	else if (nl_get(tb[RTA_NH_ID], &number, sizeof(number)))
		add(&s->hops, number);
}

static int on_route(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct search *s = arg;

	(void)e;
	if (nlh)
		add_route(s, nlh);
	else	/* the dump begins anew */
		s->interfaces.n = s->hops.n = 0;
	return 0;
}

/* -- next hops that are objects -- */

static void add_group(struct search *s, const struct nlattr *group)
{
	const uint8_t *p = mnl_attr_get_payload(group);
	size_t left = mnl_attr_get_payload_len(group);
	struct nexthop_grp one;

	for (; left >= sizeof(one); p += sizeof(one), left -= sizeof(one)) {
		memcpy(&one, p, sizeof(one));
		add(&s->hops, one.id);
	}
}

static int on_hop(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct nhmsg *nhm = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	const struct nlattr *tb[NHA_OIF + 1];
	struct search *s = arg;
	uint32_t number;

	(void)e;
	if (nlh->nlmsg_type != RTM_NEWNEXTHOP || len < sizeof(*nhm))
		return 0;
	nl_attrs(nhm + 1, len - sizeof(*nhm), tb, NHA_OIF);
	if (nl_get(tb[NHA_OIF], &number, sizeof(number)))
		add(&s->interfaces, number);
	if (tb[NHA_GROUP])
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
	return err_wrap(e, "next hop %u of a default route", id);
}

int default_routes_get(struct nl *nl, struct default_routes *ret, struct err *e)
{
	auto_search struct search s = { 0 };
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETROUTE, 0, sizeof(struct rtmsg));
	if (nl_request_dump(nl, &r, on_route, &s, e) < 0)
		return err_wrap(e, "list the routes");
	for (size_t i = 0; i < s.hops.n; i++)	/* members of groups come behind */
		if (get_hop(nl, s.hops.list[i], &s, e) < 0)
			return -1;
	if (s.interfaces.failed || s.hops.failed)
		return err_set(e, ERR_NETLINK, ENOMEM, "list the interfaces of default routes");
	ret->n = s.interfaces.n;
	ret->ifindex = steal_ptr(&s.interfaces.list);
	return 0;
}

void default_routes_done(struct default_routes *d)
{
	free(d->ifindex);
	*d = (struct default_routes){ 0 };
}
