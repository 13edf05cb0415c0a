/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf_counter.h - what each VF has sent and received, a PF at a time
 *
 * The kernel writes zeros for a driver that counts nothing.  So a PF of whose VFs no counter has
 * ever moved has no samples: zeros that nobody counts would say that a VF is idle.
 */
#ifndef DAEMON_METRICS_VF_COUNTER_H
#define DAEMON_METRICS_VF_COUNTER_H

#include "base/host.h"
#include "daemon/metrics/exposition.h"
#include "manager/inventory/inventory.h"
#include "netlink/nl.h"
#include "netlink/vf_stats.h"

struct vf_target {			/* one VF */
	int pf_ifindex;
	unsigned int index;
	exposition_labels labels;
	struct vf_stats stats;
};

struct vf_counters {
	struct vf_target *list;		/* owned; those of one PF behind each other */
	size_t n, next;
	struct nl nl;
	json_t *recorded;		/* owned: the answers of a recorded node; NULL: ask */
};

/* Note the VFs, with a sample of each: 0, -1 where there is no memory. */
int vf_counters_begin(struct vf_counters *v, const struct host *host, const struct inventory *inv,
		      struct exposition *x) must_check;
/* Read those of the next PF; false: that was all. */
bool vf_counters_step(struct vf_counters *v, struct exposition *x) must_check;
void vf_counters_done(struct vf_counters *v);

#endif
