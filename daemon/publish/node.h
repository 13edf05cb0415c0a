/* SPDX-License-Identifier: Apache-2.0 */
/* node.h - the Node object, which owns what is published of the node */
#ifndef DAEMON_PUBLISH_NODE_H
#define DAEMON_PUBLISH_NODE_H

#include "base/err.h"
#include "daemon/publish/publish.h"
#include "manager/match/pool.h"
#include "manager/inventory/inventory.h"

enum { NODE_UID_SIZE = 64 };

/* Ask the API server for its uid.  ERR_UNAVAILABLE: there is no such Node. */
int node_uid(const struct publishing *p, char ret[NODE_UID_SIZE], struct err *e) must_check;

/* What the node has, and the pools that an option names; `pools` stays empty without it. */
int node_look(const struct publishing *p, struct inventory *inv, struct pools *pools,
	      struct err *e) must_check;

#endif
