/* SPDX-License-Identifier: Apache-2.0 */
/* notify.h - tell the service manager how the daemon is, by the protocol of sd_notify(3) */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

/*
 * Send lines like "READY=1\nSTATUS=12 devices" to the socket that NOTIFY_SOCKET names.  Nothing is
 * done where it names none, and nothing is told when it fails, which may take a second: a daemon
 * does not end for that.
 */
void notify(const char *lines);

/* Tell that a reload has begun; READY=1 ends it. */
void notify_reloading(void);

/* Tell that the daemon lives, where that is wanted: also from within work that takes long. */
void notify_alive(void);

/* How often the service manager wants WATCHDOG=1, in milliseconds, halved; 0: not at all. */
unsigned int notify_watchdog_ms(void);

#endif
