/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl_rdma.h - RDMA devices: look at them, rename one, move one
 *
 * NETLINK_RDMA, client "nldev".  In the system's exclusive mode an RDMA device is in one
 * network namespace, as a network interface is; in shared mode, the default, it is seen in
 * all.  A device keeps its index when it moves or is renamed, and loses it when its driver
 * lets it go.
 */
#ifndef NETLINK_NL_RDMA_H
#define NETLINK_NL_RDMA_H

#include "netlink/mnl.h"

enum { RDMA_NAME_MAX = 64 }; /* the kernel's IB_DEVICE_NAME_MAX, NUL included */

enum rdma_mode { RDMA_EXCLUSIVE = 0, RDMA_SHARED = 1 }; /* as the kernel numbers them */

struct rdma_device {
	uint32_t index; /* of this boot */
	char name[RDMA_NAME_MAX];
};

/* Connect inside a namespace, or NETNS_OWN: 1, 0 when the kernel has no RDMA at all, -1. */
int rdma_open(int nsfd, struct nl *ret, struct err *e) must_check;

/* A kernel that knows one mode only (before 5.2) shares. */
int rdma_mode_get(struct nl *nl, enum rdma_mode *ret, struct err *e) must_check;

/* A device of the connection's namespace, by its name or by its index: 1, 0, -1. */
int rdma_find_name(struct nl *nl, const char *name, struct rdma_device *ret,
		   struct err *e) must_check;
int rdma_find_index(struct nl *nl, uint32_t index, struct rdma_device *ret,
		    struct err *e) must_check;

/*
 * Move a device from one namespace (NETNS_OWN: ours), which nl is a connection in, to another.  All
 * that the kernel has built on it - character devices, IPoIB interfaces - is made anew.  Exclusive
 * mode only: EOPNOTSUPP in the other, and of a driver that cannot.
 */
int rdma_move(struct nl *nl, int from, uint32_t index, int to, struct err *e) must_check;

/* EEXIST when the name is taken. */
int rdma_rename(struct nl *nl, uint32_t index, const char *name, struct err *e) must_check;

/* -- composing and parsing, for the functions above and for tests -- */

void rdma_compose_mode(struct nl_req *r);
void rdma_compose_list(struct nl_req *r);
void rdma_compose_move(struct nl_req *r, uint32_t index, int nsfd);
/* False (nothing usable in r) when the name has not 1 to 63 bytes. */
bool rdma_compose_rename(struct nl_req *r, uint32_t index, const char *name) must_check;
/* False for a message that says no such thing. */
bool rdma_parse_mode(const struct nlmsghdr *nlh, enum rdma_mode *ret) must_check;
bool rdma_parse_device(const struct nlmsghdr *nlh, struct rdma_device *ret) must_check;

#endif
