/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - values of expressions, and the memory that they are in
 *
 * All of an evaluation is in its arena, and goes with it.  The first kilobyte of that is on the
 * stack, which is enough for most.
 */
#ifndef MANAGER_CEL_VALUE_H
#define MANAGER_CEL_VALUE_H

#include "manager/number/quantity.h"
#include "manager/number/semver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- memory -- */

struct cel_chunk;

struct cel_arena {
	struct cel_chunk *chunks;
	char *at, *end;
};

/* Gives zeroed memory; NULL: there is no more. */
void *cel_arena_new(struct cel_arena *a, size_t size);
void cel_arena_done(struct cel_arena *a);

/* -- values -- */

/* The letters are those of the signatures in the tables of functions (function.h). */
enum cel_type {
	CEL_ERROR = 'e',
	CEL_NULL = 'n',
	CEL_BOOL = 'b',
	CEL_INT = 'i',
	CEL_UINT = 'u',
	CEL_DOUBLE = 'd',
	CEL_STRING = 's',
	CEL_LIST = 'l',
	CEL_MAP = 'm',
	CEL_VERSION = 'v',
	CEL_QUANTITY = 'q',
	CEL_BYTES = 'y',
	CEL_DURATION = 'r',		/* nanoseconds, as an integer */
	CEL_TIMESTAMP = 'T',
	CEL_OPTIONAL = 'o',
	CEL_URL = 'U',
	CEL_IP = 'I',
	CEL_CIDR = 'P',
	CEL_FORMAT = 'F',
};

/* Strings are UTF-8, with a NUL behind them and none in them; bytes may have one in them. */
struct cel_value {
	enum cel_type type;
	uint32_t size;			/* of a string or bytes in bytes, of a list in values */
	union {
		bool truth;
		int64_t integer;
		uint64_t natural;
		double real;
		const char *text;
		const struct cel_value *elements;
		const struct cel_map *map;
		const struct semver *version;
		const struct quantity *quantity;
		const struct cel_value *held;	/* OPTIONAL: NULL, there is none */
		const struct cel_moment *moment;	/* TIMESTAMP (moment.h) */
		const struct cel_url *url;
		const struct cel_address *address;	/* IP, CIDR (address.h) */
		const struct cel_format *format;
		const struct cel_fault *fault;
	};
};

/* What an error says: "no such key: NAME". */
struct cel_fault {
	const char *what, *name;	/* name: or NULL */
	uint32_t at;			/* where in the expression, in bytes */
};

struct cel_entry {
	struct cel_value key, value;
};

/* A map that is written in the expression, or a part of the device (device.h). */
enum cel_map_kind {
	CEL_MAP_ENTRIES,
	CEL_MAP_DEVICE,
	CEL_MAP_DOMAINS,		/* device.attributes */
	CEL_MAP_NAMES,			/* device.attributes["domain"] */
};

struct cel_map {
	enum cel_map_kind kind;
	bool capacity;			/* of DOMAINS and NAMES: it is device.capacity */
	const char *domain;		/* of NAMES */
	const struct cel_entry *entries;
	size_t count;
};

static inline struct cel_value cel_bool(bool truth)
{
	return (struct cel_value){ .type = CEL_BOOL, .truth = truth };
}

static inline struct cel_value cel_int(int64_t integer)
{
	return (struct cel_value){ .type = CEL_INT, .integer = integer };
}

static inline struct cel_value cel_double(double real)
{
	return (struct cel_value){ .type = CEL_DOUBLE, .real = real };
}

/* Makes a string of a text, which is borrowed. */
struct cel_value cel_string(const char *text);

/* Names a type in messages: "int", "semver". */
const char *cel_type_name(enum cel_type t);

bool cel_is_number(struct cel_value v);

/* Is it of a type that has an order?  NaN is, though it has none. */
bool cel_is_ordered(struct cel_value v);

/*
 * Compares as CEL orders: numbers of any type by what they are worth, strings by their characters,
 * false before true.  -1, 0, 1; 2: these two have no order.
 */
int cel_order(struct cel_value a, struct cel_value b);

struct cel_run;

/*
 * Are both equal (equal.c)?  Values of two types are not, but for numbers.  The run is charged for
 * what a comparison looks at.
 */
bool cel_equal(struct cel_run *r, struct cel_value a, struct cel_value b);

#endif
