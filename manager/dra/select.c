/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - a dry run of the allocation of devices to claims */
#include "manager/dra/select_part.h"

#include "base/mem.h"
#include "manager/dra/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERDICTS_MAX = 200000 };	/* of all requests and devices together */

static size_t count_choices(const struct select_claims *claims)
{
	size_t n = 0;

	for (size_t i = 0; i < claims->n; i++)
		for (size_t k = 0; k < claims->list[i].n; k++)
			n += claims->list[i].requests[k].n;
	return n;
}

/* One of each choice and candidate. */
static int add_verdicts(struct select_claims *claims, size_t candidates, struct err *e)
{
	size_t n = count_choices(claims);
	struct verdict *next;

	if (n > 0 && candidates > VERDICTS_MAX / n)
		return err_set(e, ERR_NETCONF, 0, "too many devices for so many requests");
	claims->verdicts = calloc(n * candidates + 1, sizeof(*claims->verdicts));
	if (!claims->verdicts)
		return err_set(e, ERR_IO, ENOMEM, "requests");
	claims->n_verdicts = n * candidates;
	next = claims->verdicts;
	for (size_t i = 0; i < claims->n; i++)
		for (size_t k = 0; k < claims->list[i].n; k++)
			for (size_t j = 0; j < claims->list[i].requests[k].n; j++) {
				claims->list[i].requests[k].choices[j].verdicts = next;
				next += candidates;
			}
	return 0;
}

/* Are all claims such that there is something to try?  Else the first that is not decides. */
static int prepare(struct select_search *s, struct err *e)
{
	for (size_t i = 0; i < s->claims->n; i++)
		if (*s->claims->list[i].fault) {
			s->deep_claim = i;
			return 0;
		}
	return add_verdicts(s->claims, s->candidates->n, e) < 0 ? -1 : 1;
}

/* The scheduler fails, too, once it has found devices that it cannot write down. */
static int check_nodes(struct select_search *s, struct err *e)
{
	for (size_t i = 0; i < s->claims->n; i++)
		if (allocation_nodes_check(&s->claims->list[i], s->candidates, e) < 0) {
			s->deep_claim = i;
			s->deep_request = 0;
			return -1;
		}
	return 1;
}

/* That it cannot be told is an answer about the claim. */
static bool solve(struct select_search *s)
{
	struct select_claim *claim;
	struct err e = { 0 };
	int r = select_search(s, &e);

	if (r > 0)
		r = check_nodes(s, &e);
	if (r >= 0)
		return r;
	claim = &s->claims->list[s->deep_claim];
	(void)snprintf(claim->fault, sizeof(claim->fault), "%s%s%.500s", e.msg,
		       *e.details ? ": " : "", e.details);
	for (size_t i = 0; i < s->claims->n; i++)
		s->claims->list[i].n_results = 0;
	return false;
}

/* Devices are selected all the same: it may be of a newer version than is known here. */
static void note_slices(const struct dra_devices *d, json_t *notes)
{
	for (size_t i = 0; i < d->n_slices; i++) {
		struct err e = { 0 };

		if (dra_slice_check(d->slices[i].doc, &e) < 0)
			(void)json_array_append_new(notes, json_sprintf(
				"ResourceSlice %.253s of %s: the API server refuses it: %s%s%s",
				d->slices[i].name, d->slices[i].source, e.msg,
				*e.details ? ": " : "", e.details));
	}
}

static int search(const struct select_question *q, struct select_claims *claims,
		  struct select_candidates *candidates, json_t **ret, struct err *e)
{
	struct select_search s = { .candidates = candidates, .claims = claims,
				   .until = q->until };
	bool solved = false;
	int r;

	if (q->taken)
		(void)json_object_update_missing(claims->taken, q->taken);
	r = select_candidates_find(q->devices, q->node, claims->taken, candidates, e);
	if (r == 0)
		r = prepare(&s, e);
	if (r < 0)
		return -1;
	if (r > 0)
		solved = solve(&s);
	note_slices(q->devices, claims->notes);
	*ret = select_report(&s, q, solved);
	return solved;
}

int select_devices(const struct select_question *q, json_t **ret, struct err *e)
{
	struct select_classes classes = { .list = NULL };
	struct select_claims claims = { .list = NULL };
	struct select_candidates candidates = { .list = NULL };
	int r = select_classes_read(q->manifests, &classes, e);

	if (r == 0)
		r = select_claims_read(q->manifests, &classes, &claims, e);
	if (r == 0)
		r = search(q, &claims, &candidates, ret, e);
	select_candidates_done(&candidates);
	select_claims_done(&claims);
	select_classes_done(&classes);
	return r;
}

/* -- what pods have -- */

/* As its driver has published it: what an override says does not set a device free. */
static const char *id_in(const struct dra_device *d, const char *name)
{
	const char *text = json_string_value(json_object_get(json_object_get(
		json_object_get(d->published, "attributes"), name), "string"));

	return text ? text : "";
}

/*
 * kubelet has a claim's driver, pool and device, and the device may have become its address since;
 * what a device plugin gave to a pod is known by its id alone.
 */
static bool is_allocation_of(const struct inv_allocation *a, const struct dra_device *d)
{
	if (*a->driver && (strcmp(a->driver, d->slice->driver) != 0 ||
			   strcmp(a->pool, d->slice->pool) != 0))
		return false;
	if (*a->driver && strcmp(a->id, d->name) == 0)
		return true;
	return *a->id && (strcmp(a->id, id_in(d, "resource.kubernetes.io/pciBusID")) == 0 ||
			  strcmp(a->id, id_in(d, "k8s.cni.cncf.io/deviceID")) == 0);
}

static json_t *owner_text(const struct inv_allocation *a)
{
	json_t *ret = json_sprintf("pod %s/%s", a->pod_namespace, a->pod_name);

	return ret ? ret : json_string("a pod");
}

json_t *select_taken(const struct inventory *inv, const struct dra_devices *devices)
{
	json_t *ret = json_object();
	char key[SELECT_KEY];

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];

		if (!*a->pod_name)
			continue;
		for (size_t k = 0; k < devices->n; k++)
			if (is_allocation_of(a, &devices->list[k]))
				(void)json_object_set_new(ret,
					candidate_key(&devices->list[k], key), owner_text(a));
	}
	return ret;
}
