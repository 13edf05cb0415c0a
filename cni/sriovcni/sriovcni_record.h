/* SPDX-License-Identifier: Apache-2.0 */
/* sriovcni_record.h - what a record of sriov-cni lacks to be one of ours */
#ifndef CNI_SRIOVCNI_RECORD_H
#define CNI_SRIOVCNI_RECORD_H

#include "base/err.h"
#include "base/host.h"
#include "conf/netconf.h"
#include "devinfo/journal/record.h"

/* Add the boot, and the node's directories. */
int sriovcni_record_set_node(const struct host *host, struct record *rec, bool this_boot,
			struct err *e) must_check;

/* Add the namespace, which rec borrows, and the network device as it is now. */
int sriovcni_record_complete(struct record *rec, const char *netns, struct err *e) must_check;

/* Add how this call's configuration gives the device back: sriov-cni knew no choice. */
void sriovcni_record_set_policy(const struct host *host, struct record *rec,
			   const struct netconf *conf);

#endif
