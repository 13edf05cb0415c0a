/* SPDX-License-Identifier: Apache-2.0 */
/* holder.h - does a live attachment have a device, at this moment? */
#ifndef DAEMON_PLUGIN_HOLDER_H
#define DAEMON_PLUGIN_HOLDER_H

#include "base/err.h"
#include "base/host.h"

/*
 * Look into the journals: 1, 0, -1.  An inventory can be half a second old, and a pod that may
 * start by now must not be refused because of one that ended then.
 */
int holder_lives(const struct host *host, const char *id, struct err *e) must_check;

#endif
