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
#include "netlink/nexthop.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBERS_MAX = 4096,	/* interfaces, or next hops: more than a kernel's default routes */
	REMOVED_MAX = 64,	/* default routes of one interface */
};

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
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i] == number)
			return;
	if (!s->list)
		s->list = calloc(NUMBERS_MAX, sizeof(*s->list));
	s->failed |= !s->list || s->n == NUMBERS_MAX;
	if (!s->failed)
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
	const uint8_t *p = nl_attr_data(hops);
	size_t left = nl_attr_len(hops);
	struct rtnexthop hop;

	for (size_t step; left >= sizeof(hop); p += step, left -= step) {
		memcpy(&hop, p, sizeof(hop));
		if (hop.rtnh_len < sizeof(hop) || hop.rtnh_len > left)
			return;
		if (hop.rtnh_ifindex > 0)
			add(&s->interfaces, (uint32_t)hop.rtnh_ifindex);
		step = NLA_ALIGN((size_t)hop.rtnh_len);
		if (step > left)
			return;
	}
}

static void add_route(struct search *s, const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
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

static void add_interface(uint32_t ifindex, void *arg)
{
	struct search *s = arg;

	add(&s->interfaces, ifindex);
}

int default_routes_get(struct nl *nl, struct default_routes *ret, struct err *e)
{
	auto_search struct search s = { 0 };
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETROUTE, 0, sizeof(struct rtmsg));
	if (nl_request_dump(nl, &r, on_route, &s, e) < 0)
		return err_wrap(e, "list the routes");
	for (size_t i = 0; i < s.hops.n; i++)
		if (nexthop_each(nl, s.hops.list[i], add_interface, &s, e) < 0)
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

/* -- removing -- */

/* One of them, whatever its gateway and metric: 1, 0 when there is none, -1. */
static int remove_one(struct nl *nl, int ifindex, int family, struct err *e)
{
	struct nl_req r;
	struct rtmsg *rtm = nl_req_init(&r, RTM_DELROUTE, 0, sizeof(*rtm));

	rtm->rtm_family = (uint8_t)family;
	rtm->rtm_table = RT_TABLE_MAIN;
	rtm->rtm_scope = RT_SCOPE_NOWHERE;
	nl_put_u32(&r, RTA_OIF, (uint32_t)ifindex);
	if (nl_request(nl, &r, NULL, NULL, e) == 0)
		return 1;
	return e->sys == ESRCH ? 0 : err_wrap(e, "remove the default route of interface %d",
					      ifindex);
}

int default_routes_remove(struct nl *nl, int ifindex, int family, struct err *e)
{
	int r = 1;

	for (unsigned int i = 0; i < REMOVED_MAX && r > 0; i++)
		r = remove_one(nl, ifindex, family, e);
	return r < 0 ? -1 : 0;
}
