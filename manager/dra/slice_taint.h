/* SPDX-License-Identifier: Apache-2.0 */
/* slice_taint.h - since when the taints of slices are there */
#ifndef MANAGER_DRA_SLICE_TAINT_H
#define MANAGER_DRA_SLICE_TAINT_H

#include <jansson.h>

enum { SLICE_TIME_SIZE = 32 };

/* Now, as an object of Kubernetes has it. */
void slice_taint_now(char ret[SLICE_TIME_SIZE]);

/*
 * Set timeAdded of the taints: the time that is remembered where the same device had the same
 * taint, else now; "" is none.  Returns what is to be remembered, a new reference:
 *
 *	{"device": {"key=value:effect": "2026-01-31T12:00:00Z"}}
 *
 * What is remembered may be anything, and NULL.
 */
json_t *slice_taint_times(json_t *slices, const json_t *remembered, const char *now);

/* What such slices say themselves, in the form to be remembered; a new reference. */
json_t *slice_taint_said(const json_t *slices);

#endif
