/* SPDX-License-Identifier: Apache-2.0 */
/* socket_sweep.h - end what the DELs of sockets had to keep, see socket_keep.h */
#ifndef CNI_SOCKET_SWEEP_H
#define CNI_SOCKET_SWEEP_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/*
 * Remove what can be removed of one that is remembered, and forget it when it is gone: 1; 0 it
 * stays, or an attachment has it again; -1, ERR_TRY_AGAIN while a call is at work on it.
 */
int socket_sweep_one(const struct host *host, struct journal *j, const struct record *rec,
		     struct err *e) must_check;

/*
 * Do so with all of them, in so much time; with those whose container lives only when that is said.
 * What the caller, or another call, has the lock of is passed over.
 */
enum socket_sweep_which { SOCKET_SWEEP_DEAD, SOCKET_SWEEP_ALL };
void socket_sweep(const struct host *host, enum socket_sweep_which which, unsigned int ms);

#endif
