/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unknown.h - keys of a network configuration that nobody knows: typing errors, mostly
 *
 * What is looked at, and what comes of an unknown key there:
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
	UNKNOWN_IGNORED,		/* it has no effect */
	UNKNOWN_REFUSED,		/* an ADD is refused for it */
	UNKNOWN_OF_NODE,		/* so it is: the node's file alone may say it */
	UNKNOWN_OF_PLUGIN,		/* no effect here: it belongs into one of `plugins` */
};

struct unknown_key {
	enum unknown_kind kind;
	json_t *object;			/* it is a member of this */
	const char *path;		/* "", "vdpa", "trunk[2]" */
	const char *key;
	const char *instead;		/* UNKNOWN_OF_NODE: the key of the node's file */
	char hint[NEAREST_HINT];	/* ", did you mean vlan?", ", use mac instead", or "" */
};

struct unknown_visitor {
	/* May remove the member; false ends the walk. */
	bool (*found)(const struct unknown_key *u, void *arg);
	void *arg;
};

/* Each in a network configuration. */
void unknown_keys(json_t *conf, const struct unknown_visitor *v);

/* Each at the top of a list of configurations, around `plugins`. */
void unknown_list_keys(json_t *list, const struct unknown_visitor *v);

/* "vlna: unknown key, did you mean vlan?" */
void unknown_text(const struct unknown_key *u, char ret[256]);

#endif
