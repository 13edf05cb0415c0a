/* SPDX-License-Identifier: Apache-2.0 */
/* known_part.h - shared by the files known*.c */
#ifndef MANAGER_INVENTORY_KNOWN_PART_H
#define MANAGER_INVENTORY_KNOWN_PART_H

#include "base/field.h"
#include "conf/keys.h"
#include "manager/inventory/known.h"

/* The form of a value; for a list, of each element. */
enum shape {
	SHAPE_NUMBER,			/* or true and false */
	SHAPE_WORD,
	SHAPE_PLAIN,			/* a word or a number */
	SHAPE_PATH,
	SHAPE_ADDRESS,			/* of hardware, or IP */
	SHAPE_UID,
	SHAPE_DEVICE_ID,
	SHAPE_HEX,			/* digits of bytes; a list may have numbers as well */
	SHAPE_HIDDEN,			/* any text, not needed: becomes "" */
	SHAPE_SAID,			/* a message of a program */
	SHAPE_OBJECT,
	SHAPE_JSON,			/* a JSON document in a string */
	SHAPE_CODED,			/* that in base64 */
	SHAPE_PAIRS,			/* CNI_ARGS */
	SHAPES
};

struct known_row {
	const char *name;		/* "*": each that is a word; NULL ends a table */
	enum shape shape;
	const struct known *in;		/* the members of an object or document */
	const struct fields *part;	/* the same, by a table of a struct */
};

/* A name is looked up in rows, then in the table of a struct, then in keys of configurations. */
struct known {
	const struct known_row *rows;
	const struct fields *fields;
	enum shape texts;		/* form of the texts of that struct */
	const char *key_path;		/* NULL: no keys */
	enum key_in keys;
};

/* Elements of a pair: texts that are words. */
extern const struct known known_words;

/* Does a text have this form?  Never that of a number or an object. */
bool known_fits(enum shape shape, const char *text) must_check;

/* Find the row of a member; false when it is not known, or the key does not accept this value. */
bool known_find(const struct known *of, const char *name, json_t *v, struct known_row *ret)
	must_check;
/* Is the name of a member known, whatever its value? */
bool known_has(const struct known *of, const char *name) must_check;

#endif
