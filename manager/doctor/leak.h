/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leak.h - what the checks for leaks have in common
 *
 * A leak is what somebody has left behind who is no more.  On a busy node things come and go while
 * they are looked at, so nothing young is one, and what others may still need is not judged at all.
 */
#ifndef MANAGER_DOCTOR_LEAK_H
#define MANAGER_DOCTOR_LEAK_H

#include "devinfo/journal/journal.h"
#include "manager/doctor/finding.h"

#include <jansson.h>
#include <time.h>

/* Longer than any call of a plugin lives. */
enum { LEAK_SETTLED_S = 10 * 60 };

/* The node's clock: of a recorded one it stands still at the recording. */
time_t leak_now(const struct host *host, const struct inventory *inv);

/* May a file of ours have this name?  Of any other, nothing but a likeness could be told. */
bool leak_can_be_ours(const char *name);

/* Has nobody changed the file for longer than any call lives?  Absent is false. */
bool leak_is_settled(const struct host *host, time_t now, const char *path);

/*
 * Has the journal, or that of an earlier stateDir, a record of this attachment, be it one that is
 * damaged or of another version?  1, 0, -1.
 */
int leak_has_record(const struct host *host, struct journal *j, const struct owner *o,
		    struct err *e) must_check;

/*
 * Is the namespace of this path gone for sure: 1?  0 when it is there, or may be out of sight:
 * below /proc, in a directory that is not there, or under something else that lies at its path.
 */
int leak_netns_is_gone(const struct host *host, const struct inventory *inv, const char *netns,
		       struct err *e) must_check;

/*
 * An attachment without a record may live, for records get lost.  libcni's result tells: it is dead
 * when the namespace in that is gone.  Where there is no such result, or it cannot be read, or
 * namespaces cannot be seen, nobody knows; so nothing of it is removed.  -1 is an error.
 */
enum leak_life { LEAK_UNKNOWN, LEAK_LIVES, LEAK_DEAD };
int leak_life(const struct host *host, const struct inventory *inv, const struct owner *o,
	      struct err *e) must_check;

/* A file of libcni's caches: a new reference, or NULL; and the namespace it names, or NULL. */
json_t *leak_read_result(const struct host *host, const char *path) must_check;
const char *leak_result_netns(const json_t *doc) must_check;

/* Behind what is told of it: what is known of its container. */
const char *leak_life_text(int life);
#define LEAK_LOOK_UP \
	"when the runtime does not know the container any more (crictl pods, ctr containers ls, " \
	"podman ps -a), remove it; when the container lives, its record is lost: delete the pod"

/* The PCI function that a device plugin's file is about, and that the node does not have. */
int leak_is_dp(const struct host *host, const char *file, char ret[16], struct err *e) must_check;

/*
 * A link of ours in runDir/links, by its name, that leads nowhere, and to where that is: 1; 0;
 * -1.
 */
int leak_is_link(const struct host *host, const char *name, char target[256],
		 struct err *e) must_check;

/* "net1 of pod default/p", or of container c0ffee. */
void leak_name_attachment(const struct inv_attachment *a, char *ret, size_t size);

/* The checks, each in the file of its subject. */
check_fn leak_record_dead, leak_record_boot, leak_record_released, leak_record_damaged,
	leak_record_version, leak_record_unread, leak_record_plugin, leak_vf_changed,
	leak_driver_override, leak_out_of_reach,
	leak_info_file, leak_dp_gone, leak_dp_unknown, leak_status, leak_ledger, leak_link,
	leak_kept, leak_index, leak_ovs_port, leak_allocation_file, leak_libcni, leak_multus,
	leak_netns, leak_lease, leak_lease_lost, leak_socket_left;

#endif
