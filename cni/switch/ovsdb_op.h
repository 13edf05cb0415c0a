/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovsdb_op.h - the operations that a transaction with OVSDB is made of (RFC 7047, 5.2)
 *
 * Each function returns a new reference, and takes over the values it is given.
 */
#ifndef CNI_SWITCH_OVSDB_OP_H
#define CNI_SWITCH_OVSDB_OP_H

#include "cni/switch/ovsdb.h"

/* Make the condition that a row has this name. */
json_t *op_named(const char *name);

json_t *op_select(const char *table, json_t *where, json_t *columns);

/* Make one that holds when the rows that match are these, by their names; it does not wait. */
json_t *op_guard(const char *table, json_t *where, json_t *rows);

json_t *op_mutate(const char *table, json_t *where, json_t *mutation);
json_t *op_insert(const char *table, const char *uuid_name, json_t *row);

/* Make the last two operations of a change that is waited for: */
void op_add_bump(json_t *ops);
/* the number that ovs-vswitchd's cur_cfg has to reach, from the results. */
json_int_t op_bumped(const json_t *results);

/* Carry out a transaction without conditions: 0 with *ret, as ovsdb_transact() has it, or -1. */
int op_run(struct ovsdb *db, json_t *ops, const struct deadline *d, json_t **ret, struct err *e)
	must_check;

#endif
