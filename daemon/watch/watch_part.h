/* SPDX-License-Identifier: Apache-2.0 */
/* watch_part.h - what the files of daemon/watch/ share */
#ifndef DAEMON_WATCH_PART_H
#define DAEMON_WATCH_PART_H

#include "daemon/watch/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Something has changed: it will be told. */
void watch_note(struct watch *w, unsigned int what);

/* A socket that is subscribed to a group of a protocol of netlink; -1 with ERR_NETLINK. */
int watch_netlink_open(int protocol, unsigned int group, struct err *e) must_check;

/*
 * Receive the next message: its length; 0 for one that counts for nothing, such as another
 * program's; -1 when there is none now.  *lost: the kernel had to drop some.
 */
ssize_t watch_netlink_read(int fd, void *buf, size_t size, bool *lost);

/* Do messages of rtnetlink tell of hardware?  A pod's veth, a bridge or a tunnel is none. */
bool watch_is_hardware(const void *messages, size_t len);
/* Does a uevent tell of a device that the inventory could have? */
bool watch_is_device(const void *message, size_t len);
/* Do messages of devlink tell that a device or a port has come, gone or changed? */
bool watch_is_port(const void *messages, size_t len);
/* The number of the group of these; 0: this kernel has none, or does not answer now. */
unsigned int watch_port_group(void);

/* -- directories -- */

struct watch_dirs;
struct watch_dirs *watch_dirs_new(const struct host *host, const struct watch_places *places,
				  struct err *e) must_check;
int watch_dirs_fd(const struct watch_dirs *d);
/* Read all events: what has changed, or'ed. */
unsigned int watch_dirs_read(struct watch_dirs *d);
/* Look whether the paths still name what is watched: what has changed without an event, or'ed. */
unsigned int watch_dirs_set_again(struct watch_dirs *d);
void watch_dirs_free(struct watch_dirs *d);

#endif
