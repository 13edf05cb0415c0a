/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - what each term of an expression was, for people */
#ifndef MANAGER_CEL_TRACE_H
#define MANAGER_CEL_TRACE_H

#include "manager/cel/eval.h"

/* The terms become a list, which the caller has made and keeps. */
struct cel_trace cel_trace_make(json_t *terms);

/* "no such key: x" */
void cel_fault_write(const struct cel_fault *f, char *ret, size_t size);

#endif
