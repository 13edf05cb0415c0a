/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - why an expression came out as it did, for people */
#ifndef MANAGER_CTL_TRACE_H
#define MANAGER_CTL_TRACE_H

#include <jansson.h>
#include <stdio.h>

/* A tree of cel_trace(): a line for each term, "VALUE  TERM", what it is made of below it. */
void ctl_put_trace(FILE *to, const json_t *trace, unsigned int indent);

#endif
