/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.h - release what a dead attachment has left, when nobody's call asks for it
 *
 * An attachment is dead when the very namespace of its ADD is gone.  But it is not the runtime that
 * asks: to a program that cannot see the node's namespaces, as in a container, all look dead.  So
 * what would tell of that is looked for first.
 */
#ifndef MANAGER_DOCTOR_DEAD_H
#define MANAGER_DOCTOR_DEAD_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <stdbool.h>

/*
 * By the plugin's own undo, and from the record alone.  1 when it is, or with only_look would be,
 * released; 0 when its container lives, or it has gone; -1, with ERR_NETNS where it may well live
 * and ERR_NETCONF where more than the record is needed.
 */
int dead_release(const struct host *host, struct journal *j, const struct record *rec,
		 bool only_look, struct err *e) must_check;

#endif
