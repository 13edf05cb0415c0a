/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - a key of a configuration in one row: its type, range and default, where it may stand,
 * and which member of a struct its value goes to
 *
 * A subject (vDPA, a socket, the node's settings...) has a table of such rows beside the code that
 * uses the values; key_read() fills the struct from a JSON object.  conf/keys.c lists the tables:
 * that is how a key is known, refused in the wrong place, and near to one with a typing error.
 * What no row can say, such as two keys that contradict each other, is said after key_read().
 */
#ifndef CONF_KEY_H
#define CONF_KEY_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_type {
	KEY_OTHER,			/* not read by its row: by hand, or by others */
	KEY_TEXT,			/* const char *, borrowed */
	KEY_PATH,			/* the same, absolute, without '/' at its end */
	KEY_FORM,			/* what take() makes of a text */
	KEY_CHOICE,			/* enum or bool: the index in choices */
	KEY_MODE,			/* mode_t: permissions in octal, for JSON has no octal */
	KEY_INT,			/* an integer of 2, 4 or 8 bytes */
	KEY_BOOL,			/* bool */
	KEY_BOOL_OR_UNSET,		/* enum: 0 nothing is said, 1 false, 2 true */
	KEY_OBJECT,			/* const json_t *, borrowed */
	KEY_TEXTS,			/* the same: a list of texts */
};

/* In which places of a chain a network may say it; bits. */
enum key_place {
	AT_OWNER = 1,			/* the interface is ours */
	AT_CHAINED = 2,			/* another plugin made it before us */
	AT_META = 4,			/* plugins that we run make it */
	AT_SOCKET = 8,			/* there is none: vhost-user or memif */
	AT_DEVICE = AT_OWNER | AT_CHAINED | AT_META,
	AT_INTERFACE = AT_OWNER | AT_SOCKET,
	ANYWHERE = AT_DEVICE | AT_SOCKET
};

/* null is as good as absent, and so is an empty text. */
struct conf_key {
	const char *name;		/* NULL ends a table */
	enum key_type type;
	unsigned int places;		/* of enum key_place; 0: of no network */
	size_t offset, size;		/* of the member; size 0: none, the value is only checked */
	size_t said;			/* offset of a bool that becomes true with it; 0: none */
	json_int_t min, max;		/* of integers; the bits of a mode are those of max */
	const char *const *choices;	/* of texts, NULL at the end; "" is none of them */
	bool (*fits)(const char *text);	/* NULL: any does */
	bool (*take)(const char *text, void *member);	/* without one: the whole struct */
	/* The same with reasons of its own; name is the key's. */
	int (*check)(const char *text, const char *name, struct err *e);
	const char *must;		/* what a text must be, for messages */
	bool secret;			/* its value is in no message */
	/*
	 * What it is when nothing is said, as the manual has it.  Of integers, modes and forms it
	 * is set; else the member stays as it was.
	 */
	const char *by_default;
	const char *idle;		/* a text that asks for nothing, as "" does; NULL: none */
};

/* One without a member, and the end of a table. */
#define KEY_ROW(key, of_type, at) { .name = (key), .type = (of_type), .places = (at) }
#define KEY_END { .name = NULL }

/* The rest of a row: where the value goes, and where it is noted that it was said. */
#define KEY_AT(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
#define KEY_SAID(type, member) .said = offsetof(type, member)

/* One path component: a file, driver, plugin... */
#define KEY_IS_FILE \
	.fits = name_is_file, .must = "a name without '/', other than '.' and '..'"

#define KEY_IS_RESOURCE \
	.fits = name_is_resource, .must = "a resource's name such as example.com/vf"

/*
 * Read what `o` (NULL: nothing) says of these keys into *ret; path is how `o` is called, "" for the
 * top.  ERR_NETCONF is of the first that is wrong, and those that are right have been taken.
 */
int key_read(const json_t *o, const char *path, const struct conf_key *keys, void *ret,
	     struct err *e) must_check;

/* Absolute, without "..", 1024 bytes at most. */
bool key_is_path(const char *text);

/* A uid or gid, which -1 is not, in decimal; *text moves behind it. */
bool key_take_id(const char **text, uint32_t *ret);

#endif
