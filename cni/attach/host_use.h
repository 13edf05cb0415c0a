/* SPDX-License-Identifier: Apache-2.0 */
/* host_use.h - does the host itself use the network devices of a choice? */
#ifndef CNI_ATTACH_HOST_USE_H
#define CNI_ATTACH_HOST_USE_H

#include "base/err.h"
#include "base/host.h"
#include "cni/attach/choose.h"
#include "netlink/mnl.h"

#include <stddef.h>

/*
 * Has the host an address on one of its network devices, or on an interface that is built on one,
 * or a route by such: 1, with what it is in *why; 0; -1.  What is of the link alone does not count.
 */
int host_use_find(const struct host *host, struct nl *home, const struct choice *c, char *why,
		  size_t size, struct err *e) must_check;

#endif
