/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - a node as an archive, which below a root answers as the node did
 *
 * In it is what the inventory, and who judges it, read in files: the part of /sys that is about
 * network devices and PCI functions; journal, ledgers, device-info and network-status; what
 * kubelet, runtime, Multus and sriov-cni have noted of attachments; CNI configurations; and what
 * rules of Node Feature Discovery ask for, but for the kernel's configuration, which is larger than
 * all the rest.  Of what others wrote only what our readers know is kept, see known.h, and all of
 * it is scrubbed: see scrub.h.  What comes over sockets is in INVENTORY_FACTS.
 */
#ifndef MANAGER_INVENTORY_RECORDING_H
#define MANAGER_INVENTORY_RECORDING_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Write it.  The facts, inventory_facts() and what else is known, are changed.  0, or -1 where the
 * archive cannot be written; what cannot be read is not in it.
 */
int recording_write(const struct host *host, const struct inventory *inv, json_t *facts, FILE *to,
		    struct err *e) must_check;

#endif
