/* SPDX-License-Identifier: Apache-2.0 */
/* select_report.c - the answer: what each request gets, and why not the other devices */
#include "manager/dra/select_part.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 1024, WHY_BYTES_MAX = 16 << 20 };

/* What was cut within a character is no text of JSON's. */
static json_t *text_json(const char *text)
{
	json_t *ret = json_string(text);

	return ret ? ret : json_string("?");
}

/* -- why a device is not taken -- */

static const char *constraint_words(const struct verdict *v, char ret[WORDS])
{
	const char *match = json_string_value(json_object_get(v->what, "matchAttribute"));
	const char *name = match ? match :
			   json_string_value(json_object_get(v->what, "distinctAttribute"));

	if (!v->other)
		(void)snprintf(ret, WORDS, "it has no attribute %.128s, which a constraint is "
			       "about", name);
	else
		(void)snprintf(ret, WORDS, "its attribute %.128s is %s device %s's", name,
			       match ? "not" : "also", v->other);
	return ret;
}

static const char *reason_words(const struct verdict *v, bool solved, char ret[WORDS])
{
	char taint[256];

	*ret = '\0';
	switch (v->why) {
	case NOT_TRIED:
	case NOT_NEEDED:
		return solved ? "not needed" : "it could be taken";
	case NOT_SELECTED:
	case NOT_EVALUATED:
	case NOT_ENOUGH:
		return json_string_value(v->words);
	case NOT_FREE:
		(void)snprintf(ret, WORDS, "it is allocated to %s", v->other);
		return ret;
	case NOT_TWICE:
		(void)snprintf(ret, WORDS, "request %s%s%s takes it", v->other,
			       v->claim ? " of claim " : "", v->claim ? v->claim : "");
		return ret;
	case NOT_TOLERATED:
		(void)snprintf(ret, WORDS, "taint %s is not tolerated",
			       select_taint_text(v->what, taint));
		return ret;
	case NOT_COUNTED:
		(void)snprintf(ret, WORDS, "not enough is left of counter set %.64s",
			       v->other);
		return ret;
	case NOT_GROUPED:
		(void)snprintf(ret, WORDS, "devices that are taken of counter set %.64s are of "
			       "other compatibilityGroups",
			       json_string_value(json_object_get(v->what, "counterSet")));
		return ret;
	case NOT_CONSTRAINED:
		return constraint_words(v, ret);
	}
	return ret;
}

/* -- with --why: how each selector came out, up to the one that decides -- */

/* Beyond the limits only the names of selectors are told. */
static int trace(struct select_search *s, const struct cel *selector, const struct cel_device *d,
		 json_t **ret)
{
	struct err ignored;	/* the trace has it */
	int r;

	if (s->why_bytes > WHY_BYTES_MAX || select_is_late(s))
		return 0;
	r = cel_trace(selector, d, ret, &ignored);
	s->why_bytes += json_dumpb(*ret, NULL, 0, JSON_COMPACT);
	return r;
}

static bool add_traces(struct select_search *s, const struct selectors *list, const char *whose,
		       const char *name, const struct dra_device *d, json_t *to)
{
	const struct cel_device device = dra_device_for_cel(d);

	for (size_t i = 0; i < list->n; i++) {
		json_t *terms = NULL;
		int r = trace(s, list->list[i], &device, &terms);

		(void)json_array_append_new(to, json_pack("{s:o,s:o*}", "selector",
			json_sprintf("%s %.130s: selectors[%zu]", whose, name, i), "trace", terms));
		if (r <= 0)
			return false;
	}
	return true;
}

static json_t *traces(struct select_search *s, const struct select_choice *choice,
		      const struct dra_device *d)
{
	json_t *ret = json_array();

	if (add_traces(s, &choice->class->selectors, "DeviceClass", choice->class->name, d, ret))
		(void)add_traces(s, &choice->selectors, "request", choice->name, d, ret);
	return ret;
}

/* -- a request -- */

static bool has_taken(const struct select_claim *claim, const struct select_choice *choice,
		      size_t candidate)
{
	for (size_t i = 0; i < claim->n_results; i++)
		if (claim->results[i].choice == choice && claim->results[i].candidate == candidate)
			return true;
	return false;
}

static json_t *device_row(struct select_search *s, const struct select_question *q,
			  const struct select_claim *claim, struct select_choice *choice, size_t i,
			  bool solved)
{
	const struct dra_device *d = s->candidates->list[i].device;
	bool taken = has_taken(claim, choice, i);
	json_t *row = json_pack("{s:s,s:s,s:s,s:b}", "driver", d->slice->driver, "pool",
				d->slice->pool, "device", d->name, "taken", taken);
	char words[WORDS];

	(void)json_object_set_new(row, "reason", text_json(taken ?
		select_taint_allowance(d->device, choice->tolerations, words) :
		reason_words(&choice->verdicts[i], solved, words)));
	if (q->why && !*s->candidates->list[i].pool->fault)
		(void)json_object_set_new(row, "why", traces(s, choice, d));
	return row;
}

static json_t *device_rows(struct select_search *s, const struct select_question *q,
			   const struct select_claim *claim, struct select_choice *choice,
			   bool met)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < s->candidates->n; i++) {
		if (!s->candidates->list[i].is_here && choice->verdicts[i].why != NOT_EVALUATED)
			continue;
		if (!has_taken(claim, choice, i) &&
		    (met || choice->verdicts[i].why == NOT_TRIED))
			select_judge(s, claim, choice, i);
		(void)json_array_append_new(rows, device_row(s, q, claim, choice, i, met));
	}
	return rows;
}

/* Why a choice is not met. */
static const char *choice_words(const struct select_search *s, const struct select_choice *choice,
				char ret[WORDS])
{
	const struct select_pool *faulty = select_faulty_pool(s->candidates);

	if (choice->all && faulty)
		(void)snprintf(ret, WORDS, "all are asked for, but pool %.100s of driver %s is not "
			       "whole: %s", faulty->name, faulty->driver, faulty->fault);
	else if (choice->all && choice->count == 0)
		(void)snprintf(ret, WORDS, "all are asked for, but there is none");
	else if (choice->beyond + choice->count > SELECT_RESULTS_MAX)
		(void)snprintf(ret, WORDS, "%zu devices, %d are allowed in a claim",
			       choice->beyond + choice->count, SELECT_RESULTS_MAX);
	else
		(void)snprintf(ret, WORDS, "%zu of %zu devices", choice->best, choice->count);
	return ret;
}

/* Of the search: -1 before the request at which it ended, 0 that one, 1 behind it. */
static int place_of(const struct select_search *s, const struct select_claim *claim,
		    const struct select_request *r)
{
	const struct select_claim *deep = &s->claims->list[s->deep_claim];
	const struct select_request *last = &deep->requests[s->deep_request];

	if (claim != deep)
		return claim < deep ? -1 : 1;
	return r < last ? -1 : r > last;
}

static json_t *request_row(struct select_search *s, const struct select_question *q,
			   const struct select_claim *claim, struct select_request *r,
			   size_t i, bool solved)
{
	struct select_choice *choice = &r->choices[i];
	bool met = solved && i == r->chosen, needed = !solved || i <= r->chosen;
	int place = place_of(s, claim, r);
	bool decides = solved || place == 0;
	char words[WORDS];
	json_t *row = json_pack("{s:s,s:s,s:b,s:b}", "request", choice->name, "class",
				choice->class->name, "adminAccess", choice->admin, "met", met);

	(void)json_object_set_new(row, "reason", text_json(
		met ? "" : !needed ? "not needed" : decides ? choice_words(s, choice, words) :
		place < 0 ? "alone it could be met" : "not tried"));
	if (needed && (decides || q->why))
		(void)json_object_set_new(row, "devices", device_rows(s, q, claim, choice, met));
	return row;
}

/* -- a claim -- */

/* "request r: a 0 of 1 devices, b 1 of 2 devices" */
static void explain(const struct select_search *s, struct select_claim *claim)
{
	const struct select_request *r = &claim->requests[s->deep_request];
	char words[WORDS], part[WORDS];
	size_t used = (size_t)snprintf(words, sizeof(words), "request %s:", r->name);

	for (size_t i = 0; i < r->n && used < sizeof(words); i++)
		used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s%s %.300s",
					 i > 0 ? "," : "", r->n > 1 ? " " : "",
					 r->n > 1 ? strchr(r->choices[i].name, '/') + 1 : "",
					 choice_words(s, &r->choices[i], part));
	(void)snprintf(claim->fault, sizeof(claim->fault), "%.1000s", words);
}

static bool is_readable(const struct select_claim *claim)
{
	for (size_t i = 0; i < claim->n; i++)
		for (size_t k = 0; k < claim->requests[i].n; k++)
			if (!claim->requests[i].choices[k].verdicts)
				return false;
	return true;
}

static json_t *claim_row(struct select_search *s, const struct select_question *q,
			 struct select_claim *claim, bool solved)
{
	bool tells = solved || q->why || claim == &s->claims->list[s->deep_claim];
	json_t *rows = json_array(), *row;

	for (size_t i = 0; tells && is_readable(claim) && i < claim->n; i++)
		for (size_t k = 0; k < claim->requests[i].n; k++)
			(void)json_array_append_new(rows, request_row(s, q, claim,
							&claim->requests[i], k, solved));
	row = json_pack("{s:o,s:o,s:b,s:o,s:o}", "claim", text_json(claim->name), "source",
			text_json(claim->source), "satisfied", solved, "reason",
			text_json(claim->fault), "requests", rows);
	if (solved)
		(void)json_object_set_new(row, "status", json_pack("{s:o}", "allocation",
			select_allocation(claim, s, q->node)));
	return row;
}

static bool has_both(const struct select_claim *claim)
{
	const json_t *o;
	size_t i;

	json_array_foreach(claim->constraints, i, o)
		if (json_is_string(json_object_get(o, "matchAttribute")) &&
		    json_is_string(json_object_get(o, "distinctAttribute")))
			return true;
	return false;
}

/* What the API server takes, though it is not meant to be. */
static void note_claims(const struct select_search *s, json_t *notes)
{
	bool admin = false, both = false, many = false;

	for (size_t i = 0; i < s->claims->n; i++) {
		const struct select_claim *claim = &s->claims->list[i];

		both |= has_both(claim);
		for (size_t k = 0; k < claim->n; k++)
			for (size_t j = 0; j < claim->requests[k].n; j++) {
				const struct select_choice *c = &claim->requests[k].choices[j];

				admin |= c->admin;
				many |= json_array_size(c->tolerations) > SELECT_TOLERATIONS_MAX;
			}
	}
	if (admin)
		(void)json_array_append_new(notes, json_string(
			"adminAccess: only in a namespace with the label "
			"resource.kubernetes.io/admin-access: \"true\", which is not looked at"));
	if (both)
		(void)json_array_append_new(notes, json_string(
			"a constraint has matchAttribute and distinctAttribute: the scheduler goes "
			"by matchAttribute alone"));
	if (many)
		(void)json_array_append_new(notes, json_sprintf(
			"a request has more than %d tolerations: the API server takes as many, "
			"its documentation does not", SELECT_TOLERATIONS_MAX));
}

static void note(const struct select_search *s, json_t *notes)
{
	note_claims(s, notes);
	if (s->candidates->n_here == 0)
		(void)json_array_append_new(notes, json_string(
			"no ResourceSlice has a device of this node"));
	if (s->why_bytes > WHY_BYTES_MAX)
		(void)json_array_append_new(notes, json_string(
			"--why does not show all that was evaluated: the limit is reached"));
	if (s->candidates->selected_nodes)
		(void)json_array_append_new(notes, json_string(
			"nodeSelector of a ResourceSlice: taken to select this node, whose labels "
			"are not known"));
	for (size_t i = 0; i < s->candidates->n_pools; i++) {
		const struct select_pool *p = &s->candidates->pools[i];

		if (*p->fault)
			(void)json_array_append_new(notes, json_sprintf(
				"pool %.253s of driver %s: nothing is allocated of it: %s", p->name,
				p->driver, p->fault));
	}
}

json_t *select_report(struct select_search *s, const struct select_question *q, bool solved)
{
	json_t *rows = json_array();
	const struct select_claim *deep = &s->claims->list[s->deep_claim];

	if (!solved && !*deep->fault)
		explain(s, &s->claims->list[s->deep_claim]);
	for (size_t i = 0; i < s->claims->n; i++) {
		struct select_claim *claim = &s->claims->list[i];

		if (!solved && !*claim->fault)
			(void)snprintf(claim->fault, sizeof(claim->fault),
				       "all claims are allocated together, and %s cannot be",
				       deep->name);
		(void)json_array_append_new(rows, claim_row(s, q, claim, solved));
	}
	note(s, s->claims->notes);
	return json_pack("{s:o,s:O}", "claims", rows, "notes", s->claims->notes);
}
