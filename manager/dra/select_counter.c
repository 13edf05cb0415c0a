/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select_counter.c - counters that devices share
 *
 * Each pool has a ledger: of each counter what those who have devices already leave of it, and what
 * this run has taken.
 */
#include "manager/dra/select_part.h"

#include "base/mem.h"
#include "manager/dra/field.h"
#include "manager/inventory/read.h"

#include <string.h>

static const json_t *value_in(const json_t *counters, const char *name)
{
	return json_object_get(json_object_get(counters, name), "value");
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

/* -- what others have -- */

/* Off a counter of the pool. */
static void take_counter(json_t *counter, const json_t *consumed, const char *name)
{
	struct quantity left, q;
	char text[QUANTITY_TEXT];
	struct err ignored;	/* then nothing of it can be taken anyway */

	if (!json_object_get(consumed, name) ||
	    dra_field_quantity(json_object_get(counter, "value"), &left, &ignored) < 0 ||
	    dra_field_quantity(value_in(consumed, name), &q, &ignored) < 0 ||
	    quantity_sub(&left, &q, &left, &ignored) < 0)
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

/* -- ledgers -- */

static struct select_counter *counter_named(struct select_ledger *l, const char *set,
					    const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->list[i].set, set) == 0 && strcmp(l->list[i].name, name) == 0)
			return &l->list[i];
	return NULL;
}

static int add_rows(struct select_ledger *to, const struct select_pool *p, struct err *e)
{
	const char *set, *name;
	json_t *counters, *v;

	json_object_foreach(p->counters, set, counters) {
		json_object_foreach(counters, name, v) {
			struct select_counter *row = counter_named(to, set, name);

			if (!row)
				row = inv_add(&to->list, &to->n, sizeof(*row), e);
			if (!row)
				return err_wrap(e, "counters of pool %s", p->name);
			row->set = set;
			row->name = name;
		}
	}
	return 0;
}

/* FAULT_POOL_NAMES: another driver's pool of this name has the ledger. */
static struct select_ledger *ledger_for(struct select_candidates *c, struct select_pool *p,
					unsigned int faults)
{
	for (size_t i = 0; faults & FAULT(POOL_NAMES) && i < c->n_pools; i++)
		if (strcmp(c->pools[i].name, p->name) == 0)
			return &c->pools[i].own;
	return &p->own;
}

int ledgers_open(struct select_candidates *c, unsigned int faults, struct err *e)
{
	for (size_t i = 0; i < c->n_pools; i++) {
		struct select_pool *p = &c->pools[i];

		p->ledger = ledger_for(c, p, faults);
		if (add_rows(p->ledger, p, e) < 0)
			return -1;
	}
	return 0;
}

/* What is left is that of the first pool that asks. */
static struct select_ledger *ledger_of(const struct select_candidate *c)
{
	struct select_ledger *l = c->pool->ledger;

	for (size_t i = 0; !l->of && i < l->n; i++) {
		struct select_counter *row = &l->list[i];
		const json_t *set = json_object_get(c->pool->counters, row->set);
		struct err ignored;	/* then nothing is left */

		row->is_known = json_object_get(set, row->name) != NULL;
		if (row->is_known &&
		    dra_field_quantity(value_in(set, row->name), &row->left, &ignored) < 0)
			row->left.nano = -1;
	}
	l->of = l->of ? l->of : c->pool;
	return l;
}

/* False: it is no quantity, or too large. */
static bool used_with(const struct select_counter *row, const struct dra_device *d,
		      struct quantity *ret)
{
	const json_t *counters = consumption(d, row->set);
	struct quantity q;
	struct err ignored;	/* then there is not enough */

	*ret = row->used;
	return !json_object_get(counters, row->name) ||
	       (dra_field_quantity(value_in(counters, row->name), &q, &ignored) == 0 &&
		quantity_add(&row->used, &q, ret, &ignored) == 0);
}

/* A set of which more is taken than there is stops all devices of the pool that consume any. */
const char *counters_against(const struct select_candidate *c)
{
	const struct select_ledger *l;

	if (json_array_size(json_object_get(c->device->device, "consumesCounters")) == 0)
		return NULL;
	l = ledger_of(c);
	for (size_t i = 0; i < l->n; i++) {
		struct quantity used;

		if (!used_with(&l->list[i], c->device, &used) ||
		    (l->list[i].is_known && quantity_compare(&used, &l->list[i].left) > 0))
			return l->list[i].set;
	}
	return NULL;
}

void counters_add(const struct select_candidate *c)
{
	struct select_ledger *l = ledger_of(c);
	struct quantity used;

	for (size_t i = 0; i < l->n; i++)
		if (used_with(&l->list[i], c->device, &used))
			l->list[i].used = used;
}

void counters_remove(const struct select_candidate *c)
{
	struct select_ledger *l = ledger_of(c);
	struct quantity used, more;
	struct err ignored;	/* as much has been added */

	for (size_t i = 0; i < l->n; i++)
		if (used_with(&l->list[i], c->device, &used) &&
		    quantity_sub(&used, &l->list[i].used, &more, &ignored) == 0 &&
		    quantity_sub(&l->list[i].used, &more, &used, &ignored) == 0)
			l->list[i].used = used;
}
