/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - record a node as an archive that, unpacked, gives the node's answers
 *
 * It contains the files that the inventory and the checks read: the part of /sys that is about
 * network devices and PCI functions; journal, ledgers, device-info and network-status; the files of
 * kubelet, runtime, Multus and sriov-cni about attachments; CNI configurations; and what rules of
 * Node Feature Discovery match, but not the kernel's configuration, which is larger than all the
 * rest.  Of other programs' files only known values are kept (known.h), and all are scrubbed
 * (scrub.h).  Answers from sockets are in INVENTORY_FACTS.
 */
#ifndef MANAGER_INVENTORY_RECORDING_H
#define MANAGER_INVENTORY_RECORDING_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Write the archive.  facts, inventory_facts() with any additions, is changed.  0, or -1 when the
 * archive cannot be written; files that cannot be read are left out.
 */
int recording_write(const struct host *host, const struct inventory *inv, json_t *facts, FILE *to,
		    struct err *e) must_check;

#endif
