/* SPDX-License-Identifier: Apache-2.0 */
/* rearrange.h - what sort() and the macro sortBy() have in common (rearrange_function.c) */
#ifndef MANAGER_CEL_REARRANGE_H
#define MANAGER_CEL_REARRANGE_H

#include "manager/cel/run.h"

/* Gives the list in the order of the keys, one for each element, all of one type. */
struct cel_value cel_sort_by(struct cel_run *r, struct cel_value list,
			     const struct cel_value *keys);

#endif
