/* SPDX-License-Identifier: Apache-2.0 */
/* estimate_call.c - what a function may cost at most, how large its result is (estimate.h) */
#include "manager/cel/estimate.h"

#include <string.h>

/* What a character costs that is looked at, and one of a pattern. */
static const double a_character = 0.1, a_pattern_character = 0.25;

enum {
	ADDRESS_MAX = 16,		/* bytes */
	NAME_PATTERN_MAX = 128,		/* characters of a pattern of names */
};

/* One call: operands with what a method is called on first, and what is known of its result. */
struct call {
	const struct cel_node *node;
	const struct cel_estimated *operands;
	struct cel_range result;
	bool is_sized;
};

static struct cel_range size(const struct call *c, size_t operand)
{
	return cel_size_of(&c->operands[operand]);
}

static void give(struct call *c, struct cel_range result)
{
	c->result = result;
	c->is_sized = true;
}

/* -- Kubernetes' functions -- */

static uint64_t one(struct call *c)
{
	(void)c;
	return 1;
}

static uint64_t read_first(struct call *c)
{
	return cel_range_scale(size(c, 0).max, a_character);
}

static uint64_t copy_first(struct call *c)
{
	give(c, size(c, 0));
	return read_first(c);
}

/* Each element is compared, with its characters. */
static uint64_t go_over(struct call *c)
{
	const struct cel_static *of = c->operands[0].node->is->part[0];
	const struct cel_shape *shape = c->operands[0].shape;
	uint64_t characters = shape && shape->values ? shape->values->max : UINT64_MAX;

	if (!of)
		return read_first(c);
	if (of->kind != CEL_STRING)
		return size(c, 0).max;
	return cel_range_multiply(size(c, 0).max,
				  cel_range_add(1, cel_range_scale(characters, a_character)));
}

static uint64_t quotient(uint64_t a, uint64_t b)
{
	return cel_range_round_up((double)a / (double)b);
}

/* How many are replaced, and how much stays, when the result is as long as it may be. */
static uint64_t longest_replaced(struct cel_range of, struct cel_range what, struct cel_range by)
{
	if (what.min == 0)
		return cel_range_add(cel_range_multiply(cel_range_add(of.max, 1), by.max), of.max);
	if (by.max <= what.min)
		return of.max;
	return cel_range_multiply(quotient(of.max, what.min), by.max);
}

static uint64_t shortest_replaced(struct cel_range of, struct cel_range what, struct cel_range by)
{
	if (what.max == 0)
		return cel_range_add(cel_range_multiply(cel_range_add(of.min, 1), by.min), of.min);
	if (what.max <= by.min)
		return of.min;
	return cel_range_multiply(quotient(of.min, what.max), by.min);
}

static uint64_t replace(struct call *c)
{
	struct cel_range of = size(c, 0), what = size(c, 1), by = size(c, 2);

	give(c, (struct cel_range){ shortest_replaced(of, what, by),
				    longest_replaced(of, what, by) });
	return cel_range_scale(of.max, 2 * a_character);
}

static uint64_t split(struct call *c)
{
	const struct cel_node *limit = c->node->count > 2 ? c->node->last : NULL;
	uint64_t most = size(c, 0).max;

	if (limit && limit->kind == CEL_LITERAL && limit->value.type == CEL_INT)
		most = (uint64_t)limit->value.integer;
	give(c, (struct cel_range){ 0, most });
	return cel_range_scale(size(c, 0).max, 2 * a_character);
}

static uint64_t between(uint64_t n)
{
	return n > 0 ? n - 1 : 0;
}

/* How long an element is, is not known, but of attributes. */
static uint64_t join(struct call *c)
{
	const struct cel_estimated *list = &c->operands[0];
	struct cel_range of = size(c, 0), ret = { 0, 0 };
	uint64_t longest = list->shape && list->shape->values ? list->shape->values->max :
								UINT64_MAX;

	if (list->node->is->part[0])
		ret.max = cel_range_multiply(of.max, longest);
	if (c->node->count > 1) {
		struct cel_range by = size(c, 1);

		ret.min = cel_range_multiply(by.min, between(of.min));
		ret.max = cel_range_add(ret.max, cel_range_multiply(by.max, between(of.max)));
	}
	give(c, ret);
	return cel_range_scale(ret.max, a_character);
}

static uint64_t match_cost(struct call *c)
{
	return cel_range_multiply(
		cel_range_scale(cel_range_add(size(c, 0).max, 1), a_character),
		cel_range_scale(size(c, 1).max, a_pattern_character));
}

static uint64_t find(struct call *c)
{
	give(c, (struct cel_range){ 0, size(c, 0).max });
	return match_cost(c);
}

static uint64_t read_twice(struct call *c)
{
	return cel_range_scale(size(c, 0).max, 2 * a_character);
}

/* An address is given, or a string of which one is read. */
static uint64_t read_address(struct call *c)
{
	return c->operands[1].node->is->kind == CEL_STRING ?
		       cel_range_scale(size(c, 1).max, a_character) :
		       0;
}

static uint64_t contains_address(struct call *c)
{
	return cel_range_add(cel_range_scale(2 * ADDRESS_MAX, a_character), read_address(c));
}

static uint64_t contains_network(struct call *c)
{
	return cel_range_add(contains_address(c), cel_range_scale(ADDRESS_MAX, a_character) + 1);
}

static uint64_t validate(struct call *c)
{
	return cel_range_scale(cel_range_scale(size(c, 1).max, a_character),
			       NAME_PATTERN_MAX * a_pattern_character);
}

/* Each value of one is looked for in the other. */
static uint64_t compare_sets(struct call *c)
{
	uint64_t pairs = cel_range_multiply(size(c, 0).max, size(c, 1).max);

	return cel_range_add(cel_range_scale(pairs, 1), 1);
}

static uint64_t compare_sets_twice(struct call *c)
{
	uint64_t pairs = cel_range_multiply(size(c, 0).max, size(c, 1).max);

	return cel_range_add(cel_range_scale(pairs, 2), 1);
}

/* 48: of the values of an attribute, there are no more. */
static uint64_t includes(struct call *c)
{
	(void)c;
	return 48;
}

/* -- cel-go's functions of lists: they cost what they look at, and a list -- */

enum { LIST_CALL_COST = 10 + 1 };

static uint64_t make_list(struct call *c, uint64_t min, uint64_t max, double factor)
{
	give(c, (struct cel_range){ min, max });
	return cel_range_add(cel_range_scale(max, factor), LIST_CALL_COST);
}

/* An operand that is written; otherwise it is taken to be as large as it may be. */
static uint64_t written(const struct call *c, unsigned operand, uint64_t otherwise)
{
	const struct cel_node *n = c->node->first;

	for (; operand > 0; operand--)
		n = n->next;
	if (n->kind != CEL_LITERAL || n->value.type != CEL_INT)
		return otherwise;
	return n->value.integer < 0 ? 0 : (uint64_t)n->value.integer;
}

static uint64_t slice(struct call *c)
{
	uint64_t n = written(c, 2, size(c, 0).max) - written(c, 1, 0);

	return make_list(c, n, n, 1);
}

static uint64_t range(struct call *c)
{
	uint64_t n = written(c, 0, UINT64_MAX);

	return make_list(c, n, n, 1);
}

static uint64_t reverse(struct call *c)
{
	return make_list(c, size(c, 0).min, size(c, 0).max, 1);
}

static uint64_t flatten(struct call *c)
{
	double depth = c->node->count > 1 ? (double)written(c, 1, UINT64_MAX) : 1;

	return make_list(c, size(c, 0).min, size(c, 0).max, depth);
}

/* Each is compared with each; the size of the result is told too high by cel-go. */
static uint64_t compare_all(struct call *c)
{
	const struct cel_static *of = c->operands[0].node->is->part[0];
	bool is_text = of ? of->kind == CEL_STRING : strcmp(c->node->name, "sort") == 0;
	struct cel_range s = size(c, 0);

	if (of && of->kind == CEL_ANY && strcmp(c->node->name, "sort") == 0)
		is_text = true;
	return make_list(c, cel_range_multiply(s.min, s.min), cel_range_multiply(s.max, s.max),
			 2 + (is_text ? a_character : 0));
}

/* -- CEL's own -- */

static uint64_t read_second(struct call *c)
{
	return cel_range_scale(size(c, 1).max, a_character);
}

static uint64_t contains(struct call *c)
{
	return cel_range_multiply(read_first(c), read_second(c));
}

static uint64_t in_list(struct call *c)
{
	return cel_range_scale(size(c, 1).max, 1);
}

static uint64_t compare(struct call *c)
{
	uint64_t a = size(c, 0).max, b = size(c, 1).max;

	return cel_range_scale(a < b ? a : b, a_character);
}

static uint64_t add_lists(struct call *c)
{
	struct cel_range a = size(c, 0), b = size(c, 1);

	give(c, (struct cel_range){ cel_range_add(a.min, b.min), cel_range_add(a.max, b.max) });
	return 1;
}

static uint64_t add_texts(struct call *c)
{
	(void)add_lists(c);
	return cel_range_scale(c->result.max, a_character);
}

/* Of what may be bytes: four of them may be one character. */
static uint64_t to_text(struct call *c)
{
	if (c->operands[0].node->is->kind != CEL_ANY)
		return 1;
	give(c, (struct cel_range){ size(c, 0).min / 4, size(c, 0).max });
	return size(c, 0).max == 0 ? 1 : read_first(c);
}

static uint64_t to_bytes(struct call *c)
{
	struct cel_range of = size(c, 0);

	if (c->operands[0].node->is->kind != CEL_ANY &&
	    c->operands[0].node->is->kind != CEL_STRING)
		return 1;
	give(c, (struct cel_range){ of.min, cel_range_multiply(of.max, 4) });
	return read_first(c);
}

static uint64_t quote(struct call *c)
{
	struct cel_range of = size(c, 0);

	give(c, (struct cel_range){ cel_range_add(of.min, 2),
				    cel_range_add(cel_range_multiply(of.max, 2), 2) });
	return read_first(c);
}

/* operands: of the row; NULL: of all rows of that name.  What is not here costs 1. */
static const struct rule {
	const char *name, *operands;
	uint64_t (*cost)(struct call *c);
} rules[] = {
	{ "isSorted", NULL, go_over },	    { "sum", NULL, go_over },
	{ "max", NULL, go_over },	    { "min", NULL, go_over },
	{ "indexOf", NULL, go_over },	    { "lastIndexOf", NULL, go_over },
	{ "lowerAscii", NULL, copy_first }, { "upperAscii", NULL, copy_first },
	{ "substring", NULL, copy_first },  { "trim", NULL, copy_first },
	{ "replace", NULL, replace },	    { "split", NULL, split },
	{ "join", NULL, join },		    { "find", NULL, find },
	{ "findAll", NULL, find },	    { "quantity", NULL, read_first },
	{ "isQuantity", NULL, read_first }, { "semver", NULL, read_first },
	{ "isSemver", NULL, read_first },   { "includes", NULL, includes },
	{ "url", NULL, copy_first },	    { "cidr", NULL, read_first },
	{ "isIP", NULL, read_first },	    { "isCIDR", NULL, read_first },
	{ "ip", "s", read_first },	    { "ip.isCanonical", NULL, read_twice },
	{ "containsIP", NULL, contains_address }, { "containsCIDR", NULL, contains_network },
	{ "validate", NULL, validate },	    { "sets.contains", NULL, compare_sets },
	{ "sets.intersects", NULL, compare_sets },
	{ "sets.equivalent", NULL, compare_sets_twice },
	{ "slice", NULL, slice },	    { "lists.range", NULL, range },
	{ "reverse", NULL, reverse },	    { "flatten", NULL, flatten },
	{ "distinct", NULL, compare_all },  { "sort", NULL, compare_all },

	{ "startsWith", NULL, read_second }, { "endsWith", NULL, read_second },
	{ "contains", NULL, contains },	     { "in", "AlA", in_list },
	{ "+", "lAlA", add_lists },	     { "+", "ss", add_texts },
	{ "<", "ss", compare },		     { "<=", "ss", compare },
	{ ">", "ss", compare },		     { ">=", "ss", compare },
	{ "==", NULL, compare },	     { "!=", NULL, compare },
	{ "string", NULL, to_text },	     { "bytes", NULL, to_bytes },
	{ "format", NULL, read_first },	     { "strings.quote", NULL, quote },
};

/* matches() costs what it may cost as a method, and 1 as a function: so it is in cel-go. */
static uint64_t (*rule_of(const struct cel_function *f, const struct cel_node *n))(struct call *c)
{
	char kind = n->first ? n->first->is->kind : 0;

	if (strcmp(n->name, "matches") == 0)
		return n->is_method ? match_cost : one;
	/* Kubernetes knows that these are small, when they are asked for being equal */
	if (strcmp(n->name, "==") == 0 && kind && strchr("qvIPUF", kind) &&
	    n->last->is->kind == kind)
		return one;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (strcmp(rules[i].name, n->name) == 0 &&
		    (!rules[i].operands || strcmp(rules[i].operands, f->operands) == 0))
			return rules[i].cost;
	return one;
}

void cel_estimate_call(const struct cel_function *f, const struct cel_node *n,
		       const struct cel_estimated *operands, struct cel_estimated *ret)
{
	struct call c = { .node = n, .operands = operands };
	uint64_t cost = rule_of(f, n)(&c);

	if (cost > ret->cost)
		ret->cost = cost;
	if (!c.is_sized)
		return;
	ret->size = ret->is_sized ? cel_range_union(ret->size, c.result) : c.result;
	ret->is_sized = true;
}
