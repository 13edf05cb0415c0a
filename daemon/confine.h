/* SPDX-License-Identifier: Apache-2.0 */
/* confine.h - the daemon gives up for good what nothing of it needs */
#ifndef DAEMON_CONFINE_H
#define DAEMON_CONFINE_H

#include "base/err.h"

/* Before anything is read that others wrote; see daemon/process/privilege.h. */
int confine(struct err *e) must_check;

#endif
