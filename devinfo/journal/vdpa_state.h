/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_state.h - a vDPA device before the first change, as a part of an attachment's record */
#ifndef DEVINFO_JOURNAL_VDPA_STATE_H
#define DEVINFO_JOURNAL_VDPA_STATE_H

#include "base/field.h"
#include "netlink/link.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The use of its device node, seen before an undo: not seen, free, or the device does not answer.
 */
enum vdpa_use { VDPA_UNSEEN, VDPA_FREE, VDPA_MUTE };

struct vdpa_state {
	char name[64];			/* "": the attachment has none */
	bool created;			/* we created it: DEL deletes it */
	char mgmt[96];			/* its management device, "bus/device" or "device" */

	/* of a given device, before the change */
	char driver_before[32];		/* "": none */
	uint8_t mac_before[MAC_LEN];
	uid_t uid;			/* of /dev/vhost-vdpa-N */
	gid_t gid;
	mode_t mode;
	char override[32];		/* driver_override; "": none */

	/* what is changed */
	char driver[32];		/* it is bound to this one; "": it keeps its own */
	bool mac_set, owner_set, mode_set;

	enum vdpa_use use;		/* seen by this call; not stored */
};

extern const struct fields vdpa_state_fields;

#endif
