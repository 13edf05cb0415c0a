/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - values of expressions: memory, names of types, order */
#include "manager/cel/value.h"

#include "manager/cel/moment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 4096, ALIGNED = 16 };

struct cel_chunk {
	struct cel_chunk *next;
	_Alignas(ALIGNED) char bytes[];
};

static void *add_chunk(struct cel_arena *a, size_t size)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct cel_chunk *c = malloc(sizeof(*c) + room);

	if (!c)
		return NULL;
	c->next = a->chunks;
	a->chunks = c;
	a->at = c->bytes;
	a->end = c->bytes + room;
	return c;
}

void *cel_arena_new(struct cel_arena *a, size_t size)
{
	size_t rounded = (size + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
	void *ret;

	if (rounded < size || (rounded > (size_t)(a->end - a->at) && !add_chunk(a, rounded)))
		return NULL;
	ret = a->at;
	a->at += rounded;
	return memset(ret, 0, rounded);
}

void cel_arena_done(struct cel_arena *a)
{
	while (a->chunks) {
		struct cel_chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	*a = (struct cel_arena){ 0 };
}

struct cel_value cel_string(const char *text)
{
	return (struct cel_value){ .type = CEL_STRING, .size = (uint32_t)strlen(text),
				   .text = text };
}

static const struct {
	enum cel_type type;
	const char *name;
} names[] = {
	{ CEL_ERROR, "error" }, { CEL_NULL, "null" },	    { CEL_BOOL, "bool" },
	{ CEL_INT, "int" },	{ CEL_UINT, "uint" },	    { CEL_DOUBLE, "double" },
	{ CEL_STRING, "string" }, { CEL_LIST, "list" },	    { CEL_MAP, "map" },
	{ CEL_VERSION, "semver" }, { CEL_QUANTITY, "quantity" },
	{ CEL_BYTES, "bytes" }, { CEL_DURATION, "duration" }, { CEL_TIMESTAMP, "timestamp" },
	{ CEL_OPTIONAL, "optional" }, { CEL_URL, "url" },   { CEL_IP, "ip" },
	{ CEL_CIDR, "cidr" },	{ CEL_FORMAT, "format" },
};

const char *cel_type_name(enum cel_type t)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == t)
			return names[i].name;
	return "dyn";
}

bool cel_is_number(struct cel_value v)
{
	return v.type == CEL_INT || v.type == CEL_UINT || v.type == CEL_DOUBLE;
}

bool cel_is_ordered(struct cel_value v)
{
	return cel_is_number(v) || v.type == CEL_BOOL || v.type == CEL_STRING ||
	       v.type == CEL_BYTES || v.type == CEL_DURATION || v.type == CEL_TIMESTAMP;
}

/* -- order -- */

/* A double is compared with an integer exactly: neither becomes the other before it fits. */
static int order_double_int(double d, int64_t i)
{
	if (isnan(d))
		return 2;
	if (d >= 0x1p63)
		return 1;
	if (d < -0x1p63)
		return -1;
	if ((int64_t)d != i)
		return (int64_t)d > i ? 1 : -1;
	return (d > (double)(int64_t)d) - (d < (double)(int64_t)d);
}

static int order_double_uint(double d, uint64_t u)
{
	if (isnan(d))
		return 2;
	if (d >= 0x1p64)
		return 1;
	if (d < 0)
		return -1;
	if ((uint64_t)d != u)
		return (uint64_t)d > u ? 1 : -1;
	return d > (double)(uint64_t)d;
}

static int order_double(double d, struct cel_value v)
{
	if (v.type == CEL_INT)
		return order_double_int(d, v.integer);
	if (v.type == CEL_UINT)
		return order_double_uint(d, v.natural);
	if (isnan(d) || isnan(v.real))
		return 2;
	return (d > v.real) - (d < v.real);
}

static int order_integers(struct cel_value a, struct cel_value b)
{
	bool a_negative = a.type == CEL_INT && a.integer < 0;
	bool b_negative = b.type == CEL_INT && b.integer < 0;

	if (a_negative || b_negative) {
		if (a_negative && b_negative)
			return (a.integer > b.integer) - (a.integer < b.integer);
		return a_negative ? -1 : 1;
	}
	/* not negative: an int has the bits of the uint */
	return (a.natural > b.natural) - (a.natural < b.natural);
}

static int order_numbers(struct cel_value a, struct cel_value b)
{
	int r;

	if (a.type == CEL_DOUBLE)
		return order_double(a.real, b);
	if (b.type != CEL_DOUBLE)
		return order_integers(a, b);
	r = order_double(b.real, a);
	return r == 2 ? 2 : -r;
}

int cel_order(struct cel_value a, struct cel_value b)
{
	int c;

	if (cel_is_number(a) && cel_is_number(b))
		return order_numbers(a, b);
	if (a.type != b.type)
		return 2;
	if (a.type == CEL_BOOL)
		return a.truth - b.truth;
	if (a.type == CEL_DURATION)
		return (a.integer > b.integer) - (a.integer < b.integer);
	if (a.type == CEL_TIMESTAMP)
		return cel_moment_order(a.moment, b.moment);
	if (a.type != CEL_STRING && a.type != CEL_BYTES)
		return 2;
	/* bytes of UTF-8 have the order of the characters */
	c = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
	return c ? (c > 0) - (c < 0) : (a.size > b.size) - (a.size < b.size);
}
