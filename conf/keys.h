/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - all keys: where each is allowed, and in which place of a chain
 *
 * Three authors are kept apart.  The node's administrator writes the node's file; the author of a
 * network (a tenant, of a NetworkAttachmentDefinition) its configuration; the pod's author controls
 * args.cni, some of CNI_ARGS, annotations and the pod's directories.  The runtime passes these on
 * and identifies the container.
 *
 * The tables of all subjects (conf/key.h) are listed here.  The parsers use them, and
 * tests/unit/conf/test_keys.c walks them and compares the manual (devinfo.conf(5)) with them.
 */
#ifndef CONF_KEYS_H
#define CONF_KEYS_H

#include "base/err.h"
#include "base/nearest.h"
#include "conf/key.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The object that a key is a member of. */
enum key_in {
	IN_NODE_FILE,			/* the object of the node's file */
	IN_NETWORK,			/* the network configuration */
	IN_RUNTIME_CONFIG,		/* runtimeConfig in it */
	IN_ARGS_CNI,			/* args.cni in it */
};

/* The table of a subject: all or some of the members of one object. */
struct key_section {
	enum key_in in;
	const char *path;		/* "": the top; "vdpa"; "trunk[]": each element */
	const struct conf_key *keys;
};

extern const struct key_section key_sections[];
extern const size_t key_sections_n;

/* Who defines the members of an object in a network configuration. */
enum key_members {
	MEMBERS_SHARED,			/* other plugins too: an unknown one is theirs */
	MEMBERS_OURS,			/* an unknown one is refused */
	MEMBERS_OURS_AT_ADD,		/* only an ADD refuses it: an earlier one may have had it */
};

/* An object of a network configuration; each path in key_sections has a row. */
struct key_object {
	const char *path;		/* as in the sections */
	enum key_members members;
	bool any_case;			/* members match in any case of letters, as in Go */
};

extern const struct key_object key_objects[];
extern const size_t key_objects_n;

/*
 * Return the i-th object of this path, or element of this list, with its name in messages
 * ("trunk[2]"); for path "" doc itself.  Borrowed; NULL: there are no more.
 */
#define KEY_NAME_MAX	96
json_t *keys_object(const json_t *doc, const char *path, size_t i, char name[KEY_NAME_MAX])
	must_check;

/* Find the row of a key at the top, case-sensitive; NULL when there is none. */
const struct conf_key *key_find(enum key_in in, const char *name) must_check;

/* Format the full name of a key, "vdpa.driver"; returns ret. */
const char *key_full_name(const struct key_section *s, const struct conf_key *k,
			  char ret[KEY_NAME_MAX]);

/*
 * Check that all keys of the node's file are known: else ERR_NETCONF, with the nearest known key.
 */
int keys_check_node(const json_t *doc, struct err *e) must_check;

/*
 * Refuse keys that only the node's file may have, or that were removed from networks: ERR_NETCONF.
 */
int keys_check_network(const json_t *doc, struct err *e) must_check;

/* Is a key set that is not allowed in this place of a chain?  Then *ret is its full name. */
bool keys_misplaced(const json_t *doc, enum key_place place, char ret[KEY_NAME_MAX]) must_check;

/*
 * The functions below are about the members of one object: `path` is "" for the top, or as in the
 * table, or that of an element, "trunk[2]".  Keys of a network match in any case of letters.
 */
#define KEYS_NAMES_MAX	128

/* List their names; returns how many. */
size_t keys_names(enum key_in in, const char *path, const char *names[KEYS_NAMES_MAX]) must_check;

/* nearest_hint() for a key that is not among them. */
void keys_hint(enum key_in in, const char *path, const char *key, char ret[NEAREST_HINT]);

/*
 * Return the key of the node's file that replaces this one, which a network may not set; NULL:
 * none, or its value v counts as absent.
 */
const char *keys_of_node(const char *path, const char *key, const json_t *v) must_check;

/*
 * May a network have this key there, or could it in an earlier version, whose records may have it?
 */
bool keys_are_known(const char *path, const char *key) must_check;

/*
 * Check that objects of this kind (`ours`) have only known members: ERR_NETCONF, with the nearest
 * known one.
 */
int keys_check_objects(const json_t *doc, enum key_members ours, struct err *e) must_check;

/*
 * Has the key (in any case of letters) a row there that is not secret and accepts this value?
 * False for KEY_OTHER, which other code reads.
 */
bool keys_take(enum key_in in, const char *path, const char *key, json_t *v) must_check;

/*
 * Call fn with an error for each value of a network configuration that its row refuses, in all
 * sections; returns how many.  netconf_check() finds contradictions between keys.
 */
typedef void keys_refused_fn(const struct err *e, void *arg);
unsigned int keys_check_values(json_t *doc, keys_refused_fn *fn, void *arg);

/*
 * Go decodes keys without regard to case: add the table's spelling to the keys of a network
 * configuration (path ""), or of its object `path`.
 */
void keys_fold(json_t *o, const char *path);

/* The same for all objects whose members match in any case of letters (any_case). */
void keys_fold_objects(const json_t *doc);

#endif
