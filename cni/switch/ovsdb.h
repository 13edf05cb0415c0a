/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovsdb.h - transactions with the database of Open vSwitch (RFC 7047) over its unix socket
 *
 * Everything is bounded: time by the deadline of each call, an answer by OVSDB_MESSAGE_MAX.
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

/* Bytes of one message of the server's: what GC reads of over 10000 ports. */
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
 * One transaction with the database "Open_vSwitch", all or nothing; takes over ops, an array of
 * operations.  1 with *ret, one result for each of them, a new reference; 0 when the condition of
 * one of its "wait" operations did not hold (in time), so that nothing was done; -1.
 *
 * After -1 with ERR_TRY_AGAIN it may have been done all the same, or be done later.
 */
int ovsdb_transact(struct ovsdb *db, json_t *ops, const struct deadline *d, json_t **ret,
		   struct err *e) must_check;

/* The rows of result i of a transaction, borrowed: NULL when it is not that of a "select". */
const json_t *ovsdb_rows(const json_t *results, size_t i);

/* -- values, RFC 7047, 5.1 -- */

/* A string column that may be empty: NULL then.  Borrowed from the row. */
const char *ovsdb_string(const json_t *row, const char *column);

/* An integer column that may be empty: `none` then. */
json_int_t ovsdb_int(const json_t *row, const char *column, json_int_t none);

/* The text of a key in a map of strings; NULL when it has none. */
const char *ovsdb_map_get(const json_t *row, const char *column, const char *key);

/*
 * A column that is a set, as the array of its members, a new reference: one that stands for itself,
 * too.  Never NULL.
 */
json_t *ovsdb_set(const json_t *row, const char *column);

void ovsdb_done(struct ovsdb *db);

#define auto_ovsdb auto_with(ovsdb_done)

#endif
