/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_mount.h - is the file system of socketDir as pods that write to it want it?
 *
 * It should be a file system of its own, so that pods fill nothing but that, and be mounted with
 * nosymfollow, so that no switch follows a link that a pod has put in its socket's place.
 */
#ifndef DEVINFO_NODE_SOCKET_MOUNT_H
#define DEVINFO_NODE_SOCKET_MOUNT_H

#include "base/host.h"

#include <stdbool.h>

/* Say what is not so, and what to do; false when there is nothing to say, or to be found out. */
bool socket_mount_is_weak(const struct host *host, char ret[512]);

#endif
