/* SPDX-License-Identifier: Apache-2.0 */
/* drift.h - CHECK of a record, without a call: is the attachment as its ADD left it? */
#ifndef MANAGER_INVENTORY_DRIFT_H
#define MANAGER_INVENTORY_DRIFT_H

#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "manager/inventory/inventory.h"

enum drift_state {
	DRIFT_NONE,		/* as made */
	DRIFT_FOUND,		/* drifted */
	DRIFT_DEAD,		/* the container has gone, or an earlier boot has made it */
	DRIFT_UNKNOWN,		/* cannot tell */
};

struct drift {
	enum drift_state state;
	bool device_away;		/* of DRIFT_FOUND: the pod does not have its device */
	bool carrier;			/* its interface has one, in the pod */
	bool is_busy;			/* of DRIFT_UNKNOWN: a call is at work, so ask again */
	char what[INV_DRIFT];		/* what differs, or why it cannot be told; and what could
					   not be compared; "" when all is as made */
};

/*
 * Compare one attachment of the live node's journal; takes no lock and changes nothing.  What CHECK
 * is told by its call, the runtime's cache says here; without that the record and network-status,
 * which know less.  IPAM plugins and delegates are not asked.
 */
void drift_look(const struct host *host, struct journal *j, const struct record *rec,
		struct drift *ret);

/* "as made", "drifted"... */
const char *drift_state_name(enum drift_state s);

/*
 * Fill `drift` of all attachments that were read from the journal of the live node; those of a
 * recorded one have what its facts say.  step, which may be NULL, hears how many were compared.
 */
int drift_look_at_all(const struct host *host, struct inventory *inv, void (*step)(size_t done),
		      struct err *e) must_check;

/* What is known of an attachment of an inventory, whether it was looked at or not. */
void drift_of(const struct inv_attachment *a, struct drift *ret);

#endif
