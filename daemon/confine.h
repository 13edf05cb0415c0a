/* SPDX-License-Identifier: Apache-2.0 */
/* confine.h - the daemon gives up for good what nothing of it needs */
#ifndef DAEMON_CONFINE_H
#define DAEMON_CONFINE_H

/*
 * Before anything is read that others wrote.  What cannot be given up is logged: a daemon that may
 * not do so has not much to lose.
 */
void confine(void);

#endif
