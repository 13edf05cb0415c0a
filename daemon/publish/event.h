/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - Events on the Node, when a device cannot be used any more, or can again */
#ifndef DAEMON_PUBLISH_EVENT_H
#define DAEMON_PUBLISH_EVENT_H

#include "base/err.h"
#include "daemon/publish/publish.h"

enum {
	EVENTS_GATHER_MS = 1000,	/* what becomes of many devices at a time is one Event */
	EVENTS_BURST = 25,		/* Events at once, */
	EVENTS_EACH_MS = 10 * 1000,	/* and then one in this time */
	EVENTS_SERIES_MS = 10 * 60 * 1000,	/* the same again within it is counted */
};

struct events;

/* devinfod tells, when it runs; until then nothing is published. */
struct events *events_new(const struct publishing *p, struct err *e) must_check;
void events_free(struct events *v);

#endif
