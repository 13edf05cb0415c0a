/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leak.h - shared by the checks for leaks
 *
 * A leak is what an owner that no longer exists has left behind.  On a busy node objects come and
 * go while they are read, so no recent one is a leak, and what others may still need is not
 * reported.
 */
#ifndef MANAGER_DOCTOR_LEAK_H
#define MANAGER_DOCTOR_LEAK_H

#include "devinfo/journal/journal.h"
#include "manager/doctor/finding.h"

#include <jansson.h>
#include <time.h>

/* Longer than any call of a plugin, in seconds. */
enum { LEAK_SETTLED_S = 10 * 60 };

/* Return the node's time; for a recorded node that of the recording. */
time_t leak_now(const struct host *host, const struct inventory *inv);

/* Can a file of ours have this name?  Other files are not judged. */
bool leak_can_be_ours(const char *name);

/* Is the file unchanged for LEAK_SETTLED_S?  False when it is absent. */
bool leak_is_settled(const struct host *host, time_t now, const char *path);

/*
 * Does the journal, or that of an earlier stateDir, have a record of this attachment, even a
 * damaged one or one of another version?  1, 0, -1.
 */
int leak_has_record(const struct host *host, struct journal *j, const struct owner *o,
		    struct err *e) must_check;

/*
 * Is the namespace of this path certainly gone?  1; 0 when it exists or may be invisible: below
 * /proc, in a missing directory, or hidden by something else at its path; -1.
 */
int leak_netns_is_gone(const struct host *host, const struct inventory *inv, const char *netns,
		       struct err *e) must_check;

/*
 * Does an attachment without a record live?  Records get lost, so libcni's result decides:
 * LEAK_DEAD when the namespace in it is gone.  LEAK_UNKNOWN without such a result, or when it or
 * namespaces cannot be read; then nothing of it is removed. -1 on an error.
 */
enum leak_life { LEAK_UNKNOWN, LEAK_LIVES, LEAK_DEAD };
int leak_life(const struct host *host, const struct inventory *inv, const struct owner *o,
	      struct err *e) must_check;

/* Read a file of libcni's caches: a new reference, or NULL; get the namespace in it, or NULL. */
json_t *leak_read_result(const struct host *host, const char *path) must_check;
const char *leak_result_netns(const json_t *doc) must_check;

/* Return the end of a message: what is known of the container. */
const char *leak_life_text(int life);
#define LEAK_LOOK_UP \
	"when the runtime does not know the container any more (crictl pods, ctr containers ls, " \
	"podman ps -a), remove it; when the container lives, its record is lost: delete the pod"

/*
 * Is a device plugin's file about a PCI function that the node does not have?  *ret is its address.
 */
int leak_is_dp(const struct host *host, const char *file, char ret[16], struct err *e) must_check;

/* Is it, by its name, a dangling link of ours in runDir/links?  1 with its target, 0, -1. */
int leak_is_link(const struct host *host, const char *name, char target[256],
		 struct err *e) must_check;

/* Format "net1 of pod default/p", or "... of container c0ffee". */
void leak_name_attachment(const struct inv_attachment *a, char *ret, size_t size);

/* The checks, each in the file of its subject. */
check_fn leak_record_dead, leak_record_boot, leak_record_released, leak_record_damaged,
	leak_record_version, leak_record_unread, leak_record_plugin, leak_vf_changed,
	leak_driver_override, leak_out_of_reach,
	leak_info_file, leak_dp_gone, leak_dp_unknown, leak_status, leak_ledger, leak_link,
	leak_kept, leak_index, leak_ovs_port, leak_allocation_file, leak_libcni, leak_multus,
	leak_netns, leak_lease, leak_lease_lost, leak_socket_left, leak_networks;

#endif
