/* SPDX-License-Identifier: Apache-2.0 */
/* cel_parse.h - an expression becomes a tree */
#ifndef DEVINFO_MATCH_CEL_PARSE_H
#define DEVINFO_MATCH_CEL_PARSE_H

#include "devinfo/match/cel_ast.h"

/* Sets c->root, of c->text.  ERR_NETCONF: it is no expression. */
int cel_parse(struct cel *c, struct err *e) must_check;

#endif
