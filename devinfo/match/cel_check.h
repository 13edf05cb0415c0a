/* SPDX-License-Identifier: Apache-2.0 */
/* cel_check.h - what the names of an expression mean, and what is wrong for every device */
#ifndef DEVINFO_MATCH_CEL_CHECK_H
#define DEVINFO_MATCH_CEL_CHECK_H

#include "devinfo/match/cel_ast.h"

/* ERR_NETCONF: an unknown name, operands of a wrong type, a result that is no bool. */
int cel_check(struct cel *c, struct err *e) must_check;

#endif
