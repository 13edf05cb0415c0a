/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - how the node's devices are used, told to who monitors nodes
 *
 * The room daemon/metrics/ writes the OpenMetrics text, at an address and into a file of the node's
 * file (metricsAddress, metricsFile), from what the daemon knows, the counters of VFs (netlink) and
 * of RDMA devices (sysfs), and the calls of the plugin (devinfo/tally/).  It only reads.
 *
 * To be read in this order:
 *
 *	family.c	the metrics that there are: one table
 *	exposition.c	samples, and their text; labels.c what stands in braces
 *	snapshot.c	what is known without asking
 *	collection.c	all samples, in steps: vf_counter.c, rdma_counter.c
 *	metrics.c	when they are collected, and who gets them
 *	http.c		by HTTP, at the socket of listen.c; textfile.c as a file
 *
 * Theory of operation.  A request begins a collection, whose steps are made between other things
 * that the loop does, some milliseconds at a time, and waits until it is complete.  Whoever asks
 * meanwhile, or within the second after it, gets the same samples.
 */
#ifndef DAEMON_METRICS_METRICS_H
#define DAEMON_METRICS_METRICS_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/loop/loop.h"
#include "daemon/offer/offer.h"
#include "manager/inventory/inventory.h"

struct metrics;

/*
 * Begin to tell metrics, as host->set says; all is borrowed, and the inventory and the offers may
 * be others at each turn of the loop.  An address that cannot be had is logged, and tried again.
 * NULL: ERR_IO.
 */
struct metrics *metrics_new(struct loop *l, const struct host *host, const struct inventory *inv,
			    const struct offers *offers, struct err *e) must_check;
/* The socket and the file are removed.  NULL is fine. */
void metrics_free(struct metrics *m);

#endif
