/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unknown.h - find unknown keys of a network configuration, which are mostly typing errors
 *
 * What happens to an unknown key depends on its object:
 *
 *	the top, dns, capabilities: other plugins and meta data may have keys there, so it is
 *		ignored, with a warning where it is near to a known one, or is how another plugin
 *		calls what we have another key for, or none
 *	vdpa, vhostUser, memif, switch, each element of trunk: all members are ours, so it is
 *		refused, by netconf_attachment()
 *	runtimeConfig, args.cni: mostly others'; told only where it is near to a known one
 *	ipam, delegates and so on: another's, and not looked at
 *
 * Where others may have keys, one that begins with no letter or with "x-", or has a dot or a slash,
 * is theirs in any case.
 */
#ifndef CONF_UNKNOWN_H
#define CONF_UNKNOWN_H

#include "base/nearest.h"

#include <jansson.h>
#include <stdbool.h>

enum unknown_kind {
	UNKNOWN_IGNORED,		/* the key has no effect */
	UNKNOWN_REFUSED,		/* an ADD is refused for it */
	UNKNOWN_OF_NODE,		/* also refused: only the node's file may have it */
	UNKNOWN_OF_PLUGIN,		/* no effect here: it belongs in one of `plugins` */
};

struct unknown_key {
	enum unknown_kind kind;
	json_t *object;			/* the object that has the key */
	const char *path;		/* "", "vdpa", "trunk[2]" */
	const char *key;
	const char *instead;		/* UNKNOWN_OF_NODE: the key of the node's file */
	char hint[NEAREST_HINT];	/* ", did you mean vlan?", ", use mac instead", or "" */
};

struct unknown_visitor {
	/* Called for each unknown key; may remove it; false ends the walk. */
	bool (*found)(const struct unknown_key *u, void *arg);
	void *arg;
};

/* Visit each unknown key of a network configuration. */
void unknown_keys(json_t *conf, const struct unknown_visitor *v);

/* Visit each unknown key at the top of a configuration list, next to `plugins`. */
void unknown_list_keys(json_t *list, const struct unknown_visitor *v);

/* Format the message: "vlna: unknown key, did you mean vlan?" */
void unknown_text(const struct unknown_key *u, char ret[256]);

#endif
