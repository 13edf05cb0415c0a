/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_search.c - the first set of devices that meets all requests of all claims
 *
 * The scheduler's search: claim by claim, request by request, of firstAvailable one after the
 * other, and for each the devices in their order; what does not lead to a solution is given back.
 * Within a request only combinations are tried, for the order does not matter.  It is exhaustive,
 * so steps are counted; what can be known beforehand is not searched for, unless by a fault what is
 * tried in vain leaves something behind (FAULTS_KEEPING).
 */
#include "manager/dra/select_part.h"

#include <stdint.h>
#include <stdio.h>

static bool keeps(const struct select_search *s)
{
	return s->faults & FAULTS_KEEPING;
}

/* 1: it is taken; 0; -1 */
static int take(struct select_search *s, const struct select_spot *at, size_t candidate,
		struct err *e)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	struct verdict *v = &at->choice->verdicts[candidate];
	int r;

	if (++s->steps > SELECT_STEPS_MAX)
		return err_set(e, ERR_LIMITED, 0, "no set of devices was found in %d steps",
			       SELECT_STEPS_MAX);
	if (select_is_late(s))
		return select_not_in_time(e);
	if (*c->pool->fault || !select_is_free(s, select_claim_of(s, at), at->choice, candidate, v))
		return 0;
	r = select_evaluate(s, at, candidate, e);
	if (r <= 0)
		return r;
	if ((!at->choice->all && !select_has_capacity(s, at->choice, candidate, v)) ||
	    !select_take(s, at, candidate))
		return 0;
	if (v->why == NOT_TRIED)	/* what has been against it once is worth telling */
		v->why = NOT_NEEDED;
	return 1;
}

static void note_best(const struct select_spot *at, size_t n)
{
	if (at->choice->best < n)
		at->choice->best = n;
}

/*
 * At most so many devices can be had for a choice.  To know it beforehand saves all combinations of
 * too few.  An expression that fails counts once there is nothing without that device.
 */
static int has_enough(struct select_search *s, const struct select_spot *at, struct err *e)
{
	const struct select_choice *c = at->choice;
	struct err first = { 0 };	/* counts later, if at all */
	size_t n = 0;
	bool failed = false;

	for (size_t i = 0; i < s->candidates->n && n < c->count; i++) {
		const struct select_candidate *one = &s->candidates->list[i];
		struct verdict *v = &c->verdicts[i];
		struct err why = { 0 };
		int r = 0;

		if (!*one->pool->fault && select_is_free(s, select_claim_of(s, at), c, i, v))
			r = select_evaluate(s, at, i, &why);
		if (r < 0 && !failed)
			first = why;
		failed |= r < 0;
		if (r > 0 && !select_taint_against(one->device->device, c->tolerations) &&
		    select_has_capacity(s, c, i, v))
			n++;
	}
	if (n >= c->count)
		return 1;
	note_best(at, n);
	if (failed)
		*e = first;
	return failed ? -1 : 0;
}

/*
 * -- the search: 1 done, 0 there is no solution this way, TOO_MANY, -1 --
 *
 * A claim that would have too many devices would have so many whichever they are: another choice
 * may help, other devices do not.
 */

enum { TOO_MANY = 2 };

static int take_request(struct select_search *s, size_t claim, size_t request, struct err *e);

/* The devices from `first` on, for what is behind the first n of a choice. */
static int take_some(struct select_search *s, const struct select_spot *at, size_t n, size_t first,
		     struct err *e)
{
	if (n == at->choice->count)
		return take_request(s, at->claim, at->request + 1, e);
	for (size_t i = first; i < s->candidates->n; i++) {
		int r = take(s, at, i, e);

		if (r == 0)
			continue;
		if (r < 0)
			return -1;
		note_best(at, n + 1);
		r = take_some(s, at, n + 1, i + 1, e);
		if (r == 1 || r < 0)
			return r;
		select_give_back(s, at);
		if (r == TOO_MANY)
			return TOO_MANY;
	}
	return 0;
}

/*
 * Which are meant by "all" does not depend on who has them, or on their taints.  Where that cannot
 * be known nothing is allocated, though there be other choices.
 */
static int count_all(struct select_search *s, const struct select_spot *at, struct err *e)
{
	const struct select_pool *faulty = select_faulty_pool(s->candidates);
	size_t n = 0;

	if (faulty) {
		s->failed = *at;
		return err_set(e, ERR_NETCONF, 0, "request %s: all are asked for, but pool %.60s "
			       "of driver %s is not whole: %.80s", at->choice->name, faulty->name,
			       faulty->driver, faulty->fault);
	}
	for (size_t i = 0; i < s->candidates->n; i++) {
		struct verdict *v = &at->choice->verdicts[i];
		int r = select_evaluate(s, at, i, e);

		if (r < 0)
			return -1;
		v->meant = r > 0 && (s->faults & FAULT(ALL_LEFT) ?
				     select_has_capacity(s, at->choice, i, v) :
				     select_might_have_capacity(s, at->choice, i, v));
		n += v->meant;
	}
	at->choice->count = n;
	return 0;
}

/* A constraint that all of them cannot meet is a mistake: no other way is tried. */
static int cannot_join(struct select_search *s, const struct select_spot *at, size_t candidate,
		       struct err *e)
{
	const struct select_candidate *c = &s->candidates->list[candidate];

	s->failed = *at;
	return err_set(e, ERR_NETCONF, 0, "request %s: all are asked for, but device %s of pool "
		       "%.64s of driver %s does not meet a constraint of the claim",
		       at->choice->name, c->device->name, c->pool->name, c->pool->driver);
}

/*
 * The first that cannot be taken ends it, for each of them is needed.  Where nothing is kept of the
 * others they are taken all the same, to tell how many there are.
 */
static int take_each(struct select_search *s, const struct select_spot *at, size_t *n,
		     struct err *e)
{
	bool is_whole = true;

	for (size_t i = 0; (is_whole || !keeps(s)) && i < s->candidates->n; i++) {
		const struct verdict *v = &at->choice->verdicts[i];
		int r = v->meant ? take(s, at, i, e) : 1;

		if (r < 0)
			return -1;
		if (r == 0 && is_whole && v->why == NOT_CONSTRAINED)
			return cannot_join(s, at, i, e);
		is_whole &= r > 0;
		*n += r > 0 && v->meant;
	}
	note_best(at, *n);
	return is_whole;
}

/* FAULT_PANIC */
static bool panics(const struct select_search *s, const struct select_choice *c)
{
	for (size_t i = 0; s->faults & FAULT(PANIC) && i < s->candidates->n; i++)
		if (c->verdicts[i].meant && json_array_size(json_object_get(
			s->candidates->list[i].device->device, "consumesCounters")) > 0)
			return true;
	return false;
}

static int take_all(struct select_search *s, const struct select_spot *at, struct err *e)
{
	size_t n = 0;
	int r;

	if (panics(s, at->choice)) {
		s->failed = *at;
		return err_set(e, ERR_NETCONF, 0, "request %s: the scheduler panics where all "
			       "devices are asked for and one of them consumes counters",
			       at->choice->name);
	}
	r = take_each(s, at, &n, e);

	if (r > 0)
		r = take_request(s, at->claim, at->request + 1, e);
	while ((r == 0 || r == TOO_MANY) && n-- > 0)
		select_give_back(s, at);
	return r;
}

static int take_choice(struct select_search *s, const struct select_spot *at, struct err *e)
{
	struct select_choice *c = at->choice;
	int r;

	if (c->all && c->count == 0)
		return 0;
	c->beyond = select_claim_of(s, at)->n_results;
	if (c->beyond + c->count > SELECT_RESULTS_MAX)
		return TOO_MANY;
	c->beyond = 0;
	if (c->all)
		return take_all(s, at, e);
	r = keeps(s) ? 1 : has_enough(s, at, e);
	return r <= 0 ? r : take_some(s, at, 0, 0, e);
}

static void note_depth(struct select_search *s, size_t claim, size_t request)
{
	if (claim < s->deep_claim || (claim == s->deep_claim && request <= s->deep_request))
		return;
	s->deep_claim = claim;
	s->deep_request = request;
}

/* The first choice that leads to a solution. */
static int take_one_of(struct select_search *s, size_t claim, size_t request, struct err *e)
{
	struct select_request *r = &s->claims->list[claim].requests[request];
	int ret = TOO_MANY;

	for (size_t i = 0; i < r->n; i++) {
		const struct select_spot at = { claim, request, &r->choices[i] };
		int done = take_choice(s, &at, e);

		if (done == 1)
			r->chosen = i;
		if (done == 1 || done < 0)
			return done;
		if (done == 0)
			ret = 0;
	}
	return ret;
}

/* How many devices a claim has is no matter of the claim before it. */
static int take_request(struct select_search *s, size_t claim, size_t request, struct err *e)
{
	bool begins = false;
	int r;

	while (claim < s->claims->n && request == s->claims->list[claim].n) {
		claim++;
		request = 0;
		begins = true;
	}
	if (claim == s->claims->n)
		return 1;
	note_depth(s, claim, request);
	r = take_one_of(s, claim, request, e);
	return r == TOO_MANY && begins ? 0 : r;
}

static int count_alls(struct select_search *s, struct err *e)
{
	for (size_t i = 0; i < s->claims->n; i++)
		for (size_t k = 0; k < s->claims->list[i].n; k++) {
			struct select_request *r = &s->claims->list[i].requests[k];

			for (size_t j = 0; j < r->n; j++) {
				const struct select_spot at = { i, k, &r->choices[j] };

				if (at.choice->all && count_all(s, &at, e) < 0)
					return -1;
			}
		}
	return 0;
}

static size_t fewest(const struct select_request *r)
{
	size_t n = SIZE_MAX;

	for (size_t i = 0; i < r->n; i++)
		if (r->choices[i].count < n)
			n = r->choices[i].count;
	return n;
}

/* A claim that needs too many devices, which no search has to find out. */
static bool are_small(struct select_search *s)
{
	for (size_t i = 0; i < s->claims->n; i++) {
		struct select_claim *claim = &s->claims->list[i];
		size_t n = 0;

		for (size_t k = 0; k < claim->n; k++)
			n += fewest(&claim->requests[k]);
		if (n <= SELECT_RESULTS_MAX)
			continue;
		s->deep_claim = i;
		(void)snprintf(claim->fault, sizeof(claim->fault), "%zu devices, %d are allowed in "
			       "a claim", n, SELECT_RESULTS_MAX);
		return false;
	}
	return true;
}

/* If nobody else takes a device?  An expression that fails is left to the search to reach. */
static bool may_be_met(struct select_search *s, size_t claim, size_t request)
{
	struct select_request *r = &s->claims->list[claim].requests[request];

	for (size_t i = 0; i < r->n; i++) {
		const struct select_spot at = { claim, request, &r->choices[i] };
		struct err later;

		if (r->choices[i].all ? r->choices[i].count > 0 :
					has_enough(s, &at, &later) != 0)
			return true;
	}
	return false;
}

/* A request that cannot be met by itself: all combinations of the others would not change that. */
static bool are_possible(struct select_search *s)
{
	for (size_t i = 0; i < s->claims->n; i++)
		for (size_t k = 0; k < s->claims->list[i].n; k++)
			if (!may_be_met(s, i, k)) {
				note_depth(s, i, k);
				return false;
			}
	return true;
}

int select_search(struct select_search *s, struct err *e)
{
	int r = count_alls(s, e);

	if (r == 0)
		r = are_small(s) && (keeps(s) || are_possible(s)) ?
			    take_request(s, 0, 0, e) : 0;
	s->limited = r < 0 && e->code == ERR_LIMITED;
	if (r < 0 && !s->limited) {
		s->deep_claim = s->failed.claim;
		s->deep_request = s->failed.request;
	}
	return r == TOO_MANY ? 0 : r;
}
