/* SPDX-License-Identifier: Apache-2.0 */
/* host_use.h - check whether the host itself uses the network devices of a choice */
#ifndef CNI_ATTACH_HOST_USE_H
#define CNI_ATTACH_HOST_USE_H

#include "base/err.h"
#include "base/host.h"
#include "cni/attach/choose.h"
#include "netlink/nl.h"

#include <stddef.h>

/*
 * Does the host have an address on one of its network devices, or on an interface stacked on one,
 * or a route through these?  1, with its description in why; 0; -1.  Link-local ones do not count.
 */
int host_use_find(const struct host *host, struct nl *home, const struct choice *c, char *why,
		  size_t size, struct err *e) must_check;

#endif
