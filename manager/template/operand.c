/* SPDX-License-Identifier: Apache-2.0 */
/* operand.c - pipelines of a template: variables, commands, and their operands */
#include "manager/template/part.h"

#include <string.h>

static int unexpected(const struct template_parser *p, const char *where)
{
	char name[48];

	return template_wrong(&p->l, "unexpected %s in %s",
			      template_token_name(&p->l.token, name), where);
}

int template_nest(struct template_parser *p)
{
	if (++p->nest > TEMPLATE_NEST_MAX)
		return template_wrong(&p->l, "more than %d blocks and parentheses in each other",
				      TEMPLATE_NEST_MAX);
	return 0;
}

/* -- operands -- */

static int parse_literal(struct template_parser *p, unsigned int *ret)
{
	const struct template_token *token = &p->l.token;
	const char *wrong;
	json_t *value = template_literal(token, &wrong);
	char name[48];

	if (!value && wrong)
		return template_wrong(&p->l, "%s: %s", template_token_name(token, name), wrong);
	*ret = template_node_add(p->t, NODE_LITERAL, p->l.line);
	p->t->node[*ret].value = value;
	return 0;
}

static int parse_word(struct template_parser *p, unsigned int *ret)
{
	static const char *const constants[] = { "nil", "true", "false" };
	const struct template_token *word = &p->l.token;
	const struct template_function *f = template_function_find(word->at, word->len);
	char name[48];

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strlen(constants[i]) == word->len &&
		    memcmp(constants[i], word->at, word->len) == 0) {
			*ret = template_node_add(p->t, NODE_LITERAL, p->l.line);
			p->t->node[*ret].value = i == 0 ? json_null() : json_boolean(i == 1);
			return 0;
		}
	if (!f)
		return template_wrong(&p->l, "'%s' is not supported, only the functions and, eq, "
				      "ge, gt, index, le, len, lt, ne, not, or, print, printf and "
				      "println", template_token_name(word, name));
	*ret = template_node_add(p->t, NODE_FUNCTION, p->l.line);
	p->t->node[*ret].function = f;
	return 0;
}

static bool is_same(const struct template_token *a, const struct template_token *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len) == 0);
}

int template_variable(struct template_parser *p, const struct template_token *name)
{
	char text[48];

	for (unsigned int i = p->n_vars; i-- > 0;)
		if (is_same(&p->var[i], name))
			return (int)i;
	for (unsigned int i = 0; i < p->n_unset; i++)
		if (is_same(&p->unset[i], name))
			return TEMPLATE_NO_VAR;
	return template_wrong(&p->l, "there is no variable %s", template_token_name(name, text));
}

int template_unset(struct template_parser *p, const struct template_token *name)
{
	for (unsigned int i = 0; i < p->n_unset; i++)
		if (is_same(&p->unset[i], name))
			return 0;
	if (p->n_unset == TEMPLATE_VARS_MAX)
		return template_wrong(&p->l, "more than %d variables", TEMPLATE_VARS_MAX);
	p->unset[p->n_unset++] = *name;
	return 0;
}

static int parse_variable(struct template_parser *p, unsigned int *ret)
{
	int var = template_variable(p, &p->l.token);

	if (var < 0)
		return -1;
	*ret = template_node_add(p->t, NODE_VARIABLE, p->l.line);
	p->t->node[*ret].var[0] = (unsigned int)var;
	return 0;
}

static int parse_paren(struct template_parser *p, unsigned int *ret)
{
	unsigned int node = template_node_add(p->t, NODE_PAREN, p->l.line), pipe;

	if (template_nest(p) < 0 || template_next(&p->l) < 0 ||
	    template_parse_pipe(p, TOKEN_CLOSE, "parentheses", &pipe) < 0)
		return -1;
	p->nest--;
	p->t->node[node].pipe = pipe;
	*ret = node;
	return 0;
}

/* ".Name.Other": the token is the first of them. */
static int parse_fields(struct template_parser *p, unsigned int operand)
{
	unsigned int first = 0, last = 0;

	do {
		const struct template_token *field = &p->l.token;
		unsigned int name = template_node_add(p->t, NODE_NAME, p->l.line);

		p->t->node[name].value = json_stringn(field->at, field->len);
		if (!p->t->node[name].value)
			return template_wrong(&p->l, "a name that is not UTF-8");
		template_node_append(p->t, &first, &last, name);
		if (template_next(&p->l) < 0)
			return -1;
	} while (p->l.token.kind == TOKEN_FIELD && !p->l.token.is_spaced);
	p->t->node[operand].first = first;
	return 0;
}

static int parse_first_token(struct template_parser *p, unsigned int *ret)
{
	switch (p->l.token.kind) {
	case TOKEN_WORD:
		return parse_word(p, ret);
	case TOKEN_VARIABLE:
		return parse_variable(p, ret);
	case TOKEN_NUMBER:
	case TOKEN_STRING:
	case TOKEN_RAW_STRING:
		return parse_literal(p, ret);
	case TOKEN_OPEN:
		return parse_paren(p, ret);
	case TOKEN_DOT:
	case TOKEN_FIELD:
		*ret = template_node_add(p->t, NODE_DOT, p->l.line);
		return 0;
	default:
		return unexpected(p, "a command");
	}
}

int template_parse_operand(struct template_parser *p, unsigned int *ret)
{
	bool is_field = p->l.token.kind == TOKEN_FIELD, has_fields = is_field;
	enum template_kind kind;

	if (parse_first_token(p, ret) < 0 || (!is_field && template_next(&p->l) < 0))
		return -1;
	kind = p->t->node[*ret].kind;
	if (!is_field && (kind == NODE_VARIABLE || kind == NODE_PAREN || kind == NODE_FUNCTION))
		has_fields = p->l.token.kind == TOKEN_FIELD && !p->l.token.is_spaced;
	return has_fields ? parse_fields(p, *ret) : 0;
}

/* -- commands -- */

/* What Go finds before it runs a template: the rest is found when the command is run (run.c). */
static int check_command(const struct template_parser *p, const struct template_node *operand,
			 bool is_piped)
{
	if (is_piped && (operand->kind == NODE_LITERAL ||
			 (operand->kind == NODE_DOT && operand->first == 0)))
		return template_wrong(&p->l, "what is behind | is no function");
	return 0;
}

static int parse_operands(struct template_parser *p, enum template_token_kind end,
			  unsigned int *first, unsigned int *n)
{
	unsigned int last = 0, operand = 0;

	for (*n = 0; p->l.token.kind != end && p->l.token.kind != TOKEN_PIPE; ++*n) {
		if (*n > 0 && !p->l.token.is_spaced)
			return unexpected(p, "an operand: a blank is missing");
		if (*n > TEMPLATE_ARGS_MAX)
			return template_wrong(&p->l, "more than %d arguments", TEMPLATE_ARGS_MAX);
		if (template_parse_operand(p, &operand) < 0)
			return -1;
		template_node_append(p->t, first, &last, operand);
	}
	return 0;
}

static int parse_command(struct template_parser *p, enum template_token_kind end, bool is_piped,
			 const char *where, unsigned int *ret)
{
	unsigned int node = template_node_add(p->t, NODE_COMMAND, p->l.line), first = 0, n;

	if (parse_operands(p, end, &first, &n) < 0)
		return -1;
	if (n == 0)
		return template_wrong(&p->l, "%s has no value%s", where,
				      is_piped ? " behind |" : "");
	p->t->node[node].first = first;
	*ret = node;
	return check_command(p, &p->t->node[first], is_piped);
}

/* -- pipelines -- */

struct declaration {
	struct template_token name[2];
	unsigned int n;
	bool assigns;
};

/* "$a, $b" and then ":=" or "=".  1, or 0: it was none, and the tokens are there again. */
static int parse_names(struct template_parser *p, const char *where, struct declaration *d)
{
	struct template_lexer start = p->l, second = p->l;
	bool is_range = strcmp(where, "range") == 0;

	d->n = 0;
	while (p->l.token.kind == TOKEN_VARIABLE && d->n < 2) {
		second = p->l;
		d->name[d->n++] = p->l.token;
		if (template_next(&p->l) < 0)
			return -1;
		if (p->l.token.kind != TOKEN_COMMA || !is_range)
			break;
		if (template_next(&p->l) < 0)
			return -1;
		if (p->l.token.kind != TOKEN_VARIABLE)
			return unexpected(p, where);
	}
	if (d->n > 0 && (p->l.token.kind == TOKEN_DECLARE || p->l.token.kind == TOKEN_ASSIGN)) {
		d->assigns = p->l.token.kind == TOKEN_ASSIGN;
		return template_next(&p->l) < 0 ? -1 : 1;
	}
	if (p->l.token.kind == TOKEN_COMMA || (d->n > 1 && p->l.token.kind == TOKEN_VARIABLE))
		return unexpected(p, where);
	if (d->n > 1) {		/* "$a, $b.c": to Go the first one is declared */
		p->l = second;
		d->n = 1;
		return 1;
	}
	d->n = 0;
	p->l = start;
	return 0;
}

static int declare(struct template_parser *p, const struct template_token *name)
{
	if (p->n_vars == TEMPLATE_VARS_MAX)
		return template_wrong(&p->l, "more than %d variables", TEMPLATE_VARS_MAX);
	p->var[p->n_vars] = *name;
	if (++p->n_vars > p->t->vars)
		p->t->vars = p->n_vars;
	return (int)p->n_vars - 1;
}

/* For the commands, which come before they are set. */
static int unset_names(struct template_parser *p, const struct declaration *d)
{
	for (unsigned int i = 0; i < d->n; i++)
		if (template_unset(p, &d->name[i]) < 0)
			return -1;
	return 0;
}

/* Behind the commands, for they do not know what they make. */
static int set_names(struct template_parser *p, const struct declaration *d, unsigned int pipe)
{
	for (unsigned int i = 0; i < d->n; i++) {
		int var = d->assigns ? template_variable(p, &d->name[i]) : declare(p, &d->name[i]);

		if (var < 0)
			return -1;
		p->t->node[pipe].var[i] = (unsigned int)var;
	}
	p->t->node[pipe].n_vars = d->n;
	return 0;
}

int template_parse_pipe(struct template_parser *p, enum template_token_kind end,
			const char *where, unsigned int *ret)
{
	unsigned int pipe = template_node_add(p->t, NODE_PIPE, p->l.line);
	unsigned int first = 0, last = 0, command = 0;
	struct declaration d = { 0 };

	if (parse_names(p, where, &d) < 0 || unset_names(p, &d) < 0)
		return -1;
	for (;;) {
		if (parse_command(p, end, first != 0, where, &command) < 0)
			return -1;
		template_node_append(p->t, &first, &last, command);
		if (p->l.token.kind == end)
			break;
		if (template_next(&p->l) < 0)
			return -1;
		if (p->l.token.kind == end)	/* "{{1 |}}" */
			break;
	}
	p->t->node[pipe].first = first;
	*ret = pipe;
	return set_names(p, &d, pipe);
}
