/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - the steps of inventory_join(), each of which adds to the inventory */
#ifndef MANAGER_INVENTORY_JOIN_H
#define MANAGER_INVENTORY_JOIN_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

/* Set the pods of attachments whose record has none, from the ledger. */
int join_pods(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Add the files in dp/ and cni/, and mark attachments that have an entry in a network-status. */
int join_files(const struct host *host, struct inventory *inv, struct err *e) must_check;

/*
 * Add PCI functions that only a record or kubelet has.  This moves elements, so it comes before any
 * place in a list is stored.
 */
int join_vanished(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Set the holder of the devices, the function of the attachments, and sriov_cni. */
int join_holders(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Is this the device of an attachment, by either of its names? */
bool join_has_device(const struct inv_attachment *a, const char *id);

#endif
