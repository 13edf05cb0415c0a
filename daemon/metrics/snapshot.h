/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - what the daemon knows already, as samples: devices, attachments, calls, itself
 *
 * Nothing here asks the kernel about a device; the inventory is that of the last look.
 */
#ifndef DAEMON_METRICS_SNAPSHOT_H
#define DAEMON_METRICS_SNAPSHOT_H

#include "base/host.h"
#include "daemon/metrics/exposition.h"
#include "daemon/offer/offer.h"
#include "manager/inventory/inventory.h"

void snapshot_node(const struct inventory *inv, struct exposition *x);
void snapshot_offers(const struct offers *o, struct exposition *x);
/* Where calls are not counted there are no samples of them. */
void snapshot_calls(const struct host *host, struct exposition *x);
void snapshot_daemon(struct exposition *x);

/* Add to the labels who has a function, or an auxiliary device: nothing where nobody living has. */
void snapshot_add_holder(const struct inventory *inv, int holder, int function, struct labels *l);
/* The same of a function: its PF, its number, its address, and who has it. */
void snapshot_add_function(const struct inventory *inv, int function, struct labels *l);

#endif
