/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - the socket at which metrics are asked for */
#ifndef DAEMON_METRICS_LISTEN_H
#define DAEMON_METRICS_LISTEN_H

#include "base/err.h"
#include "base/host.h"

#include <sys/stat.h>

/* The file of a unix socket that is ours; all zeros: none. */
struct listen_file {
	dev_t dev;
	ino_t ino;
	struct timespec made;		/* a socket is never written to */
};

/*
 * Listen at an address as conf/listen_address.h has it: a descriptor that does not block, and that
 * the caller closes; -1.  A unix socket is inside the node's root, of mode 0600, and replaces one
 * that somebody has left; one that is listened to, and another kind of file, stay, and are
 * ERR_BUSY.
 */
int listen_open(const struct host *host, const char *address, struct listen_file *file,
		struct err *e) must_check;
/* Remove the file of a unix socket, if it is this one. */
void listen_remove(const struct host *host, const char *address, const struct listen_file *file);

#endif
