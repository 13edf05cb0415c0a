/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.h - leases of host-local, and whether the containers that have them are dead
 *
 * host-local keeps each in a file <dataDir>/<network>/<address>, with the container's id and the
 * interface's name in it, until a DEL.  The directory is /var/lib/cni/networks, or what a
 * configuration says: one of the node, or one that libcni's cache has.
 *
 * Without evidence a lease may be a living pod's.  A container is dead when libcni's result of one
 * of its attachments names a network namespace that is gone, and no other one that is there; or
 * when the journal has records of it, all of them of dead attachments.  A path in /proc tells
 * nothing, for processes can be out of sight, nor does one whose directory is missing.
 */
#ifndef MANAGER_DOCTOR_LEASE_H
#define MANAGER_DOCTOR_LEASE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <time.h>

struct lease {
	char data_dir[256], network[256];
	char address[64];
	char container_id[256], ifname[16];	/* of an old host-local: "" */
};

/* Of this file: 1; 0 when it is none, or a call may just be making it; -1. */
int lease_read(const struct host *host, time_t now, const char *path, struct lease *ret,
	       struct err *e) must_check;

/*
 * What libcni's caches tell of containers, as keys: JSON's false when it is dead, true
 * when it lives; and, where dirs is not NULL, the data directories of host-local in their
 * configurations, as keys.  With an id only of that container.
 */
int lease_ask_caches(const struct host *host, const struct inventory *inv, const char *id,
		     json_t *containers, json_t *dirs, struct err *e) must_check;

/* Add those of this configuration, of a plugin or a list: of too many one beyond the limit. */
enum { LEASE_DIRS_MAX = 64 };
void lease_note_dirs(const json_t *doc, json_t *dirs);

/* Add what a record of ours tells of its container. */
void lease_note_record(json_t *containers, const char *id, bool is_dead);

/* Is its container known to be dead?  The caches and the journal are asked: 1, 0, -1. */
int lease_is_dead(const struct host *host, struct journal *j, const struct lease *l, struct err *e)
	must_check;

/* Have host-local release it: DEL, without a namespace.  0 when the file is gone then, -1. */
int lease_release(const struct host *host, const struct lease *l, struct err *e) must_check;

#endif
