/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice_state.h - which generation the pool of a node has
 *
 * The API wants another one with each change of any of a pool's slices.  <stateDir>/SLICE_STATE
 * remembers of each driver and pool the last one and a hash of what it was about:
 *
 *	{"version": 1, "pools": [{"driver", "pool", "content", "generation", "taints"}]}
 *
 * and of their taints since when they are there (slice_taint.h).
 */
#ifndef MANAGER_DRA_SLICE_STATE_H
#define MANAGER_DRA_SLICE_STATE_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>

#define SLICE_STATE "resourceslices.json"

/*
 * Set the generation of these slices, all of one pool, whose own does not count: the last one, or
 * the next if they differ from what that was about.  The first is 1.  Their taints get the
 * timeAdded that is remembered of them.
 */
int slice_state_look(const struct host *host, json_t *slices, struct err *e) must_check;
/*
 * The same, durably remembered; the directory is made where it is not there.  A taint that is new
 * has come now.
 */
int slice_state_take(const struct host *host, json_t *slices, struct err *e) must_check;
/*
 * The same of a pool of which the cluster has the slices `seen`, in the form of v1.  A generation
 * of theirs that is later than the one that is remembered counts: it stays where they say the same,
 * else the next one follows it.  What is not remembered of taints is taken from them.
 */
int slice_state_take_after(const struct host *host, json_t *slices, const json_t *seen,
			   struct err *e) must_check;

#endif
