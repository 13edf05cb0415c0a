/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - one devinfod serves a node */
#ifndef DAEMON_INSTANCE_H
#define DAEMON_INSTANCE_H

#include "base/err.h"
#include "base/host.h"

/*
 * Be the one of this node until *ret, a descriptor, is closed: 1.  0: the place of the lock is
 * read-only, as in a container that is given none.  -1: ERR_TRY_AGAIN when another one runs, or
 * ERR_IO.
 */
int instance_claim(const struct host *host, int *ret, struct err *e) must_check;

/*
 * Still be the one: a lock whose file was removed, or its directory, is taken again, and *claim is
 * that: 0.  -1 as above: ERR_TRY_AGAIN when another one was faster.
 */
int instance_keep(const struct host *host, int *claim, struct err *e) must_check;

#endif
