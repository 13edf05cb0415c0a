/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - run a program, write its stdin and read its output until it ends
 *
 * Begun and listened to are two calls: what the caller does between them is done beside it.
 * It gets our environment with some variables replaced, and dies with us.  Its output and time are
 * bounded; processes that it leaves running do not block us, as we wait for the child and not for
 * its pipes.  Its stderr goes on to ours.
 */
#ifndef CNI_PLUGINS_PROGRAM_H
#define CNI_PLUGINS_PROGRAM_H

#include "base/child.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

#define PROGRAM_OUTPUT_MAX	(16 * 1024 * 1024)	/* bytes of its stdout */

enum { PROGRAM_TAIL = 300 };	/* bytes of its stderr that are kept */

enum program_pipe { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_EXEC, PIPES };

struct program {
	const char *what;	/* "plugin" or "program", for messages; borrowed, as is */
	const char *name;	/* its argv[0], and for messages */
	const char *request;	/* what of its stdin is still to be written: left bytes, borrowed */
	size_t left;
	char *text;		/* its stdout, not terminated */
	size_t len, size;
	char tail[PROGRAM_TAIL];	/* the end of its stderr, not terminated */
	size_t tail_len;
	struct child child;	/* with the status of its end */
	/* private */
	int ours[PIPES], theirs[PIPES];	/* -1 when closed */
};

#define PROGRAM_NONE \
	{ .what = "plugin", .child = CHILD_NONE, .ours = { -1, -1, -1, -1 }, \
	  .theirs = { -1, -1, -1, -1 } }

/* A variable of its environment; without a value it stays as it is. */
struct program_var {
	const char *name, *value;
};

/*
 * Start an executable file; the caller has set p->what, p->request and p->left.  Until
 * program_talk() it gets of its stdin, and prints, what a pipe holds.  See program_exec_errno() for
 * whether it could be executed.
 */
int program_start(struct program *p, const char *file, const char *name,
		  const struct program_var *vars, size_t nvars, struct err *e) must_check;

/*
 * Write the rest of its stdin and read its output until it ends.  One that is late (ERR_TRY_AGAIN),
 * or prints too much, gets SIGTERM and, if that does not help, SIGKILL; one that has ended is never
 * late.  Also after an error it has ended, and p has its output.
 */
int program_talk(struct program *p, const struct deadline *d, struct err *e) must_check;

/* After program_talk(): the errno of executing it, 0 when it was executed. */
int program_exec_errno(const struct program *p);

void program_done(struct program *p);

#define auto_program auto_with(program_done)

#endif
