/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - be told that something on the node has changed
 *
 * The room daemon/watch/ listens to the kernel and to directories, and tells which part of the node
 * is to be looked at again.  It knows no device and reads nothing of what has changed: who is told
 * reads the inventory.
 *
 * To be read in this order:
 *
 *	watch.c		when it is told
 *	watch_link.c	links that the kernel has changed: rtnetlink's group
 *	watch_port.c	ports of switches: devlink's group
 *	watch_uevent.c	devices that come, go, or get another driver: the kernel's uevents
 *	watch_dir.c	files: the journal, kubelet's sockets, the configuration
 *
 * A device's health can change without any of these (a counter of AER, a vDPA device, for which the
 * kernel has no group), so all devices are looked at once a minute, or where that takes long so
 * much less often that it takes a two-thousandth of a processor.  Of RDMA devices nothing is told
 * when the node had none, and no /sys/class/infiniband, at watch_new().
 */
#ifndef DAEMON_WATCH_H
#define DAEMON_WATCH_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/loop/loop.h"

enum watch_what {
	WATCH_DEVICES = 1,		/* the kernel's */
	WATCH_ATTACHMENTS = 2,		/* the journal */
	WATCH_PLUGIN_DIR = 4,		/* kubelet's directory of device plugins */
	WATCH_CONFIG = 8,		/* pools, and what overrides devices */
	WATCH_STATUS = 16,		/* network-status of pods */
	WATCH_ALL = 31,
};

enum {
	WATCH_GATHER_MS = 20,		/* from the first event until it is told */
	WATCH_DUTY = 10,		/* of the time one in ten at most goes to looking */
	WATCH_SAVED_MS = 10 * 1000,	/* and a second of it may be in a row */
	WATCH_EACH_MS = 60 * 1000,	/* without an event */
	WATCH_EACH_DUTY = 3000,		/* or, where looking takes long, so many times as long */
	WATCH_EACH_MAX_MS = 600 * 1000,
};

/* Directories, absolute; they need not be there yet.  Borrowed; NULL: none. */
struct watch_places {
	const char *attachments, *plugin_dir, *overrides, *status;	/* below host->root */
	const char *config;		/* of this machine, as all that options name */
};

struct watch;

/*
 * Call fn from the loop with what may have changed since it was called last, or'ed.  That is
 * WATCH_GATHER_MS after the first event, so a burst is one call, and later where watch_took() says
 * that much time was spent on looking.  NULL with ERR_IO or ERR_NETLINK.
 */
struct watch *watch_new(struct loop *l, const struct host *host, const struct watch_places *places,
			void (*fn)(unsigned int what, void *arg), void *arg,
			struct err *e) must_check;
/* Say how long the caller has looked, when that has just ended. */
void watch_took(struct watch *w, unsigned int ms);
void watch_free(struct watch *w);

#endif
