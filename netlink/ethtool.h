/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ethtool.h - the settings of an interface that ethtool(8) makes: read and restore them
 *
 * They are read by ioctl(2) on a netlink socket, which works in that socket's namespace: one system
 * call a subject, and no family of generic netlink to look up.  What a driver does not support is
 * absent.
 */
#ifndef NETLINK_ETHTOOL_H
#define NETLINK_ETHTOOL_H

#include "base/idset.h"
#include "netlink/nl.h"

/* The kernel's own structures, to be passed back; a length of 0: the driver has none. */
struct ethtool_state {
	bool has_features, has_rules;
	uint64_t features;		/* the requested ones, active or not */
	uint8_t channels[36], channels_len;
	uint8_t ring[36], ring_len;
	uint8_t coalesce[92], coalesce_len;
	struct idset rules;		/* locations of flow rules (ntuple) */
};

/* Read all settings; one that the driver refuses to read counts as absent and is not restored. */
void ethtool_read(struct nl *nl, const char *name, struct ethtool_state *ret);

/*
 * Restore what differs from *was, and delete flow rules that were not there.  Continues after an
 * error: -1 with all errors.
 */
int ethtool_restore(struct nl *nl, const char *name, const struct ethtool_state *was,
		    struct err *e) must_check;

/*
 * The interface's driver, as far as it says; a version may be "".  Reading returns false when it
 * says nothing.
 */
struct ethtool_driver {
	char name[32], version[32], firmware[32];
};
bool ethtool_read_driver(struct nl *nl, const char *name, struct ethtool_driver *ret) must_check;

#endif
