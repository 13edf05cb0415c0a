/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile.h - where journal, ledger, kubelet and the kernel contradict each other at the start
 *
 * The room daemon/reconcile/ tells what has come about while no daemon ran: what kubelet gave and
 * the node does not have, what pods have that kubelet gave to others, records and promises of
 * nobody.  It judges by checks of manager/doctor/, those that go by the journal, kubelet and the
 * inventory alone.  It changes nothing: what is dead is the keeper's to release, and whether a
 * device can be used daemon/offer/ decides at each look.
 */
#ifndef DAEMON_RECONCILE_H
#define DAEMON_RECONCILE_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>

/* What has been told.  Zeroed before the first look. */
struct reconcile {
	bool journal, kubelet;
};

/*
 * Log a line for each contradiction, after a look: once, those with kubelet when it has answered
 * for the first time.
 */
void reconcile_tell(struct reconcile *r, const struct host *host, const struct inventory *inv);

#endif
