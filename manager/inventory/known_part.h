/* SPDX-License-Identifier: Apache-2.0 */
/* known_part.h - what the files of known*.c have in common */
#ifndef MANAGER_INVENTORY_KNOWN_PART_H
#define MANAGER_INVENTORY_KNOWN_PART_H

#include "base/field.h"
#include "conf/keys.h"
#include "manager/inventory/known.h"

/* Of a value; of a list each element has it. */
enum shape {
	SHAPE_NUMBER,			/* or true and false */
	SHAPE_WORD,
	SHAPE_PLAIN,			/* a word or a number */
	SHAPE_PATH,
	SHAPE_ADDRESS,			/* of hardware, or IP */
	SHAPE_UID,
	SHAPE_DEVICE_ID,
	SHAPE_HEX,			/* digits of bytes; a list may have numbers as well */
	SHAPE_HIDDEN,			/* any text, which nobody needs: "" */
	SHAPE_SAID,			/* a sentence of a program */
	SHAPE_OBJECT,
	SHAPE_JSON,			/* a document in a text */
	SHAPE_CODED,			/* that in base64 */
	SHAPE_PAIRS,			/* CNI_ARGS */
	SHAPES
};

struct known_row {
	const char *name;		/* "*": each that is a word; NULL ends a table */
	enum shape shape;
	const struct known *in;		/* of an object or document: its members */
	const struct fields *part;	/* the same, when it is a struct's */
};

/* The first that knows a name: rows, then the table of a struct, then keys of configurations. */
struct known {
	const struct known_row *rows;
	const struct fields *fields;
	enum shape texts;		/* what the texts of that struct are */
	const char *key_path;		/* NULL: no keys */
	enum key_in keys;
};

/* Elements of a pair: texts that are words. */
extern const struct known known_words;

/* Has a text that form?  None has that of a number or an object. */
bool known_fits(enum shape shape, const char *text) must_check;

/* How a member is to be taken; false: it is not known, or the key does not take this value. */
bool known_find(const struct known *of, const char *name, json_t *v, struct known_row *ret)
	must_check;
/* May a member be called so, whatever its value is? */
bool known_has(const struct known *of, const char *name) must_check;

#endif
