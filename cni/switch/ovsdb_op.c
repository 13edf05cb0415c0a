/* SPDX-License-Identifier: Apache-2.0 */
/* ovsdb_op.c - the operations that a transaction with OVSDB is made of (RFC 7047, 5.2) */
#include "cni/switch/ovsdb_op.h"

#include <errno.h>

json_t *op_named(const char *name)
{
	return json_pack("[[s, s, s]]", "name", "==", name);
}

json_t *op_select(const char *table, json_t *where, json_t *columns)
{
	return json_pack("{s:s, s:s, s:o, s:o}", "op", "select", "table", table, "where", where,
			 "columns", columns);
}

/* Holds when the rows that match are these, by their names; does not wait. */
json_t *op_guard(const char *table, json_t *where, json_t *rows)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:[s], s:o, s:o}", "op", "wait", "table", table,
			 "timeout", 0, "until", "==", "columns", "name", "where", where, "rows",
			 rows);
}

json_t *op_mutate(const char *table, json_t *where, json_t *mutation)
{
	return json_pack("{s:s, s:s, s:o, s:[o]}", "op", "mutate", "table", table, "where", where,
			 "mutations", mutation);
}

json_t *op_insert(const char *table, const char *uuid_name, json_t *row)
{
	return json_pack("{s:s, s:s, s:s, s:o}", "op", "insert", "table", table, "uuid-name",
			 uuid_name, "row", row);
}

/* The last two operations of a change that is waited for: its result is the number to wait for. */
void op_add_bump(json_t *ops)
{
	(void)json_array_append_new(ops, op_mutate("Open_vSwitch", json_array(),
						   json_pack("[s, s, i]", "next_cfg", "+=", 1)));
	(void)json_array_append_new(
		ops, op_select("Open_vSwitch", json_array(), json_pack("[s]", "next_cfg")));
}

json_int_t op_bumped(const json_t *results)
{
	size_t last = json_array_size(results) - 1;

	return ovsdb_int(json_array_get(ovsdb_rows(results, last), 0), "next_cfg", 0);
}

/* A transaction without conditions. */
int op_run(struct ovsdb *db, json_t *ops, const struct deadline *d, json_t **ret, struct err *e)
{
	int done = ovsdb_transact(db, ops, d, ret, e);

	if (done == 0)
		return err_set(e, ERR_IO, EPROTO, "the database of Open vSwitch refuses to look");
	return done < 0 ? -1 : 0;
}
