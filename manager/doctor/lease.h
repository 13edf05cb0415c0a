/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.h - leases of host-local, and whether their containers are dead
 *
 * host-local keeps each in a file <dataDir>/<network>/<address>, with the container's id and the
 * interface's name in it, until a DEL.  The directory is /var/lib/cni/networks, or what a
 * configuration says: one of the node, or one that libcni's cache has.
 *
 * Without evidence a lease may be a living pod's.  A container is dead when libcni's result of one
 * of its attachments names a network namespace that is gone, and no other one that is there; or
 * when the journal has records of it, all of them of dead attachments.  A path in /proc is no
 * evidence, as processes can be invisible, nor is one whose directory is missing.
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

/* Read the lease of this file: 1; 0 when it is none, or a call may just be making it; -1. */
int lease_read(const struct host *host, time_t now, const char *path, struct lease *ret,
	       struct err *e) must_check;

/*
 * Read libcni's caches: *containers gets container ids as keys, with false for a dead one and true
 * for a live one; *dirs, unless NULL, the data directories of host-local in their configurations,
 * as keys.  With an id only of that container.
 */
int lease_ask_caches(const struct host *host, const struct inventory *inv, const char *id,
		     json_t *containers, json_t *dirs, struct err *e) must_check;

/*
 * Add the data directories of this configuration, of a plugin or a list; of too many,
 * LEASE_DIRS_MAX + 1.
 */
enum { LEASE_DIRS_MAX = 64 };
void lease_note_dirs(const json_t *doc, json_t *dirs);

/* Add the state of a container by a record of ours. */
void lease_note_record(json_t *containers, const char *id, bool is_dead);

/* Is its container known to be dead, by the caches and the journal?  1, 0, -1. */
int lease_is_dead(const struct host *host, struct journal *j, const struct lease *l, struct err *e)
	must_check;

/* Run host-local's DEL, without a namespace.  0 when the file is gone then, -1. */
int lease_release(const struct host *host, const struct lease *l, struct err *e) must_check;

#endif
