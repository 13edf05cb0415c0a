/* SPDX-License-Identifier: Apache-2.0 */
/* link_name.c - what people call an interface, for messages */
#include "netlink/link_name.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>

static int on_link(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct nlattr *tb[IFLA_IFNAME + 1];
	struct nl_rest rest = nl_attrs_of(nlh, sizeof(struct ifinfomsg));

	(void)e;
	nl_attrs(rest.at, rest.len, tb, IFLA_IFNAME);
	(void)nl_get_text(tb[IFLA_IFNAME], arg, LINK_CALLED);
	return 0;
}

const char *link_called(struct nl *nl, int ifindex, char ret[LINK_CALLED])
{
	bool refused = nl->refused;
	struct nl_req r;
	struct ifinfomsg *ifi = nl_req_init(&r, RTM_GETLINK, 0, sizeof(*ifi));
	struct err ignored;

	ifi->ifi_index = ifindex;
	*ret = '\0';
	if (!nl->open || nl_request(nl, &r, on_link, ret, &ignored) < 0 || !*ret)
		(void)snprintf(ret, LINK_CALLED, "interface %d", ifindex);
	nl->refused = refused;
	return ret;
}
