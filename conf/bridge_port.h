/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge_port.h - the keys bridge and trunk, which are about the representor of a device
 *
 * They have accelerated-bridge-cni's meaning: one name is the bridge; of several names it is the
 * bridge that the uplink is a port of.
 */
#ifndef CONF_BRIDGE_PORT_H
#define CONF_BRIDGE_PORT_H

#include "base/err.h"
#include "base/idset.h"
#include "conf/key.h"

#include <jansson.h>
#include <stdbool.h>

enum { BRIDGES_MAX = 16 };

struct bridge_port_conf {
	bool present;			/* at least one of both keys is set */
	unsigned int bridges;		/* 0: the uplink's */
	char bridge[BRIDGES_MAX][16];
	struct idset trunk;		/* VLANs 1 to 4094 */
};

extern const struct conf_key bridge_port_keys[], trunk_keys[];

/* Read the keys of a configuration; absent keys leave *ret zeroed.  0, or -1 with ERR_NETCONF. */
int bridge_port_conf_parse(const json_t *doc, struct bridge_port_conf *ret, struct err *e)
	must_check;

#endif
