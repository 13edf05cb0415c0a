/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf_list.c - the list of its VFs in the kernel's answer about a PF
 *
 * A length of 16 bits cannot hold more than 334 VFs, with statistics 221, and the kernel lets it
 * wrap, with all of them in the message all the same.  So the list is followed as far as there are
 * VFs, not to its own end.
 */
#include "netlink/vf_list.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdint.h>

static void walk(struct nl_rest rest, unsigned int n, vf_list_fn *fn, void *arg)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct nlattr *info = nl_next_attr(&rest), *tb[IFLA_VF_MAC + 1];
		uint32_t number;

		if (!info || nl_attr_type(info) != IFLA_VF_INFO)
			return;
		nl_attrs_nested(info, tb, IFLA_VF_MAC);
		if (nl_get(tb[IFLA_VF_MAC], &number, sizeof(number)) && !fn(number, info, arg))
			return;
	}
}

/* What comes behind a list whose length has wrapped is no attribute: the first of each counts. */
unsigned int vf_list_walk(const struct nlmsghdr *nlh, vf_list_fn *fn, void *arg)
{
	struct nl_rest rest = nl_attrs_of(nlh, sizeof(struct ifinfomsg)), inside = rest;
	const struct nlattr *attr;
	unsigned int n = 0;

	if (nlh->nlmsg_type != RTM_NEWLINK)
		return 0;
	for (; (attr = nl_next_attr(&rest)); inside = rest) {
		if (nl_attr_type(attr) == IFLA_NUM_VF)
			(void)nl_get(attr, &n, sizeof(n));
		if (nl_attr_type(attr) == IFLA_VFINFO_LIST) {
			inside.at = nl_attr_data(attr);
			inside.len -= sizeof(struct nlattr);
			walk(inside, n, fn, arg);
			break;
		}
	}
	return n;
}
