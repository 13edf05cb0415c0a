/* SPDX-License-Identifier: Apache-2.0 */
/* related.c - what of an inventory is at a place, and what belongs to a device */
#include "manager/match/related.h"

#include <string.h>

static bool is_place(int place, size_t n)
{
	return place >= 0 && (size_t)place < n;
}

const struct inv_function *related_function(const struct inventory *inv, int place)
{
	return is_place(place, inv->n_functions) ? &inv->functions[place] : NULL;
}

const struct inv_link *related_link(const struct inventory *inv, int place)
{
	return is_place(place, inv->n_links) ? &inv->links[place] : NULL;
}

const struct inv_vf *related_vf(const struct inventory *inv, int place)
{
	return is_place(place, inv->n_vfs) ? &inv->vfs[place] : NULL;
}

const struct inv_attachment *related_attachment(const struct inventory *inv, int place)
{
	return is_place(place, inv->n_attachments) ? &inv->attachments[place] : NULL;
}

const struct inv_function *related_pf(const struct inventory *inv, const struct inv_function *f)
{
	return f->is_vf ? related_function(inv, f->pf) : f;
}

bool related_rdma_is_on(const struct inv_rdma *r, const char *id)
{
	return strcmp(r->parent, id) == 0;
}

bool related_vdpa_is_on(const struct inv_vdpa *v, const char *id)
{
	return strcmp(*v->auxiliary ? v->auxiliary : v->bdf, id) == 0;
}

/* "pci/0000:65:00.3", "auxiliary/mlx5_core.sf.4": the device is behind the bus. */
bool related_mgmtdev_is_on(const struct inv_mgmtdev *m, const char *id)
{
	const char *slash = strchr(m->name, '/');

	return slash && strcmp(slash + 1, id) == 0;
}
