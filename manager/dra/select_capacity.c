/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_capacity.c - capacity of a device, of which those who share it consume a part each
 *
 * For what a request does not name, the requestPolicy's default is consumed, else all there is.
 * What is asked for is rounded as the policy says.
 */
#include "manager/dra/select_part.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/dra/field.h"
#include "manager/number/quantity_form.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- names: without a domain it is the driver's -- */

static bool is_drivers(const struct dra_device *d, const char *domain, size_t len)
{
	return strlen(d->slice->driver) == len && strncmp(domain, d->slice->driver, len) == 0;
}

/* The other spelling of a name, or NULL. */
static const char *other_name(const struct dra_device *d, const char *name, char ret[SELECT_KEY])
{
	const char *slash = strchr(name, '/');

	if (slash)
		return is_drivers(d, name, (size_t)(slash - name)) ? slash + 1 : NULL;
	return snprintf(ret, SELECT_KEY, "%s/%s", d->slice->driver, name) < SELECT_KEY ? ret : NULL;
}

/* What an object has by a name, in either spelling. */
static const json_t *member_named(const json_t *o, const struct dra_device *d, const char *name,
				  unsigned int faults)
{
	const json_t *v = json_object_get(o, name);
	char text[SELECT_KEY];
	const char *other;

	if (v || faults & FAULT(CAPACITY_NAMES))
		return v;
	other = other_name(d, name, text);
	return other ? json_object_get(o, other) : NULL;
}

/* -- what is asked for -- */

static int check_wanted(const json_t *v, struct err *e)
{
	struct quantity q;

	return dra_field_quantity(v, &q, e);
}

/* The API server looks at no name: no device has one that cannot be. */
int capacity_check(const json_t *wanted, struct err *e)
{
	static const char *const keys[] = { "requests" };

	if (!wanted)
		return 0;
	return jx_only_exact_keys(wanted, "", keys, ARRAY_SIZE(keys), e) < 0 ||
			       dra_field_map(wanted, "requests", SIZE_MAX, NULL, NULL,
					     check_wanted, e) < 0 ?
		       err_wrap(e, "capacity") : 0;
}

/* -- what is consumed -- */

struct amount {
	struct quantity q;
	const json_t *from;		/* it is this one; NULL: it is rounded */
};

static bool amount_is(const json_t *v, struct amount *ret)
{
	struct err ignored;	/* what is wrong with a slice is told with the slice */

	ret->from = v;
	return v && dra_field_quantity(v, &ret->q, &ignored) == 0;
}

static quantity_int size_of(const struct quantity *q, unsigned int faults)
{
	return faults & FAULT(WHOLE_STEPS) ? quantity_whole(q) : q->nano;
}

/* at - first, modulo the step: no number here is larger than these. */
static quantity_int above(quantity_int at, quantity_int first, quantity_int step)
{
	quantity_int ret = at % step, from = first % step;

	ret += ret < 0 ? step : 0;
	from += from < 0 ? step : 0;
	return ret - from < 0 ? ret - from + step : ret - from;
}

/* How far a quantity is above the last step; the step itself is in *step, 0 where there is none. */
static quantity_int above_step(const json_t *range, const struct quantity *q, unsigned int faults,
			       quantity_int *step)
{
	struct amount min = { .from = NULL }, one = { .from = NULL };

	if (!amount_is(json_object_get(range, "min"), &min))
		min.q.nano = 0;
	if (!amount_is(json_object_get(range, "step"), &one) || one.q.nano < 0)
		one.q.nano = 0;
	*step = size_of(&one.q, faults);
	return *step > 0 ? above(size_of(q, faults), size_of(&min.q, faults), *step) : 0;
}

/* From min on in whole steps; false: what it becomes cannot be written. */
static bool round_to_step(const json_t *range, unsigned int faults, struct amount *ret)
{
	quantity_int step, over = above_step(range, &ret->q, faults, &step);
	struct quantity more = { .nano = over > 0 ? step - over : 0 };
	struct err ignored;	/* then nobody has as much */

	if (step == 0)
		return true;
	ret->from = NULL;
	if (faults & FAULT(WHOLE_STEPS))
		return quantity_from_whole(quantity_whole(&ret->q) + more.nano, &ret->q,
					   &ignored) == 0;
	return quantity_add(&ret->q, &more, &ret->q, &ignored) == 0;
}

static bool round_to_range(const json_t *range, unsigned int faults, struct amount *ret)
{
	struct amount min = { .from = NULL };

	if (!amount_is(json_object_get(range, "min"), &min))
		return true;
	if (quantity_compare(&ret->q, &min.q) >= 0)
		return round_to_step(range, faults, ret);
	*ret = min;
	return true;
}

/* To the next of them, which are in ascending order. */
static void round_to_values(const json_t *values, struct amount *ret)
{
	struct amount one = { .from = NULL };
	const json_t *v;
	size_t i;

	json_array_foreach(values, i, v)
		if (amount_is(v, &one) && quantity_compare(&ret->q, &one.q) <= 0) {
			*ret = one;
			return;
		}
}

static bool is_in_range(const json_t *range, const struct quantity *q, unsigned int faults)
{
	struct amount max = { .from = NULL };
	quantity_int step;

	if (amount_is(json_object_get(range, "max"), &max) && quantity_compare(q, &max.q) > 0)
		return false;
	return above_step(range, q, faults, &step) == 0;
}

static bool is_one_of(const json_t *values, const struct quantity *q)
{
	struct amount one = { .from = NULL };
	const json_t *v;
	size_t i;

	json_array_foreach(values, i, v)
		if (amount_is(v, &one) && quantity_compare(q, &one.q) == 0)
			return true;
	return json_array_size(values) == 0;
}

static bool is_allowed(const json_t *policy, const struct quantity *q, unsigned int faults)
{
	const json_t *range = json_object_get(policy, "validRange");
	struct amount usual = { .from = NULL };

	if (amount_is(json_object_get(policy, "default"), &usual) &&
	    quantity_compare(q, &usual.q) == 0)
		return true;
	return range ? is_in_range(range, q, faults) :
		       is_one_of(json_object_get(policy, "validValues"), q);
}

/* False: its policy does not allow it, or it is none. */
static bool amount_of(const json_t *capacity, const json_t *wanted, unsigned int faults,
		      struct amount *ret)
{
	const json_t *policy = json_object_get(capacity, "requestPolicy");
	const json_t *usual = json_object_get(policy, "default");
	const json_t *range = json_object_get(policy, "validRange");

	if (!wanted)
		return amount_is(usual ? usual : json_object_get(capacity, "value"), ret) &&
		       is_allowed(policy, &ret->q, faults);
	if (!amount_is(wanted, ret))
		return false;
	if (range && !round_to_range(range, faults, ret))
		return false;
	if (!range)
		round_to_values(json_object_get(policy, "validValues"), ret);
	return is_allowed(policy, &ret->q, faults);
}

static const json_t *wanted_of(const struct select_candidate *c, size_t i, const json_t *wanted,
			       unsigned int faults)
{
	return member_named(json_object_get(wanted, "requests"), c->device, c->capacity[i].name,
			    faults);
}

/* -- whether there is as much -- */

static bool has_left(const struct select_capacity *capacity, const struct quantity *q)
{
	struct quantity sum;
	struct err ignored;	/* then it is not enough */

	return quantity_add(&capacity->used, q, &sum, &ignored) == 0 &&
	       quantity_compare(&sum, &capacity->value) <= 0;
}

static const char *text_of(const json_t *v)
{
	if (json_is_string(v))
		return json_string_value(v);
	return v && !json_is_null(v) ? "a number" : "0";
}

static void tell_left(const struct select_capacity *c, bool of_all, char words[256])
{
	struct quantity left = c->value;
	char text[QUANTITY_TEXT];
	struct err ignored;	/* it is told as it is then */

	if (of_all || c->used.nano == 0) {
		(void)snprintf(words, 256, "its capacity %.64s is only %.64s", c->name,
			       text_of(json_object_get(c->it, "value")));
		return;
	}
	if (quantity_sub(&c->value, &c->used, &left, &ignored) < 0)
		left = c->value;
	quantity_write_form(&left, quantity_form_of(text_of(json_object_get(c->it, "value"))),
			    text);
	(void)snprintf(words, 256, "of its capacity %.64s only %s is left", c->name, text);
}

struct asked {
	const json_t *wanted;
	unsigned int faults;
	bool of_all;			/* of all there is, not of what is left */
};

static bool meets_one(const struct select_candidate *c, size_t i, const struct asked *asked,
		      char words[256])
{
	const struct select_capacity *one = &c->capacity[i];
	const json_t *w = wanted_of(c, i, asked->wanted, asked->faults);
	struct amount a = { .from = NULL };

	if (!amount_of(one->it, w, asked->faults, &a)) {
		(void)snprintf(words, 256, "its capacity %.64s has a requestPolicy that allows no "
			       "more", one->name);
		return false;
	}
	if (a.q.nano < 0 && !(asked->faults & FAULT(BELOW_ZERO))) {
		(void)snprintf(words, 256, "of its capacity %.64s less than nothing is requested",
			       one->name);
		return false;
	}
	if (asked->of_all ? quantity_compare(&a.q, &one->value) <= 0 : has_left(one, &a.q))
		return true;
	tell_left(one, asked->of_all, words);
	return false;
}

static bool meets(const struct select_candidate *c, const struct asked *asked, char words[256])
{
	const json_t *all = json_object_get(c->device->device, "capacity");
	json_t *requests = json_object_get(asked->wanted, "requests"), *v;
	const char *name;

	json_object_foreach(requests, name, v)
		if (!member_named(all, c->device, name, asked->faults)) {
			(void)snprintf(words, 256, "it has no capacity %s", strlen(name) > 128 ?
				       "of so long a name" : name);
			return false;
		}
	for (size_t i = 0; i < c->n_capacity; i++)
		if (!meets_one(c, i, asked, words))
			return false;
	return true;
}

bool capacity_is_enough(const struct select_candidate *c, const json_t *wanted,
			unsigned int faults, char words[256])
{
	return meets(c, &(struct asked){ wanted, faults, true }, words);
}

bool capacity_is_left(const struct select_candidate *c, const json_t *wanted, unsigned int faults,
		      char words[256])
{
	return meets(c, &(struct asked){ wanted, faults, false }, words);
}

/* -- who has it -- */

static void take_off(struct select_capacity *c, const json_t *consumed)
{
	struct quantity q;
	struct err ignored;	/* an allocation that cannot be read takes nothing */

	if (consumed && dra_field_quantity(consumed, &q, &ignored) == 0)
		(void)!quantity_add(&c->used, &q, &c->used, &ignored);
}

int capacity_read(struct select_candidate *c, const json_t *shares, struct err *e)
{
	json_t *all = json_object_get(c->device->device, "capacity"), *v;
	const json_t *share;
	const char *name;
	size_t i;

	c->n_held = json_array_size(shares);
	c->capacity = calloc(json_object_size(all) + 1, sizeof(*c->capacity));
	if (!c->capacity)
		return err_set(e, ERR_IO, ENOMEM, "capacity of devices");
	json_object_foreach(all, name, v) {
		struct select_capacity *one = &c->capacity[c->n_capacity];
		struct err ignored;	/* what is wrong with a slice is told with the slice */

		*one = (struct select_capacity){ .name = name, .it = v };
		if (dra_field_quantity(json_object_get(v, "value"), &one->value, &ignored) < 0)
			continue;
		c->n_capacity++;
		json_array_foreach(shares, i, share) {
			take_off(one, member_named(share, c->device, name, 0));
		}
	}
	return 0;
}

void capacity_take(struct select_candidate *c, const json_t *wanted, unsigned int faults)
{
	struct amount a = { .from = NULL };
	struct err ignored;	/* it has been added up before */

	c->n_held++;
	for (size_t i = 0; i < c->n_capacity; i++)
		if (amount_of(c->capacity[i].it, wanted_of(c, i, wanted, faults), faults, &a))
			(void)!quantity_add(&c->capacity[i].used, &a.q, &c->capacity[i].used,
					    &ignored);
}

/* One without capacity stays in use for a scheduler that gives nothing back. */
void capacity_give_back(struct select_candidate *c, const json_t *wanted, unsigned int faults)
{
	struct amount a = { .from = NULL };
	struct err ignored;	/* as much has been added */

	if (c->n_capacity > 0 || !(faults & FAULT(KEPT)))
		c->n_held--;
	for (size_t i = 0; i < c->n_capacity; i++)
		if (amount_of(c->capacity[i].it, wanted_of(c, i, wanted, faults), faults, &a))
			(void)!quantity_sub(&c->capacity[i].used, &a.q, &c->capacity[i].used,
					    &ignored);
}

static json_t *amount_json(const struct amount *a)
{
	char text[QUANTITY_TEXT];

	if (json_is_string(a->from))
		quantity_write_again(json_string_value(a->from), text);
	else
		quantity_write_form(&a->q, a->from ? QUANTITY_DECIMAL : QUANTITY_BINARY, text);
	return json_string(text);
}

json_t *capacity_consumed(const struct select_candidate *c, const json_t *wanted,
			  unsigned int faults)
{
	json_t *ret = json_object();
	struct amount a = { .from = NULL };

	for (size_t i = 0; i < c->n_capacity; i++)
		if (amount_of(c->capacity[i].it, wanted_of(c, i, wanted, faults), faults, &a))
			(void)json_object_set_new(ret, c->capacity[i].name, amount_json(&a));
	return ret;
}
