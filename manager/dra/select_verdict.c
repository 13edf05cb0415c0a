/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_verdict.c - does a device meet a request, and could it be taken now?
 *
 * What is known of a device by itself is kept in the verdict, for it does not depend on what is
 * taken.
 *
 * An expression that fails for a device ends the search, as it does for the scheduler, whose node
 * is out then: an expression should ask has() first.  So does one for a device of another node, in
 * a slice of both: only then is looked whose it is.  But a device that is somebody's is not
 * evaluated.
 */
#include "manager/dra/select_part.h"

#include <stdio.h>
#include <string.h>

struct select_claim *select_claim_of(const struct select_search *s, const struct select_spot *at)
{
	return &s->claims->list[at->claim];
}

#define NOT_IN_TIME	"it was not evaluated within the time limit"

/* -- does a device meet a request at all? -- */

static void put_words(struct verdict *v, enum why_not why, const char *words)
{
	json_decref(v->words);
	v->words = json_string(words);
	if (!v->words)			/* cut within a character */
		v->words = json_string("its selectors");
	v->why = why;
}

static int ask_selectors(const struct selectors *list, const char *whose, const char *name,
			 const struct dra_device *d, struct verdict *v, struct err *e)
{
	const struct cel_device device = dra_device_for_cel(d);
	char words[600];

	for (size_t i = 0; i < list->n; i++) {
		int r = cel_matches(list->list[i], &device, e);

		if (r > 0)
			continue;
		(void)snprintf(words, sizeof(words), "%s %s: selectors[%zu] %s%.200s%s%.200s",
			       whose, name, i, r < 0 ? "fails: " : "is false", r < 0 ? e->msg : "",
			       r < 0 && *e->details ? ": " : "", r < 0 ? e->details : "");
		put_words(v, r < 0 ? NOT_EVALUATED : NOT_SELECTED, words);
		return r;
	}
	return 1;
}

bool select_is_late(const struct select_search *s)
{
	return s->until && deadline_left_ms(s->until) == 0;
}

int select_not_in_time(struct err *e)
{
	return err_set(e, ERR_LIMITED, 0, "no set of devices was found in time");
}

/* 1, 0, -1; what is known of it is kept, for it does not depend on what is taken. */
static int is_selectable(const struct select_search *s, const struct select_candidate *c,
			 struct select_choice *choice, struct verdict *v, struct err *e)
{
	int r;

	if (v->selectable || v->why == NOT_SELECTED)
		return v->selectable;
	if (select_is_late(s)) {
		put_words(v, NOT_EVALUATED, NOT_IN_TIME);
		return select_not_in_time(e);
	}
	r = ask_selectors(&choice->class->selectors, "DeviceClass", choice->class->name, c->device,
			  v, e);
	if (r > 0)
		r = ask_selectors(&choice->selectors, "request", choice->name, c->device, v, e);
	if (r > 0 && !c->is_here) {
		put_words(v, NOT_SELECTED, "it is another node's");
		r = 0;
	}
	v->selectable = r > 0;
	return r;
}

/* -- could it be taken now? -- */

/* What of this run has it, or NULL: for adminAccess only the same claim's own counts. */
static const struct select_choice *taker(const struct select_search *s,
					 const struct select_claim *claim,
					 const struct select_choice *choice, size_t candidate,
					 const char **of)
{
	for (size_t i = 0; i < s->claims->n; i++) {
		const struct select_claim *other = &s->claims->list[i];

		if (choice->admin && other != claim)
			continue;
		for (size_t k = 0; k < other->n_results; k++)
			if (other->results[k].candidate == candidate) {
				*of = other == claim ? NULL : other->name;
				return other->results[k].choice;
			}
	}
	return NULL;
}

bool select_refuse(struct verdict *v, enum why_not why, const json_t *what,
			  const char *other)
{
	v->why = why;
	v->what = what;
	v->other = other;
	return false;
}

bool select_is_free(const struct select_search *s, const struct select_claim *claim,
		    const struct select_choice *choice, size_t candidate, struct verdict *v)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	const struct select_choice *other;

	if (c->taken_by && !choice->admin)
		return select_refuse(v, NOT_FREE, NULL, c->taken_by);
	if (c->is_shared)
		return true;
	other = taker(s, claim, choice, candidate, &v->claim);
	return other ? select_refuse(v, NOT_TWICE, NULL, other->name) : true;
}

bool select_might_have_capacity(const struct select_search *s, const struct select_choice *choice,
				size_t candidate, struct verdict *v)
{
	char words[256];

	if (capacity_is_enough(&s->candidates->list[candidate], choice->capacity, s->faults, words))
		return true;
	put_words(v, NOT_ENOUGH, words);
	return false;
}

bool select_has_capacity(const struct select_search *s, const struct select_choice *choice,
			 size_t candidate, struct verdict *v)
{
	char words[256];

	if (capacity_is_left(&s->candidates->list[candidate], choice->capacity, s->faults, words))
		return true;
	put_words(v, NOT_ENOUGH, words);
	return false;
}

bool select_is_counted(const struct select_candidate *c, struct verdict *v)
{
	const char *set = c->is_shared && c->n_held > 0 ? NULL : counters_against(c);

	return set ? select_refuse(v, NOT_COUNTED, NULL, set) : true;
}

bool select_may_join(const struct select_search *s, const struct select_claim *claim,
		     const struct select_choice *choice, size_t candidate, struct verdict *v)
{
	const struct dra_device *d = s->candidates->list[candidate].device;
	const json_t *what = select_taint_against(d->device, choice->tolerations);
	const char *other = NULL;

	if (what)
		return select_refuse(v, NOT_TOLERATED, what, NULL);
	what = groups_against(s, candidate);
	if (what)
		return select_refuse(v, NOT_GROUPED, what, NULL);
	what = constraint_against(claim, s->faults, choice, d, &other);
	return what ? select_refuse(v, NOT_CONSTRAINED, what, other) : true;
}

/* What fails here is where the search ends. */
int select_evaluate(struct select_search *s, const struct select_spot *at, size_t candidate,
		    struct err *e)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	struct verdict *v = &at->choice->verdicts[candidate];
	int r = is_selectable(s, c, at->choice, v, e);

	if (r >= 0 || e->code == ERR_LIMITED)
		return r;
	s->failed = *at;
	return err_set(e, ERR_NETCONF, 0, "device %s of pool %.64s of driver %s: %.140s",
		       c->device->name, c->pool->name, c->pool->driver,
		       json_string_value(v->words));
}

void select_judge(struct select_search *s, const struct select_claim *claim,
		  struct select_choice *choice, size_t candidate)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	struct verdict *v = &choice->verdicts[candidate];
	struct err ignored;	/* the verdict has its words */

	if (*c->pool->fault)
		put_words(v, NOT_SELECTED, c->pool->fault);
	else if (select_is_late(s))
		put_words(v, NOT_EVALUATED, NOT_IN_TIME);
	else if (is_selectable(s, c, choice, v, &ignored) > 0 &&
		 select_is_free(s, claim, choice, candidate, v) &&
		 select_has_capacity(s, choice, candidate, v) &&
		 select_is_counted(c, v) && select_may_join(s, claim, choice, candidate, v))
		v->why = NOT_NEEDED;
}
