/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - constants that have pointers, which a static program sets when it needs them */
#ifndef BASE_TABLES_H
#define BASE_TABLES_H

#ifdef TABLES_LATE
/* Before it no constant of ours that has a pointer may be read.  A second call does nothing. */
void tables_set(void);
#else
static inline void tables_set(void)
{
}
#endif

#endif
