/* SPDX-License-Identifier: Apache-2.0 */
/* access_part.h - shared by access.c, access_device.c, access_socket.c and access_node.c */
#ifndef DAEMON_PLUGIN_ACCESS_PART_H
#define DAEMON_PLUGIN_ACCESS_PART_H

#include "daemon/plugin/access.h"

/* Add a copy, unless one of this path on the host is there. */
int access_add_node(struct access *a, const struct access_node *node, struct err *e) must_check;

int access_add_mount(struct access *a, const char *path, struct err *e) must_check;

/* access_socket.c: the mount of a socket, and what the environment says of it, put into info. */
int access_socket(const struct access_world *w, const struct offered *d, struct access *ret,
		  json_t *info, struct err *e) must_check;

#endif
