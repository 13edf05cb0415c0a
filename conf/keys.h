/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - all keys: where each stands, and in which place of a chain
 *
 * Three voices are three things.  The node's administrator says what is in the node's file; the
 * writer of a network (a tenant, of a NetworkAttachmentDefinition) what is in its configuration; a
 * pod what is in args.cni, in some of CNI_ARGS, in its annotations and in its directories.  The
 * runtime passes on what it is told, and says who calls.
 *
 * The tables of all subjects (conf/key.h) are listed here.  The parsers ask them, and
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

/* Where it stands. */
enum key_in {
	IN_NODE_FILE,			/* a member of its object */
	IN_NETWORK,			/* of the network configuration */
	IN_RUNTIME_CONFIG,		/* of runtimeConfig in that */
	IN_ARGS_CNI,			/* of args.cni in that */
};

/* The table of a subject: the members, or some of them, of one object. */
struct key_section {
	enum key_in in;
	const char *path;		/* "": the top; "vdpa"; "trunk[]": each element */
	const struct conf_key *keys;
};

extern const struct key_section key_sections[];
extern const size_t key_sections_n;

/* Whose the members are of an object in a network configuration. */
enum key_members {
	MEMBERS_SHARED,			/* others have a part in it: an unknown one is theirs */
	MEMBERS_OURS,			/* an unknown one is refused */
	MEMBERS_OURS_AT_ADD,		/* by an ADD alone: an attachment may have an older one */
};

/* Each path of a section of a network has a row. */
struct key_object {
	const char *path;		/* as in the sections */
	enum key_members members;
	bool any_case;			/* of letters, as Go reads it */
};

extern const struct key_object key_objects[];
extern const size_t key_objects_n;

/*
 * The i-th object of that path, or element of that list, with its name in messages ("trunk[2]"); of
 * path "" doc itself.  NULL: there are no more.
 */
#define KEY_NAME_MAX	96
json_t *keys_object(const json_t *doc, const char *path, size_t i, char name[KEY_NAME_MAX])
	must_check;

/* The row of a name at the top, whose case matters; NULL when it is in none. */
const struct conf_key *key_find(enum key_in in, const char *name) must_check;

/* "vdpa.driver" */
const char *key_full_name(const struct key_section *s, const struct conf_key *k,
			  char ret[KEY_NAME_MAX]);

/* An unknown key in the node's file: ERR_NETCONF, with the nearest that it has. */
int keys_check_node(const json_t *doc, struct err *e) must_check;

/* A key that only the node's file may have, or that no network has any more: ERR_NETCONF. */
int keys_check_network(const json_t *doc, struct err *e) must_check;

/* Does a key in a network configuration say something, but not in this place?  Its full name. */
bool keys_misplaced(const json_t *doc, enum key_place place, char ret[KEY_NAME_MAX]) must_check;

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

/*
 * All members of the objects whose members are `ours` in this way are known there: ERR_NETCONF if
 * not, with the nearest that is.
 */
int keys_check_objects(const json_t *doc, enum key_members ours, struct err *e) must_check;

/*
 * Is it a key with a row of its own there, in any case of letters, no secret, and would the row
 * take this value?  Keys that are read by hand have none.
 */
bool keys_take(enum key_in in, const char *path, const char *key, json_t *v) must_check;

/*
 * Each value of a network configuration that its row refuses, of all sections, is told to fn; how
 * many there are.  What several keys say together is netconf_check()'s to find.
 */
typedef void keys_refused_fn(const struct err *e, void *arg);
unsigned int keys_check_values(json_t *doc, keys_refused_fn *fn, void *arg);

/*
 * Go decodes keys without regard to case: give those of a network configuration (path ""), or of
 * its object `path`, the names of the table as well.
 */
void keys_fold(json_t *o, const char *path);

/* The same of all objects that may be written in any case of letters. */
void keys_fold_objects(const json_t *doc);

#endif
