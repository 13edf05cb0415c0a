/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovsdb.c - transactions with the database of Open vSwitch (RFC 7047) over its unix socket
 *
 * JSON-RPC without frames: one object follows the other.  So the end of a message is where its
 * brackets are closed, which a scanner finds that looks at each byte once, however they arrive.
 * Only a whole message is parsed.
 *
 * The server asks `echo` of those that are silent, and hangs up when they do not answer.
 */
#include "cni/switch/ovsdb.h"

#include "base/jx.h"
#include "base/unix_socket.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
	READ_MIN = 4096,	/* room for so much before each read */
	WORDS_MAX = 200,	/* bytes of the server's words in an error */
};

int ovsdb_open(int root, const char *path, const struct deadline *d, struct ovsdb *ret,
	       struct err *e)
{
	int fd = unix_socket_connect(root, path, SOCK_STREAM, d, ERR_TRY_AGAIN, e);

	if (fd < 0)
		return err_wrap(e, "database of Open vSwitch at %s", path);
	*ret = (struct ovsdb)OVSDB_NONE;
	ret->fd = fd;
	return 0;
}

static int check_time(const struct deadline *d, struct err *e)
{
	if (deadline_left_ms(d) > 0)
		return 0;
	return deadline_error(ERR_TRY_AGAIN, e,
			      "the database of Open vSwitch gave no answer %s", deadline_end());
}

/* Until the socket is ready for reading or writing. */
static int wait_ready(const struct ovsdb *db, short events, const struct deadline *d, struct err *e)
{
	struct pollfd p = { .fd = db->fd, .events = events };

	if (check_time(d, e) < 0)
		return -1;
	(void)deadline_poll(d, &p, 1);
	return 0;
}

static int lost(int sys, struct err *e)
{
	return err_set(e, ERR_TRY_AGAIN, sys, "the database of Open vSwitch closed the connection");
}

static int broken(int sys, const char *what, struct err *e)
{
	return err_set(e, ERR_IO, sys, "the database of Open vSwitch sent %s", what);
}

static int send_message(const struct ovsdb *db, const json_t *message, const struct deadline *d,
			struct err *e)
{
	size_t len, done = 0;
	auto_free char *text = jx_dump(message, &len);

	while (done < len) {
		ssize_t n = send(db->fd, text + done, len - done, MSG_NOSIGNAL);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return lost(errno, e);
		else if (wait_ready(db, POLLOUT, d, e) < 0)
			return -1;
	}
	return 0;
}

/* -- what it says -- */

/* Look at one more byte: whether it ends the message. */
static bool scan_byte(struct ovsdb *db, char c)
{
	if (db->escaped) {
		db->escaped = false;
	} else if (db->in_string) {
		db->escaped = c == '\\';
		db->in_string = c != '"';
	} else if (c == '"') {
		db->in_string = true;
	} else if (c == '{' || c == '[') {
		db->depth++;
	} else if ((c == '}' || c == ']') && db->depth > 0) {
		return --db->depth == 0;
	}
	return false;
}

/* Is there a whole message?  Its length, or 0. */
static size_t message_end(struct ovsdb *db)
{
	while (db->scanned < db->len)
		if (scan_byte(db, db->text[db->scanned++]))
			return db->scanned;
	return 0;
}

/* What is no object, and so may never end, is refused at its first byte. */
static bool begins_well(const struct ovsdb *db)
{
	size_t i = 0;

	while (i < db->len && isspace((unsigned char)db->text[i]))
		i++;
	return i == db->len || db->text[i] == '{';
}

/* Room for some more, of which the last byte tells a message that is too long. */
static int make_room(struct ovsdb *db, struct err *e)
{
	size_t size = db->size ? db->size * 2 : 4 * (size_t)READ_MIN;
	char *text;

	if (db->len > OVSDB_MESSAGE_MAX)
		return broken(EMSGSIZE, "a message of over 4 MiB", e);
	if (db->size - db->len >= READ_MIN || db->size > OVSDB_MESSAGE_MAX)
		return 0;
	if (size > OVSDB_MESSAGE_MAX)
		size = OVSDB_MESSAGE_MAX + 1;
	text = realloc(db->text, size);
	if (!text)
		return err_set(e, ERR_IO, ENOMEM, "an answer of Open vSwitch's database");
	db->text = text;
	db->size = size;
	return 0;
}

/* Some more bytes. */
static int read_more(struct ovsdb *db, const struct deadline *d, struct err *e)
{
	ssize_t n;

	if (make_room(db, e) < 0)
		return -1;
	n = recv(db->fd, db->text + db->len, db->size - db->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return wait_ready(db, POLLIN, d, e);
	if (n <= 0)
		return lost(n < 0 ? errno : ECONNRESET, e);
	db->len += (size_t)n;
	return begins_well(db) ? 0 : broken(EPROTO, "what is not a JSON-RPC message", e);
}

static void drop_message(struct ovsdb *db, size_t end)
{
	memmove(db->text, db->text + end, db->len - end);
	db->len -= end;
	db->scanned = 0;
}

/* The next message, a new reference. */
static int receive(struct ovsdb *db, const struct deadline *d, json_t **ret, struct err *e)
{
	json_t *message;
	size_t end;

	while ((end = message_end(db)) == 0)
		if (read_more(db, d, e) < 0)
			return -1;
	message = jx_parse(db->text, end, ERR_IO, "message of Open vSwitch's database", e);
	if (!message)
		return -1;
	drop_message(db, end);
	if (!begins_well(db)) {
		json_decref(message);
		return broken(EPROTO, "what is not a JSON-RPC message", e);
	}
	*ret = message;
	return 0;
}

static bool is_call(const json_t *message, const char *method)
{
	const char *name = json_string_value(json_object_get(message, "method"));

	return name && strcmp(name, method) == 0;
}

static int answer_echo(const struct ovsdb *db, const json_t *call, const struct deadline *d,
		       struct err *e)
{
	json_t *id = json_object_get(call, "id"), *params = json_object_get(call, "params");
	json_auto_t *answer = json_pack("{s:O?, s:O?, s:n}", "id", id, "result", params, "error");

	return send_message(db, answer, d, e);
}

/* The answer to the last request, a new reference; what else comes meanwhile is not for us. */
static int await_answer(struct ovsdb *db, const struct deadline *d, json_t **ret, struct err *e)
{
	for (;;) {
		json_auto_t *message = NULL;
		const json_t *id;

		/* one that never falls silent is never waited for */
		if (check_time(d, e) < 0 || receive(db, d, &message, e) < 0)
			return -1;
		id = json_object_get(message, "id");
		if (is_call(message, "echo")) {
			if (answer_echo(db, message, d, e) < 0)
				return -1;
		} else if (json_is_integer(id) && json_integer_value(id) == db->id) {
			*ret = steal_ptr(&message);
			return 0;
		}
	}
}

/* -- transactions -- */

/* For an error: what may be of any length, and more than a line. */
static const char *words(const json_t *v, char ret[WORDS_MAX])
{
	const char *text = json_string_value(v);
	size_t n = 0;

	for (; text && text[n] && n < WORDS_MAX - 1; n++)
		ret[n] = (char)(iscntrl((unsigned char)text[n]) ? ' ' : text[n]);
	ret[n] = '\0';
	return ret;
}

/* An <error> of RFC 7047: {"error": ..., "details": ...}. */
static int refusal(const json_t *error, struct err *e)
{
	char name[WORDS_MAX], details[WORDS_MAX];

	(void)words(json_is_string(error) ? error : json_object_get(error, "error"), name);
	(void)words(json_object_get(error, "details"), details);
	(void)err_set(e, ERR_IO, 0, "the database of Open vSwitch refuses: %s",
		      *name ? name : "it does not say why");
	return *details ? err_detail(e, "%s", details) : -1;
}

static bool is_wait(const json_t *op)
{
	const char *name = json_string_value(json_object_get(op, "op"));

	return name && strcmp(name, "wait") == 0;
}

/*
 * One result for each operation, or up to the one that failed; one more when it was the commit.
 * A wait that does not hold "times out".
 */
static int judge(const json_t *ops, const json_t *results, struct err *e)
{
	const json_t *result;
	size_t i;

	json_array_foreach(results, i, result) {
		const json_t *error = json_object_get(result, "error");
		const char *name = json_string_value(error);

		if (name && strcmp(name, "timed out") == 0 && is_wait(json_array_get(ops, i)))
			return 0;
		if (error)
			return refusal(result, e);
	}
	if (json_array_size(results) != json_array_size(ops))
		return broken(EPROTO, "an answer without all results", e);
	return 1;
}

int ovsdb_transact(struct ovsdb *db, json_t *ops, const struct deadline *d, json_t **ret,
		   struct err *e)
{
	json_auto_t *mine = ops, *answer = NULL, *request = NULL, *params = NULL;
	json_t *error, *results;
	int done;

	params = json_pack("[s]", "Open_vSwitch");
	(void)json_array_extend(params, mine);
	request = json_pack("{s:I, s:s, s:O}", "id", ++db->id, "method", "transact", "params",
			    params);
	if (send_message(db, request, d, e) < 0 || await_answer(db, d, &answer, e) < 0)
		return -1;
	error = json_object_get(answer, "error");
	if (error && !json_is_null(error))
		return refusal(error, e);
	results = json_object_get(answer, "result");
	if (!json_is_array(results))
		return broken(EPROTO, "an answer without results", e);
	done = judge(mine, results, e);
	if (done == 1)
		*ret = json_incref(results);
	return done;
}

const json_t *ovsdb_rows(const json_t *results, size_t i)
{
	const json_t *rows = json_object_get(json_array_get(results, i), "rows");

	return json_is_array(rows) ? rows : NULL;
}

/* -- values -- */

/* The second of a pair ["set", [...]] or ["map", [...]]; NULL when it is none. */
static json_t *tagged(const json_t *v, const char *tag)
{
	const char *have = json_string_value(json_array_get(v, 0));
	json_t *inner = json_array_get(v, 1);

	return have && strcmp(have, tag) == 0 && json_is_array(inner) ? inner : NULL;
}

const char *ovsdb_string(const json_t *row, const char *column)
{
	return json_string_value(json_object_get(row, column));
}

json_int_t ovsdb_int(const json_t *row, const char *column, json_int_t none)
{
	const json_t *v = json_object_get(row, column);

	return json_is_integer(v) ? json_integer_value(v) : none;
}

const char *ovsdb_map_get(const json_t *row, const char *column, const char *key)
{
	const json_t *map = tagged(json_object_get(row, column), "map"), *pair;
	size_t i;

	json_array_foreach(map, i, pair) {
		const char *have = json_string_value(json_array_get(pair, 0));

		if (have && strcmp(have, key) == 0)
			return json_string_value(json_array_get(pair, 1));
	}
	return NULL;
}

json_t *ovsdb_set(const json_t *row, const char *column)
{
	json_t *v = json_object_get(row, column), *members = tagged(v, "set");

	if (members)
		return json_incref(members);
	return v ? json_pack("[O]", v) : json_array();
}

void ovsdb_done(struct ovsdb *db)
{
	if (db->fd >= 0)
		(void)close(db->fd);
	free(db->text);
	*db = (struct ovsdb)OVSDB_NONE;
}
