/* SPDX-License-Identifier: Apache-2.0 */
/* port_state.h - a representor before the first change, as a part of an attachment's record */
#ifndef DEVINFO_JOURNAL_PORT_STATE_H
#define DEVINFO_JOURNAL_PORT_STATE_H

#include "base/field.h"
#include "netlink/bridge.h"

#include <stdbool.h>
#include <stdint.h>

struct port_state {
	bool present;			/* false: nothing of a representor is changed */
	char name[16];			/* for messages */
	int ifindex;			/* whether it is still the same one */

	/* before */
	int master;			/* ifindex of what it was a port of; 0: of nothing */
	char master_name[16];		/* its name, when it is to change; "": not known */
	uint32_t mtu;
	bool up;
	struct bridge_vlans vlans;	/* on that master, if it is a bridge */

	/* what is changed */
	int bridge;			/* it becomes a port of this one; 0: it stays where it is */
	char bridge_name[16];		/* for messages */
	bool vlans_set, mtu_set, up_set;
};

extern const struct fields port_state_fields;

#endif
