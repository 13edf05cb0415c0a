/* SPDX-License-Identifier: Apache-2.0 */
/* vf_list.h - the list of its VFs in the kernel's answer about a PF: IFLA_VFINFO_LIST */
#ifndef NETLINK_VF_LIST_H
#define NETLINK_VF_LIST_H

#include "base/attr.h"
#include "netlink/nl_attr.h"

#include <stdbool.h>

/* Called with one IFLA_VF_INFO and the number of its VF; false ends the walk. */
typedef bool vf_list_fn(unsigned int vf, const struct nlattr *info, void *arg);

/* Walk the list in an RTM_NEWLINK; returns how many VFs the PF has, be they in it or not. */
unsigned int vf_list_walk(const struct nlmsghdr *nlh, vf_list_fn *fn, void *arg);

#endif
