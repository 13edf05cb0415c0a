/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_take.c - a device joins what is taken, and is given back
 *
 * In the scheduler's order: counters are taken off before taints and constraints are looked at.
 * What is not given back then is its fault (FAULT_KEPT), which has to be done again to say what it
 * decides.
 */
#include "manager/dra/select_part.h"

/* -- counters -- */

/* Those of a shared device are taken off once. */
static bool has_counters(const struct select_candidate *c)
{
	return json_array_size(json_object_get(c->device->device, "consumesCounters")) > 0 &&
	       !(c->is_shared && c->n_held > 0);
}

static void give_counters_back(const struct select_search *s, const struct select_candidate *c,
			       bool counted)
{
	if (counted && !(s->faults & FAULT(KEPT)))
		counters_remove(c);
}

/* -- a device -- */

static void record(struct select_search *s, const struct select_spot *at, size_t candidate,
		   bool counted)
{
	struct select_claim *claim = select_claim_of(s, at);
	struct select_candidate *c = &s->candidates->list[candidate];

	claim->results[claim->n_results++] =
		(struct select_result){ at->choice, candidate, counted };
	if (c->is_shared)
		capacity_take(c, at->choice->capacity, s->faults);
}

/* All devices of a request are known beforehand, so others may have taken of its capacity since. */
static bool still_has_capacity(struct select_search *s, const struct select_spot *at,
			       size_t candidate)
{
	if (!at->choice->all ||
	    select_has_capacity(s, at->choice, candidate, &at->choice->verdicts[candidate]))
		return true;
	if (!(s->faults & FAULT(KEPT)))
		constraint_remove(select_claim_of(s, at), s->faults, at->choice);
	return false;
}

bool select_take(struct select_search *s, const struct select_spot *at, size_t candidate)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	struct verdict *v = &at->choice->verdicts[candidate];
	struct select_claim *claim = select_claim_of(s, at);
	bool counted = has_counters(c);

	if (!select_is_counted(c, v))
		return false;
	if (counted)
		counters_add(c);
	if (select_may_join(s, claim, at->choice, candidate, v)) {
		constraint_add(claim, s->faults, at->choice, c->device);
		if (still_has_capacity(s, at, candidate)) {
			record(s, at, candidate, counted);
			return true;
		}
	}
	give_counters_back(s, c, counted);
	return false;
}

void select_give_back(struct select_search *s, const struct select_spot *at)
{
	struct select_claim *claim = select_claim_of(s, at);
	const struct select_result *r = &claim->results[--claim->n_results];
	struct select_candidate *c = &s->candidates->list[r->candidate];

	constraint_remove(claim, s->faults, r->choice);
	if (c->is_shared)
		capacity_give_back(c, r->choice->capacity, s->faults);
	if (c->is_shared)
		give_counters_back(s, c, r->counted);
	else if (r->counted)
		counters_remove(c);
}
