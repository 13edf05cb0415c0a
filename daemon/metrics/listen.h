/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - the socket at which metrics are asked for */
#ifndef DAEMON_METRICS_LISTEN_H
#define DAEMON_METRICS_LISTEN_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/serve/serve.h"

/*
 * Listen at an address as conf/listen_address.h has it: a descriptor that does not block, and that
 * the caller closes; -1.  A unix socket is inside the node's root, of mode 0600, and replaces one
 * that somebody has left; one that is listened to, and another kind of file, stay, and are
 * ERR_BUSY.  *file: that of a unix socket.
 */
int listen_open(const struct host *host, const char *address, struct file_id *file,
		struct err *e) must_check;
/* Remove the file of a unix socket, if it is this one. */
void listen_remove(const struct host *host, const char *address, const struct file_id *file);

#endif
