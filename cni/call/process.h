/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - the process around a call: descriptors, signals, limits, privileges, last words
 *
 * What an engine starts is not to be surprised by what the engine is: its umask, its open files,
 * its blocked signals, a stdin that is closed.  And what goes wrong with us is to be told: a crash
 * still prints one error document.
 */
#ifndef CNI_CALL_PROCESS_H
#define CNI_CALL_PROCESS_H

#include <stdbool.h>

/* First of all, once. */
void process_set_up(void);

/* Between fork and exec of a plugin: give back the limits and the umask that we were given. */
void process_restore_for_child(void);

/*
 * In a child that does one thing and ends: have this capability (CAP_...) effective for it.  Where
 * we were not given it, the one thing fails.
 */
void process_raise(unsigned int capability);

/* Has the process that called us died?  Then nobody takes our answer. */
bool process_is_orphan(void);

#endif
