/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h - an expression becomes a tree */
#ifndef MANAGER_CEL_PARSE_H
#define MANAGER_CEL_PARSE_H

#include "manager/cel/ast.h"

/* Sets c->root, of c->text.  ERR_NETCONF: it is no expression. */
int cel_parse(struct cel *c, struct err *e) must_check;

#endif
