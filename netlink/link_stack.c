/* SPDX-License-Identifier: Apache-2.0 */
/* link_stack.c - the interfaces that are stacked on another one: find them, delete them */
#include "netlink/link_stack.h"

#include "netlink/link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

/* Those that are about to be deleted; if the pod puts more into it, they are deleted as well. */
#define STACK_GROUP	0x64657669u

struct stack {
	int lower, nsid;
	struct link_stacked found;
};

static void add_stacked(struct stack *s, const struct link *link)
{
	size_t used = strlen(s->found.names);

	s->found.ifindex[s->found.n++] = link->ifindex;
	if (used + 1 + strlen(link->name) < sizeof(s->found.names))
		(void)snprintf(s->found.names + used, sizeof(s->found.names) - used, "%s%s",
			       used ? "," : "", link->name);
}

static bool is_on(const struct link *link, const struct stack *s)
{
	if (s->nsid == LINK_STACKED_HERE)
		return link->lower == s->lower && link->ifindex != s->lower;
	return link->far_lower == s->lower &&
	       (s->nsid == LINK_STACKED_FAR ? link->far_nsid >= 0 : link->far_nsid == s->nsid);
}

static int on_stacked(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct stack *s = arg;
	struct link link;

	(void)e;
	if (!nlh)		/* the dump begins anew */
		s->found = (struct link_stacked){ 0 };
	else if (link_parse(nlh, &link) && is_on(&link, s) && s->found.n < LINK_STACKED_MAX)
		add_stacked(s, &link);
	return 0;
}

static int on_nsid(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct nlattr *tb[NETNSA_MAX + 1];
	struct nl_rest rest = nl_attrs_of(nlh, sizeof(struct rtgenmsg));

	(void)e;
	nl_attrs(rest.at, rest.len, tb, NETNSA_MAX);
	(void)nl_get(tb[NETNSA_NSID], arg, sizeof(int32_t));
	return 0;
}

int link_nsid(struct nl *nl, int nsfd, int *ret, struct err *e)
{
	int32_t id = -1;
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETNSID, 0, sizeof(struct rtgenmsg));
	nl_put_u32(&r, NETNSA_FD, (uint32_t)nsfd);
	if (nl_request(nl, &r, on_nsid, &id, e) < 0)
		return err_wrap(e, "ask for the number of a namespace");
	*ret = id;
	return 0;
}

int link_find_stacked(struct nl *nl, int ifindex, int nsid, struct link_stacked *ret,
		      struct err *e)
{
	struct stack s = { .lower = ifindex, .nsid = nsid };
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	nl_put_u32(&r, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nl_request_dump(nl, &r, on_stacked, &s, e) < 0)
		return err_wrap(e, "list the interfaces");
	*ret = s.found;
	return (int)s.found.n;
}

/* A VLAN goes with the macvlan that it is on.  What nobody can delete, no pod has made. */
static int on_not_deleted(unsigned int index, void *arg, struct err *e)
{
	(void)index;
	(void)arg;
	return e->sys == ENODEV || e->sys == EOPNOTSUPP ? 0 : -1;
}

static int delete_each(struct nl *nl, const struct link_stacked *s, struct err *e)
{
	struct nl_batch batch = { 0 };
	struct nl_req r;

	for (unsigned int i = 0; i < s->n; i++) {
		struct ifinfomsg *ifi = nl_req_init(&r, RTM_DELLINK, 0, sizeof(*ifi));

		ifi->ifi_index = s->ifindex[i];
		if (!nl_batch_add(&batch, &r))
			return err_set(e, ERR_NETLINK, EMSGSIZE, "too many for one request");
	}
	return nl_batch_send(nl, &batch, on_not_deleted, NULL, e);
}

/* One that is gone meanwhile has no group; what else the kernel says, its deletion says again. */
static int on_not_grouped(unsigned int index, void *arg, struct err *e)
{
	(void)index;
	(void)arg;
	(void)e;
	return 0;
}

/*
 * The kernel waits for an RCU grace period for each interface that is deleted, but once for a
 * group, whose interfaces are deleted in one step.
 */
static int delete_as_group(struct nl *nl, const struct link_stacked *s, struct err *e)
{
	struct nl_batch batch = { 0 };
	struct nl_req r;

	for (unsigned int i = 0; i < s->n; i++) {
		struct ifinfomsg *ifi = nl_req_init(&r, RTM_SETLINK, 0, sizeof(*ifi));

		ifi->ifi_index = s->ifindex[i];
		nl_put_u32(&r, IFLA_GROUP, STACK_GROUP);
		if (!nl_batch_add(&batch, &r))
			return err_set(e, ERR_NETLINK, EMSGSIZE, "too many for one request");
	}
	if (nl_batch_send(nl, &batch, on_not_grouped, NULL, e) < 0)
		return -1;
	(void)nl_req_init(&r, RTM_DELLINK, 0, sizeof(struct ifinfomsg));
	nl_put_u32(&r, IFLA_GROUP, STACK_GROUP);
	return nl_request(nl, &r, NULL, NULL, e);
}

/* The kernel refuses a group as a whole: for one that nobody can delete, or that is empty. */
int link_delete_stacked(struct nl *nl, const struct link_stacked *s, struct err *e)
{
	struct err why;

	if (s->n == 0 || (s->n > 1 && delete_as_group(nl, s, &why) == 0))
		return 0;
	return delete_each(nl, s, e) < 0 ? err_wrap(e, "delete %s", s->names) : 0;
}
