/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_settings.h - note and restore the settings of a network device that a pod may change */
#ifndef CNI_NETDEV_SETTINGS_H
#define CNI_NETDEV_SETTINGS_H

#include "base/host.h"
#include "devinfo/journal/record.h"
#include "netlink/link.h"

/* Read the settings of a device at home, before any change. */
int netdev_settings_note(const struct host *host, struct nl *home, const struct link *link,
			 struct netdev_settings *ret, struct err *e) must_check;

/*
 * Add to the change the flags, group and sizes that differ now; false when none does, or the record
 * has none.
 */
bool netdev_settings_differ(const struct netdev_settings *was, const struct link *now,
			    struct link_change *ret);

/*
 * Restore the rest, in /sys and of ethtool(8), of a device at home, after all else.  If it is down
 * and something is refused, it is set up for that moment.  What is still refused is only logged.
 */
void netdev_settings_restore(const struct host *host, struct nl *home, const struct link *now,
			     const struct netdev_state *was);

#endif
