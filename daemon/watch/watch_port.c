/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_port.c - devices and ports of the switches in network cards: devlink's group
 *
 * A switch that changes its mode makes or takes away ports, and so does who makes a sub-function;
 * representors are network devices as well, but get their place in the switch after they have come.
 * Of its other messages some come in crowds, as those of a flash that is written.
 */
#include "daemon/watch/watch_part.h"

#include "netlink/genl.h"

#include <linux/devlink.h>

enum { LOOK_UP_MS = 1000 };

unsigned int watch_port_group(void)
{
	struct deadline d = deadline_in(LOOK_UP_MS);
	struct err ignored;
	uint32_t group;

	return genl_group_bounded(DEVLINK_GENL_NAME, DEVLINK_GENL_MCGRP_CONFIG_NAME, &group, &d,
				  &ignored) > 0 ? group : 0;
}

static bool is_change(const struct nlmsghdr *nlh)
{
	switch (genl_command(nlh)) {
	case DEVLINK_CMD_NEW:
	case DEVLINK_CMD_DEL:
	case DEVLINK_CMD_PORT_NEW:
	case DEVLINK_CMD_PORT_DEL:
		return nlh->nlmsg_type >= NLMSG_MIN_TYPE;
	default:
		return false;
	}
}

bool watch_is_port(const void *messages, size_t len)
{
	struct nl_rest rest = { .at = messages, .len = len };
	const struct nlmsghdr *nlh;

	while ((nlh = nl_next_message(&rest)))
		if (is_change(nlh))
			return true;
	return false;
}
