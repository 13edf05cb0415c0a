/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ethtool.h - what ethtool(8) sets of an interface: read it, and set it back
 *
 * By ioctl(2) on a netlink socket, which does that in its own namespace: one system call a subject,
 * and no family of generic netlink to look for.  What a driver does not have is not there.
 */
#ifndef NETLINK_ETHTOOL_H
#define NETLINK_ETHTOOL_H

#include "base/idset.h"
#include "netlink/mnl.h"

/* As the kernel tells it, for the kernel; a length of 0: the driver has none. */
struct ethtool_state {
	bool has_features, has_rules;
	uint64_t features;		/* those that were asked for, be they active or not */
	uint8_t channels[36], channels_len;
	uint8_t ring[36], ring_len;
	uint8_t coalesce[92], coalesce_len;
	struct idset rules;		/* where flow rules (ntuple) are */
};

/* What is refused is not there: one that cannot tell is not to be set, either. */
void ethtool_read(struct nl *nl, const char *name, struct ethtool_state *ret);

/*
 * Set back what differs from before; rules that were not there are deleted.  Goes on after an
 * error: -1 with all of them.
 */
int ethtool_restore(struct nl *nl, const char *name, const struct ethtool_state *was,
		    struct err *e) must_check;

/* Its driver, as far as that tells; false when it tells nothing.  "" is no version. */
struct ethtool_driver {
	char name[32], version[32], firmware[32];
};
bool ethtool_read_driver(struct nl *nl, const char *name, struct ethtool_driver *ret) must_check;

#endif
