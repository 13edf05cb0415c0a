/* SPDX-License-Identifier: Apache-2.0 */
/* resolve_part.h - what the files of resolve.h have between them */
#ifndef DEVINFO_JOURNAL_RESOLVE_PART_H
#define DEVINFO_JOURNAL_RESOLVE_PART_H

#include "devinfo/journal/resolve.h"

/* Does it name a claim, or a request of one? */
bool wish_wants_claim(const struct wish *w);

/* For an error's details: where it is known from what the pod has, and what was wrong. */
void resolve_tell_source(const struct candidates *c, struct err *e);
/* The error that there is no candidate, what the pod has instead, and what to do.  -1. */
int resolve_none(const struct pod *pod, const struct candidates *c, struct err *e) must_check;

#endif
