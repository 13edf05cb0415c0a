/* SPDX-License-Identifier: Apache-2.0 */
/* reset.c - a function level reset of a device that no attachment has, without waiting for it */
#include "daemon/plugin/reset.h"

#include "base/bounded.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/driver/driver.h"
#include "daemon/offer/offer.h"
#include "daemon/plugin/holder.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_MS = 20 };			/* an ADD or DEL of the device takes longer */

struct reset {
	struct journal journal;		/* with the device's lock; dir -1: there is no journal */
	struct bounded_job *job;	/* owned */
	struct deadline end;
	bool ended;
};

struct order {
	const struct host *host;
	const char *bdf;
};

/* -- may it be? -- */

/* For an attachment of whichever pod: it has been set up, or will be. */
static int is_promised(const struct host *host, const char *bdf, struct err *e)
{
	auto_offer_promises struct offer_promises p = { .n = 0 };

	if (offer_promises_read(host, &p, e) < 0)
		return -1;
	for (size_t i = 0; i < p.n; i++)
		if (name_ids_equal(p.list[i].id, bdf))
			return 1;
	return 0;
}

/* Some drivers of the kernel are not prepared for a reset. */
static int is_users(const struct host *host, const char *bdf, struct err *e)
{
	char driver[64] = "";

	if (fs_readlink_base(host->root, driver, sizeof(driver), e,
			     "/sys/bus/pci/devices/%s/driver", bdf) < 0)
		return -1;
	return !*driver || driver_is_userspace(driver);
}

/* 1, 0, -1; under its lock. */
static int may_be_reset(const struct host *host, const char *bdf, struct err *e)
{
	int r = holder_lives(host, bdf, e);

	if (r == 0)
		r = is_promised(host, bdf, e);
	if (r == 0)
		r = sysfs_has_netdev(host, bdf, e);
	if (r != 0)
		return r < 0 ? -1 : 0;
	r = is_users(host, bdf, e);
	return r > 0 ? driver_can_reset(host, bdf, e) : r;
}

/* -- the child -- */

/* Not one that a program has open; a driver for user space stays bound. */
static int carry_out(const void *arg, void *answer, struct err *e)
{
	const struct order *o = arg;
	struct driver_state none = { .bound = "" };

	(void)answer;
	return driver_reset(o->host, o->bdf, &none, e);
}

/* -- from outside -- */

/* Where no ADD has ever been there is no journal. */
static int lock(const struct host *host, const char *bdf, struct journal *ret, struct err *e)
{
	struct deadline d = deadline_in(LOCK_MS);
	int r = journal_open(host, JOURNAL_UPDATE, ret, e);

	return r > 0 ? journal_lock_device(ret, bdf, &d, e) : r;
}

static int begin(const struct host *host, const char *bdf, struct reset *r, struct err *e)
{
	const struct order o = { host, bdf };
	const struct bounded b = { .fn = carry_out, .arg = &o, .keep = host->root };
	int may = lock(host, bdf, &r->journal, e);

	if (may == 0)
		may = may_be_reset(host, bdf, e);
	if (may <= 0)
		return may;
	r->end = deadline_in(RESET_MS);
	r->job = bounded_begin(&b, e);
	return r->job ? 1 : -1;
}

int reset_begin(const struct host *host, const char *bdf, struct reset **ret, struct err *e)
{
	struct reset *r = calloc(1, sizeof(*r));
	int begun;

	if (!r)
		return err_set(e, ERR_IO, ENOMEM, "a reset");
	r->journal = (struct journal){ .dir = -1, .lock = -1 };
	begun = begin(host, bdf, r, e);
	if (begun > 0)
		*ret = r;
	else
		reset_free(r);
	return begun < 0 ? err_wrap(e, "reset of device %s", bdf) : begun;
}

int reset_look(struct reset *r, struct err *e)
{
	int result;

	if (bounded_has_ended(r->job, &result, e)) {
		r->ended = true;
		return result < 0 ? -1 : 1;
	}
	if (deadline_left_ms(&r->end) > 0)
		return 0;
	bounded_kill(r->job);
	return err_set(e, ERR_DEVICE, 0, "it takes more than %d ms", RESET_MS);
}

bool reset_has_ended(struct reset *r)
{
	struct err e;
	int result;

	if (!r->ended)
		r->ended = bounded_has_ended(r->job, &result, &e);
	return r->ended;
}

void reset_free(struct reset *r)
{
	if (!r)
		return;
	bounded_free(r->job);
	journal_done(&r->journal);
	free(r);
}
