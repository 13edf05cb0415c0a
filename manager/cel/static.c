/* SPDX-License-Identifier: Apache-2.0 */
/* static.c - what is known of types before there is a device: unification, as cel-go does it */
#include "manager/cel/static.h"

#include <stdio.h>
#include <string.h>

struct cel_undo {
	struct cel_undo *next;
	struct cel_parameter *parameter;
	const struct cel_static *before;
};

/* -- to make them -- */

static const struct cel_static any = { .kind = CEL_ANY };

const struct cel_static *cel_static_of(char kind)
{
	static struct cel_static all[128];	/* constant: each is what its place says */
	unsigned char i = (unsigned char)kind;

	if (i >= ARRAY_SIZE(all))
		return &any;
	all[i].kind = kind;
	return &all[i];
}

static struct cel_static *make(struct cel_types *t, char kind)
{
	struct cel_static *ret = cel_arena_new(t->arena, sizeof(*ret));

	if (!ret)
		t->has_no_memory = true;
	else
		ret->kind = kind;
	return ret;
}

const struct cel_static *cel_static_parameter(struct cel_types *t)
{
	struct cel_parameter *p = cel_arena_new(t->arena, sizeof(*p));

	if (!p) {
		t->has_no_memory = true;
		return &any;
	}
	p->is = (struct cel_static){ .kind = CEL_PARAMETER, .is_open = true, .parameter = p };
	return &p->is;
}

/* Each type that is made or looked at is one.  false: there are none left. */
static bool step(struct cel_types *t)
{
	t->steps += !cel_static_is_spent(t);
	return !cel_static_is_spent(t);
}

static const struct cel_static *make_of(struct cel_types *t, char kind, const struct cel_static *a,
					const struct cel_static *b)
{
	struct cel_static *ret = step(t) ? make(t, kind) : NULL;

	if (!ret)
		return &any;
	ret->part[0] = a;
	ret->part[1] = b;
	ret->is_open = a->is_open || (b && b->is_open);
	return ret;
}

const struct cel_static *cel_static_list(struct cel_types *t, const struct cel_static *of)
{
	return make_of(t, CEL_LIST, of, NULL);
}

const struct cel_static *cel_static_optional(struct cel_types *t, const struct cel_static *of)
{
	return make_of(t, CEL_OPTIONAL, of, NULL);
}

const struct cel_static *cel_static_map(struct cel_types *t, const struct cel_static *keys,
					const struct cel_static *values)
{
	return make_of(t, CEL_MAP, keys, values);
}

unsigned cel_static_parts(char kind)
{
	return kind == CEL_MAP ? 2 : kind == CEL_LIST || kind == CEL_OPTIONAL;
}

const struct cel_static *cel_static_read(struct cel_types *t, const char **signature,
					 struct cel_letters *letters)
{
	char letter = *(*signature)++;
	const struct cel_static *part[2] = { NULL, NULL };

	if (letter >= 'A' && letter <= 'C') {
		const struct cel_static **p = &letters->parameters[letter - 'A'];

		return *p ? *p : (*p = cel_static_parameter(t));
	}
	if (letter == 'N' || letter == 'K') {
		letter = *letters->classes ? *letters->classes++ : letters->first_class;
		if (!letters->first_class)
			letters->first_class = letter;
	}
	for (unsigned i = 0; i < cel_static_parts(letter); i++)
		part[i] = cel_static_read(t, signature, letters);
	return part[0] ? make_of(t, letter, part[0], part[1]) : cel_static_of(letter);
}

/* -- to compare them -- */

bool cel_static_same(struct cel_types *t, const struct cel_static *a, const struct cel_static *b)
{
	if (a == b)
		return true;
	if (!step(t) || a->kind != b->kind || a->kind == CEL_PARAMETER)
		return false;
	for (unsigned i = 0; i < cel_static_parts(a->kind); i++)
		if (!cel_static_same(t, a->part[i], b->part[i]))
			return false;
	return true;
}

/* `null` is a value of what is no plain type. */
static bool may_be_null(char kind)
{
	return kind == CEL_NULL || !strchr("bidusylmt", kind);
}

/* Does a say as much as b, or less? */
static bool says_less(struct cel_types *t, const struct cel_static *a, const struct cel_static *b)
{
	if (a == b || !step(t) || a->kind == CEL_ANY || a->kind == CEL_PARAMETER)
		return true;
	if (b->kind == CEL_ANY || b->kind == CEL_PARAMETER)
		return false;
	if (b->kind == CEL_NULL && may_be_null(a->kind))
		return true;
	if (a->kind != b->kind)
		return false;
	for (unsigned i = 0; i < cel_static_parts(a->kind); i++)
		if (!says_less(t, a->part[i], b->part[i]))
			return false;
	return true;
}

const struct cel_static *cel_static_general(struct cel_types *t, const struct cel_static *a,
					    const struct cel_static *b)
{
	return says_less(t, a, b) ? a : b;
}

/* -- parameters -- */

static bool bind(struct cel_types *t, struct cel_parameter *p, const struct cel_static *to)
{
	struct cel_undo *u = cel_arena_new(t->arena, sizeof(*u));

	if (!u) {
		t->has_no_memory = true;
		return false;
	}
	*u = (struct cel_undo){ .next = t->undo, .parameter = p, .before = p->bound };
	t->undo = u;
	p->bound = to;
	return true;
}

void cel_static_back(struct cel_types *t, struct cel_undo *mark)
{
	for (; t->undo != mark; t->undo = t->undo->next)
		t->undo->parameter->bound = t->undo->before;
}

static bool is_in(struct cel_types *t, const struct cel_parameter *p, const struct cel_static *a)
{
	if (a == &p->is || !step(t))
		return true;
	if (!a->is_open)
		return false;
	if (a->kind == CEL_PARAMETER)
		return a->parameter->bound && is_in(t, p, a->parameter->bound);
	for (unsigned i = 0; i < cel_static_parts(a->kind); i++)
		if (is_in(t, p, a->part[i]))
			return true;
	return false;
}

static bool assign(struct cel_types *t, const struct cel_static *a, const struct cel_static *b);

/* May the parameter be a?  What it is bound to becomes the more general of both. */
static bool may_be(struct cel_types *t, struct cel_parameter *p, const struct cel_static *a)
{
	const struct cel_static *general;

	if (a == &p->is)
		return true;
	if (!p->bound)
		return !is_in(t, p, a) && bind(t, p, a);
	if (cel_static_same(t, a, p->bound))
		return true;
	if (!assign(t, a, p->bound))
		return false;
	general = cel_static_general(t, a, p->bound);
	return is_in(t, p, general) || bind(t, p, general);
}

static bool assign_parts(struct cel_types *t, const struct cel_static *a,
			 const struct cel_static *b)
{
	for (unsigned i = 0; i < cel_static_parts(a->kind); i++)
		if (!assign(t, a->part[i], b->part[i]))
			return false;
	return true;
}

static bool assign(struct cel_types *t, const struct cel_static *a, const struct cel_static *b)
{
	if (!step(t))
		return false;
	if (b->kind == CEL_PARAMETER) {
		if (may_be(t, b->parameter, a))
			return true;
		if (b->parameter->bound)
			return false;
	}
	if (a->kind == CEL_PARAMETER)
		return may_be(t, a->parameter, b);
	if (a->kind == CEL_ANY || b->kind == CEL_ANY)
		return true;
	if (a->kind == CEL_NULL || b->kind == CEL_NULL)
		return may_be_null(a->kind) && may_be_null(b->kind);
	return a->kind == b->kind && assign_parts(t, a, b);
}

bool cel_static_assign(struct cel_types *t, const struct cel_static *a, const struct cel_static *b)
{
	struct cel_undo *before = t->undo;

	if (assign(t, a, b))
		return true;
	cel_static_back(t, before);
	return false;
}

const struct cel_static *cel_static_resolve(struct cel_types *t, const struct cel_static *a,
					    bool is_last)
{
	const struct cel_static *part[2] = { NULL, NULL };

	if (!a->is_open || cel_static_is_spent(t))
		return a->is_open ? &any : a;
	if (a->kind == CEL_PARAMETER) {
		if (a->parameter->bound)
			return cel_static_resolve(t, a->parameter->bound, is_last);
		return is_last ? &any : a;
	}
	for (unsigned i = 0; i < cel_static_parts(a->kind); i++)
		part[i] = cel_static_resolve(t, a->part[i], is_last);
	return part[0] ? make_of(t, a->kind, part[0], part[1]) : a;
}

/* -- for people -- */

static const char *name_of(char kind)
{
	if (kind == CEL_DEVICE)
		return "device";
	return kind == CEL_PARAMETER ? "dyn" : cel_type_name((enum cel_type)kind);
}

enum { SHOWN_DEPTH = 4 };

static void append(const char *text, char ret[CEL_STATIC_TEXT])
{
	size_t n = strlen(ret);

	(void)snprintf(ret + n, CEL_STATIC_TEXT - n, "%s", text);
}

static void write(const struct cel_static *a, unsigned depth, char ret[CEL_STATIC_TEXT])
{
	unsigned n;

	while (a->kind == CEL_PARAMETER && a->parameter->bound)
		a = a->parameter->bound;
	n = depth < SHOWN_DEPTH ? cel_static_parts(a->kind) : 0;
	append(name_of(a->kind), ret);
	for (unsigned i = 0; i < n; i++) {
		append(i == 0 ? "(" : ", ", ret);
		write(a->part[i], depth + 1, ret);
	}
	if (n > 0)
		append(")", ret);
}

const char *cel_static_write(const struct cel_static *a, char ret[CEL_STATIC_TEXT])
{
	*ret = '\0';
	write(a, 0, ret);
	return ret;
}
