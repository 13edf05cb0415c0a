/* SPDX-License-Identifier: Apache-2.0 */
/* cel_run.c - what an evaluation counts, allocates and fails with; when two values are equal */
#include "devinfo/match/cel_run.h"

#include "devinfo/match/cel_device.h"

#include <string.h>

enum { BYTES_A_UNIT = 16 };	/* of memory: an evaluation has 16 MB at most */

static const struct cel_fault no_memory = { .what = "there is no more memory" };

struct cel_value cel_fault(struct cel_run *r, const char *what, const char *name)
{
	struct cel_fault *f = cel_new(r, sizeof(*f));

	if (!f)
		return cel_failed(r);
	f->what = what;
	f->name = name;
	f->at = r->node ? r->node->at : 0;
	return (struct cel_value){ .type = CEL_ERROR, .fault = f };
}

struct cel_value cel_fault_e(struct cel_run *r)
{
	struct cel_value text = cel_copy(r, r->e.msg, strlen(r->e.msg));

	return text.type == CEL_ERROR ? text : cel_fault(r, text.text, NULL);
}

struct cel_value cel_failed(const struct cel_run *r)
{
	return (struct cel_value){ .type = CEL_ERROR, .fault = r->fatal };
}

void cel_abort(struct cel_run *r, const char *what)
{
	struct cel_fault *f;

	if (r->fatal)
		return;
	f = cel_arena_new(&r->arena, sizeof(*f));
	r->fatal = f ? f : &no_memory;
	if (!f)
		return;
	f->what = what;
	f->at = r->node ? r->node->at : 0;
}

void *cel_new(struct cel_run *r, size_t size)
{
	void *ret = NULL;

	if (cel_charge(r, size / BYTES_A_UNIT) == 0) {
		ret = cel_arena_new(&r->arena, size);
		if (!ret)
			r->fatal = &no_memory;
	}
	return ret;
}

struct cel_value cel_copy(struct cel_run *r, const char *text, size_t size)
{
	char *copy = cel_new(r, size + 1);

	if (!copy)
		return cel_failed(r);
	memcpy(copy, text, size);
	return (struct cel_value){ .type = CEL_STRING, .size = (uint32_t)size, .text = copy };
}

struct cel_value cel_quantity_value(struct cel_run *r, const struct cel_quantity *q)
{
	struct cel_quantity *copy = cel_new(r, sizeof(*copy));

	if (!copy)
		return cel_failed(r);
	*copy = *q;
	return (struct cel_value){ .type = CEL_QUANTITY, .quantity = copy };
}

struct cel_value cel_version_value(struct cel_run *r, const struct cel_semver *v)
{
	struct cel_semver *copy = cel_new(r, sizeof(*copy));

	if (!copy)
		return cel_failed(r);
	*copy = *v;
	return (struct cel_value){ .type = CEL_VERSION, .version = copy };
}

/* -- equality -- */

static bool lists_equal(struct cel_run *r, struct cel_value a, struct cel_value b)
{
	if (a.size != b.size)
		return false;
	for (uint32_t i = 0; i < a.size && !r->fatal; i++)
		if (!cel_equal(r, a.elements[i], b.elements[i]))
			return false;
	return true;
}

static bool maps_equal(struct cel_run *r, const struct cel_map *a, const struct cel_map *b)
{
	const struct cel_map *x = cel_map_list(r, a), *y = cel_map_list(r, b);
	struct cel_value other;

	if (!x || !y || x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count && !r->fatal; i++)
		if (!cel_map_find(r, y, x->entries[i].key, &other) ||
		    !cel_equal(r, x->entries[i].value, other))
			return false;
	return true;
}

bool cel_equal(struct cel_run *r, struct cel_value a, struct cel_value b)
{
	if (cel_is_number(a) && cel_is_number(b))
		return cel_order(a, b) == 0;
	if (a.type != b.type || cel_charge(r, 1) < 0)
		return false;
	switch (a.type) {
	case CEL_STRING:
		return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
	case CEL_LIST:
		return lists_equal(r, a, b);
	case CEL_MAP:
		return maps_equal(r, a.map, b.map);
	case CEL_VERSION:
		return cel_semver_compare(a.version, b.version) == 0;
	case CEL_QUANTITY:
		return cel_quantity_compare(a.quantity, b.quantity) == 0;
	case CEL_NULL:
		return true;
	default:
		return cel_order(a, b) == 0;
	}
}
