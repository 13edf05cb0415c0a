/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - an expression becomes a tree
 *
 * Operators are read by their precedence (the table below), all else by the first word.  Depth is
 * bounded by cel_open() on the way down and by the tree's height on the way up: a + a + a... is as
 * high as it is long.  && and || are one node each, with as many operands as there are in a row.
 */
#include "manager/cel/lex.h"

#include <errno.h>
#include <string.h>

struct parser {
	struct cel *c;
	struct cel_lexer lexer;
	struct cel_token token;		/* the next one */
	uint32_t end;			/* of the one before */
	unsigned depth;
	struct err *e;
};

static struct cel_node *parse_expression(struct parser *p);

/* -- words -- */

static int advance(struct parser *p)
{
	p->end = p->token.end;
	return cel_lex(&p->lexer, &p->token);
}

/* NULL, so that a caller can return it. */
static struct cel_node *refuse_syntax(struct parser *p, uint32_t at, const char *what)
{
	(void)cel_refuse(p->c->text, at, p->e, "%s", what);
	return NULL;
}

static int expect(struct parser *p, int word, const char *what)
{
	if (p->token.word == word)
		return advance(p);
	(void)refuse_syntax(p, p->token.begin, what);
	return -1;
}

/* 1: it was the next one, and is read. */
static int accept(struct parser *p, int word)
{
	if (p->token.word != word)
		return 0;
	return advance(p) < 0 ? -1 : 1;
}

/* -- nodes -- */

static struct cel_node *make_node(struct parser *p, enum cel_kind kind, uint32_t begin)
{
	struct cel_node *n = cel_arena_new(&p->c->arena, sizeof(*n));

	if (!n) {
		(void)err_set(p->e, ERR_IO, ENOMEM, "expression");
		return NULL;
	}
	n->kind = kind;
	n->height = 1;
	n->begin = begin;
	n->end = p->end;
	n->at = begin;
	return n;
}

/* operand may be NULL: the error has been told. */
static int add_operand(struct parser *p, struct cel_node *n, struct cel_node *operand)
{
	if (!operand)
		return -1;
	if (operand->height >= CEL_HEIGHT_MAX) {
		(void)refuse_syntax(p, operand->at, "it is nested too deep");
		return -1;
	}
	if (n->last)
		n->last->next = operand;
	else
		n->first = operand;
	n->last = operand;
	n->count++;
	if (n->height <= operand->height)
		n->height = (uint16_t)(operand->height + 1);
	n->end = p->end;
	return 0;
}

/* In lists and maps `?x` is an optional value, whose value is put in where there is one. */
static struct cel_node *parse_element(struct parser *p, bool may_be_optional)
{
	int is_optional = may_be_optional ? accept(p, '?') : 0;
	struct cel_node *n = is_optional < 0 ? NULL : parse_expression(p);

	if (n)
		n->is_optional_entry = is_optional;
	return n;
}

/* Up to the closing word; in a list a comma may be the last, also the only one. */
static int parse_operands(struct parser *p, struct cel_node *n, int close, const char *what)
{
	int more = p->token.word != close && (close != ']' || p->token.word != ',');

	if (!more && p->token.word == ',' && advance(p) < 0)
		return -1;
	while (more > 0) {
		if (add_operand(p, n, parse_element(p, close != ')')) < 0)
			return -1;
		more = accept(p, ',');
		if (more > 0 && close == ']' && p->token.word == close)
			more = 0;
	}
	if (more < 0)
		return -1;
	if (expect(p, close, what) < 0)
		return -1;
	n->end = p->end;
	return 0;
}

/* -- what stands alone -- */

static struct cel_node *parse_literal(struct parser *p, struct cel_value value)
{
	uint32_t begin = p->token.begin;
	struct cel_node *n;

	if (advance(p) < 0)
		return NULL;
	n = make_node(p, CEL_LITERAL, begin);
	if (n)
		n->value = value;
	return n;
}

/* A name, or a call of a function. */
static struct cel_node *parse_name(struct parser *p)
{
	const char *name = p->token.value.text;
	uint32_t begin = p->token.begin;
	struct cel_node *n;
	int call;

	if (cel_lex_constant(name))
		return parse_literal(p, *cel_lex_constant(name));
	if (cel_lex_is_reserved(name))
		return refuse_syntax(p, begin, "a word that CEL reserves");
	if (advance(p) < 0)
		return NULL;
	n = make_node(p, CEL_NAME, begin);
	call = accept(p, '(');
	if (!n || call < 0)
		return NULL;
	n->name = name;
	if (!call)
		return n;
	n->kind = CEL_CALL;
	return parse_operands(p, n, ')', "expected ')' or ','") < 0 ? NULL : n;
}

static struct cel_node *parse_list(struct parser *p)
{
	struct cel_node *n = make_node(p, CEL_MAKE_LIST, p->token.begin);

	if (!n || advance(p) < 0 || parse_operands(p, n, ']', "expected ']' or ','") < 0)
		return NULL;
	return n;
}

static int parse_entry(struct parser *p, struct cel_node *n)
{
	if (add_operand(p, n, parse_element(p, true)) < 0 || expect(p, ':', "expected ':'") < 0)
		return -1;
	return add_operand(p, n, parse_expression(p));
}

static struct cel_node *parse_map(struct parser *p)
{
	struct cel_node *n = make_node(p, CEL_MAKE_MAP, p->token.begin);
	int more;

	if (!n || advance(p) < 0)
		return NULL;
	more = accept(p, ',') == 0;
	while (more && p->token.word != '}') {
		if (parse_entry(p, n) < 0)
			return NULL;
		more = accept(p, ',');
		if (more < 0)
			return NULL;
	}
	if (expect(p, '}', "expected '}' or ','") < 0)
		return NULL;
	n->end = p->end;
	return n;
}

static struct cel_node *parse_group(struct parser *p)
{
	uint32_t begin = p->token.begin;
	struct cel_node *n;

	if (advance(p) < 0)
		return NULL;
	n = parse_expression(p);
	if (!n || expect(p, ')', "expected ')'") < 0)
		return NULL;
	n->begin = begin;
	n->end = p->end;
	return n;
}

/* `.device` is looked for outside of all containers, of which there are none here. */
static struct cel_node *parse_absolute(struct parser *p)
{
	uint32_t begin = p->token.begin;
	struct cel_node *n;

	if (advance(p) < 0)
		return NULL;
	if (p->token.word != CEL_WORD_NAME)
		return refuse_syntax(p, p->token.begin, "expected a name behind '.'");
	n = parse_name(p);
	if (n)
		n->begin = begin;
	return n;
}

static struct cel_node *parse_primary(struct parser *p)
{
	switch (p->token.word) {
	case CEL_WORD_LITERAL:
		if (p->token.value.type == CEL_INT && p->token.value.integer == INT64_MIN)
			return refuse_syntax(p, p->token.begin,
					     "the number does not fit into 64 bits");
		return parse_literal(p, p->token.value);
	case CEL_WORD_NAME:
		return parse_name(p);
	case '.':
		return parse_absolute(p);
	case '(':
		return parse_group(p);
	case '[':
		return parse_list(p);
	case '{':
		return parse_map(p);
	default:
		return refuse_syntax(p, p->token.begin, "expected a value");
	}
}

/* -- what is behind it -- */

/* Is it a.?b, a[?b]?  The word before is read; -1: the next is none. */
static int parse_is_optional(struct parser *p, struct cel_node *n)
{
	int is_optional = accept(p, '?');

	n->is_optional = is_optional > 0;
	return is_optional;
}

/* a.b, a.f(b) */
static struct cel_node *parse_select(struct parser *p, struct cel_node *of)
{
	struct cel_node *n = make_node(p, CEL_SELECT, of->begin);
	int call;

	if (!n || advance(p) < 0 || parse_is_optional(p, n) < 0)
		return NULL;
	n->name = p->token.value.text;
	n->at = p->token.begin;
	if (p->token.word == CEL_WORD_NAME && cel_lex_constant(n->name))
		return refuse_syntax(p, n->at, "true, false and null are no names behind '.'");
	if (expect(p, CEL_WORD_NAME, "expected a name behind '.'") < 0 || add_operand(p, n, of) < 0)
		return NULL;
	call = n->is_optional ? 0 : accept(p, '(');
	if (call <= 0)
		return call < 0 ? NULL : n;
	n->kind = CEL_CALL;
	n->is_method = true;
	return parse_operands(p, n, ')', "expected ')' or ','") < 0 ? NULL : n;
}

/* a[b] */
static struct cel_node *parse_index(struct parser *p, struct cel_node *of)
{
	struct cel_node *n = make_node(p, CEL_INDEX, of->begin);

	if (!n || advance(p) < 0 || parse_is_optional(p, n) < 0)
		return NULL;
	n->at = p->token.begin;
	if (add_operand(p, n, of) < 0 || add_operand(p, n, parse_expression(p)) < 0 ||
	    expect(p, ']', "expected ']'") < 0)
		return NULL;
	n->end = p->end;
	return n;
}

static struct cel_node *parse_member(struct parser *p)
{
	struct cel_node *n = parse_primary(p);

	while (n && (p->token.word == '.' || p->token.word == '['))
		n = p->token.word == '.' ? parse_select(p, n) : parse_index(p, n);
	if (n && p->token.word == '{')
		return refuse_syntax(p, p->token.begin, "messages are not supported");
	return n;
}

/* -- operators -- */

/* The sign belongs to a number that is behind it: -9223372036854775808 has no positive. */
static struct cel_node *parse_negative(struct parser *p, uint32_t begin)
{
	struct cel_value *v = &p->token.value;
	struct cel_node *n;

	if (v->type == CEL_INT && v->integer != INT64_MIN)
		v->integer = -v->integer;
	else if (v->type == CEL_DOUBLE)
		v->real = -v->real;
	n = parse_literal(p, *v);
	if (n)
		n->begin = begin;
	while (n && (p->token.word == '.' || p->token.word == '['))
		n = p->token.word == '.' ? parse_select(p, n) : parse_index(p, n);
	return n;
}

/* Two signs are none, as in cel-go: !!x and --x are x, whatever that is. */
static struct cel_node *parse_signs(struct parser *p, const char *name)
{
	uint32_t begin = p->token.begin;
	unsigned count = 0;
	struct cel_node *n;

	for (; p->token.word == *name; count++)
		if (advance(p) < 0)
			return NULL;
	if (count == 1 && *name == '-' && p->token.word == CEL_WORD_LITERAL &&
	    (p->token.value.type == CEL_INT || p->token.value.type == CEL_DOUBLE))
		return parse_negative(p, begin);
	if (count % 2 == 0)
		return parse_member(p);
	n = make_node(p, CEL_CALL, begin);
	if (!n)
		return NULL;
	n->name = name;
	return add_operand(p, n, parse_member(p)) < 0 ? NULL : n;
}

static struct cel_node *parse_unary(struct parser *p)
{
	if (p->token.word == '!')
		return parse_signs(p, "!");
	if (p->token.word == '-')
		return parse_signs(p, "-");
	return parse_member(p);
}

static const struct binary {
	int word, precedence;
	enum cel_kind kind;
	const char *name;
} binaries[] = {
	{ CEL_WORD_OR, 1, CEL_OR, NULL },
	{ CEL_WORD_AND, 2, CEL_AND, NULL },
	{ CEL_WORD_EQUAL, 3, CEL_CALL, "==" },
	{ CEL_WORD_UNEQUAL, 3, CEL_CALL, "!=" },
	{ '<', 3, CEL_CALL, "<" },
	{ CEL_WORD_LESS_EQUAL, 3, CEL_CALL, "<=" },
	{ '>', 3, CEL_CALL, ">" },
	{ CEL_WORD_GREATER_EQUAL, 3, CEL_CALL, ">=" },
	{ CEL_WORD_IN, 3, CEL_CALL, "in" },
	{ '+', 4, CEL_CALL, "+" },
	{ '-', 4, CEL_CALL, "-" },
	{ '*', 5, CEL_CALL, "*" },
	{ '/', 5, CEL_CALL, "/" },
	{ '%', 5, CEL_CALL, "%" },
};

static const struct binary *find_binary(int word, int precedence)
{
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++)
		if (binaries[i].word == word && binaries[i].precedence >= precedence)
			return &binaries[i];
	return NULL;
}

static struct cel_node *parse_binary(struct parser *p, int precedence);

/* left is the first operand, or has the same && or || already. */
static struct cel_node *parse_right(struct parser *p, struct cel_node *left,
				    const struct binary *op)
{
	struct cel_node *n = left;
	bool is_longer = op->kind != CEL_CALL && left->kind == op->kind;

	if (!is_longer) {
		n = make_node(p, op->kind, left->begin);
		if (!n || add_operand(p, n, left) < 0)
			return NULL;
		n->name = op->name;
		n->at = p->token.begin;
	}
	if (advance(p) < 0 || add_operand(p, n, parse_binary(p, op->precedence + 1)) < 0)
		return NULL;
	return n;
}

static struct cel_node *parse_binary(struct parser *p, int precedence)
{
	struct cel_node *n = parse_unary(p);
	const struct binary *op = find_binary(p->token.word, precedence);

	while (n && op) {
		n = parse_right(p, n, op);
		op = find_binary(p->token.word, precedence);
	}
	return n;
}

static struct cel_node *parse_conditional(struct parser *p)
{
	struct cel_node *n, *condition = parse_binary(p, 1);

	if (!condition || p->token.word != '?')
		return condition;
	n = make_node(p, CEL_CONDITIONAL, condition->begin);
	if (!n || advance(p) < 0 || add_operand(p, n, condition) < 0 ||
	    add_operand(p, n, parse_binary(p, 1)) < 0 || expect(p, ':', "expected ':'") < 0 ||
	    add_operand(p, n, parse_expression(p)) < 0)
		return NULL;
	return n;
}

/* How deep the reader is in itself, the height of the tree tells only afterwards. */
static struct cel_node *parse_expression(struct parser *p)
{
	struct cel_node *n;

	if (p->depth >= CEL_HEIGHT_MAX)
		return refuse_syntax(p, p->token.begin, "it is nested too deep");
	p->depth++;
	n = parse_conditional(p);
	p->depth--;
	return n;
}

int cel_parse(struct cel *c, struct err *e)
{
	struct parser p = { .c = c, .e = e };

	p.lexer = (struct cel_lexer){ .text = c->text, .arena = &c->arena, .e = e };
	if (advance(&p) < 0)
		return -1;
	c->root = parse_expression(&p);
	if (!c->root)
		return -1;
	if (p.token.word != CEL_WORD_END)
		return cel_refuse(c->text, p.token.begin, e, "expected an operator or the end");
	return 0;
}
