/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - the parts of inventory_join(), which calls each of them to add to what is there */
#ifndef MANAGER_INVENTORY_JOIN_H
#define MANAGER_INVENTORY_JOIN_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

/* The pods of attachments whose record does not tell it, by the ledger. */
int join_pods(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Files in dp/ and cni/, and which attachments have an entry in a network-status. */
int join_files(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* PCI functions that only others know; before places are kept anywhere, for it moves them all. */
int join_vanished(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Who has what: holder of the devices, function of the attachments, what sriov-cni gave away. */
int join_holders(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Is this the device of an attachment, by either of its names? */
bool join_has_device(const struct inv_attachment *a, const char *id);

#endif
