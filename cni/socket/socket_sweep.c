/* SPDX-License-Identifier: Apache-2.0 */
/* socket_sweep.c - the end of what the DELs of sockets had to keep */
#include "cni/socket/socket_sweep.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/socket/socket_clear.h"
#include "cni/socket/socket_keep.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"

/* What the attachment has again is its own DEL's. */
static int release_locked(const struct host *host, struct journal *j, const struct record *rec,
			  struct err *e)
{
	auto_record struct record again = { 0 };
	int r = journal_find(j, &rec->owner, &again, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	r = socket_clear(host, j, rec, e);
	if (r != 0)
		return r < 0 ? -1 : 0;
	return socket_keep_forget(host, rec, e) < 0 ? -1 : 1;
}

int socket_sweep_one(const struct host *host, struct journal *j, const struct record *rec,
		     struct err *e)
{
	struct deadline at_once = deadline_in(0);
	int r;

	if (journal_lock_attachment(j, &rec->owner, &at_once, e) < 0)
		return err_hide(e, "a directory of sockets: a call is at work on it");
	r = release_locked(host, j, rec, e);
	journal_unlock_attachment(j, &rec->owner);
	return r;
}

struct sweep {
	const struct host *host;
	struct journal *journal;
	enum socket_sweep_which which;
	struct deadline end;
};

/* Whoever sweeps has something else to do: what cannot be removed is told in the log. */
static int try_one(const struct record *rec, void *arg, struct err *e)
{
	const struct sweep *s = arg;
	struct err why;
	int alive;

	(void)e;
	if (deadline_left_ms(&s->end) == 0)
		return 1;
	alive = owner_is_alive(s->host, rec, &why);
	if (alive < 0 || (alive && s->which == SOCKET_SWEEP_DEAD))
		return 0;
	if (socket_sweep_one(s->host, s->journal, rec, &why) < 0)
		log_warning("msg=\"still kept: %s\" details=\"%s\" path=%s", why.msg, why.details,
			    rec->socket.path);
	return 0;
}

/* What DELs by an earlier stateDir had to keep. */
static int sweep_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct sweep s = *(const struct sweep *)arg;

	s.host = there;
	s.journal = j;
	return j->lock >= 0 ? socket_keep_each(there, JOURNAL_UPDATE, try_one, &s, e) : 0;
}

/* By a journal of its own: a lock that the caller has is not had twice, and not given up here. */
void socket_sweep(const struct host *host, enum socket_sweep_which which, unsigned int ms)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct sweep s = { host, &j, which, deadline_in(ms) };
	struct err e;
	int r = journal_open(host, JOURNAL_UPDATE, &j, &e);

	if (r > 0 && j.lock >= 0)
		r = socket_keep_each(host, JOURNAL_UPDATE, try_one, &s, &e);
	if (r == 0)
		r = earlier_each(host, JOURNAL_UPDATE, sweep_there, &s, &e);
	if (r < 0)
		log_warning("msg=\"look for directories that were kept\" error=\"%s\" "
			    "details=\"%s\"", e.msg, e.details);
}
