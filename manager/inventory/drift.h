/* SPDX-License-Identifier: Apache-2.0 */
/* drift.h - compare an attachment with its record, as CHECK does, without a call by the runtime */
#ifndef MANAGER_INVENTORY_DRIFT_H
#define MANAGER_INVENTORY_DRIFT_H

#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "manager/inventory/inventory.h"

enum drift_state {
	DRIFT_NONE,		/* as made */
	DRIFT_FOUND,		/* drifted */
	DRIFT_DEAD,		/* the container is gone, or was of an earlier boot */
	DRIFT_UNKNOWN,		/* cannot tell */
};

struct drift {
	enum drift_state state;
	bool device_away;		/* of DRIFT_FOUND: the pod does not have its device */
	bool carrier;			/* its interface has one, in the pod */
	bool is_busy;			/* of DRIFT_UNKNOWN: a call is running: try again */
	char what[INV_DRIFT];		/* what differs, or why it cannot be told; and what could
					   not be compared; "" when all is as made */
};

/*
 * Compare one attachment of the live node's journal; takes no lock and changes nothing.  CHECK's
 * input is read from the runtime's cache; without it, from the record and network-status, which
 * have less.  IPAM plugins and delegates are not run.
 */
void drift_look(const struct host *host, struct journal *j, const struct record *rec,
		struct drift *ret);

/* "as made", "drifted"... */
const char *drift_state_name(enum drift_state s);

/*
 * Fill `drift` of all attachments from the live node's journal; a recorded node's attachments keep
 * what its facts have.  step, which may be NULL, is called with the number compared so far.
 */
int drift_look_at_all(const struct host *host, struct inventory *inv, void (*step)(size_t done),
		      struct err *e) must_check;

/* Get an attachment's drift; if it was not compared, DRIFT_DEAD (by its state) or DRIFT_UNKNOWN. */
void drift_of(const struct inv_attachment *a, struct drift *ret);

#endif
