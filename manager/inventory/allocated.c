/* SPDX-License-Identifier: Apache-2.0 */
/* allocated.c - what kubelet gave to pods: of which kind it is, and which attachment has it */
#include "manager/inventory/allocated.h"

#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "manager/inventory/join.h"

#include <stdio.h>
#include <string.h>

/* -- the kind -- */

static bool is_network_function(const struct inv_function *f)
{
	return !*f->class || strncmp(f->class, "02", 2) == 0;
}

/* By its PCI address; all network functions are in the list. */
static enum allocated_kind kind_of_function(const struct inventory *inv, const char *bdf)
{
	int at = inventory_function(inv, bdf);

	if (at == INV_NONE)
		return ALLOCATED_OTHER;
	if (inv->functions[at].vanished)
		return ALLOCATED_GONE;
	return is_network_function(&inv->functions[at]) ? ALLOCATED_NETWORK : ALLOCATED_OTHER;
}

static bool is_named(const struct inventory *inv, const char *id)
{
	const char *name = device_id_plain(id);

	return inventory_auxiliary(inv, name) != INV_NONE ||
	       inventory_vdpa(inv, name) != INV_NONE || inventory_link(inv, name) != INV_NONE;
}

void allocated_file_name(const struct inv_allocation *g, char ret[ALLOCATED_FILE])
{
	(void)snprintf(ret, ALLOCATED_FILE, "%s-%s-device.json", g->resource, g->id);
	for (char *p = ret; *p; p++)
		if (*p == '/')
			*p = '-';
}

static bool has_file(const struct inventory *inv, const struct inv_allocation *g)
{
	char name[ALLOCATED_FILE];

	allocated_file_name(g, name);
	for (size_t i = 0; i < inv->n_files; i++)
		if (name_ids_equal(inv->files[i].device, g->id) ||
		    (inv->files[i].is_dp && strcmp(inv->files[i].name, name) == 0))
			return true;
	return false;
}

static bool is_like(const struct inv_allocation *a, const struct inv_allocation *b)
{
	return *a->driver ? strcmp(a->driver, b->driver) == 0 :
			    !*b->driver && strcmp(a->resource, b->resource) == 0;
}

static bool is_network(const struct inventory *inv, const struct inv_allocation *g)
{
	return (g->function != INV_NONE && is_network_function(&inv->functions[g->function])) ||
	       is_named(inv, g->id) || allocated_holder(inv, g);
}

static bool has_like(const struct inventory *inv, const struct inv_allocation *g)
{
	for (size_t i = 0; i < inv->n_allocations; i++)
		if (is_like(g, &inv->allocations[i]) && is_network(inv, &inv->allocations[i]))
			return true;
	return false;
}

enum allocated_kind allocated_kind(const struct inventory *inv, const struct inv_allocation *g)
{
	char bdf[NAME_BDF_SIZE];

	if (name_to_bdf(g->id, bdf))
		return kind_of_function(inv, bdf);
	return is_network(inv, g) || has_file(inv, g) || has_like(inv, g) ? ALLOCATED_NETWORK :
									   ALLOCATED_UNKNOWN;
}

/* -- who has it -- */

static bool is_same_pod(const struct inv_allocation *g, const char *name_space, const char *pod)
{
	return strcmp(g->pod_name, pod) == 0 && strcmp(g->pod_namespace, name_space) == 0;
}

bool allocated_is_again(const struct inventory *inv, size_t i)
{
	const struct inv_allocation *g = &inv->allocations[i];

	for (size_t k = i; k-- > 0;) {
		const struct inv_allocation *of = &inv->allocations[k];

		if (strcmp(of->resource, g->resource) != 0 || strcmp(of->id, g->id) != 0)
			break;		/* they are sorted by these */
		if (is_same_pod(of, g->pod_namespace, g->pod_name))
			return true;
	}
	return false;
}

const struct inv_attachment *allocated_holder(const struct inventory *inv,
					      const struct inv_allocation *g)
{
	for (size_t i = 0; i < inv->n_attachments; i++)
		if (join_has_device(&inv->attachments[i], g->id))
			return &inv->attachments[i];
	return NULL;
}

/* A part of the function that was given, such as a vDPA device. */
static bool has_part(const struct inv_attachment *a, const struct inv_allocation *g)
{
	char bdf[NAME_BDF_SIZE];

	return g->function != INV_NONE && g->function == a->function && name_to_bdf(g->id, bdf);
}

static bool is_explained(const struct inventory *inv, const struct inv_attachment *a)
{
	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *g = &inv->allocations[i];

		if (is_same_pod(g, a->pod_namespace, a->pod_name) &&
		    (join_has_device(a, g->id) || has_part(a, g)))
			return true;
	}
	return false;
}

bool allocated_is_attached(const struct inventory *inv, const struct inv_allocation *g)
{
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (is_same_pod(g, a->pod_namespace, a->pod_name) &&
		    (join_has_device(a, g->id) || has_part(a, g) ||
		     (g->unresolved && strcmp(a->state, "live") == 0 && !is_explained(inv, a))))
			return true;
	}
	return false;
}
