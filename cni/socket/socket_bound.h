/* SPDX-License-Identifier: Apache-2.0 */
/* socket_bound.h - how much one pod's, or one network's, directories of sockets may hold */
#ifndef CNI_SOCKET_BOUND_H
#define CNI_SOCKET_BOUND_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/socket_state.h"

/*
 * Is what is below the first name of a socket's directory, kept, set aside or present, within
 * socketDirMaxBytes and socketDirMaxInodes of the node's file?  0, or -1, ERR_TRY_AGAIN.  Pods
 * write there as they like in between: an ADD is where we can refuse.
 */
int socket_bound_check(const struct host *host, const struct socket_state *s,
		       struct err *e) must_check;

#endif
