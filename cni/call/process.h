/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - the process around a call: descriptors, signals, limits, privileges, last words
 *
 * The plugin must not depend on the engine's umask, open files, blocked signals or a closed stdin.
 * And every failure must be reported: a crash still prints one error document.
 */
#ifndef CNI_CALL_PROCESS_H
#define CNI_CALL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Descriptors and signals, so that standard output is what it was and its end is told: once, before
 * all else.  It is all that VERSION needs, which is given a few bytes by the engine, answers from a
 * constant, opens nothing, runs nothing and changes nothing: a signal may end it, and a crash is no
 * more than an answer that does not come.
 */
void process_set_up_files(void);

/* The rest, for all that does more: once, before it. */
void process_set_up(void);

/* In a forked child that serves a call of its own: signals, the clock of its waits, its parent. */
void process_set_up_again(void);

/* Between fork and exec of a plugin: give back the limits and the umask that we were given. */
void process_restore_for_child(void);

/*
 * Make this capability (CAP_...) effective, in a child that does one thing and ends.  Without it
 * that one thing fails.
 */
void process_raise(unsigned int capability);

/*
 * Of a call that runs no plugin: give up, for good, all capabilities but those that we use, and
 * those that a child will raise (CAPABILITY() of each).
 */
void process_drop_capabilities(uint64_t raised);

/* Has the process that called us died, so that nobody reads our answer? */
bool process_is_orphan(void);

#endif
