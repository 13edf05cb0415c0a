/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - what an evaluation counts, allocates and fails with */
#include "manager/cel/run.h"

#include <stdio.h>
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

struct cel_value cel_no_overload(struct cel_run *r, const struct cel_value *v)
{
	const struct cel_node *n = r->node;
	char text[128];
	size_t at = (size_t)snprintf(text, sizeof(text), "no such overload: %.40s(", n->name);
	struct cel_value what;

	for (uint32_t i = 0; i < n->count && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? ", " : "",
				       cel_type_name(v[i].type));
	if (at < sizeof(text) - 1)
		(void)snprintf(text + at, sizeof(text) - at, ")");
	what = cel_copy(r, text, strlen(text));
	return what.type == CEL_ERROR ? what : cel_fault(r, what.text, NULL);
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

char *cel_new_text(struct cel_run *r, size_t size)
{
	if (size <= CEL_TEXT_MAX)
		return cel_new(r, size + 1);
	cel_abort(r, "makes a string of more than 65536 bytes");
	return NULL;
}

struct cel_value cel_copy(struct cel_run *r, const char *text, size_t size)
{
	char *copy = cel_new_text(r, size);

	if (!copy)
		return cel_failed(r);
	memcpy(copy, text, size);
	return (struct cel_value){ .type = CEL_STRING, .size = (uint32_t)size, .text = copy };
}

struct cel_value cel_optional(struct cel_run *r, const struct cel_value *held)
{
	struct cel_value *copy;

	if (!held || held->type == CEL_ERROR)
		return held ? *held : (struct cel_value){ .type = CEL_OPTIONAL };
	copy = cel_new(r, sizeof(*copy));
	if (!copy)
		return cel_failed(r);
	*copy = *held;
	return (struct cel_value){ .type = CEL_OPTIONAL, .held = copy };
}

struct cel_value cel_quantity_value(struct cel_run *r, const struct quantity *q)
{
	struct quantity *copy = cel_new(r, sizeof(*copy));

	if (!copy)
		return cel_failed(r);
	*copy = *q;
	return (struct cel_value){ .type = CEL_QUANTITY, .quantity = copy };
}

struct cel_value cel_version_value(struct cel_run *r, const struct semver *v)
{
	struct semver *copy = cel_new(r, sizeof(*copy));

	if (!copy)
		return cel_failed(r);
	*copy = *v;
	return (struct cel_value){ .type = CEL_VERSION, .version = copy };
}
