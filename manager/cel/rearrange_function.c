/* SPDX-License-Identifier: Apache-2.0 */
/* rearrange_function.c - lists made of another's elements: slice(), flatten(), sort() */
#include "manager/cel/function.h"
#include "manager/cel/rearrange.h"

#include <string.h>

static struct cel_value give_list(const struct cel_value *elements, uint32_t n)
{
	return (struct cel_value){ .type = CEL_LIST, .size = n, .elements = elements };
}

static struct cel_value *new_elements(struct cel_run *r, uint64_t n)
{
	if (n > CEL_COST_MAX)
		cel_abort(r, "makes a list of more values than one evaluation may");
	return r->fatal ? NULL : cel_new(r, (n + 1) * sizeof(struct cel_value));
}

static struct cel_value slice(struct cel_run *r, const struct cel_value *v)
{
	int64_t from = v[1].integer, to = v[2].integer;

	if (from < 0 || from > to || to > (int64_t)v->size)
		return cel_fault(r, "slice() is from a place to one that is not before it", NULL);
	return give_list(v->elements + from, (uint32_t)(to - from));
}

static struct cel_value range(struct cel_run *r, const struct cel_value *v)
{
	int64_t n = v->integer;
	struct cel_value *elements;

	if (n < 0)
		return cel_fault(r, "a list has no fewer than 0 values", NULL);
	elements = new_elements(r, (uint64_t)n);
	for (int64_t i = 0; elements && i < n; i++)
		elements[i] = cel_int(i);
	return elements ? give_list(elements, (uint32_t)n) : cel_failed(r);
}

static struct cel_value reverse(struct cel_run *r, const struct cel_value *v)
{
	struct cel_value *elements = new_elements(r, v->size);

	for (uint32_t i = 0; elements && i < v->size; i++)
		elements[i] = v->elements[v->size - 1 - i];
	return elements ? give_list(elements, v->size) : cel_failed(r);
}

/* -- flatten() -- */

static uint64_t flat_count(struct cel_run *r, const struct cel_value *list, int64_t depth)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < list->size && cel_charge(r, 1) == 0; i++)
		n += list->elements[i].type == CEL_LIST && depth > 0 ?
			     flat_count(r, &list->elements[i], depth - 1) :
			     1;
	return n;
}

static struct cel_value *put_flat(const struct cel_value *list, int64_t depth, struct cel_value *to)
{
	for (uint32_t i = 0; i < list->size; i++)
		if (list->elements[i].type == CEL_LIST && depth > 0)
			to = put_flat(&list->elements[i], depth - 1, to);
		else
			*to++ = list->elements[i];
	return to;
}

static struct cel_value flatten_some(struct cel_run *r, const struct cel_value *v, int64_t depth)
{
	uint64_t n = flat_count(r, v, depth);
	struct cel_value *elements = new_elements(r, n);

	if (!elements)
		return cel_failed(r);
	(void)put_flat(v, depth, elements);
	return give_list(elements, (uint32_t)n);
}

static struct cel_value flatten(struct cel_run *r, const struct cel_value *v)
{
	return flatten_some(r, v, 1);
}

static struct cel_value flatten_depth(struct cel_run *r, const struct cel_value *v)
{
	if (v[1].integer < 0)
		return cel_fault(r, "flatten() is for a depth of 0 and more", NULL);
	return flatten_some(r, v, v[1].integer);
}

/* -- distinct() -- */

static bool is_among(struct cel_run *r, const struct cel_value *elements, uint32_t n,
		     struct cel_value what)
{
	for (uint32_t i = 0; i < n && cel_charge(r, 1) == 0; i++)
		if (cel_equal(r, elements[i], what))
			return true;
	return false;
}

static struct cel_value distinct(struct cel_run *r, const struct cel_value *v)
{
	struct cel_value *elements = new_elements(r, v->size);
	uint32_t n = 0;

	for (uint32_t i = 0; elements && i < v->size; i++)
		if (!is_among(r, elements, n, v->elements[i]))
			elements[n++] = v->elements[i];
	return r->fatal ? cel_failed(r) : give_list(elements, n);
}

/* -- sort() -- */

struct sorted {
	struct cel_value key;
	uint32_t at;
};

/* Merges two neighbours of n pairs in all; of equal ones the first stays the first. */
static void merge(struct sorted *pairs, uint32_t half, uint32_t n, struct sorted *to)
{
	uint32_t a = 0, b = half;

	for (uint32_t i = 0; i < n; i++)
		to[i] = b == n || (a < half && cel_order(pairs[a].key, pairs[b].key) != 1) ?
				pairs[a++] :
				pairs[b++];
	memcpy(pairs, to, n * sizeof(*pairs));
}

static void sort_pairs(struct cel_run *r, struct sorted *pairs, uint32_t n, struct sorted *room)
{
	if (n < 2 || cel_charge(r, n) < 0)
		return;
	sort_pairs(r, pairs, n / 2, room);
	sort_pairs(r, pairs + n / 2, n - n / 2, room);
	merge(pairs, n / 2, n, room);
}

/* NULL: keys are of one type, which has an order. */
static const char *wrong_key(const struct cel_value *keys, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!cel_is_ordered(keys[i]) || keys[i].type != keys[0].type)
			return cel_type_name(keys[i].type);
	return NULL;
}

struct cel_value cel_sort_by(struct cel_run *r, struct cel_value list,
			     const struct cel_value *keys)
{
	const char *wrong = wrong_key(keys, list.size);
	struct sorted *pairs = cel_new(r, 2 * (list.size + (size_t)1) * sizeof(*pairs));
	struct cel_value *elements = new_elements(r, list.size);

	if (!pairs || !elements)
		return cel_failed(r);
	if (wrong)
		return cel_fault(r, "only values of one type that has an order are sorted, not",
				 wrong);
	for (uint32_t i = 0; i < list.size; i++)
		pairs[i] = (struct sorted){ keys[i], i };
	sort_pairs(r, pairs, list.size, pairs + list.size);
	for (uint32_t i = 0; i < list.size; i++)
		elements[i] = list.elements[pairs[i].at];
	return r->fatal ? cel_failed(r) : give_list(elements, list.size);
}

static struct cel_value sort(struct cel_run *r, const struct cel_value *v)
{
	return cel_sort_by(r, *v, v->elements);
}

const struct cel_function cel_rearrange_functions[] = {
	{ "slice", CEL_METHOD, "lAii", "lA", slice, false },
	{ "lists.range", CEL_FUNCTION, "i", "li", range, false },
	{ "reverse", CEL_METHOD, "lA", "lA", reverse, false },
	{ "flatten", CEL_METHOD, "llA", "lA", flatten, false },
	{ "flatten", CEL_METHOD, "l.i", "l.", flatten_depth, false },
	{ "distinct", CEL_METHOD, "lA", "lA", distinct, false },
	{ "sort", CEL_METHOD, "lK", "lK", sort, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
