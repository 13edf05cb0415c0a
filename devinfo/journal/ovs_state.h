/* SPDX-License-Identifier: Apache-2.0 */
/* ovs_state.h - a device's port of Open vSwitch, as a part of an attachment's record */
#ifndef DEVINFO_JOURNAL_OVS_STATE_H
#define DEVINFO_JOURNAL_OVS_STATE_H

#include "base/field.h"

#include <stdint.h>

struct ovs_state {
	char port[16];			/* its name, the network device's; "": none is made */
	char bridge[16];		/* the one that was named, or found */
	char db[108];			/* the socket of its database */
	uint32_t timeout_ms;		/* of each call */
};

extern const struct fields ovs_state_fields;

#endif
