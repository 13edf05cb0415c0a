/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - a key of a configuration in one row: its type, range and default, where it is allowed,
 * and the member of a struct that its value is stored in
 *
 * A subject (vDPA, a socket, the node's settings...) has a table of such rows beside the code that
 * uses the values; key_read() fills the struct from a JSON object.  conf/keys.c lists the tables:
 * by them a key is recognised, refused in the wrong place, and suggested for a mistyped one.  What
 * no row can express, such as two keys that contradict each other, is checked after key_read().
 */
#ifndef CONF_KEY_H
#define CONF_KEY_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_type {
	KEY_OTHER,			/* key_read() skips it: other code reads it */
	KEY_TEXT,			/* const char *, borrowed */
	KEY_PATH,			/* the same, absolute, without '/' at its end */
	KEY_FORM,			/* a text that take() converts */
	KEY_CHOICE,			/* enum or bool: the index in choices */
	KEY_MODE,			/* mode_t: permissions in octal, for JSON has no octal */
	KEY_INT,			/* an integer of 2, 4 or 8 bytes */
	KEY_BOOL,			/* bool */
	KEY_BOOL_OR_UNSET,		/* enum: 0 absent, 1 false, 2 true */
	KEY_OBJECT,			/* const json_t *, borrowed */
	KEY_TEXTS,			/* const json_t *, borrowed: a list of texts */
};

/* The places of a chain in which a network may set a key; bits. */
enum key_place {
	AT_OWNER = 1,			/* the interface is ours */
	AT_CHAINED = 2,			/* another plugin made it before us */
	AT_META = 4,			/* plugins that we run make it */
	AT_SOCKET = 8,			/* a socket, no interface: vhost-user or memif */
	AT_DEVICE = AT_OWNER | AT_CHAINED | AT_META,
	AT_INTERFACE = AT_OWNER | AT_SOCKET,
	ANYWHERE = AT_DEVICE | AT_SOCKET
};

/*
 * A row of a table.  null and an empty text count as absent.  Rows are small, for the pages of all
 * tables are copied at each start of a program: that is when the pointers in them are set.
 */
struct conf_key {
	const char *name;		/* NULL ends a table */
	enum key_type type : 8;
	unsigned int places : 8;	/* of enum key_place; 0: of no network */
	bool secret : 1;		/* no message shows its value */
	uint16_t offset, size;		/* of the member; size 0: none, the value is only checked */
	uint16_t said;			/* offset of a bool, set when the key is; 0: none */
	int32_t min;			/* of integers */
	json_int_t max;			/* the same; the bits of a mode are those of max */
	const char *const *choices;	/* allowed texts, NULL at the end; never "" */
	bool (*fits)(const char *text);	/* NULL: any does */
	bool (*take)(const char *text, void *member);	/* KEY_FORM; size 0: gets the struct */
	/* Checks a text and fills *e itself; name is the key's. */
	int (*check)(const char *text, const char *name, struct err *e);
	const char *must;		/* what a text must be, for messages */
	/*
	 * The value of an absent key, as written in the manual.  An integer, mode or KEY_FORM is
	 * set to it; of another type the member stays as it was.
	 */
	const char *by_default;
	const char *idle;		/* a text that means absent, as "" does; NULL: none */
};

/* A row without a member, and the end of a table. */
#define KEY_ROW(key, of_type, at) { .name = (key), .type = (of_type), .places = (at) }
#define KEY_END { .name = NULL }

/* The rest of a row: the member for the value, and the bool that is set when the key is present. */
#define KEY_AT(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)
#define KEY_SAID(type, member) .said = offsetof(type, member)

/* For the name of a file, driver, plugin...: one path component. */
#define KEY_IS_FILE \
	.fits = name_is_file, .must = "a name without '/', other than '.' and '..'"

#define KEY_IS_RESOURCE \
	.fits = name_is_resource, .must = "a resource's name such as example.com/vf"

/*
 * Read these keys of `o` (NULL: all absent) into *ret; path is the name of `o` in messages, "" for
 * the top.  0, or -1 with ERR_NETCONF for the first wrong key; the valid ones are in *ret even
 * then.
 */
int key_read(const json_t *o, const char *path, const struct conf_key *keys, void *ret,
	     struct err *e) must_check;

/* Is it an absolute path without "..", of 1024 bytes at most? */
bool key_is_path(const char *text);

/* Read a decimal uid or gid (not 4294967295, which means none); *text is moved behind it. */
bool key_take_id(const char **text, uint32_t *ret);

#endif
