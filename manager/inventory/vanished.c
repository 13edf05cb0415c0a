/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vanished.c - PCI functions that a record or kubelet knows, and the node does not have
 *
 * They are in the list of functions, `vanished` and with nothing but their address, so that
 * whoever looks at devices sees them.
 */
#include "manager/inventory/join.h"

#include "base/fs.h"
#include "base/name.h"
#include "manager/inventory/read.h"

#include <stdio.h>
#include <string.h>

/* A record that has given its device back, or is of another boot, does not wait for it. */
static bool waits_for_device(const struct inv_attachment *a)
{
	return strcmp(a->state, "released") != 0 && strcmp(a->state, "earlier boot") != 0;
}

static bool is_here(const struct inventory *inv, const char *id)
{
	char bdf[NAME_BDF_SIZE];

	return name_to_bdf(id, bdf) && inventory_function(inv, bdf) != INV_NONE;
}

/* Of a recorded node only network functions are known, and so the resources that have one. */
static json_t *resources_here(const struct inventory *inv)
{
	json_t *ret = json_object();

	for (size_t i = 0; i < inv->n_allocations; i++)
		if (!inv->node.is_recorded || is_here(inv, inv->allocations[i].id))
			(void)json_object_set_new(ret, inv->allocations[i].resource, json_true());
	return ret;
}

/* The addresses that others know and the list does not have: new reference. */
static json_t *find_unknown(const struct inventory *inv)
{
	json_auto_t *here = resources_here(inv);
	json_t *ret = json_object();
	char bdf[NAME_BDF_SIZE];

	for (size_t i = 0; i < inv->n_attachments; i++)
		if (waits_for_device(&inv->attachments[i]) &&
		    name_to_bdf(inv->attachments[i].device, bdf) &&
		    inventory_function(inv, bdf) == INV_NONE)
			(void)json_object_set_new(ret, bdf, json_true());
	for (size_t i = 0; i < inv->n_allocations; i++)
		if (json_object_get(here, inv->allocations[i].resource) &&
		    name_to_bdf(inv->allocations[i].id, bdf) &&
		    inventory_function(inv, bdf) == INV_NONE)
			(void)json_object_set_new(ret, bdf, json_true());
	return ret;
}

/* Those that the node has after all are no network devices. */
int join_vanished(const struct host *host, struct inventory *inv, struct err *e)
{
	json_auto_t *unknown = find_unknown(inv);
	size_t before = inv->n_functions;
	struct inv_function *f;
	const char *bdf;
	json_t *v;

	json_object_foreach(unknown, bdf, v) {
		int r = fs_exists(host->root, e, "/sys/bus/pci/devices/%s", bdf);

		f = r == 0 ? INV_ADD(inv, functions, e) : NULL;
		if (r < 0 || (r == 0 && !f))
			return -1;
		if (!f)
			continue;
		(void)snprintf(f->bdf, sizeof(f->bdf), "%s", bdf);
		f->vanished = true;
	}
	if (inv->n_functions == before)
		return 0;
	lists_sort(inv);
	return places_set(inv, e);
}
