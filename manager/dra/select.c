/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - a dry run of the allocation of devices to claims
 *
 * It is run without faults; where the version that is asked for has some that can matter, it is run
 * with them, too, and what is printed is how that version decides, beside what would be right.
 */
#include "manager/dra/select_part.h"

#include "base/mem.h"
#include "manager/dra/kubernetes.h"

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

/* kubelet knows who has a part of a device that is shared, and not how much it is. */
static void add_share(const struct dra_device *d, const char *key, const json_t *by,
		      struct select_claims *claims)
{
	if (json_object_get(claims->taken.shares, key) ||
	    json_object_get(claims->taken.devices, key))
		return;		/* by its claim, which has the figures */
	(void)json_object_set_new(claims->taken.shares, key, json_pack("[{}]"));
	(void)json_array_append_new(claims->notes, json_sprintf(
		"device %s of pool %.64s of driver %s: %.300s has a part of its capacity, as large "
		"as is said in the status of its claim, which is not among the files: it counts as "
		"0", d->name, d->slice->pool, d->slice->driver, json_string_value(by)));
}

static void add_taken(const struct select_question *q, const struct dra_devices *devices,
		      struct select_claims *claims)
{
	json_auto_t *whole = json_copy(q->taken);
	char key[SELECT_KEY];

	for (size_t i = 0; i < devices->n; i++) {
		const struct dra_device *d = &devices->list[i];
		const json_t *by = json_object_get(whole, candidate_key(d, key));

		if (!by || !device_is_shared(d))
			continue;
		add_share(d, key, by, claims);
		(void)json_object_del(whole, key);
	}
	(void)json_object_update_missing(claims->taken.devices, whole);
}

/* -- one run -- */

struct run {
	const struct select_question *q;
	unsigned int faults;		/* with these */
	unsigned int matter;		/* set: of these the ones that can matter */
	bool solved, limited;		/* set: limited: it was given up */
	json_t *answer;			/* set; owned */
};

static void run_done(struct run *r)
{
	json_decref(r->answer);
}

#define auto_run auto_with(run_done)

static int search(struct run *r, struct select_claims *claims,
		  struct select_candidates *candidates, struct err *e)
{
	const struct dra_devices *devices = r->faults & FAULT(RULES) && r->q->unruled ?
					    r->q->unruled : r->q->devices;
	struct select_search s = { .candidates = candidates, .claims = claims,
				   .until = r->q->until, .faults = r->faults };
	int n;

	if (r->q->taken)
		add_taken(r->q, devices, claims);
	n = select_candidates_find(devices, r->q->node, &claims->taken, r->faults, candidates, e);
	if (n == 0)
		n = prepare(&s, e);
	if (n < 0)
		return -1;
	if (n > 0)
		r->solved = solve(&s);
	r->matter = n > 0 ? select_faults_that_matter(&s, r->matter) : 0;
	r->limited = s.limited;
	r->answer = select_report(&s, r->q, r->solved);
	return 0;
}

static int run(struct run *ret, struct err *e)
{
	struct select_classes classes = { .list = NULL };
	struct select_claims claims = { .list = NULL };
	struct select_candidates candidates = { .list = NULL };
	int r = select_classes_read(ret->q->manifests, &classes, e);

	if (r == 0)
		r = select_claims_read(ret->q->manifests, &classes, &claims, e);
	if (r == 0)
		r = search(ret, &claims, &candidates, e);
	select_candidates_done(&candidates);
	select_claims_done(&claims);
	select_classes_done(&classes);
	return r;
}

/* -- what a version decides otherwise -- */

/* What the claims get; new reference. */
static json_t *decision(const json_t *answer)
{
	static const char *const keys[] = { "claim", "satisfied", "reason", "status" };
	json_t *ret = json_array();
	const json_t *claim;
	size_t i;

	json_array_foreach(json_object_get(answer, "claims"), i, claim) {
		json_t *row = json_object();

		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (json_object_get(claim, keys[k]))
				(void)json_object_set(row, keys[k],
						      json_object_get(claim, keys[k]));
		(void)json_array_append_new(ret, row);
	}
	return ret;
}

/* Why a claim gets nothing is no matter. */
static bool is_same(const struct run *a, const struct run *b)
{
	json_auto_t *x = decision(a->answer), *y = decision(b->answer);
	const json_t *row;
	size_t i;

	if (!a->solved && !b->solved)
		return true;
	json_array_foreach(x, i, row)
		if (!json_equal(json_object_get(row, "status"),
				json_object_get(json_array_get(y, i), "status")))
			return false;
	return a->solved == b->solved;
}

/* The faults that decide: without each of them alone it is another answer. */
static int find_faults(const struct run *with, json_t **ret, struct err *e)
{
	json_auto_t *all = json_array(), *some = json_array();

	for (unsigned int i = 0; i < FAULTS; i++) {
		auto_run struct run less = { .q = with->q, .faults = with->faults & ~(1U << i) };
		bool decides;

		if (less.faults == with->faults)
			continue;
		if (run(&less, e) < 0)
			return -1;
		decides = !less.limited && !is_same(&less, with);
		(void)json_array_append_new(decides ? some : all,
					    json_string(select_fault_text(i)));
	}
	*ret = json_incref(json_array_size(some) > 0 ? some : all);
	return 0;
}

static void add_note(json_t *answer, json_t *text)
{
	(void)json_array_append_new(json_object_get(answer, "notes"), text);
}

/* "c: r=pool/device s=pool/device; d: not satisfied" */
static json_t *decision_text(const json_t *claims)
{
	json_t *ret = json_string("");
	const json_t *claim, *one;
	size_t i, k;

	json_array_foreach(claims, i, claim) {
		const json_t *list = json_object_get(json_object_get(json_object_get(
			json_object_get(claim, "status"), "allocation"), "devices"), "results");
		json_t *next = json_sprintf("%s%sclaim %s%s", json_string_value(ret),
			i > 0 ? "; " : "", json_string_value(json_object_get(claim, "claim")),
			json_is_true(json_object_get(claim, "satisfied")) ? "" :
			" without any device");

		json_decref(ret);
		ret = next;
		json_array_foreach(list, k, one) {
			next = json_sprintf("%s %s=%s/%s", json_string_value(ret),
				json_string_value(json_object_get(one, "request")),
				json_string_value(json_object_get(one, "pool")),
				json_string_value(json_object_get(one, "device")));
			json_decref(ret);
			ret = next;
		}
	}
	return ret;
}

static void note_faults(const json_t *faults, const char *then, json_t *answer)
{
	const json_t *text;
	size_t i;

	json_array_foreach(faults, i, text) {
		add_note(answer, json_sprintf("%s: %s", then, json_string_value(text)));
	}
}

/* Another answer than the right one: what is printed is how the version decides. */
static int tell_otherwise(const struct run *right, struct run *with, struct err *e)
{
	json_t *faults = NULL, *claims = decision(right->answer), *text = decision_text(claims);

	if (find_faults(with, &faults, e) < 0) {
		json_decref(text);
		json_decref(claims);
		return -1;
	}
	note_faults(faults, "this version of Kubernetes decides by a fault", with->answer);
	add_note(with->answer, json_sprintf("without that fault it would be %s",
					    json_string_value(text)));
	json_decref(text);
	(void)json_object_set_new(with->answer, "otherwise",
				  json_pack("{s:o,s:o}", "faults", faults, "claims", claims));
	return 0;
}

/* Without a version the answer is the right one, and it is told that there are others. */
static int warn_of(const struct run *with, struct run *right, struct err *e)
{
	json_t *faults = NULL;

	if (find_faults(with, &faults, e) < 0)
		return -1;
	note_faults(faults, "Kubernetes 1.36 decides otherwise, see --kubernetes 1.36",
		    right->answer);
	json_decref(faults);
	return 0;
}

static bool any_has(const struct dra_devices *d, const char *member)
{
	for (size_t i = 0; i < d->n; i++)
		if (json_array_size(json_object_get(d->list[i].device, member)) > 0)
			return true;
	return false;
}

/* What is not known of a version, or is off in it unless its administrator says otherwise. */
static void note_version(const struct select_question *q, json_t *answer)
{
	static const struct {
		enum kubernetes_feature feature;
		const char *member;
	} gates[] = {
		{ KUBERNETES_PARTITIONS, "consumesCounters" }, { KUBERNETES_TAINTS, "taints" },
	};

	if (q->kubernetes && q->kubernetes->minor > KUBERNETES_MINOR_KNOWN)
		add_note(answer, json_sprintf("what Kubernetes later than 1.%d decides otherwise "
					      "is not known here", KUBERNETES_MINOR_KNOWN));
	for (size_t i = 0; q->kubernetes && i < ARRAY_SIZE(gates); i++)
		if (!kubernetes_has(q->kubernetes, gates[i].feature) &&
		    any_has(q->devices, gates[i].member))
			add_note(answer, json_sprintf(
				"devices have %s: this is with the feature gate %s on, which this "
				"version of Kubernetes has off by default", gates[i].member,
				kubernetes_gate(gates[i].feature)));
}

static int give(struct run *r, json_t **ret)
{
	note_version(r->q, r->answer);
	*ret = json_incref(r->answer);
	return r->solved;
}

static int compare(struct run *right, const struct select_question *q, json_t **ret, struct err *e)
{
	auto_run struct run with = { .q = q, .faults = right->matter };

	if (run(&with, e) < 0)
		return -1;
	if (with.limited && !right->limited)
		add_note(right->answer, json_string("how Kubernetes decides with its known faults "
						    "was not found within the limits of a search: "
						    "this is without them"));
	if (with.limited || is_same(right, &with))
		return give(with.limited || !q->kubernetes ? right : &with, ret);
	if (right->limited)		/* nothing is known of what would be right */
		return give(q->kubernetes ? &with : right, ret);
	if (q->kubernetes)
		return tell_otherwise(right, &with, e) < 0 ? -1 : give(&with, ret);
	return warn_of(&with, right, e) < 0 ? -1 : give(right, ret);
}

int select_devices(const struct select_question *q, json_t **ret, struct err *e)
{
	/* the last version that is known to have faults */
	static const struct kubernetes last = { .minor = 36, .patch = KUBERNETES_PATCH_ANY };
	auto_run struct run right = {
		.q = q, .matter = select_faults_of(q->kubernetes ? q->kubernetes : &last),
	};

	if (!q->unruled)
		right.matter &= ~FAULT(RULES);
	if (run(&right, e) < 0)
		return -1;
	return right.matter ? compare(&right, q, ret, e) : give(&right, ret);
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
