/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdma_counter.h - the counters of RDMA devices, after /sys/class/infiniband, a device at a time
 *
 * They are those of InfiniBand, of VFs whose driver has no counters on the PF, and of what programs
 * send past the kernel.  A device that is in another network namespace shows none.
 */
#ifndef DAEMON_METRICS_RDMA_COUNTER_H
#define DAEMON_METRICS_RDMA_COUNTER_H

#include "base/host.h"
#include "daemon/metrics/exposition.h"
#include "manager/inventory/inventory.h"

enum { RDMA_COUNTER_TEXT = 128, RDMA_COUNTERS_MAX = 512 };

struct rdma_target {
	char name[INV_TEXT];
	exposition_labels labels;	/* of the device */
};

struct rdma_counter_name {		/* labels that many devices share: port and counter */
	char text[RDMA_COUNTER_TEXT];
	exposition_labels labels;
};

struct rdma_counters {
	struct rdma_target *list;	/* owned */
	size_t n, next;
	struct rdma_counter_name *names;	/* owned */
	size_t n_names;
};

/* Note the devices: 0, -1 where there is no memory. */
int rdma_counters_begin(struct rdma_counters *r, const struct inventory *inv,
			struct exposition *x) must_check;
/* Read those of the next one; false: that was all. */
bool rdma_counters_step(struct rdma_counters *r, const struct host *host,
			struct exposition *x) must_check;
void rdma_counters_done(struct rdma_counters *r);

#endif
