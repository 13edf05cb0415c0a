/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.h - what the parts of the templates share: tokens, the tree, values and texts
 *
 * template.h says which file does what.
 */
#ifndef MANAGER_TEMPLATE_PART_H
#define MANAGER_TEMPLATE_PART_H

#include "manager/template/template.h"

#include <stdbool.h>

enum {
	TEMPLATE_NEST_MAX = 100,	/* blocks, parentheses; lists that are printed */
	TEMPLATE_ARGS_MAX = 32,
	TEMPLATE_VARS_MAX = 100,	/* at one place */
	TEMPLATE_NO_VAR = TEMPLATE_VARS_MAX,	/* the place of one that has no value yet */
};

/* -- tokens -- */

enum template_token_kind {
	TOKEN_END, TOKEN_TEXT, TOKEN_LEFT, TOKEN_RIGHT, TOKEN_WORD, TOKEN_FIELD, TOKEN_DOT,
	TOKEN_VARIABLE, TOKEN_NUMBER, TOKEN_STRING, TOKEN_RAW_STRING, TOKEN_DECLARE, TOKEN_ASSIGN,
	TOKEN_PIPE, TOKEN_COMMA, TOKEN_OPEN, TOKEN_CLOSE,
};

struct template_token {
	enum template_token_kind kind;
	const char *at;			/* in the text: "len"; "name" of ".name" and "$name" */
	size_t len;
	bool is_spaced;			/* there are blanks before it */
};

/* A copy of it is a place in the text to come back to. */
struct template_lexer {
	const char *p;
	unsigned int line;		/* of the token */
	unsigned int lines;		/* that were passed */
	bool in_action, trims;
	struct template_token token;
	struct err *e;
};

/* Reads the next token into l->token. */
int template_next(struct template_lexer *l) must_check;
/* Fills the error, "line 3: what is wrong", and returns -1. */
int template_wrong(const struct template_lexer *l, const char *fmt, ...) printflike(2, 3);
/* Gives a message the token as it is in the text. */
const char *template_token_name(const struct template_token *token, char ret[48]);

/* -- the tree -- */

struct template_run;

struct template_function {
	const char *name;
	unsigned int min, max;		/* number of arguments */
	/* New reference; NULL: it failed, and said so. */
	json_t *(*call)(struct template_run *r, json_t *const *args, size_t n);
};

/* Finds the function of that name; NULL: there is none. */
const struct template_function *template_function_find(const char *name, size_t len);
/* Is it "and" or "or", whose arguments are evaluated one by one until the result is known? */
bool template_function_is_lazy(const struct template_function *f);

enum template_kind {
	NODE_TEXT, NODE_ACTION, NODE_IF, NODE_WITH, NODE_RANGE, NODE_BREAK, NODE_CONTINUE,
	NODE_PIPE, NODE_COMMAND,
	NODE_DOT, NODE_LITERAL, NODE_VARIABLE, NODE_PAREN, NODE_FUNCTION,	/* operands */
	NODE_NAME,
};

/* Numbers of others are places in the tree, 0 being none. */
struct template_node {
	enum template_kind kind;
	unsigned int line, next;
	/* of a pipe its commands, of a command its operands, of an operand its fields' names */
	unsigned int first;
	unsigned int pipe;		/* of an action, a block, parentheses */
	unsigned int body, otherwise;	/* of a block */
	unsigned int var[2], n_vars;	/* of a pipe what it sets; var[0] of a variable */
	json_t *value;		/* owned: of a text, a literal (NULL: too large), a name */
	const struct template_function *function;
};

struct template {
	struct template_node *node;	/* owned; [0] is none, and takes what has no place */
	unsigned int n, room;
	bool no_memory;
	unsigned int first;
	unsigned int vars;		/* how many there are at one place, at most */
};

/* Adds a node, at which the tree may move.  0: there is no memory, and the tree knows it. */
unsigned int template_node_add(struct template *t, enum template_kind kind, unsigned int line);

struct template_parser {
	struct template_lexer l;
	struct template *t;
	struct template_token var[TEMPLATE_VARS_MAX];	/* names, [0] is "$" */
	/* what a template may name: Go looks only when it runs whether they are set */
	struct template_token unset[TEMPLATE_VARS_MAX];
	unsigned int n_vars, n_unset, nest, ranges;
};

/* Puts a node behind the last of a list. */
void template_node_append(struct template *t, unsigned int *first, unsigned int *last,
			  unsigned int node);
/*
 * Reads the commands of a pipeline up to an `end`, which is still the token.  `where` is for
 * messages: "if".
 */
int template_parse_pipe(struct template_parser *p, enum template_token_kind end,
			const char *where, unsigned int *ret) must_check;
/*
 * Reads a token that is a number or a string: a new reference, or NULL and what is wrong, which is
 * NULL for a number that is wrong only where it is used.
 */
json_t *template_literal(const struct template_token *token, const char **wrong);
/* Reads an operand. */
int template_parse_operand(struct template_parser *p, unsigned int *ret) must_check;
/* Keeps a name that has no value, or none any more, up to the end of the block. */
int template_unset(struct template_parser *p, const struct template_token *name) must_check;
/* Gives the place of a variable, TEMPLATE_NO_VAR of an unset one; -1: there is no such name. */
int template_variable(struct template_parser *p, const struct template_token *name) must_check;
/* Goes one block or pair of parentheses deeper; -1: there are too many. */
int template_nest(struct template_parser *p) must_check;

/* -- texts that are made, bounded -- */

struct template_text {
	char *s;			/* owned; no NUL at its end */
	size_t len, room;
};

void template_text_done(struct template_text *t);
#define auto_template_text auto_with(template_text_done)

/* -- running -- */

struct template_run {
	const struct template *t;
	json_t **var;			/* owned references */
	struct template_text out;
	unsigned long steps;
	unsigned int line;		/* what runs */
	enum { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE } flow;
	struct err *e;
};

/* Fills the run's error, "line 3: ...", and returns NULL. */
json_t *template_fail(const struct template_run *r, const char *fmt, ...) printflike(2, 3);
/* Counts n more steps; false: they are too many, and the run has failed. */
bool template_steps(struct template_run *r, size_t n);

/* Is a value true for if, with, and, or: not empty, 0, false or nil? */
bool template_truth(const json_t *v);
/* Appends to a text; false: it would be longer than TEMPLATE_MAX, or the run takes too long. */
bool template_put(struct template_run *r, struct template_text *to, const char *s, size_t len);
/* Appends a value as Go prints it, nil being "<nil>" (print.c); false: the run failed. */
bool template_print(struct template_run *r, struct template_text *to, const json_t *v);
/* Makes a value of a text: a new reference; NULL: it is not UTF-8, and the run has failed. */
json_t *template_text_value(struct template_run *r, const struct template_text *text);
/* Lists the keys of an object in order.  The caller owns the list, the object the keys. */
const char **template_keys(const json_t *o);
/* Looks a field up: a new reference; NULL: it is absent, and the run has failed. */
json_t *template_field(struct template_run *r, json_t *of, const char *name);

/* -- functions of files of their own -- */

json_t *template_printf(struct template_run *r, json_t *const *args, size_t n);

#endif
