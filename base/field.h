/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - a struct as a JSON object and back, by one table of its members
 *
 *	#define OF(member)	FIELD(struct rate, member)
 *	static const struct field rate_field[] = {
 *		{ "name", OF(name), .required = true, .fits = name_is_file },
 *		{ "mbits", OF(mbits), .max = 100000 },
 *	};
 *	const struct fields rate_fields = FIELDS(rate_field, NULL);
 *
 * The C type of a member says which type its field has, where no other is given:
 *
 *	char[]		field_text	a string that is not longer than that
 *	const char *	field_string	a string, borrowed from what was read
 *	bool		field_bool
 *	int		field_int	from `min`, which is not below 0, to `max` or INT_MAX
 *	uint..._t	field_uint	from `min` to `max`, or what the type can hold
 *	uint8_t[]	field_bytes	hexadecimal digits; how many bytes, in the uint8_t `len`
 *	struct idset	field_idset	a list of its runs: [first, last, first, last...]
 *	const json_t *	field_object	any object, borrowed from what was read
 *
 *	char[]		field_raw_text	in hexadecimal digits, for what need not be UTF-8
 *	uint8_t[6]	field_mac	"02:00:00:00:00:01"
 *	uint64_t	field_guid	"00:11:22:33:44:55:66:77"
 *	char(*)[]	field_texts	a list of strings, each of size `each`, or NULL; owned, so
 *					reading frees what was there; how many, in the size_t `len`
 *
 * A struct has a table of its own, its `part`. A caller that needs another type defines a struct
 * field_type of its own.
 */
#ifndef BASE_FIELD_H
#define BASE_FIELD_H

#include "base/err.h"
#include "base/idset.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIELD_BYTES_MAX = 256 };

/* Small, for the pages of all tables are copied at each start: conf/key.h says why. */
struct field {
	const char *name;		/* of the member in JSON */
	const struct field_type *type;
	uint16_t offset, size;		/* of a list of texts the size of the longest */
	uint16_t len;			/* offset of the number of bytes; 0: it is always size */
	uint16_t each;			/* size of one text of a list */
	int32_t min;
	uint16_t flag;			/* offset of a bool, set when this was read; 0: none */
	bool required : 1;		/* it must be there */
	bool optional : 1;		/* see below */
	json_int_t max;
	const struct fields *part;	/* the value is an object with these; NULL: see type */

	/* reading */
	bool (*fits)(const char *text);	/* accepts a text or string; NULL: any */

	/*
	 * A member is written always; with `optional`, only when it is not empty, zero, false or
	 * NULL (an object: its first member); with `flag` or `when`, only when these are true.
	 */
	bool (*when)(const void *s);
};

struct fields {
	const struct field *field;
	size_t n;
	/* Returns what is wrong with the members together, for messages; NULL when nothing is. */
	const char *(*wrong)(const void *s);
};

#define FIELDS(table, check)	{ .field = (table), .n = ARRAY_SIZE(table), .wrong = (check) }

/* The value is at `at`. */
struct field_type {
	/* Returns a new reference; json_null() for none; NULL when JSON cannot hold the value. */
	json_t *(*write)(const struct field *f, const void *at);
	/*
	 * Returns what is wrong with a value that is neither absent nor null; NULL when nothing is.
	 */
	const char *(*read)(const struct field *f, const json_t *v, void *at);
};

extern const struct field_type field_text, field_string, field_bool, field_int, field_uint,
	field_bytes, field_raw_text, field_mac, field_guid, field_idset, field_object, field_texts;

#define FIELD_AT(s, member)						\
	.offset = offsetof(s, member), .size = sizeof(((s *)NULL)->member)
#define FIELD(s, member)						\
	.type = _Generic(((s *)NULL)->member,				\
			 char *: &field_text, const char *: &field_string, bool: &field_bool, \
			 uint8_t *: &field_bytes, struct idset: &field_idset,	\
			 const json_t *: &field_object, int: &field_int,	\
			 uint8_t: &field_uint, uint16_t: &field_uint,		\
			 uint32_t: &field_uint, uint64_t: &field_uint),		\
	FIELD_AT(s, member)

/* Of a list of at most `most` texts, with how many there are. */
#define FIELD_TEXTS(s, member, n, most)					\
	.type = &field_texts, .offset = offsetof(s, member),		\
	.len = offsetof(s, n), .each = sizeof(((s *)NULL)->member[0]),	\
	.size = (most) * sizeof(((s *)NULL)->member[0])

/*
 * Add the members to the object o, whose reference is taken: o again, or NULL when one cannot be
 * said in JSON.
 */
json_t *field_write(const struct fields *t, const void *s, json_t *o) must_check;

/*
 * Fill *s, which is zeroed; on failure, ERR_DECODE, it is left half filled.  The object is called
 * `path` in messages, "" for the top.  Members without a field are ignored.
 */
int field_read(const struct fields *t, const json_t *o, const char *path, void *s, struct err *e)
	must_check;

#endif
