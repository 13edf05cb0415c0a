/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl_rdma.h - look up, rename and move RDMA devices
 *
 * NETLINK_RDMA, client "nldev".  In exclusive mode, a setting of the system, an RDMA device is in
 * one network namespace, as a network interface is; in shared mode, the default, all see it.  A
 * device keeps its index when it moves or is renamed, and gets a new one when its driver is
 * unbound.
 */
#ifndef NETLINK_NL_RDMA_H
#define NETLINK_NL_RDMA_H

#include "netlink/nl.h"

enum { RDMA_NAME_MAX = 64 }; /* the kernel's IB_DEVICE_NAME_MAX, NUL included */

enum rdma_mode { RDMA_EXCLUSIVE = 0, RDMA_SHARED = 1 }; /* as the kernel numbers them */

struct rdma_device {
	uint32_t index; /* valid in this boot */
	char name[RDMA_NAME_MAX];
};

/* Connect inside a namespace, or NETNS_OWN: 1, 0 when the kernel has no RDMA at all, -1. */
int rdma_open(int nsfd, struct nl *ret, struct err *e) must_check;

/* Get the system's mode; a kernel without modes (before 5.2) is RDMA_SHARED. */
int rdma_mode_get(struct nl *nl, enum rdma_mode *ret, struct err *e) must_check;

/* Find a device of the connection's namespace by its name or index: 1, 0 absent, -1. */
int rdma_find_name(struct nl *nl, const char *name, struct rdma_device *ret,
		   struct err *e) must_check;
int rdma_find_index(struct nl *nl, uint32_t index, struct rdma_device *ret,
		    struct err *e) must_check;

/*
 * Move a device from one namespace (NETNS_OWN: ours), which nl is a connection in, to another.  The
 * kernel makes its character devices and IPoIB interfaces anew.  sys is EOPNOTSUPP in shared mode,
 * and when the driver cannot move it.
 */
int rdma_move(struct nl *nl, int from, uint32_t index, int to, struct err *e) must_check;

/* Rename a device; sys is EEXIST when the name is taken. */
int rdma_rename(struct nl *nl, uint32_t index, const char *name, struct err *e) must_check;

/* -- composing and parsing, for the functions above and for tests -- */

void rdma_compose_mode(struct nl_req *r);
void rdma_compose_list(struct nl_req *r);
void rdma_compose_move(struct nl_req *r, uint32_t index, int nsfd);
/* False (nothing usable in r) when the name has not 1 to 63 bytes. */
bool rdma_compose_rename(struct nl_req *r, uint32_t index, const char *name) must_check;
/* False for a message without a mode. */
bool rdma_parse_mode(const struct nlmsghdr *nlh, enum rdma_mode *ret) must_check;
bool rdma_parse_device(const struct nlmsghdr *nlh, struct rdma_device *ret) must_check;

#endif
