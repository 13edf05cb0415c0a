/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offer_pool.c - who has a device, and in which pool it is
 *
 * What a pod has is in the pool of the resource by which kubelet gave it.  Where that is not known,
 * it stays where it was; after a start the ledger tells by which resource it was chosen.  Only
 * then, and for what nobody has, the selectors are asked.
 */
#include "daemon/offer/offer_part.h"

#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "manager/match/related.h"

#include <string.h>

bool offer_is_attached(const struct offer_device *d)
{
	return d->holder && (strcmp(d->holder->state, "live") == 0 ||
			     strcmp(d->holder->state, "unknown") == 0);
}

bool offer_is_held(const struct offer_device *d)
{
	return offer_is_attached(d) || d->given || d->elsewhere || d->still_given;
}

/* -- who has it -- */

/* A part of a VF, such as a vDPA device, is the VF: who has that has it. */
static bool is_given(const struct inventory *inv, const struct offer_device *d,
		     const struct inv_allocation *a)
{
	if (!*a->pod_name)
		return false;
	if (d->slot)			/* another plugin's may be called so, too */
		return strcmp(a->resource, d->slot->resource) == 0 && strcmp(a->id, d->id) == 0;
	if (d->f && !d->x && !d->vanished && a->function != (int)(d->f - inv->functions))
		return false;
	return (d->f && !d->x && !d->vanished && d->f->is_vf) ||
	       name_ids_equal(device_id_plain(a->id), d->id);
}

/* By the record's names alone, for the device is not in the inventory. */
static const struct inv_attachment *find_vanished(const struct inventory *inv, const char *id)
{
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if ((strcmp(a->state, "live") == 0 || strcmp(a->state, "unknown") == 0) &&
		    (name_ids_equal(a->device, id) ||
		     name_ids_equal(device_id_plain(a->device_id), id)))
			return a;
	}
	return NULL;
}

/* One that lives, if there is. */
static const struct inv_attachment *find_by_path(const struct inventory *inv, const char *path)
{
	const struct inv_attachment *found = NULL;

	for (size_t i = 0; *path && i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (strcmp(a->device, path) == 0 && strcmp(a->state, "released") != 0 &&
		    (!found || strcmp(a->state, "live") == 0))
			found = a;
	}
	return found;
}

/* Its checkpoint has it, of which its answers do not tell yet. */
static bool is_kept(const struct offering *o, const struct offer_device *d)
{
	const struct allocation *kept = o->policy->kept;

	for (size_t i = 0; kept && i < kept->n_devices; i++) {
		const struct plugin_device *p = &kept->devices[i];

		if (!name_ids_equal(device_id_plain(p->id), d->id))
			continue;
		if (!d->slot || strcmp(p->resource, d->slot->resource) == 0)
			return true;
	}
	return false;
}

/* What kubelet gave before it fell silent, or before its start. */
static bool is_still_given(const struct offering *o, const struct offer_device *d)
{
	const struct offered *was = *o->inv->node.kubelet_error ? offer_before(o, d->id, NULL) :
								  NULL;

	return (was && was->given) || is_kept(o, d);
}

void offer_find_holder(const struct offering *o, struct offer_device *d)
{
	const struct inventory *inv = o->inv;

	if (d->slot)
		d->holder = find_by_path(inv, d->slot->at.path);
	else if (d->x)
		d->holder = related_attachment(inv, d->x->holder);
	else if (d->f)
		d->holder = related_attachment(inv, d->f->holder);
	else
		d->holder = find_vanished(inv, d->id);
	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];

		if (!is_given(inv, d, a))
			continue;
		if (offer_pool_named(o, a->resource) != INV_NONE)
			d->given = d->given ? d->given : a;
		else
			d->elsewhere = d->elsewhere ? d->elsewhere : a;
	}
	d->still_given = !d->given && !d->elsewhere && is_still_given(o, d);
}

/* -- the pool -- */

int offer_pool_named(const struct offering *o, const char *resource)
{
	for (size_t i = 0; i < o->ret->n; i++)
		if (strcmp(o->ret->list[i].resource, resource) == 0)
			return (int)i;
	return INV_NONE;
}

const struct offered *offer_before(const struct offering *o, const char *id,
				   const char **resource)
{
	for (size_t i = 0; o->before && i < o->before->n; i++) {
		const struct offered *was = offer_find(&o->before->list[i], id);

		if (was && resource)
			*resource = o->before->list[i].resource;
		if (was)
			return was;
	}
	return NULL;
}

/* The members of a promise are cut. */
static bool is_of(const struct offer_promise *p, const struct inv_attachment *a)
{
	return strcmp(p->ifname, a->ifname) == 0 &&
	       strncmp(p->network, a->network, sizeof(p->network) - 1) == 0 &&
	       strncmp(p->container_id, a->container_id, sizeof(p->container_id) - 1) == 0;
}

static int find_promised(const struct offering *o, const struct offer_device *d)
{
	const struct offer_promises *p = o->policy->promises;

	for (size_t i = 0; p && d->holder && i < p->n; i++) {
		int pool = name_ids_equal(p->list[i].id, d->id) && is_of(&p->list[i], d->holder) ?
				   offer_pool_named(o, p->list[i].resource) : INV_NONE;

		if (pool != INV_NONE)
			return pool;
	}
	return INV_NONE;
}

static int find_held(const struct offering *o, const struct offer_device *d)
{
	const char *resource = "";
	int pool = d->given ? offer_pool_named(o, d->given->resource) : INV_NONE;

	if (pool == INV_NONE && offer_before(o, d->id, &resource))
		pool = offer_pool_named(o, resource);
	return pool != INV_NONE ? pool : find_promised(o, d);
}

int offer_find_pool(const struct offering *o, const struct offer_device *d)
{
	int pool = d->slot	    ? (int)d->slot->pool :
		   offer_is_held(d) ? find_held(o, d) :
				      INV_NONE;

	if (pool != INV_NONE || d->vanished)
		return pool;
	return pools_find(o->pools, o->inv, d->x ? NULL : d->f, d->x);
}
