/* SPDX-License-Identifier: Apache-2.0 */
/* podman.h - where podman looks for CNI plugins and networks */
#ifndef MANAGER_DOCTOR_PODMAN_H
#define MANAGER_DOCTOR_PODMAN_H

#include "base/host.h"

#include <stdbool.h>

struct podman {
	bool has_cni;			/* it is on the node and does not use netavark */
	char plugin_dirs[1024];		/* cni_plugin_dirs, with ':' between them */
	char network_dir[256];		/* network_config_dir; "": not said */
};

/*
 * Fill *ret from containers.conf(5) in /usr/share/containers and /etc/containers, the latter wins,
 * and from podman's file about the backend that it chose.  An unreadable file is ignored.
 */
void podman_find(const struct host *host, struct podman *ret);

#endif
