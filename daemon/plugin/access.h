/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - what a container needs in order to use its devices
 *
 * Nodes of /dev by the driver that a function has, its vDPA and RDMA devices and what the pool's
 * selector requires, and an environment in the form of sriov-network-device-plugin:
 *
 *	PCIDEVICE_<PREFIX>_<NAME>	the ids, joined with ',', in the order of the request
 *	PCIDEVICE_<PREFIX>_<NAME>_INFO	{"<id>": {"generic": {"deviceID": "<id>"}, "vfio": ...}}
 *
 * with the resource's name in upper case and '_' for each '.', as there: a '-' stays.  Or, instead
 * of the nodes, the name that a specification of the Container Device Interface has for each.
 * Of a socket it is the directory that it is in, mounted at the same path.
 */
#ifndef DAEMON_PLUGIN_ACCESS_H
#define DAEMON_PLUGIN_ACCESS_H

#include "base/err.h"
#include "base/host.h"
#include "conf/socket_path.h"
#include "daemon/offer/offer.h"
#include "daemon/plugin/cdi_name.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <jansson.h>
#include <stddef.h>

struct access_node {
	char host[96], container[96];	/* paths */
	char permissions[4];		/* of "rwm" */
};

struct access_mount {			/* a directory, at the same path on both sides */
	char path[SOCKET_PATH_MAX];
};

struct access_variable {
	char name[400];
	char *value;			/* owned */
};

/* Of one container; release with access_done(). */
struct access {
	struct access_node *nodes;	/* owned; each path once */
	size_t n_nodes;
	struct access_mount *mounts;	/* owned */
	size_t n_mounts;
	char (*cdi)[CDI_NAME_SIZE];	/* owned; "vendor.com/class=name" */
	size_t n_cdi;
	struct access_variable env[2];	/* name "": none */
};

/* All that is looked at; borrowed. */
struct access_world {
	const struct host *host;
	const struct pools *pools;
	const struct inventory *inv;
	const struct offer *offer;
	bool use_cdi;
	struct slot_dirs *slots;	/* of sockets that are given; NULL: none are made */
};

/*
 * Make the access to devices of the offer, by their places in its list, in this order.  The kernel
 * is asked anew for drivers and groups.  ERR_DEVICE names an id whose device is gone.
 */
int access_make(const struct access_world *w, const size_t *places, size_t n, struct access *ret,
		struct err *e) must_check;
void access_done(struct access *a);
#define auto_access auto_with(access_done)

/* The nodes of one device and, unless it is NULL, what the environment says of it. */
int access_device(const struct access_world *w, const struct offered *d, struct access *ret,
		  json_t **info, struct err *e) must_check;

#endif
