/* SPDX-License-Identifier: Apache-2.0 */
/* socket_clear.h - a socket, its secret, its directory and its link are removed */
#ifndef CNI_SOCKET_CLEAR_H
#define CNI_SOCKET_CLEAR_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <stdbool.h>

/* Below another directory nothing is removed, nor its owner changed, whatever a record says. */
bool socket_is_below_root(const struct host *host, const struct socket_state *s);

/* 0; 1 when something of it has to stay, a directory that nobody else has or a listener's; -1. */
int socket_clear(const struct host *host, const struct journal *journal,
		 const struct record *rec, struct err *e) must_check;

#endif
