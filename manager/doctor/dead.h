/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h - release what a dead attachment has left, without a call by the runtime
 *
 * An attachment is dead when the namespace of its ADD is gone.  To a program that cannot see the
 * node's namespaces, as in a container, all look dead.  So signs of that are looked for first.
 */
#ifndef MANAGER_DOCTOR_DEAD_H
#define MANAGER_DOCTOR_DEAD_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <stdbool.h>

/*
 * Release it by the plugin's own undo, from the record alone: 1 when it is, or with only_look would
 * be, released; 0 when its container lives, or the record is gone; -1, with ERR_NETNS when it may
 * be alive and ERR_NETCONF when more than the record is needed.
 */
int dead_release(const struct host *host, struct journal *j, const struct record *rec,
		 bool only_look, struct err *e) must_check;

#endif
