/* SPDX-License-Identifier: Apache-2.0 */
/* podman.h - where podman looks for CNI plugins and networks */
#ifndef MANAGER_DOCTOR_PODMAN_H
#define MANAGER_DOCTOR_PODMAN_H

#include "base/host.h"

#include <stdbool.h>

struct podman {
	bool has_cni;			/* it is on the node, and its networks are not netavark's */
	char plugin_dirs[1024];		/* cni_plugin_dirs, with ':' between them */
	char network_dir[256];		/* network_config_dir; "": not said */
};

/*
 * By containers.conf(5) in /usr/share/containers and /etc/containers, the latter wins, and by what
 * podman notes of the backend that it has chosen.  A file that cannot be read says nothing.
 */
void podman_find(const struct host *host, struct podman *ret);

#endif
