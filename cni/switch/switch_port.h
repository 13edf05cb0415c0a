/* SPDX-License-Identifier: Apache-2.0 */
/* switch_port.h - what a switch of any kind is told of an attachment, and how it answers */
#ifndef CNI_SWITCH_PORT_H
#define CNI_SWITCH_PORT_H

#include "base/err.h"
#include "base/host.h"
#include "base/idset.h"
#include "base/mac.h"
#include "conf/socket_conf.h"
#include "devinfo/journal/record.h"
#include "devinfo/journal/socket_state.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* This is all that a switch is told, borrowed. */
struct switch_port {
	const struct host *host;
	const struct owner *owner;	/* netns "": it is not told, see owner_netns() */
	const struct switch_conf *conf;	/* in DEL that of the record's request; NULL: not known */
	const struct socket_state *state;	/* with path and switch_plan()'s names */
	const char *container_path, *switch_path;
	const char *memif_mode;		/* of memif */
	uint32_t id;
	int vlan;			/* 1 to 4094; 0 and below: none is set */
	const struct idset *trunk;	/* NULL or empty: none */
	int64_t mtu;			/* bytes; 0 and below: none is set */
	const uint8_t *mac;		/* NULL: not known */
	bool rebooted;			/* for detach: the port was made in an earlier boot */
	uint32_t *told_mtu;		/* NULL, or for attach: that of the switch; 0: says none */
};

/* Return the VLANs of a trunk, NULL being none, as an array, a new reference. */
json_t *switch_trunk_ids(const struct idset *trunk) must_check;

/* Called with each difference that CHECK finds, "want..., have...". */
typedef void switch_differs_fn(void *arg, const char *text);

/* Does GC keep what this attachment has? */
typedef bool switch_keep_fn(const char *container_id, const char *ifname, const void *arg);

#endif
