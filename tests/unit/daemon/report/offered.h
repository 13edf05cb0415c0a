/* SPDX-License-Identifier: Apache-2.0 */
/* offered.h - offers of a few devices, and who has them, for the tests of daemon/report */
#ifndef TESTS_UNIT_DAEMON_REPORT_OFFERED_H
#define TESTS_UNIT_DAEMON_REPORT_OFFERED_H

#include "daemon/offer/offer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OFFERED_MAX = 600 };

/* One resource; attachment 0 is of pod ns/p on net1, allocation 0 of ns/p, container c. */
struct scene {
	struct offered devices[OFFERED_MAX];
	struct offer offer;
	struct offers offers;
	struct inv_attachment attachment;
	struct inv_allocation allocation;
	struct inventory inv;
};

static inline struct offered *offered_add(struct scene *s, const char *id)
{
	struct offered *o = &s->devices[s->offer.n++];

	*o = (struct offered){ .healthy = true, .function = INV_NONE, .auxiliary = INV_NONE,
			       .attachment = INV_NONE, .allocation = INV_NONE };
	(void)snprintf(o->id, sizeof(o->id), "%s", id);
	return o;
}

static inline void offered_open(struct scene *s)
{
	*s = (struct scene){
		.offer = { .resource = "a.b/vf", .list = s->devices },
		.attachment = { .pod_namespace = "ns", .pod_name = "p", .pod_uid = "u-1",
				.ifname = "net1", .network = "lab", .state = "live" },
		.allocation = { .pod_namespace = "ns", .pod_name = "p", .container = "c" },
	};
	s->offers = (struct offers){ .list = &s->offer, .n = 1 };
	s->inv = (struct inventory){ .attachments = &s->attachment, .n_attachments = 1,
				     .allocations = &s->allocation, .n_allocations = 1 };
}

static inline void offered_break(struct offered *o, const char *why)
{
	o->healthy = !*why;
	(void)snprintf(o->reason, sizeof(o->reason), "%s", why);
}

#endif
