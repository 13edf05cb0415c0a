/* SPDX-License-Identifier: Apache-2.0 */
/* cel_trace.h - what each term of an expression was, for people */
#ifndef DEVINFO_MATCH_CEL_TRACE_H
#define DEVINFO_MATCH_CEL_TRACE_H

#include "devinfo/match/cel_eval.h"

/* The terms become a list, which the caller has made and keeps. */
struct cel_trace cel_trace_make(json_t *terms);

/* "no such key: x" */
void cel_fault_write(const struct cel_fault *f, char *ret, size_t size);

#endif
