/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what the names of an expression mean, and what is wrong for every device */
#ifndef MANAGER_CEL_CHECK_H
#define MANAGER_CEL_CHECK_H

#include "manager/cel/ast.h"

/* ERR_NETCONF: an unknown name, operands of a wrong type, a result that is no bool. */
int cel_check(struct cel *c, struct err *e) must_check;

#endif
