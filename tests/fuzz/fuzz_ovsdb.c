/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ovsdb.c - what the database of Open vSwitch answers to a transaction, in two parts */
#include "base/jx.h"
#include "cni/switch/ovsdb.h"
#include "tests/fuzz/fuzz.h"

#include <sys/socket.h>

enum { ANSWER_MS = 100 };	/* for echoes that nobody reads; else the end is there at once */

/* Columns are of any type, and none is trusted to be of the right one. */
static void check_row(const json_t *row)
{
	json_auto_t *ports = ovsdb_set(row, "ports");
	const char *name = ovsdb_string(row, "name");
	const char *id = ovsdb_map_get(row, "external_ids", "devinfo.container-id");

	must(json_is_array(ports));
	must(!name || strlen(name) < FUZZ_ROOM);
	must(!id || strlen(id) < FUZZ_ROOM);
	must(ovsdb_int(row, "ofport", -1) == -1 || json_is_integer(json_object_get(row, "ofport")));
}

static void check_results(const json_t *results, size_t nops)
{
	const json_t *row;
	size_t i;

	must(json_array_size(results) == nops);
	must(!ovsdb_rows(results, nops));
	for (size_t op = 0; op < nops; op++)
		json_array_foreach(ovsdb_rows(results, op), i, row)
			check_row(row);
}

/* The first part has been read already, into memory of just that size. */
static void take_part(struct ovsdb *db, const char *text, size_t len)
{
	if (len == 0)
		return;
	db->text = malloc(len);
	must(db->text);
	memcpy(db->text, text, len);
	db->len = len;
	db->size = len;
}

static void fuzz_one(const char *text, size_t len)
{
	struct ovsdb db = OVSDB_NONE;
	struct deadline d = deadline_in(ANSWER_MS);
	json_auto_t *results = NULL;
	struct err e = { 0 };
	int fd[2], rc;

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd) == 0);
	db.fd = fd[0];
	take_part(&db, text, len / 2);
	must(send(fd[1], text + len / 2, len - len / 2, 0) >= 0 || len > FUZZ_PAGE);
	must(shutdown(fd[1], SHUT_WR) == 0);
	rc = ovsdb_transact(&db, json_pack("[{s:s}, {s:s}]", "op", "wait", "op", "select"), &d,
			    &results, &e);
	must_agree(rc, &e);
	must((rc == 1) == (results != NULL));
	if (rc == 1) {
		accepted();
		check_results(results, 2);
	}
	ovsdb_done(&db);
	(void)close(fd[1]);
}
