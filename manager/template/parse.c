/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - a template as a tree: texts, actions, and blocks up to their ends */
#include "manager/template/part.h"

#include "base/mem.h"

#include <string.h>

enum list_end { AT_TEXT_END, AT_END, AT_ELSE };

static int parse_list(struct template_parser *p, unsigned int *ret, enum list_end *how) must_check;

static bool is_word(const struct template_parser *p, const char *word)
{
	return p->l.token.kind == TOKEN_WORD && p->l.token.len == strlen(word) &&
	       memcmp(p->l.token.at, word, p->l.token.len) == 0;
}

/* The end of an action: move on behind it. */
static int expect_right(struct template_parser *p, const char *where)
{
	char name[48];

	if (p->l.token.kind != TOKEN_RIGHT)
		return template_wrong(&p->l, "unexpected %s in %s",
				      template_token_name(&p->l.token, name), where);
	return template_next(&p->l);
}

/* -- blocks -- */

static int parse_end(struct template_parser *p)
{
	return template_next(&p->l) < 0 ? -1 : expect_right(p, "end");
}

static int parse_closed_list(struct template_parser *p, const char *name, unsigned int line,
			     unsigned int *ret)
{
	enum list_end how = AT_TEXT_END;

	if (parse_list(p, ret, &how) < 0)
		return -1;
	if (how == AT_ELSE)
		return template_wrong(&p->l, "a second else");
	if (how == AT_TEXT_END)
		return template_wrong(&p->l, "the %s of line %u has no end", name, line);
	return parse_end(p);
}

static int parse_block(struct template_parser *p, enum template_kind kind, const char *name,
		       unsigned int *ret) must_check;

/* The token is the else; with "else if" the block in it has the end of all. */
static int parse_else(struct template_parser *p, enum template_kind kind, const char *name,
		      unsigned int line, unsigned int *ret)
{
	if (template_next(&p->l) < 0)
		return -1;
	if (kind != NODE_RANGE && is_word(p, name))
		return parse_block(p, kind, name, ret);
	return expect_right(p, "else") < 0 ? -1 : parse_closed_list(p, name, line, ret);
}

/* What was declared in the body has no value in the "else", but its name is known. */
static int end_vars(struct template_parser *p, unsigned int vars)
{
	for (; p->n_vars > vars; p->n_vars--)
		if (template_unset(p, &p->var[p->n_vars - 1]) < 0)
			return -1;
	return 0;
}

/* Behind the pipe: its lists. */
static int parse_bodies(struct template_parser *p, enum template_kind kind, const char *name,
			unsigned int line, unsigned int *body, unsigned int *otherwise)
{
	unsigned int vars = p->n_vars;
	enum list_end how = AT_TEXT_END;
	int rc;

	p->ranges += kind == NODE_RANGE;
	rc = parse_list(p, body, &how);
	p->ranges -= kind == NODE_RANGE;
	if (rc < 0 || end_vars(p, vars) < 0)
		return -1;
	if (how == AT_ELSE)
		return parse_else(p, kind, name, line, otherwise);
	if (how == AT_TEXT_END)
		return template_wrong(&p->l, "the %s of line %u has no end", name, line);
	return parse_end(p);
}

/* The token is its word; what is declared in it ends with it. */
static int parse_block(struct template_parser *p, enum template_kind kind, const char *name,
		       unsigned int *ret)
{
	unsigned int line = p->l.line, node = template_node_add(p->t, kind, line);
	unsigned int vars = p->n_vars, unset = p->n_unset, pipe = 0, body = 0, otherwise = 0;

	if (template_nest(p) < 0 || template_next(&p->l) < 0 ||
	    template_parse_pipe(p, TOKEN_RIGHT, name, &pipe) < 0 || expect_right(p, name) < 0 ||
	    parse_bodies(p, kind, name, line, &body, &otherwise) < 0)
		return -1;
	p->t->node[node].pipe = pipe;
	p->t->node[node].body = body;
	p->t->node[node].otherwise = otherwise;
	p->n_vars = vars;
	p->n_unset = unset;
	p->nest--;
	*ret = node;
	return 0;
}

static int parse_jump(struct template_parser *p, enum template_kind kind, const char *name,
		      unsigned int *ret)
{
	*ret = template_node_add(p->t, kind, p->l.line);
	if (p->ranges == 0)
		return template_wrong(&p->l, "%s outside range", name);
	return template_next(&p->l) < 0 ? -1 : expect_right(p, name);
}

static int parse_refused(struct template_parser *p, enum template_kind kind, const char *name,
			 unsigned int *ret)
{
	(void)kind, (void)ret;
	return template_wrong(&p->l, "'%s' is not supported: a template cannot have others", name);
}

/* -- lists -- */

static int parse_action(struct template_parser *p, unsigned int *ret)
{
	unsigned int node = template_node_add(p->t, NODE_ACTION, p->l.line), pipe;

	if (template_parse_pipe(p, TOKEN_RIGHT, "an action", &pipe) < 0 ||
	    expect_right(p, "an action") < 0)
		return -1;
	p->t->node[node].pipe = pipe;
	*ret = node;
	return 0;
}

/* The token is what is behind "{{". */
static int parse_statement(struct template_parser *p, unsigned int *ret)
{
	static const struct {
		const char *name;
		enum template_kind kind;
		int (*parse)(struct template_parser *p, enum template_kind kind, const char *name,
			     unsigned int *ret);
	} words[] = {
		{ "if", NODE_IF, parse_block },
		{ "with", NODE_WITH, parse_block },
		{ "range", NODE_RANGE, parse_block },
		{ "break", NODE_BREAK, parse_jump },
		{ "continue", NODE_CONTINUE, parse_jump },
		{ "define", NODE_TEXT, parse_refused },
		{ "template", NODE_TEXT, parse_refused },
		{ "block", NODE_TEXT, parse_refused },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is_word(p, words[i].name))
			return words[i].parse(p, words[i].kind, words[i].name, ret);
	return parse_action(p, ret);
}

/* 1: one more; 0: the list ends, at its token. */
static int parse_item(struct template_parser *p, unsigned int *ret, enum list_end *how)
{
	if (p->l.token.kind == TOKEN_TEXT) {
		const struct template_token *text = &p->l.token;

		*ret = template_node_add(p->t, NODE_TEXT, p->l.line);
		p->t->node[*ret].value = json_stringn(text->at, text->len);
		if (!p->t->node[*ret].value)
			return template_wrong(&p->l, "the text is not UTF-8");
		return template_next(&p->l) < 0 ? -1 : 1;
	}
	*how = AT_TEXT_END;
	if (p->l.token.kind == TOKEN_END)
		return 0;
	if (template_next(&p->l) < 0)
		return -1;
	*how = is_word(p, "end") ? AT_END : AT_ELSE;
	if (is_word(p, "end") || is_word(p, "else"))
		return 0;
	return parse_statement(p, ret) < 0 ? -1 : 1;
}

static int parse_list(struct template_parser *p, unsigned int *ret, enum list_end *how)
{
	unsigned int first = 0, last = 0, node = 0;
	int rc;

	while ((rc = parse_item(p, &node, how)) > 0)
		template_node_append(p->t, &first, &last, node);
	*ret = first;
	return rc;
}

static int parse_all(struct template_parser *p)
{
	enum list_end how = AT_TEXT_END;

	if (template_next(&p->l) < 0 || parse_list(p, &p->t->first, &how) < 0)
		return -1;
	if (how != AT_TEXT_END)
		return template_wrong(&p->l, "%s without a block", how == AT_END ? "end" : "else");
	if (p->t->no_memory)
		return err_set(p->l.e, ERR_IO, 0, "no memory for a template");
	return 0;
}

struct template *template_parse(const char *text, struct err *e)
{
	auto_template struct template *t = calloc(1, sizeof(*t));
	struct template_parser p = { .l = { .p = text, .lines = 1, .e = e }, .t = t,
				     .n_vars = 1 };

	if (strlen(text) > TEMPLATE_MAX) {
		(void)err_set(e, ERR_NETCONF, 0, "a template of %zu bytes, allowed are %d",
			      strlen(text), TEMPLATE_MAX);
		return NULL;
	}
	if (!t || !(t->node = calloc(64, sizeof(*t->node)))) {
		(void)err_set(e, ERR_IO, 0, "no memory for a template");
		return NULL;
	}
	t->n = t->vars = 1;
	t->room = 64;
	return parse_all(&p) < 0 ? NULL : steal_ptr(&t);
}
