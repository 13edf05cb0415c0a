/* SPDX-License-Identifier: Apache-2.0 */
/* told.h - what was told last of each device, since when, and the last changes; the room's own */
#ifndef DAEMON_REPORT_TOLD_H
#define DAEMON_REPORT_TOLD_H

#include "daemon/offer/offer.h"
#include "manager/inventory/inventory.h"
#include "manager/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TOLD_PAST = 256,		/* changes */
	TOLD_NAME = OFFER_RESOURCE + OFFER_ID,
};

struct told {
	struct report_device **list;	/* owned, as is each; by resource and id */
	size_t n;
	bool begun;			/* the list is of a look, and be it empty */
	struct {
		struct report_device *device;	/* owned */
		int64_t at_ms;
		bool gone;
	} past[TOLD_PAST];
	size_t n_past;			/* that there ever were: the next one's place, modulo */
};

/* A report whose lists are its own, and whose devices are the told ones. */
struct told_news {
	struct report report;
	char (*gone)[TOLD_NAME];	/* owned: "RESOURCE/DEVICE" */
};
void told_news_done(struct told_news *n);
#define auto_told_news auto_with(told_news_done)

/*
 * The node was looked at, at this time: *ret is what has changed since the look before, until the
 * next call, and is logged.  Of the first look nothing is a change.  -1 when there is no memory:
 * all is as before.
 */
int told_update(struct told *t, const struct inventory *inv, const struct offers *o, int64_t now_ms,
		struct told_news *ret, struct err *e) must_check;

/* All that is told, with the last changes or without, until the next told_update(). */
int told_all(const struct told *t, bool past, int64_t now_ms, struct told_news *ret,
	     struct err *e) must_check;

void told_done(struct told *t);

/* -- describe.c -- */

/*
 * A device as a report has it, since_ms apart: all is borrowed from o, inv and was, which is what
 * was told of it last; NULL.
 */
struct report_device told_describe(const struct inventory *inv, const char *resource,
				   const struct offered *o, const struct report_device *was);

/* Is the same told of both, since_ms apart? */
bool told_equal(const struct report_device *a, const struct report_device *b);

/* A copy in one piece, which the caller frees; NULL when there is no memory. */
struct report_device *told_copy(const struct report_device *d) must_check;

#endif
