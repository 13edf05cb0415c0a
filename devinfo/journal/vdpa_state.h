/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_state.h - a vDPA device before the first change, as a part of an attachment's record */
#ifndef DEVINFO_JOURNAL_VDPA_STATE_H
#define DEVINFO_JOURNAL_VDPA_STATE_H

#include "base/field.h"
#include "netlink/link.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Can it be undone?  Who has its node open is told apart from a device that does not answer. */
enum vdpa_use { VDPA_UNSEEN, VDPA_FREE, VDPA_MUTE };

struct vdpa_state {
	char name[64];			/* "": the attachment has none */
	bool created;			/* it is the attachment's own: DEL deletes it */
	char mgmt[96];			/* whereon, as "bus/device" or "device" */

	/* of a device that was there, before */
	char driver_before[32];		/* "": none */
	uint8_t mac_before[MAC_LEN];
	uid_t uid;			/* of /dev/vhost-vdpa-N */
	gid_t gid;
	mode_t mode;
	char override[32];		/* driver_override; "": none */

	/* what is changed */
	char driver[32];		/* it is bound to this one; "": it keeps its own */
	bool mac_set, owner_set, mode_set;

	enum vdpa_use use;		/* what this call has seen of it; not remembered */
};

extern const struct fields vdpa_state_fields;

#endif
