/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_settings.h - what a pod may set of a network device, and what it was before */
#ifndef CNI_NETDEV_SETTINGS_H
#define CNI_NETDEV_SETTINGS_H

#include "base/host.h"
#include "devinfo/journal/record.h"
#include "netlink/link.h"

/* Of a device at home, before any change. */
int netdev_settings_note(const struct host *host, struct nl *home, const struct link *link,
			 struct netdev_settings *ret, struct err *e) must_check;

/*
 * Add to the change what of the flags, the group and the sizes differs now; false when nothing
 * does, or when the record has none of it.
 */
bool netdev_settings_differ(const struct netdev_settings *was, const struct link *now,
			    struct link_change *ret);

/*
 * The rest, in /sys and of ethtool(8), of a device at home that is as it was in all else.  Where it
 * is down, and something is refused, it is set up for that moment: the pod had it up.  What is
 * refused then is logged, and no device is lost for it.
 */
void netdev_settings_restore(const struct host *host, struct nl *home, const struct link *now,
			     const struct netdev_state *was);

#endif
