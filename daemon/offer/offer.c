/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offer.c - the devices of an inventory, each in the list of its pool
 *
 * First those that the node has, then those that pods have and the node has not: PCI functions of
 * that kind are in the inventory, what else vanished is known by kubelet's answer, or by the record
 * of an attachment and what was offered before.
 */
#include "daemon/offer/offer_part.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/kubelet/allocation.h"
#include "manager/inventory/read.h"
#include "manager/match/related.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- lists -- */

static int make_empty(const struct pools *p, struct offers *ret, struct err *e)
{
	ret->list = calloc(p->n + 1, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_IO, ENOMEM, "offers");
	ret->n = p->n;
	for (size_t i = 0; i < p->n; i++) {
		ret->list[i].pool = i;
		(void)pool_resource(p, i, ret->list[i].resource);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct offered *x = a, *y = b;

	return device_id_compare(x->id, y->id);
}

static bool is_listed(const struct offers *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < o->list[i].n; k++)
			if (strcmp(o->list[i].list[k].id, id) == 0)
				return true;
	return false;
}

/* -- one device -- */

static bool is_promised(const struct offering *o, const char *id)
{
	const struct offer_promises *p = o->policy->promises;

	for (size_t i = 0; p && i < p->n; i++)
		if (name_ids_equal(p->list[i].id, id))
			return true;
	return false;
}

/* The kernel's -1 is none.  Of what has vanished it is as it was. */
static void put_numa(const struct offering *o, const struct offer_device *d, size_t pool,
		     struct offered *ret)
{
	const struct offered *was = d->vanished ? offer_before(o, d->id, NULL) : NULL;

	if (pool_excludes_topology(o->pools, pool))
		return;
	if (was && was->has_numa) {
		ret->has_numa = true;
		ret->numa = was->numa;
	} else if (d->f && d->f->has_numa && d->f->numa_node >= 0) {
		ret->has_numa = true;
		ret->numa = d->f->numa_node;
	}
}

static void put_places(const struct inventory *inv, const struct offer_device *d,
		       struct offered *ret)
{
	const struct inv_allocation *given = d->given ? d->given : d->elsewhere;
	bool exists = d->f && !d->f->vanished;

	ret->function = exists ? (int)(d->f - inv->functions) : INV_NONE;
	ret->auxiliary = d->x ? (int)(d->x - inv->auxiliaries) : INV_NONE;
	ret->attachment = offer_is_attached(d) ? (int)(d->holder - inv->attachments) : INV_NONE;
	ret->allocation = given ? (int)(given - inv->allocations) : INV_NONE;
}

/* A device with its id, function and auxiliary device. */
static int offer_one(const struct offering *o, struct offer_device *d, struct err *e)
{
	struct offered *to;
	struct offer *of;
	int pool;

	offer_find_holder(o, d);
	pool = offer_find_pool(o, d);
	if (pool == INV_NONE)
		return 0;
	of = &o->ret->list[pool];
	to = inv_add(&of->list, &of->n, sizeof(*of->list), e);
	if (!to)
		return -1;
	(void)snprintf(to->id, sizeof(to->id), "%s", d->id);
	to->held = offer_is_held(d);
	to->given = d->given || d->elsewhere || d->still_given;
	to->promised = is_promised(o, d->id);
	put_numa(o, d, (size_t)pool, to);
	put_places(o->inv, d, to);
	to->socket = d->slot != NULL;
	to->healthy = offer_is_healthy(o, d, to->reason, &to->names);
	return 0;
}

static int offer_here(const struct offering *o, struct err *e)
{
	const struct inventory *inv = o->inv;

	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];
		struct offer_device d = { .id = f->bdf, .f = f, .vanished = f->vanished };

		if (offer_one(o, &d, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < inv->n_auxiliaries; i++) {
		const struct inv_auxiliary *x = &inv->auxiliaries[i];
		struct offer_device d = { .id = x->name, .x = x,
					  .f = related_function(inv, x->function) };

		if (offer_one(o, &d, e) < 0)
			return -1;
	}
	return 0;
}

/* -- sockets -- */

static int offer_slot(const struct offering *o, size_t pool, size_t k, struct err *e)
{
	char id[POOL_SLOT_ID];
	struct offer_slot slot = { .pool = pool, .resource = o->ret->list[pool].resource };
	struct offer_device d = { .id = pool_slot_id(o->pools, pool, k, id), .slot = &slot };

	if (socket_slot_make(&o->policy->host->set, slot.resource, id, &slot.at, &slot.why) < 0)
		slot.at.path[0] = '\0';
	return offer_one(o, &d, e);
}

static int offer_slots(const struct offering *o, struct err *e)
{
	for (size_t i = 0; i < o->pools->n; i++)
		for (size_t k = 0; k < pool_slots(o->pools, i); k++)
			if (offer_slot(o, i, k, e) < 0)
				return -1;
	return 0;
}

/* -- what is not here -- */

static bool is_here(const struct inventory *inv, const char *id)
{
	char bdf[NAME_BDF_SIZE];

	return (name_to_bdf(id, bdf) && inventory_function(inv, bdf) != INV_NONE) ||
	       inventory_auxiliary(inv, id) != INV_NONE;
}

static int offer_vanished(const struct offering *o, const char *id, struct err *e)
{
	struct offer_device d = { .id = id, .vanished = true };

	if (strlen(id) >= OFFER_ID || is_here(o->inv, id) || is_listed(o->ret, id))
		return 0;
	return offer_one(o, &d, e);
}

/* One that nobody has gets no pool. */
static int offer_gone(const struct offering *o, struct err *e)
{
	const struct offers *was = o->before;

	for (size_t i = 0; i < o->inv->n_allocations; i++) {
		const struct inv_allocation *a = &o->inv->allocations[i];

		if (*a->pod_name && offer_pool_named(o, a->resource) != INV_NONE &&
		    offer_vanished(o, device_id_plain(a->id), e) < 0)
			return -1;
	}
	for (size_t i = 0; was && i < was->n; i++)
		for (size_t k = 0; k < was->list[i].n; k++)
			if (offer_vanished(o, was->list[i].list[k].id, e) < 0)
				return -1;
	return 0;
}

/* -- all of them -- */

int offers_make(const struct pools *p, const struct inventory *inv, const struct offers *before,
		const struct offer_policy *policy, struct offers *ret, struct err *e)
{
	auto_offers struct offers made = { .n = 0 };
	const struct offering o = { p, inv, before, policy, &made };

	if (make_empty(p, &made, e) < 0 || offer_here(&o, e) < 0 ||
	    offer_slots(&o, e) < 0 || offer_gone(&o, e) < 0)
		return -1;
	for (size_t i = 0; i < made.n; i++)
		if (made.list[i].n > 0)
			qsort(made.list[i].list, made.list[i].n, sizeof(*made.list[i].list),
			      compare);
	*ret = made;
	made = (struct offers){ .n = 0 };
	return 0;
}
