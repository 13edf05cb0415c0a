/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_fault.c - what schedulers are known to decide otherwise, and since when and until when
 *
 * By reading kubernetes/dynamic-resource-allocation of 1.34 to 1.37.  A fault that is mended is one
 * of the versions before.
 */
#include "manager/dra/select_part.h"

#include "base/mem.h"

#include <assert.h>

static const struct {
	int since;			/* a minor version */
	struct kubernetes mended;
	const char *text;
} faults[] = {
	[FAULT_KEPT] = { 34, { 37, 0 }, "counters of a device that is refused afterwards, by a "
			 "taint or a constraint, are not given back (kubernetes#140436)" },
	[FAULT_SHARED_COUNTERS] = { 34, { 36, 2 }, "counters of a device that several share do "
				    "not count once it is allocated (kubernetes#139034)" },
	[FAULT_POOL_NAMES] = { 35, { 37, 0 }, "counters are known by the name of the pool without "
			       "its driver, so pools of one name have one another's" },
	[FAULT_LISTS] = { 36, { 37, 0 }, "constraints do not see values of attributes that are "
			  "lists" },
	[FAULT_ONE_VALUE] = { 34, { 37, 0 }, "distinctAttribute remembers one value of each "
			      "request, that of the last of its devices" },
	[FAULT_CAPACITY_NAMES] = { 34, { 37, 0 }, "a capacity is known by the name that the slice "
				   "has alone, with or without the driver as its domain" },
	[FAULT_BELOW_ZERO] = { 34, { 37, 0 }, "a request for a capacity may be below 0" },
	[FAULT_ALL_LEFT] = { 34, { 37, 0 }, "a request of all devices passes over those that have "
			     "not enough capacity left (kubernetes#140769)" },
	[FAULT_PANIC] = { 36, { 36, 2 }, "a request of all devices makes the scheduler panic where "
			  "one of them consumes counters (kubernetes#138882)" },
	[FAULT_WHOLE_STEPS] = { 34, { 37, 0 }, "steps of a requestPolicy are counted in whole "
				"numbers" },
	[FAULT_RULES] = { 36, { 37, 0 }, "DeviceTaintRules of v1beta2 are not seen" },
};

static_assert(ARRAY_SIZE(faults) == FAULTS, "a row of each");

unsigned int select_faults_of(const struct kubernetes *k)
{
	unsigned int ret = 0;

	for (size_t i = 0; i < FAULTS; i++)
		if (!kubernetes_is_before(k, faults[i].since, 0) &&
		    kubernetes_is_before(k, faults[i].mended.minor, faults[i].mended.patch))
			ret |= 1U << i;
	return ret;
}

const char *select_fault_text(enum select_fault fault)
{
	return faults[fault].text;
}

/* -- which can matter -- */

static bool has_list(const struct dra_device *d)
{
	json_t *attribute, *v;
	const char *name, *type;

	json_object_foreach(json_object_get(d->device, "attributes"), name, attribute) {
		json_object_foreach(attribute, type, v) {
			if (json_is_array(v))
				return true;
		}
	}
	return false;
}

static unsigned int of_devices(const struct select_candidates *c)
{
	unsigned int ret = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct dra_device *d = c->list[i].device;

		if (json_array_size(json_object_get(d->device, "consumesCounters")) > 0)
			ret |= FAULT(KEPT) | FAULT(SHARED_COUNTERS) | FAULT(POOL_NAMES) |
			       FAULT(PANIC);
		if (c->list[i].is_shared)
			ret |= FAULT(KEPT) | FAULT(ALL_LEFT);
		if (has_list(d))
			ret |= FAULT(LISTS);
	}
	return ret;
}

static unsigned int of_choice(const struct select_choice *c)
{
	return (json_object_get(c->capacity, "requests") ?
			FAULT(CAPACITY_NAMES) | FAULT(BELOW_ZERO) | FAULT(WHOLE_STEPS) : 0) |
	       (c->all || c->count > 1 ? FAULT(ONE_VALUE) : 0) |
	       (c->all ? FAULT(ALL_LEFT) | FAULT(PANIC) : 0);
}

static unsigned int of_claim(const struct select_claim *claim)
{
	unsigned int ret = 0, constraints = 0;
	const json_t *o;
	size_t i;

	json_array_foreach(claim->constraints, i, o)
		constraints |= FAULT(LISTS) | (json_object_get(o, "distinctAttribute") ?
					       FAULT(ONE_VALUE) : 0);
	for (i = 0; i < claim->n; i++)
		for (size_t k = 0; k < claim->requests[i].n; k++)
			ret |= of_choice(&claim->requests[i].choices[k]);
	return (ret & ~FAULT(ONE_VALUE)) | (constraints & (ret | FAULT(LISTS)));
}

unsigned int select_faults_that_matter(const struct select_search *s, unsigned int all)
{
	/* it takes devices of a kind, claims of a kind, or both */
	const unsigned int devices = FAULT(KEPT) | FAULT(SHARED_COUNTERS) | FAULT(POOL_NAMES);
	const unsigned int both = FAULT(LISTS) | FAULT(ALL_LEFT) | FAULT(PANIC);
	unsigned int has = of_devices(s->candidates), asks = 0;

	for (size_t i = 0; i < s->claims->n; i++)
		asks |= of_claim(&s->claims->list[i]);
	return all & (FAULT(RULES) | (has & devices) | (asks & ~both) | (has & asks & both));
}
