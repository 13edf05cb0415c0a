/* SPDX-License-Identifier: Apache-2.0 */
/* netlink.h - what the tests of netlink/ share */
#ifndef TESTS_UNIT_NETLINK_H
#define TESTS_UNIT_NETLINK_H

#include "netlink/addr.h"
#include "tests/unit/tap.h"

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <string.h>

static inline struct ip_prefix prefix(const char *text)
{
	struct ip_prefix p = { 0 };

	ok(prefix_parse(text, &p));
	return p;
}

static inline struct ip ip(const char *text)
{
	struct ip i = { 0 };

	ok(ip_parse(text, &i));
	return i;
}

static inline int make_veth(struct nl *nl, const char *name, const char *peer)
{
	struct nl_req r;
	struct nlattr *info, *data, *other;
	struct err e;

	(void)nl_req_init(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	info = nl_nest(&r, IFLA_LINKINFO);
	nl_put(&r, IFLA_INFO_KIND, "veth", 5);
	data = nl_nest(&r, IFLA_INFO_DATA);
	other = nl_nest(&r, VETH_INFO_PEER);
	(void)mnl_nlmsg_put_extra_header(&r.h, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, peer, strlen(peer) + 1);
	nl_nest_end(&r, other);
	nl_nest_end(&r, data);
	nl_nest_end(&r, info);
	return nl_request(nl, &r, NULL, NULL, &e);
}

#endif
