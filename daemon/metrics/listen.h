/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - the socket at which metrics are asked for */
#ifndef DAEMON_METRICS_LISTEN_H
#define DAEMON_METRICS_LISTEN_H

#include "base/err.h"
#include "base/host.h"

/*
 * Listen at an address as conf/listen_address.h has it: a descriptor that does not block, and that
 * the caller closes; -1.  A unix socket is inside the node's root, of mode 0600, and replaces one
 * that somebody has left; another kind of file stays, and is ERR_BUSY.
 */
int listen_open(const struct host *host, const char *address, struct err *e) must_check;
/* Remove the file of a unix socket. */
void listen_remove(const struct host *host, const char *address);

#endif
