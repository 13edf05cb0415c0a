/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - all that is read: who may say it, where it stands, and in which place of a chain
 *
 * Three voices are three things.  The node's administrator says what is in the node's file; the
 * writer of a network (a tenant, of a NetworkAttachmentDefinition) what is in its configuration; a
 * pod what is in args.cni, in some of CNI_ARGS, in its annotations and in its directories.  The
 * runtime passes on what it is told, and says who calls.
 *
 * One table has every key, variable, option and file.  The parsers ask it, the manual
 * (devinfo.conf(5), WHO MAY SAY WHAT) prints it, and tests/unit/test_keys.c walks it.
 */
#ifndef CONF_KEYS_H
#define CONF_KEYS_H

#include "base/err.h"
#include "base/nearest.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Where it stands. */
enum key_in {
	IN_NODE_FILE,			/* a member of its object */
	IN_NETWORK,			/* of the network configuration */
	IN_RUNTIME_CONFIG,		/* of runtimeConfig in that */
	IN_ARGS_CNI,			/* of args.cni in that */
	IN_CNI_ARGS,			/* KEY=VALUE in the variable CNI_ARGS */
	IN_ENVIRONMENT,			/* a variable */
	IN_OPTIONS,			/* --name of devinfoctl */
	IN_FILES,			/* a file or socket that is read */
	KEY_INS
};

/* Who says it. */
enum key_voice { VOICE_NODE, VOICE_NETWORK, VOICE_POD, VOICE_RUNTIME, KEY_VOICES };

/* In which places of a chain a network may say it; bits. */
enum key_place {
	AT_OWNER = 1,			/* the interface is ours */
	AT_CHAINED = 2,			/* another plugin made it before us */
	AT_META = 4,			/* plugins that we run make it */
	AT_SOCKET = 8,			/* there is none: vhost-user or memif */
	ANYWHERE = AT_OWNER | AT_CHAINED | AT_META | AT_SOCKET
};

struct key {
	enum key_in in;
	enum key_voice voice;
	const char *name;		/* "switch.db": the member db of the object switch */
	unsigned int places;		/* of enum key_place */
	const char *idle;		/* a text that asks for nothing, as "" does; NULL: none */
};

extern const struct key key_table[];
extern const size_t key_table_n;

/* The row of a name, whose case matters; NULL when it is in none. */
const struct key *key_find(enum key_in in, const char *name) must_check;

/*
 * A key of args.cni that networks have, too: the pod's fills an absent one, see podMayOverride.
 * (deviceID is none: it chooses among what kubelet gave the pod, whatever the network says.)
 */
bool key_is_shared_with_pod(const char *name);

/* "node's file", "network", ...; "node", "network", "pod", "runtime". */
const char *key_in_name(enum key_in in);
const char *key_voice_name(enum key_voice voice);
/* "owner, chained" or "anywhere". */
void key_places_text(unsigned int places, char ret[48]);

/* An unknown key in the node's file: ERR_NETCONF, with the nearest that it has. */
int keys_check_node(const json_t *doc, struct err *e) must_check;

/* A key that only the node's file may have, or that no network has any more: ERR_NETCONF. */
int keys_check_network(const json_t *doc, struct err *e) must_check;

/* A key in a network configuration that says something, but not in this place: its row, or NULL. */
const struct key *keys_misplaced(const json_t *doc, enum key_place place) must_check;

/*
 * What follows is about the members of one object: `path` is "" for the top, or as in the table,
 * or that of an element, "trunk[2]".  Of a network the case of letters does not matter.
 */
#define KEYS_NAMES_MAX	128

/* Their names; the number of them. */
size_t keys_names(enum key_in in, const char *path, const char *names[KEYS_NAMES_MAX]) must_check;

/* nearest_hint() of one that is not among them. */
void keys_hint(enum key_in in, const char *path, const char *key, char ret[NEAREST_HINT]);

/*
 * The key of the node's file that says what a network may not say by this one; NULL: none, or its
 * value says nothing.
 */
const char *keys_of_node(const char *path, const char *key, const json_t *v) must_check;

/* A network may have it there, or could in an earlier version, as old records have. */
bool keys_are_known(const char *path, const char *key) must_check;

/* All members of the object o are known there: ERR_NETCONF if not, with the nearest that is. */
int keys_check_members(const json_t *o, const char *path, struct err *e) must_check;

/*
 * Go decodes keys without regard to case: give those of a network configuration (path ""), or of
 * its object `path`, the names of the table as well.
 */
void keys_fold(json_t *o, const char *path);

#endif
