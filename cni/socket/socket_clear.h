/* SPDX-License-Identifier: Apache-2.0 */
/* socket_clear.h - remove a socket, its secret, its directory and its link */
#ifndef CNI_SOCKET_CLEAR_H
#define CNI_SOCKET_CLEAR_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <stdbool.h>

/* Is it below its root?  Elsewhere nothing is removed or given an owner, whatever a record says. */
bool socket_is_below_root(const struct host *host, const struct socket_state *s);

/* Remove it: 0; 1 when a directory that nobody else has, or a listener's, has to stay; -1. */
int socket_clear(const struct host *host, const struct journal *journal,
		 const struct record *rec, struct err *e) must_check;

#endif
