/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cel_types.c - the type checker of expressions against what they are when evaluated
 *
 * The input chooses an expression: each byte is one choice.  It is made of all functions of the
 * tables, most of the time with operands of the types that they ask for.  What compiles is
 * evaluated, and of each part in which every type is known:
 *
 *	its value is of the type that was said of it, with all that is in it
 *	it does not fail with an error of types ("no such overload")
 */
#include "manager/cel/device.h"
#include "manager/cel/eval.h"
#include "manager/cel/function.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum {
	DEPTH_MAX = 6,
	TEXT_MAX = 3000,
	ROWS_MAX = 512,
	TYPE_MAX = 16,			/* letters of a signature */
	VARIABLES_MAX = 6,
	NODES_MAX = 4096,
};

struct maker {
	const unsigned char *at, *end;
	char text[TEXT_MAX + 256];
	size_t size;
	char variables[VARIABLES_MAX][TYPE_MAX];
	size_t variables_count;
};

/* -- an expression, chosen by the input -- */

static unsigned choose(struct maker *m, unsigned n)
{
	return m->at < m->end ? *m->at++ % n : 0;
}

static void put(struct maker *m, const char *text)
{
	size_t n = strlen(text);

	if (m->size + n + 1 >= sizeof(m->text))
		return;
	memcpy(m->text + m->size, text, n + 1);
	m->size += n;
}

static const struct {
	char type;
	const char *texts[8];
} literals[] = {
	{ 'n', { "null" } },
	{ 'b', { "true", "false", "device.allowMultipleAllocations", "has(device.capacity.d.m)" } },
	{ 'i', { "0", "1", "-1", "8", "9223372036854775807", "-9223372036854775808" } },
	{ 'u', { "0u", "1u", "18446744073709551615u" } },
	{ 'd', { "0.0", "1.5", "-2.5", "1e300", "(0.0 / 0.0)" } },
	{ 's', { "\"\"", "\"fish\"", "\"a,b,c\"", "\"8\"", "\"αβγ\"", "device.driver" } },
	{ 'v', { "semver(\"1.2.3\")", "semver(\"v1\", true)" } },
	{ 'q', { "quantity(\"10Gi\")", "device.capacity.d.m", "device.capacity[\"d\"][\"m\"]" } },
	{ 'y', { "b\"abc\"", "bytes(device.driver)" } },
	{ 'r', { "duration(\"1h\")", "duration(\"-1.5s\")" } },
	{ 'T', { "timestamp(\"2020-01-01T00:00:00Z\")" } },
	{ 'o', { "optional.none()" } },
	{ 'U', { "url(\"http://a.io:80/b?c=d\")" } },
	{ 'I', { "ip(\"::1\")", "ip(\"10.0.0.1\")" } },
	{ 'P', { "cidr(\"10.0.0.0/8\")" } },
	{ '.', { "device.attributes.d.s", "device.attributes[\"d\"].i", "dyn(1)", "dyn(\"a\")",
		 "device.attributes[\"d\"][\"l\"]", "device.attributes.d.v", "dyn([1u])",
		 "dyn({\"a\": 1})" } },
};

static void make(struct maker *m, const char *type, unsigned depth);

/* Any type, a list or a map now and then. */
static void choose_type(struct maker *m, char ret[TYPE_MAX])
{
	static const char *const types[] = { "i", "s", "b", "u",  "d",	"q",   "v",   ".",
					     "ls", "li", "l.", "msi", "mis", "lls", "lq", "n",
					     "os", "oi",  "y", "r",   "T",   "I",   "P",  "U" };

	(void)snprintf(ret, TYPE_MAX, "%s", types[choose(m, ARRAY_SIZE(types))]);
}

static void make_literal(struct maker *m, const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(literals); i++)
		if (literals[i].type == *type) {
			unsigned n = 0;

			while (n < ARRAY_SIZE(literals[i].texts) && literals[i].texts[n])
				n++;
			put(m, literals[i].texts[choose(m, n)]);
			return;
		}
	put(m, *type == 'l' ? "[]" : *type == 'm' ? "{}" : "dyn(1)");
}

/* Its elements are of the type, too. */
static void make_container(struct maker *m, const char *type, unsigned depth)
{
	unsigned n = choose(m, 4);

	put(m, *type == 'l' ? "[" : "{");
	for (unsigned i = 0; i < n; i++) {
		put(m, i > 0 ? ", " : "");
		make(m, type + 1, depth + 1);
		if (*type == 'm') {
			put(m, ": ");
			make(m, cel_signature_next(type + 1), depth + 1);
		}
	}
	put(m, *type == 'l' ? "]" : "}");
}

/* What A, B, C, N and K of a row stand for in one call. */
struct letters {
	char types[5][TYPE_MAX];
};

static char *letter_of(struct letters *l, char letter)
{
	const char *at = letter ? strchr("ABCNK", letter) : NULL;

	return at ? l->types[at - "ABCNK"] : NULL;
}

/* May the result be of that type?  Then the letters in it are said. */
static bool gives(const char *result, const char *type, struct letters *l)
{
	char *letter = letter_of(l, *result);
	size_t n = (size_t)(cel_signature_next(type) - type);

	if (letter && (*result == 'N' || *result == 'K') && !strchr("iuds", *type))
		return false;
	if (letter && n < TYPE_MAX) {
		(void)snprintf(letter, TYPE_MAX, "%.*s", (int)n, type);
		return true;
	}
	if (*result != *type)
		return false;
	return *result == 'l' ? gives(result + 1, type + 1, l) : *result != 'm';
}

static void choose_of_class(struct maker *m, char class, char ret[TYPE_MAX])
{
	const char *types = class == 'N' ? "iud" : class == 'K' ? "isb" : "";

	if (*types)
		(void)snprintf(ret, TYPE_MAX, "%c", types[choose(m, 3)]);
}

/* The type of an operand, with what the letters stand for; those that are not said are chosen. */
static void fill_in(struct maker *m, const char *s, struct letters *l, char ret[TYPE_MAX])
{
	size_t n = 0;

	for (const char *end = cel_signature_next(s); s < end && n + 1 < TYPE_MAX; s++) {
		char *letter = letter_of(l, *s);

		if (letter && !*letter)
			choose_of_class(m, *s, letter);
		if (letter && !*letter)
			choose_type(m, letter);
		if (letter)
			n += (size_t)snprintf(ret + n, TYPE_MAX - n, "%s", letter);
		else
			ret[n++] = *s;
		ret[n < TYPE_MAX ? n : TYPE_MAX - 1] = '\0';
		n = strlen(ret);
	}
}

static void make_operand(struct maker *m, const char *s, struct letters *l, unsigned depth)
{
	char type[TYPE_MAX] = "";

	fill_in(m, s, l, type);
	/* N is another number the next time */
	if (*s == 'N')
		*letter_of(l, 'N') = '\0';
	make(m, type, depth + 1);
}

static void make_call(struct maker *m, const struct cel_function *f, struct letters *l,
		      unsigned depth)
{
	const char *s = f->operands;
	size_t n = cel_signature_count(s);
	bool is_method = f->style == CEL_METHOD || (f->style == CEL_BOTH && choose(m, 2));

	if (f->style == CEL_OPERATOR)
		put(m, n == 1 ? f->name : "(");
	else if (!is_method) {
		put(m, f->name);
		put(m, "(");
	}
	for (size_t i = 0; i < n; i++, s = cel_signature_next(s)) {
		make_operand(m, s, l, depth);
		if (i == 0 && is_method) {
			put(m, ".");
			put(m, f->name);
			put(m, "(");
		} else if (i == 0 && f->style == CEL_OPERATOR && n > 1) {
			put(m, " ");
			put(m, f->name);
			put(m, " ");
		} else if (i + 1 < n) {
			put(m, ", ");
		}
	}
	put(m, f->style == CEL_OPERATOR && n == 1 ? "" : ")");
}

static const struct cel_function *const *all_rows(void)
{
	static const struct cel_function *all[ROWS_MAX];

	if (!all[0])
		for (size_t i = 0; i < ROWS_MAX - 1; i++)
			all[i] = cel_function_at(i);
	return all;
}

/* One of the functions that may give the type. */
static bool make_function(struct maker *m, const char *type, unsigned depth)
{
	const struct cel_function *const *all = all_rows(), *rows[ROWS_MAX], *f;
	struct letters l = { 0 };
	size_t n = 0;

	for (size_t i = 0; all[i]; i++)
		if (gives(all[i]->result, type, &l))
			rows[n++] = all[i];
	if (n == 0)
		return false;
	f = rows[choose(m, n < 256 ? (unsigned)n : 256)];
	l = (struct letters){ 0 };
	(void)gives(f->result, type, &l);
	make_call(m, f, &l, depth);
	return true;
}

static void put_variable(struct maker *m, size_t i)
{
	put(m, (const char *const[]){ "v0", "v1", "v2", "v3", "v4", "v5" }[i]);
}

static bool make_variable(struct maker *m, const char *type)
{
	for (size_t i = m->variables_count; i > 0; i--)
		if (strcmp(m->variables[i - 1], type) == 0) {
			put_variable(m, i - 1);
			return true;
		}
	return false;
}

/* RANGE.MACRO(v, BODY), cel.bind(v, VALUE, BODY); the variable is of the type. */
static void make_scope(struct maker *m, const char *of, const char *macro, const char *variable,
		       const char *body, unsigned depth)
{
	put(m, of ? "" : "cel.bind(");
	if (of) {
		make(m, of, depth + 1);
		put(m, macro);
	}
	put_variable(m, m->variables_count);
	put(m, ", ");
	if (!of) {
		make(m, variable, depth + 1);
		put(m, ", ");
	}
	(void)snprintf(m->variables[m->variables_count++], TYPE_MAX, "%s", variable);
	make(m, body, depth + 1);
	m->variables_count--;
	put(m, ")");
}

static bool make_macro(struct maker *m, const char *type, unsigned depth)
{
	static const char *const tests[] = { ".all(", ".exists(", ".exists_one(" };
	char element[TYPE_MAX], of[TYPE_MAX];

	if (m->variables_count >= VARIABLES_MAX)
		return false;
	choose_type(m, element);
	if (*type == 'l' && choose(m, 2))
		(void)snprintf(element, sizeof(element), "%s", type + 1);
	(void)snprintf(of, sizeof(of), choose(m, 4) ? "l%.*s" : "m%.*si", TYPE_MAX - 3, element);
	if (*type == 'b')
		make_scope(m, of, tests[choose(m, 3)], element, "b", depth);
	else if (*type == 'l' && strcmp(element, type + 1) == 0 && choose(m, 2))
		make_scope(m, of, ".filter(", element, "b", depth);
	else if (*type == 'l')
		make_scope(m, of, ".map(", element, type + 1, depth);
	else
		make_scope(m, NULL, NULL, element, type, depth);
	return true;
}

static void make_conditional(struct maker *m, const char *type, unsigned depth)
{
	put(m, "(");
	make(m, "b", depth + 1);
	put(m, " ? ");
	make(m, type, depth + 1);
	put(m, " : ");
	make(m, type, depth + 1);
	put(m, ")");
}

static void make_index(struct maker *m, const char *type, unsigned depth)
{
	char of[TYPE_MAX];
	bool is_map = choose(m, 2);

	(void)snprintf(of, sizeof(of), "%s%.*s", is_map ? "ms" : "l", TYPE_MAX - 3, type);
	make(m, of, depth + 1);
	put(m, "[");
	make(m, is_map ? "s" : "i", depth + 1);
	put(m, "]");
}

static void make_logic(struct maker *m, unsigned depth)
{
	put(m, "(");
	make(m, "b", depth + 1);
	put(m, choose(m, 2) ? " && " : " || ");
	make(m, "b", depth + 1);
	put(m, ")");
}

/* One type; where a list of signatures is given, its first.  Now and then it is another. */
static void make(struct maker *m, const char *type, unsigned depth)
{
	char one[TYPE_MAX];
	unsigned way = choose(m, 16);

	(void)snprintf(one, sizeof(one), "%.*s", (int)(cel_signature_next(type) - type), type);
	if (way == 15 && choose(m, 4) == 0)
		choose_type(m, one);
	if (depth >= DEPTH_MAX || m->size > TEXT_MAX)
		way = 0;
	if (way >= 1 && way <= 3 && make_variable(m, one))
		return;
	if (way >= 4 && way <= 8 && make_function(m, one, depth))
		return;
	if (way >= 9 && way <= 10 && make_macro(m, one, depth))
		return;
	if (way == 11)
		make_conditional(m, one, depth);
	else if (way == 12)
		make_index(m, one, depth);
	else if (way == 13 && *one == 'b')
		make_logic(m, depth);
	else if (way > 0 && (*one == 'l' || *one == 'm'))
		make_container(m, one, depth);
	else
		make_literal(m, one);
}

/* -- what is known of it, and what it is -- */

/* null may be where a quantity is asked for, as in cel-go. */
static bool is_known(const struct cel_static *is)
{
	bool ret = is->kind != CEL_ANY && is->kind != CEL_NULL;

	for (unsigned i = 0; i < cel_static_parts(is->kind); i++)
		ret = ret && is_known(is->part[i]);
	return ret;
}

/* The parts of which all types are known, also of what their variables are. */
static const struct cel_node *known[NODES_MAX];
static size_t known_count;

static bool find_known(const struct cel_node *n, bool variables[CEL_VARIABLES_MAX + 1])
{
	bool ret = is_known(n->is);

	if (n->kind == CEL_VARIABLE)
		ret = ret && variables[n->slot];
	for (const struct cel_node *o = n->first; o; o = o->next) {
		bool operand = find_known(o, variables);

		/* a macro may have two */
		if (o == n->first && (n->kind == CEL_MACRO || n->kind == CEL_BIND))
			variables[n->slot] = variables[n->slot + 1] = operand;
		ret = ret && operand;
	}
	if (n->kind == CEL_NAME || n->kind == CEL_ATTRIBUTE ||
	    (n->kind == CEL_SELECT && n->first->is->kind == CEL_DEVICE))
		ret = is_known(n->is);
	if (ret && known_count < NODES_MAX)
		known[known_count++] = n;
	return ret;
}

static bool is_in_known(const struct cel_node *n)
{
	for (size_t i = 0; i < known_count; i++)
		if (known[i] == n)
			return true;
	return false;
}

static bool fits(struct cel_run *r, const struct cel_static *is, struct cel_value v)
{
	const struct cel_map *m;

	if (is->kind == CEL_DEVICE)
		return v.type == CEL_MAP && v.map->kind == CEL_MAP_DEVICE;
	if ((char)v.type != is->kind)
		return false;
	if (v.type == CEL_LIST)
		for (uint32_t i = 0; i < v.size; i++)
			if (!fits(r, is->part[0], v.elements[i]))
				return false;
	if (v.type != CEL_MAP)
		return true;
	m = cel_map_list(r, v.map);
	for (size_t i = 0; m && i < m->count; i++)
		if (m->entries[i].value.type != CEL_ERROR &&
		    (!fits(r, is->part[0], m->entries[i].key) ||
		     !fits(r, is->part[1], m->entries[i].value)))
			return false;
	return true;
}

static bool is_of_types(const struct cel_fault *f)
{
	static const char *const words[] = { "no such overload", "must be true or false",
					     "this type has no members", "is for lists and maps",
					     "the place in a list is a number" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strncmp(f->what, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static struct cel_value term(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value v = cel_evaluate_node(r, n);

	if (r->fatal || !is_in_known(n))
		return v;
	if (v.type == CEL_ERROR ? is_of_types(v.fault) : !fits(r, n->is, v)) {
		(void)fprintf(stderr, "%.*s\n", (int)(n->end - n->begin), r->text + n->begin);
		must(!"of the type that was said");
	}
	return v;
}

static void evaluate(const struct cel *c)
{
	static json_t *attributes, *capacity;
	struct cel_device d = { .driver = "d" };
	struct cel_trace trace = { .term = term };
	struct cel_run r = { .text = c->text, .device = &d, .trace = &trace,
			     .evaluate = cel_evaluate };

	if (!attributes) {
		attributes = json_loads("{\"s\":{\"string\":\"fish\"},\"i\":{\"int\":8},"
					"\"v\":{\"version\":\"1.2.3\"},"
					"\"l\":{\"strings\":[\"a\",\"b\"]}}", 0, NULL);
		capacity = json_loads("{\"m\":{\"value\":\"10Gi\"}}", 0, NULL);
	}
	d.attributes = attributes;
	d.capacity = capacity;
	r.arena.at = r.first;
	r.arena.end = r.first + sizeof(r.first);
	(void)cel_evaluate(&r, c->root);
	cel_arena_done(&r.arena);
}

static void fuzz_one(const char *text, size_t len)
{
	auto_free unsigned char *bytes = memcpy(malloc(len + 1), text, len);
	struct maker m = { .at = bytes, .end = bytes + len };
	bool variables[CEL_VARIABLES_MAX + 1] = { false };
	uint64_t cost;
	struct err e = { 0 };
	auto_cel struct cel *c = NULL;

	make(&m, "b", 0);
	c = cel_compile_costly(m.text, &cost, &e);
	must(!c == (e.code == ERR_NETCONF));
	if (fuzz_tell)
		(void)fprintf(stderr, "%s\n%s\n", m.text, e.msg);
	if (!c)
		return;
	accepted();
	known_count = 0;
	(void)find_known(c->root, variables);
	evaluate(c);
}
