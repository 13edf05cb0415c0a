/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovsdb.h - transactions with the database of Open vSwitch (RFC 7047) over its unix socket
 *
 * Everything has a bound: the time the deadline of each call, an answer OVSDB_MESSAGE_MAX.
 * Errors are ERR_TRY_AGAIN where the server is not there, does not answer or goes away, and ERR_IO
 * where it refuses or says what is no answer.
 */
#ifndef CNI_SWITCH_OVSDB_H
#define CNI_SWITCH_OVSDB_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A message of the server has at most so many bytes: GC reads of over 10000 ports. */
#define OVSDB_MESSAGE_MAX	(4 * 1024 * 1024)

struct ovsdb {
	int fd;
	json_int_t id;			/* of the last request */
	char *text;			/* read, and not yet looked at as a whole */
	size_t len, size;
	size_t scanned;			/* of them, to find the end of the message */
	unsigned int depth;		/* of brackets there */
	bool in_string, escaped;
};

#define OVSDB_NONE	{ .fd = -1 }

/* Connect to a socket that is a path inside root; e->sys is ENOENT when there is none. */
int ovsdb_open(int root, const char *path, const struct deadline *d, struct ovsdb *ret,
	       struct err *e) must_check;

/*
 * Carry out one transaction with the database "Open_vSwitch", all or nothing.  It takes over ops,
 * an array of operations.  1 with *ret, one result for each of them, a new reference; 0 when the
 * condition of one of its "wait" operations did not hold (in time), so that nothing was done; -1.
 *
 * After -1 with ERR_TRY_AGAIN it may have been done all the same, or be done later.
 */
int ovsdb_transact(struct ovsdb *db, json_t *ops, const struct deadline *d, json_t **ret,
		   struct err *e) must_check;

/* Return the rows of result i of a transaction, borrowed; NULL when it is not a "select's". */
const json_t *ovsdb_rows(const json_t *results, size_t i);

/* -- values, RFC 7047, 5.1 -- */

/* Return a string column, borrowed from the row; NULL when it is empty. */
const char *ovsdb_string(const json_t *row, const char *column);

/* Return an integer column; `none` when it is empty. */
json_int_t ovsdb_int(const json_t *row, const char *column, json_int_t none);

/* Return the text of a key in a map of strings; NULL when it has none. */
const char *ovsdb_map_get(const json_t *row, const char *column, const char *key);

/*
 * Return a column that is a set as the array of its members, a new reference, also when one member
 * stands for itself.  Never NULL.
 */
json_t *ovsdb_set(const json_t *row, const char *column);

void ovsdb_done(struct ovsdb *db);

#define auto_ovsdb auto_with(ovsdb_done)

#endif
