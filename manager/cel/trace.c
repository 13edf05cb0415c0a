/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - what each term of an expression was, for people
 *
 * Literals are not told: they are what they are written as; nor is the whole device, nor all of its
 * attributes.  The tree is bounded, and making it is not a part of the work that an evaluation may
 * do.
 */
#include "manager/cel/eval.h"

#include "manager/cel/device.h"
#include "manager/cel/double_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	VALUES_MAX = 2000,
	BYTES_A_VALUE = 256,
	SHOWN_DEPTH = 4,
};

static json_t *make_json(struct cel_run *r, struct cel_value v, unsigned depth);

/* What is long counts for more.  A message that was cut within a character is none to jansson. */
static json_t *make_string(struct cel_run *r, const char *text, size_t size)
{
	size_t left = r->trace->left, n = size / BYTES_A_VALUE;
	json_t *ret = n <= left ? json_stringn(text, size) : NULL;

	r->trace->left = n <= left ? left - n : 0;

	return ret ? ret : json_string("...");
}

static json_t *make_list(struct cel_run *r, struct cel_value v, unsigned depth)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v.size && r->trace->left > 0; i++)
		(void)json_array_append_new(list, make_json(r, v.elements[i], depth + 1));
	return list;
}

static const char *key_text(struct cel_value key, char buf[CEL_DOUBLE_TEXT])
{
	if (key.type == CEL_STRING)
		return key.text;
	if (key.type == CEL_BOOL)
		return key.truth ? "true" : "false";
	if (key.type == CEL_INT)
		(void)snprintf(buf, CEL_DOUBLE_TEXT, "%" PRId64, key.integer);
	else if (key.type == CEL_UINT)
		(void)snprintf(buf, CEL_DOUBLE_TEXT, "%" PRIu64, key.natural);
	else if (key.type == CEL_DOUBLE)
		(void)cel_double_write(key.real, buf);
	else
		return cel_type_name(key.type);
	return buf;
}

static json_t *make_object(struct cel_run *r, const struct cel_map *m, unsigned depth)
{
	const struct cel_map *all = cel_map_list(r, m);
	json_t *object = json_object();
	char buf[CEL_DOUBLE_TEXT];

	for (size_t i = 0; all && i < all->count && r->trace->left > 0; i++)
		(void)json_object_set_new(object, key_text(all->entries[i].key, buf),
					  make_json(r, all->entries[i].value, depth + 1));
	return object;
}

static json_t *make_quantity(struct cel_value v)
{
	char text[QUANTITY_TEXT];

	quantity_write(v.quantity, text);
	return json_string(text);
}

static json_t *make_error(struct cel_run *r, const struct cel_fault *f)
{
	char text[512];

	cel_fault_write(f, text, sizeof(text));
	return make_string(r, text, strlen(text));
}

static json_t *make_uint(uint64_t natural)
{
	return natural <= INT64_MAX ? json_integer((json_int_t)natural) :
				      json_sprintf("%" PRIu64, natural);
}

/* The result of all, which comes last, is told however much there was before it. */
static json_t *make_json(struct cel_run *r, struct cel_value v, unsigned depth)
{
	if (v.type == CEL_BOOL && depth == 0)
		return json_boolean(v.truth);
	if (r->trace->left == 0 || depth > SHOWN_DEPTH)
		return json_string("...");
	r->trace->left--;
	switch (v.type) {
	case CEL_BOOL:
		return json_boolean(v.truth);
	case CEL_INT:
		return json_integer(v.integer);
	case CEL_UINT:
		return make_uint(v.natural);
	case CEL_DOUBLE:
		return isfinite(v.real) ? json_real(v.real) : json_sprintf("%f", v.real);
	case CEL_STRING:
		return make_string(r, v.text, v.size);
	case CEL_LIST:
		return make_list(r, v, depth);
	case CEL_MAP:
		return make_object(r, v.map, depth);
	case CEL_VERSION:
		return json_string(v.version->text);
	case CEL_QUANTITY:
		return make_quantity(v);
	case CEL_ERROR:
		return make_error(r, v.fault);
	default:
		return json_null();
	}
}

/* All attributes, or all of a domain: what is taken from them is told. */
static bool is_device(struct cel_value v)
{
	return v.type == CEL_MAP && v.map->kind != CEL_MAP_ENTRIES;
}

/* What is listed for it counts for itself. */
static json_t *show(struct cel_run *r, struct cel_value v)
{
	const struct cel_fault *fatal = r->fatal;
	uint32_t cost = r->cost;
	json_t *ret;

	r->fatal = NULL;
	r->cost = 0;
	ret = make_json(r, v, 0);
	r->fatal = fatal;
	r->cost = cost;
	return ret;
}

static json_t *make_term(struct cel_run *r, const struct cel_node *n, struct cel_value v,
			 json_t *terms)
{
	json_t *term = json_object();

	(void)json_object_set_new(term, "term",
				  make_string(r, r->text + n->begin, n->end - n->begin));
	(void)json_object_set_new(term, v.type == CEL_ERROR ? "error" : "value", show(r, v));
	if (json_array_size(terms) > 0)
		(void)json_object_set_new(term, "terms", terms);
	else
		json_decref(terms);
	return term;
}

static struct cel_value trace_term(struct cel_run *r, const struct cel_node *n)
{
	json_t *outer = r->trace->terms;
	struct cel_value v;

	if (n->kind == CEL_LITERAL || n->kind == CEL_NAME || r->trace->left == 0)
		return cel_evaluate_node(r, n);
	r->trace->terms = json_array();
	v = cel_evaluate_node(r, n);
	if (is_device(v))
		json_decref(r->trace->terms);
	else
		(void)json_array_append_new(outer, make_term(r, n, v, r->trace->terms));
	r->trace->terms = outer;
	return v;
}

struct cel_trace cel_trace_make(json_t *terms)
{
	return (struct cel_trace){ .term = trace_term, .terms = terms, .left = VALUES_MAX };
}

void cel_fault_write(const struct cel_fault *f, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s%s%s", f->what, f->name ? ": " : "", f->name ? f->name : "");
}
