/* SPDX-License-Identifier: Apache-2.0 */
/* related.c - what of an inventory belongs to a function, or to an auxiliary device */
#include "devinfo/match/related.h"

#include <string.h>

static int place_of(const struct inventory *inv, const struct inv_function *f)
{
	return (int)(f - inv->functions);
}

static const struct inv_function *function_at(const struct inventory *inv, int place)
{
	return place >= 0 && (size_t)place < inv->n_functions ? &inv->functions[place] : NULL;
}

static const struct inv_link *link_at(const struct inventory *inv, int place)
{
	return place >= 0 && (size_t)place < inv->n_links ? &inv->links[place] : NULL;
}

const struct inv_function *related_pf(const struct inventory *inv, const struct inv_function *f)
{
	return f->is_vf ? function_at(inv, f->pf) : f;
}

const struct inv_function *related_function(const struct inventory *inv,
					    const struct inv_auxiliary *x)
{
	return function_at(inv, x->function);
}

/*
 * The port of another function ("pf0vf1", "pf0sf88", "c1pf0vf1") has the PF for its parent, also
 * where it could not be told whose port it is.
 */
static bool is_own(const struct inv_link *l)
{
	return l->represents == INV_NONE && l->represents_auxiliary == INV_NONE &&
	       strcmp(l->parent_bus, "auxiliary") != 0 && strncmp(l->port_name, "pf", 2) != 0 &&
	       *l->port_name != 'c';
}

const struct inv_link *related_link(const struct inventory *inv, const struct inv_function *f)
{
	int place = place_of(inv, f);

	for (const struct inv_link *l = inv->links; l < inv->links + inv->n_links; l++)
		if (l->function == place && is_own(l))
			return l;
	return NULL;
}

const struct inv_link *related_link_of_auxiliary(const struct inventory *inv,
						 const struct inv_auxiliary *x)
{
	return link_at(inv, x->link);
}

const struct inv_link *related_representor(const struct inventory *inv,
					   const struct inv_function *f)
{
	int place = place_of(inv, f);

	for (const struct inv_link *l = inv->links; l < inv->links + inv->n_links; l++)
		if (l->represents == place)
			return l;
	return NULL;
}

const struct inv_link *related_representor_of_auxiliary(const struct inventory *inv,
							const struct inv_auxiliary *x)
{
	int place = (int)(x - inv->auxiliaries);

	for (const struct inv_link *l = inv->links; l < inv->links + inv->n_links; l++)
		if (l->represents_auxiliary == place)
			return l;
	return NULL;
}

const struct inv_attachment *related_holder(const struct inventory *inv, int place)
{
	return place >= 0 && (size_t)place < inv->n_attachments ? &inv->attachments[place] : NULL;
}

const struct inv_vf *related_vf(const struct inventory *inv, const struct inv_function *f)
{
	const struct inv_function *pf = f->is_vf ? related_pf(inv, f) : NULL;
	const struct inv_link *uplink = pf ? related_link(inv, pf) : NULL;

	for (const struct inv_vf *v = inv->vfs; uplink && v < inv->vfs + inv->n_vfs; v++)
		if (v->index == f->vf_index && strcmp(v->pf, uplink->name) == 0)
			return v;
	return NULL;
}

bool related_has_rdma(const struct inv_rdma *r, const char *id)
{
	return strcmp(r->parent, id) == 0;
}

/* What is on a part of a function, a sub-function, is that one's. */
bool related_has_vdpa(const struct inv_vdpa *v, const char *id)
{
	return strcmp(*v->auxiliary ? v->auxiliary : v->bdf, id) == 0;
}

/* "pci/0000:65:00.3", "auxiliary/mlx5_core.sf.4": the device is behind the bus. */
bool related_has_mgmtdev(const struct inv_mgmtdev *m, const char *id)
{
	const char *slash = strchr(m->name, '/');

	return slash && strcmp(slash + 1, id) == 0;
}
