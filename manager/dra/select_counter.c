/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_counter.c - what devices consume: counters that they share, and capacity of their own
 *
 * A pool's counters are what is left after those who have devices already.  What this run takes
 * comes off when a device is tried, so there is nothing to put back.
 */
#include "manager/dra/select_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/field.h"
#include "manager/dra/name.h"
#include "manager/number/quantity.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A quantity is a text, or a number that YAML took for one. */
static int quantity_of(const json_t *v, struct quantity *ret, struct err *e)
{
	char text[32];

	if (!json_is_number(v) && !json_is_string(v))
		return err_set(e, ERR_NETCONF, 0, "expected a quantity");
	if (json_is_string(v))
		return quantity_parse(json_string_value(v), ret, e);
	if (json_is_integer(v))
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else
		(void)snprintf(text, sizeof(text), "%.15g", json_real_value(v));
	return quantity_parse(text, ret, e);
}

static const json_t *value_in(const json_t *counters, const char *name)
{
	return json_object_get(json_object_get(counters, name), "value");
}

/* -- shared counters -- */

/* left -= value of a counter; false where there is none, or no quantity. */
static bool take_off(struct quantity *left, const json_t *counters, const char *name)
{
	struct quantity q;
	struct err ignored;	/* then there is not enough */

	return quantity_of(value_in(counters, name), &q, &ignored) == 0 &&
	       quantity_sub(left, &q, left, &ignored) == 0;
}

static const json_t *consumption(const struct dra_device *d, const char *set)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(d->device, "consumesCounters"), i, entry) {
		const char *name = json_string_value(json_object_get(entry, "counterSet"));

		if (name && strcmp(name, set) == 0)
			return json_object_get(entry, "counters");
	}
	return NULL;
}

/* What devices of this run consume of it. */
static bool take_results_off(const struct select_search *s, const struct select_pool *pool,
			     const char *set, const char *name, struct quantity *left)
{
	for (size_t i = 0; i < s->claims->n; i++) {
		const struct select_claim *claim = &s->claims->list[i];

		for (size_t k = 0; k < claim->n_results; k++) {
			const struct select_candidate *c =
				&s->candidates->list[claim->results[k].candidate];
			const json_t *counters = c->pool == pool ? consumption(c->device, set) :
								    NULL;

			if (json_object_get(counters, name) && !take_off(left, counters, name))
				return false;
		}
	}
	return true;
}

static bool is_left(const struct select_search *s, const struct select_candidate *c,
		    const json_t *entry)
{
	const char *set = json_string_value(json_object_get(entry, "counterSet")), *name;
	const json_t *available = json_object_get(c->pool->counters, set);
	json_t *counters = json_object_get(entry, "counters"), *v;
	struct quantity left, zero = { 0 };
	struct err ignored;	/* then there is not enough */

	json_object_foreach(counters, name, v)
		if (quantity_of(value_in(available, name), &left, &ignored) < 0 ||
		    !take_results_off(s, c->pool, set, name, &left) ||
		    !take_off(&left, counters, name) || quantity_compare(&left, &zero) < 0)
			return false;
	return true;
}

const json_t *counters_against(const struct select_search *s, size_t candidate)
{
	const struct select_candidate *c = &s->candidates->list[candidate];
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(c->device->device, "consumesCounters"), i, entry)
		if (!is_left(s, c, entry))
			return entry;
	return NULL;
}

/* Off a counter of the pool. */
static void take_counter(json_t *counter, const json_t *consumed, const char *name)
{
	struct quantity left;
	char text[QUANTITY_TEXT];
	struct err ignored;	/* then nothing of it can be taken anyway */

	if (!json_object_get(consumed, name) ||
	    quantity_of(json_object_get(counter, "value"), &left, &ignored) < 0 ||
	    !take_off(&left, consumed, name))
		return;
	quantity_write(&left, text);
	(void)json_object_set_new(counter, "value", json_string(text));
}

void counters_take(struct select_pool *pool, const struct dra_device *d)
{
	const char *set, *name;
	json_t *counters, *v;

	json_object_foreach(pool->counters, set, counters) {
		json_object_foreach(counters, name, v) {
			take_counter(v, consumption(d, set), name);
		}
	}
}

/* -- capacity -- */

/* A name without a domain is of the driver's, on either side. */
static const json_t *capacity_named(const struct dra_device *d, const char *name)
{
	const json_t *all = json_object_get(d->device, "capacity"), *v = json_object_get(all, name);
	const char *slash = strchr(name, '/');
	char full[SELECT_KEY];

	if (v)
		return v;
	if (slash)
		return strncmp(name, d->slice->driver, (size_t)(slash - name)) == 0 &&
		       !d->slice->driver[slash - name] ? json_object_get(all, slash + 1) : NULL;
	(void)snprintf(full, sizeof(full), "%.63s/%.128s", d->slice->driver, name);
	return json_object_get(all, full);
}

static int check_wanted(const json_t *v, struct err *e)
{
	struct quantity q, zero = { 0 };

	if (quantity_of(v, &q, e) < 0)
		return -1;
	return quantity_compare(&q, &zero) >= 0 ? 0 : err_set(e, ERR_NETCONF, 0, "below 0");
}

int capacity_check(const json_t *wanted, struct err *e)
{
	static const char *const keys[] = { "requests" };

	if (!wanted)
		return 0;
	return jx_only_exact_keys(wanted, "", keys, ARRAY_SIZE(keys), e) < 0 ||
			       dra_field_map(wanted, "requests", SIZE_MAX, dra_name_is_attribute,
					     DRA_MUST_ATTRIBUTE, check_wanted, e) < 0 ?
		       err_wrap(e, "capacity") : 0;
}

static bool policy_quantity(const json_t *o, const char *key, struct quantity *ret)
{
	const json_t *v = json_object_get(o, key);
	struct err ignored;	/* what is wrong with a slice is told with the slice */

	return v && quantity_of(v, ret, &ignored) == 0;
}

/* From min on in whole steps; false: what it becomes cannot be written. */
static bool round_to_step(const struct quantity *min, struct quantity *step,
			  struct quantity *q)
{
	struct quantity above;
	struct err ignored;	/* then nobody has as much */

	if (step->nano <= 0)
		return true;
	if (quantity_sub(q, min, &above, &ignored) < 0)
		return false;
	if (above.nano % step->nano == 0)
		return true;
	step->nano -= above.nano % step->nano;
	return quantity_add(q, step, q, &ignored) == 0;
}

/* False: beyond max. */
static bool round_to_range(const json_t *range, struct quantity *q)
{
	struct quantity min = { 0 }, max = { 0 }, step = { 0 };
	bool has_min = policy_quantity(range, "min", &min);

	if (has_min && quantity_compare(q, &min) < 0)
		*q = min;
	if (has_min && policy_quantity(range, "step", &step) && !round_to_step(&min, &step, q))
		return false;
	return !policy_quantity(range, "max", &max) || quantity_compare(q, &max) <= 0;
}

/* To the next of them, which are in ascending order; false: beyond the last. */
static bool round_to_values(const json_t *values, struct quantity *q)
{
	struct quantity one;
	struct err ignored;	/* what is wrong with a slice is told with the slice */
	const json_t *v;
	size_t i;

	json_array_foreach(values, i, v)
		if (quantity_of(v, &one, &ignored) == 0 && quantity_compare(q, &one) <= 0) {
			*q = one;
			return true;
		}
	return false;
}

/* What is consumed for a request may be more than it asks for; false: so much is not allowed. */
static bool apply_policy(const json_t *capacity, struct quantity *q)
{
	const json_t *policy = json_object_get(capacity, "requestPolicy");
	const json_t *range = json_object_get(policy, "validRange");
	const json_t *values = json_object_get(policy, "validValues");

	if (range)
		return round_to_range(range, q);
	return json_array_size(values) == 0 || round_to_values(values, q);
}

bool capacity_meets(const struct select_candidate *c, const json_t *wanted, char words[256])
{
	json_t *o = json_object_get(wanted, "requests"), *v;
	struct quantity want, have;
	const char *name;
	struct err ignored;	/* then it has not enough */

	json_object_foreach(o, name, v) {
		const json_t *capacity = capacity_named(c->device, name);
		const json_t *value = json_object_get(capacity, "value");
		bool is_allowed = quantity_of(v, &want, &ignored) == 0 &&
				  apply_policy(capacity, &want);

		if (value && is_allowed && quantity_of(value, &have, &ignored) == 0 &&
		    quantity_compare(&have, &want) >= 0)
			continue;
		(void)snprintf(words, 256, !value ? "it has no capacity %.64s" : !is_allowed ?
			       "its capacity %.64s has a requestPolicy that allows no more" :
			       "its capacity %.64s is only %.64s", name,
			       json_is_string(value) ? json_string_value(value) : "a number");
		return false;
	}
	return true;
}
