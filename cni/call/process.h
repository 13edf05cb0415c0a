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

/* Set up the process; call it once, before all else. */
void process_set_up(void);

/* Between fork and exec of a plugin: give back the limits and the umask that we were given. */
void process_restore_for_child(void);

/*
 * Make this capability (CAP_...) effective, in a child that does one thing and ends.  Without it
 * that one thing fails.
 */
void process_raise(unsigned int capability);

/* Has the process that called us died, so that nobody reads our answer? */
bool process_is_orphan(void);

#endif
