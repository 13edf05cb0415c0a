/* SPDX-License-Identifier: Apache-2.0 */
/* holder.c - does a live attachment have a device, at this moment? */
#include "daemon/plugin/holder.h"

#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/owner.h"

struct looking {
	const struct host *host;
	const char *id;
};

static int lives(struct record *rec, void *arg, struct err *e)
{
	const struct looking *l = arg;
	int r = owner_is_alive(l->host, rec, e);

	record_done(rec);
	return r;
}

static int look_in(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	return device_ref_each(there, j, ((struct looking *)arg)->id, lives, arg, e);
}

int holder_lives(const struct host *host, const char *id, struct err *e)
{
	struct looking l = { host, id };
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	int r = journal_open(host, JOURNAL_READ, &j, e);

	if (r > 0)
		r = look_in(host, &j, &l, e);
	return r != 0 ? r : earlier_each(host, JOURNAL_READ, look_in, &l, e);
}
