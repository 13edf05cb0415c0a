/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holder.c - which attachment has which device?
 *
 * A record has its device by the journal's name for it, and what it knows besides: what its network
 * device was on, its vDPA device.  Of several attachments of one device the one that lives is its
 * holder.
 */
#include "manager/inventory/join.h"

#include "base/fs.h"
#include "base/name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* One that gave its device back has none. */
static int rank(const struct inv_attachment *a)
{
	static const char *const ranks[] = {
		"released", "earlier boot", "dead", "unknown", "live",
	};

	for (int i = 0; i < (int)ARRAY_SIZE(ranks); i++)
		if (strcmp(a->state, ranks[i]) == 0)
			return i;
	return 1;	/* a bad record: nobody is given its device */
}

static void hold(const struct inventory *inv, int *holder, int place)
{
	int r = rank(&inv->attachments[place]);

	if (r > 0 && (*holder == INV_NONE || r > rank(&inv->attachments[*holder])))
		*holder = place;
}

static void hold_function(struct inventory *inv, const char *name, int place)
{
	int at = inventory_function(inv, name);

	if (at == INV_NONE)
		return;
	if (!inv->functions[at].vanished)
		inv->attachments[place].function = at;
	inv->functions[at].has_record = true;
	hold(inv, &inv->functions[at].holder, place);
}

/* Of a part of a function, which may have others: it holds that alone. */
static void hold_part(struct inventory *inv, int *holder, int function, int place)
{
	struct inv_attachment *a = &inv->attachments[place];

	if (a->function == INV_NONE)
		a->function = function;
	hold(inv, holder, place);
}

static void hold_named(struct inventory *inv, const char *name, int place)
{
	int auxiliary = inventory_auxiliary(inv, name);
	int vdpa = inventory_vdpa(inv, name);
	struct inv_auxiliary *x = auxiliary == INV_NONE ? NULL : &inv->auxiliaries[auxiliary];
	struct inv_vdpa *v = vdpa == INV_NONE ? NULL : &inv->vdpas[vdpa];

	hold_function(inv, name, place);
	if (x)
		hold_part(inv, &x->holder, x->function, place);
	if (v)
		hold_part(inv, &v->holder, v->function, place);
}

/* Names that are given by number mean other devices after a boot, but for addresses. */
static void hold_all(struct inventory *inv, int place)
{
	const struct inv_attachment *a = &inv->attachments[place];

	if (strcmp(a->state, "earlier boot") == 0) {
		hold_function(inv, a->device, place);
		return;
	}
	hold_named(inv, a->device, place);
	if (strcmp(a->parent, a->device) != 0)
		hold_named(inv, a->parent, place);
	if (strcmp(a->vdpa, a->device) != 0)
		hold_named(inv, a->vdpa, place);
}

bool join_has_device(const struct inv_attachment *a, const char *id)
{
	return (*a->device_id && name_ids_equal(a->device_id, id)) ||
	       (*a->device && name_ids_equal(a->device, id)) ||
	       (*a->host_name && strcmp(a->host_name, id) == 0) ||
	       (*a->vdpa && strcmp(a->vdpa, id) == 0);
}

static void clear(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_attachments; i++)
		inv->attachments[i].function = INV_NONE;
	for (size_t i = 0; i < inv->n_functions; i++) {
		inv->functions[i].holder = INV_NONE;
		inv->functions[i].has_record = false;
	}
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		inv->auxiliaries[i].holder = INV_NONE;
	for (size_t i = 0; i < inv->n_vdpas; i++)
		inv->vdpas[i].holder = INV_NONE;
}

/* sriov-cni's allocation file of a VF. */
static int note_allocation_file(const char *name, void *arg, struct err *e)
{
	struct inventory *inv = arg;
	int at = inventory_function(inv, name);

	(void)e;
	if (at != INV_NONE)
		inv->functions[at].sriov_cni = true;
	return 0;
}

int join_holders(const struct host *host, struct inventory *inv, struct err *e)
{
	char path[PATH_MAX];

	clear(inv);
	for (size_t i = 0; i < inv->n_attachments; i++)
		hold_all(inv, (int)i);
	(void)snprintf(path, sizeof(path), "%s/pci", host->set.sriov_state_dir);
	return fs_each(host->root, path, note_allocation_file, inv, e);
}
