/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dp_file.h - the device-plugin device-info files of the devices on offer
 *
 * What a file says is manager/match/pool_file.h's, as for `devinfoctl publish`.  A file that is not
 * there, at any look, is written, also of a device that kubelet has given to a pod and nobody has
 * attached yet; one that says what we would counts as ours from then on.  Ours is written again
 * when its device has changed, and removed when the device or its pool is not on offer any more, or
 * the daemon ends, unless a pod has the device.  What fails is tried again at each look, and logged
 * once.  A file of another that says something else stays, and is logged once; the file of a device
 * that a pod has stays as it is, for part of that is in the pod.
 */
#ifndef DAEMON_PLUGIN_DP_FILE_H
#define DAEMON_PLUGIN_DP_FILE_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/offer/offer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file; its name is owned. */
struct dp_file {
	char *name;
	uint64_t facts;			/* a hash of what the inventory has of the device */
	bool ours, held;
	bool failed;			/* it could not be read or written: the next look tries */
};

struct dp_files {
	struct dp_file *list;		/* owned; in the order of the offers */
	size_t n;
};

/*
 * Look at the files of all devices on offer that have changed since the last time, or whose file is
 * missing, and write or remove what is due.  What goes wrong with a file is logged; -1 when there
 * is no memory.
 */
int dp_files_update(struct dp_files *f, const struct host *host, const struct pools *pools,
		    const struct inventory *inv, const struct offers *o, struct err *e) must_check;

/* The end of the daemon: remove ours, but for those of devices that a pod has. */
void dp_files_withdraw(struct dp_files *f, const struct host *host);
void dp_files_done(struct dp_files *f);

#endif
