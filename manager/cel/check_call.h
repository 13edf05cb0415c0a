/* SPDX-License-Identifier: Apache-2.0 */
/* check_call.h - which functions a call may mean */
#ifndef MANAGER_CEL_CHECK_CALL_H
#define MANAGER_CEL_CHECK_CALL_H

#include "manager/cel/ast.h"

/* The operands have been checked.  ERR_NETCONF: there is no such function. */
int cel_check_call(struct cel *c, struct cel_node *n, struct err *e) must_check;

#endif
