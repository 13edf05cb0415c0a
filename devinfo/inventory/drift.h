/* SPDX-License-Identifier: Apache-2.0 */
/* drift.h - CHECK of a record, without a call: is the attachment as its ADD left it? */
#ifndef DEVINFO_INVENTORY_DRIFT_H
#define DEVINFO_INVENTORY_DRIFT_H

#include "base/host.h"
#include "devinfo/inventory/inventory.h"
#include "devinfo/journal/journal.h"

enum drift_state {
	DRIFT_NONE,		/* as made */
	DRIFT_FOUND,		/* drifted */
	DRIFT_DEAD,		/* the container has gone, or an earlier boot has made it */
	DRIFT_UNKNOWN,		/* cannot tell */
};

struct drift {
	enum drift_state state;
	char what[INV_DRIFT];		/* "" when it is as made; else what differs, or why */
	char unseen[INV_LIST];		/* what could not be compared; "": all was */
};

/*
 * Compare one attachment of the live node's journal; takes no lock and changes nothing.  What CHECK
 * is told by its call, the runtime's cache says here; without that the record and network-status,
 * which know less.  IPAM plugins and delegates are not asked.
 */
void drift_look(const struct host *host, const struct journal *j, const struct record *rec,
		struct drift *ret);

/* "as made", "drifted"... */
const char *drift_state_name(enum drift_state s);

/*
 * The same in one text, for INVENTORY_FACTS, and back: "as made", "drifted: mtu: ...".  ""
 * (nobody has looked) is DRIFT_UNKNOWN.
 */
void drift_to_text(const struct drift *d, char ret[INV_DRIFT]);
void drift_from_text(const char *text, struct drift *ret);

#endif
