/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - one devinfod serves a node */
#ifndef DAEMON_INSTANCE_H
#define DAEMON_INSTANCE_H

#include "base/err.h"
#include "base/host.h"

/*
 * Be the one of this node until the descriptor that is returned is closed; -1: ERR_TRY_AGAIN when
 * another one runs, or ERR_IO.
 */
int instance_claim(const struct host *host, struct err *e) must_check;

#endif
