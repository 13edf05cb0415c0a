/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capability.h - which capabilities of capabilities(7) this process has
 *
 * Theory of operation.  A capability counts while it is effective.  One that is only permitted can
 * be made effective again, by us and by a program that we execute; one that is not permitted is
 * lost for good.  The bounding set is left alone: with no_new_privs, which the plugin sets at its
 * start, a program that is executed gets nothing that was not permitted, whatever the bounding set
 * has, and to clear that takes a system call for each capability.
 */
#ifndef BASE_CAPABILITY_H
#define BASE_CAPABILITY_H

#include <stdint.h>

/* One of CAP_..., as a member of a set. */
#define CAPABILITY(name)	(UINT64_C(1) << (name))

/*
 * Of the effective capabilities those in `effective` stay, of the permitted and inheritable ones
 * those in `permitted`.  Who has none of them gets none.  0, -1 with errno: nothing has changed.
 */
int capability_keep(uint64_t effective, uint64_t permitted);

/* Make a permitted capability (CAP_...) effective.  0, -1 with errno. */
int capability_raise(unsigned int capability);

#endif
