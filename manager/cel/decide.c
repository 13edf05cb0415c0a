/* SPDX-License-Identifier: Apache-2.0 */
/* decide.c - operands of && and ||, and what all() and exists() ask of each element */
#include "manager/cel/eval.h"

bool cel_decides(struct cel_run *r, const struct cel_node *n, struct cel_value v, bool decisive,
		 struct cel_value *so_far)
{
	if (v.type == CEL_BOOL && v.truth == decisive) {
		*so_far = v;
		return true;
	}
	if (v.type != CEL_BOOL && so_far->type != CEL_ERROR) {
		r->node = n;
		*so_far = v.type == CEL_ERROR ?
				  v :
				  cel_fault(r, "must be true or false, and is",
					    cel_type_name(v.type));
	}
	if (r->fatal)
		*so_far = cel_failed(r);
	return r->fatal;
}
