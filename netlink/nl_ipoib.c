/* SPDX-License-Identifier: Apache-2.0 */
/* nl_ipoib.c - what an IPoIB interface has of its own: its mode, and umcast */
#include "netlink/nl_ipoib.h"

#include "netlink/link_name.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

void ipoib_parse(const struct nlattr *data, struct ipoib *ret)
{
	const struct nlattr *tb[IFLA_IPOIB_UMCAST + 1];
	struct ipoib i = { .have = false };

	if (data) {
		nl_attrs_nested(data, tb, IFLA_IPOIB_UMCAST);
		i.have = nl_get(tb[IFLA_IPOIB_MODE], &i.mode, sizeof(i.mode)) &&
			 nl_get(tb[IFLA_IPOIB_UMCAST], &i.umcast, sizeof(i.umcast));
	}
	*ret = i;
}

/* What a kind of interface has of its own is changed by RTM_NEWLINK alone. */
void ipoib_compose(struct nl_req *r, int ifindex, const struct ipoib *want)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_NEWLINK, 0, sizeof(*ifi));
	struct nlattr *info, *data;

	ifi->ifi_index = ifindex;
	info = nl_nest(r, IFLA_LINKINFO);
	nl_put(r, IFLA_INFO_KIND, "ipoib", sizeof("ipoib"));
	data = nl_nest(r, IFLA_INFO_DATA);
	nl_put(r, IFLA_IPOIB_MODE, &want->mode, sizeof(want->mode));
	nl_put(r, IFLA_IPOIB_UMCAST, &want->umcast, sizeof(want->umcast));
	nl_nest_end(r, data);
	nl_nest_end(r, info);
}

int ipoib_set(struct nl *nl, int ifindex, const struct ipoib *want, struct err *e)
{
	char called[LINK_CALLED];
	struct nl_req r;

	ipoib_compose(&r, ifindex, want);
	if (nl_request(nl, &r, NULL, NULL, e) < 0)
		return err_wrap(e, "set mode %u and umcast %u of %s", want->mode, want->umcast,
				link_called(nl, ifindex, called));
	return 0;
}
