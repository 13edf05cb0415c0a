/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h - an expression as a tree, and one evaluation of it
 *
 * parse.c makes the tree, check.c says what its names mean and refuses what cannot be right
 * for any device, eval.c goes through it.
 */
#ifndef MANAGER_CEL_AST_H
#define MANAGER_CEL_AST_H

#include "manager/cel/cel.h"
#include "manager/cel/static.h"

enum {
	CEL_HEIGHT_MAX = 250,		/* of the tree, cel-go's limit */
	CEL_VARIABLES_MAX = 16,		/* of macros in macros */
	CEL_OPERANDS_MAX = 4,		/* of a function, with what it is called on */
	CEL_FIRST_BYTES = 1024,		/* of an arena, on the stack */
};

enum cel_kind {
	CEL_LITERAL,
	CEL_NAME,			/* `device`; a macro's variable becomes the next */
	CEL_VARIABLE,
	CEL_SELECT,			/* a.b */
	CEL_HAS,			/* has(a.b) */
	CEL_ATTRIBUTE,			/* device.attributes["d"].b, by its key */
	CEL_INDEX,			/* a[b] */
	CEL_CALL,			/* f(a, b), a.f(b), a + b */
	CEL_AND,
	CEL_OR,
	CEL_CONDITIONAL,
	CEL_MAKE_LIST,
	CEL_MAKE_MAP,			/* operands: key, value, key, value... */
	CEL_MACRO,			/* operands: what it goes over; what it does with each */
	CEL_BIND,
};

struct cel_node {
	enum cel_kind kind;
	const struct cel_static *is;	/* what is known of its type (static.h) */
	bool is_method;			/* CALL: a.f() */
	bool is_optional;		/* SELECT, INDEX: a.?b, a[?b] */
	bool is_optional_entry;		/* it is `?x` in a list, or the key of `?k: v` in a map */
	bool is_capacity, is_test;	/* ATTRIBUTE: of device.capacity; of has() */
	uint16_t height;
	uint16_t slot;			/* VARIABLE, MACRO, BIND: place of the variable */
	uint32_t begin, end, at;	/* its text; where errors are said to be */
	uint32_t count;			/* of operands */
	struct cel_node *first, *last, *next;
	const char *name;		/* field, function, variable; ATTRIBUTE: "domain/name" */
	const char *domain;		/* ATTRIBUTE */
	struct cel_value value;		/* LITERAL */
	const struct cel_function **functions;	/* CALL: those that it may be, */
	size_t functions_count;			/* by what is known of the operands */
	const struct cel_macro *macro;
	struct regexp *regexp;	/* CALL of matches() with a pattern that does not change */
	struct cel_node *next_regexp;
};

struct cel {
	char *text;
	struct cel_node *root, *regexps;
	struct cel_arena arena;
};

/* One evaluation (run.h). */
struct cel_run {
	const char *text;
	const struct cel_device *device;
	struct cel_arena arena;
	uint32_t cost;
	const struct cel_fault *fatal;	/* it ends here: nothing absorbs this error */
	const struct cel_node *node;	/* whose function is called: of errors */
	struct cel_trace *trace;	/* or NULL */
	/* any node: cel_evaluate() */
	struct cel_value (*evaluate)(struct cel_run *r, const struct cel_node *n);
	struct cel_value variables[CEL_VARIABLES_MAX];
	struct err e;			/* of what a function calls */
	_Alignas(16) char first[CEL_FIRST_BYTES];
};

/* Adds the line and column of the byte to the details of an error. */
void cel_position(const char *text, uint32_t at, struct err *e);

/* Fills the error, "expression: WORDS" with line and column of the byte, and returns -1. */
int cel_refuse(const char *text, uint32_t at, struct err *e, const char *fmt, ...) printflike(4, 5);

/*
 * Compiles as cel_compile() does, and says what the API server estimates that it costs, however
 * much that is (estimate.h).
 */
struct cel *cel_compile_costly(const char *text, uint64_t *cost, struct err *e) must_check;

/* -- the steps of a compilation, in this order -- */

/* Makes the tree c->root of c->text.  ERR_NETCONF: it is no expression. */
int cel_parse(struct cel *c, struct err *e) must_check;

/*
 * Says what the names in the tree mean.  ERR_NETCONF: an unknown name, operands of a wrong type, a
 * result that is no bool.
 */
int cel_check(struct cel *c, struct err *e) must_check;

/*
 * Says which functions a call may mean and what it gives (check_call.c); cel_check() has checked
 * its operands.  ERR_NETCONF: there is no such function.
 */
int cel_check_call(struct cel *c, struct cel_types *t, struct cel_node *n,
		   struct err *e) must_check;

/*
 * Checks the clauses of "%s".format([x]) (check_format.c); cel_check_call() has found its function.
 * ERR_NETCONF: a clause is wrong, or there are more or fewer than values.
 */
int cel_check_format(const struct cel *c, const struct cel_node *n, struct err *e) must_check;

/* What `x`, or `?x`, puts into a list or map (check_type.c). */
const struct cel_static *cel_entry_type(const struct cel_static *is, bool is_optional);

/* Fills the error "WHAT of one type: A, B" and returns -1 (check_type.c). */
int cel_refuse_two(const char *text, uint32_t at, struct err *e, const char *what,
		   const struct cel_static *a, const struct cel_static *b);

/*
 * Gives what the whole may cost at most, UINT64_MAX for what has no bound, as the API server
 * estimates it (estimate.c).
 */
uint64_t cel_estimate(const struct cel *c);

/*
 * Evaluates what is the same for each device (fold.c).  ERR_NETCONF: a conversion of a constant
 * fails, int("x").
 */
int cel_fold(struct cel *c, struct err *e) must_check;

#endif
