/* SPDX-License-Identifier: Apache-2.0 */
/* lex.h - the words of an expression, which parse.c alone asks for */
#ifndef MANAGER_CEL_LEX_H
#define MANAGER_CEL_LEX_H

#include "manager/cel/ast.h"

/* Others are the character itself: '(', '+', '?'. */
enum cel_word {
	CEL_WORD_END = 0,
	CEL_WORD_NAME = 256,
	CEL_WORD_LITERAL,
	CEL_WORD_AND,
	CEL_WORD_OR,
	CEL_WORD_EQUAL,
	CEL_WORD_UNEQUAL,
	CEL_WORD_LESS_EQUAL,
	CEL_WORD_GREATER_EQUAL,
	CEL_WORD_IN,
};

struct cel_token {
	int word;
	uint32_t begin, end;
	struct cel_value value;		/* of a literal; of a name its text */
};

struct cel_lexer {
	const char *text;
	uint32_t at;
	struct cel_arena *arena;
	struct err *e;
};

/* Gives the value of true, false, null, which are no names; NULL: the name is one. */
const struct cel_value *cel_lex_constant(const char *name);

/* Is it kept for languages around CEL, and so no variable? */
bool cel_lex_is_reserved(const char *name);

/*
 * Reads the next word; ERR_NETCONF: there is none that CEL has.  A '-' is never a part of a number:
 * 2^63, which is an int only behind one, is given as INT64_MIN.
 */
int cel_lex(struct cel_lexer *l, struct cel_token *ret) must_check;

#endif
