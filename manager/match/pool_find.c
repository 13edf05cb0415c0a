/* SPDX-License-Identifier: Apache-2.0 */
/* pool_find.c - which pool has a device, by which of its selectors, and what cannot be told */
#include "manager/match/pool_selector.h"

#include <stddef.h>

static const struct selector *find_selector(const struct pool *p, const struct inventory *inv,
					    const struct inv_function *f,
					    const struct inv_auxiliary *x)
{
	if (!selector_takes(p->type, inv, f, x))
		return NULL;
	for (const struct selector *s = p->selectors; s < p->selectors + p->n_selectors; s++)
		if (f ? selector_has_function(s, inv, f) : selector_has_auxiliary(s, inv, x))
			return s;
	return NULL;
}

/*
 * 1, 0; -1: an expression compares what is no number.  *attributes are made when they are needed
 * first.
 */
static int meets(const struct pool *p, const struct inventory *inv, const struct inv_function *f,
		 const struct inv_auxiliary *x, json_t **attributes)
{
	struct err e;

	if (!p->match)
		return 1;
	if (!*attributes)
		*attributes = f ? match_attributes(inv, f) : match_attributes_of_auxiliary(inv, x);
	return match_meets(p->match, *attributes, &e);
}

int pools_find(const struct pools *p, const struct inventory *inv, const struct inv_function *f,
	       const struct inv_auxiliary *x)
{
	json_auto_t *attributes = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (find_selector(&p->list[i], inv, f, x) &&
		    meets(&p->list[i], inv, f, x, &attributes) > 0)
			return (int)i;
	return INV_NONE;
}

static struct pool_wants wants(const struct pool *p, const struct selector *s)
{
	if (!s && p->n_selectors == 1)
		s = p->selectors;
	return (struct pool_wants){ .vhost_net = s && s->need_vhost_net,
				    .rdma = s && s->is_rdma,
				    .vdpa_type = s ? s->vdpa_type : NULL };
}

struct pool_wants pool_wants(const struct pools *p, size_t i, const struct inventory *inv,
			     const struct inv_function *f)
{
	return wants(&p->list[i], find_selector(&p->list[i], inv, f, NULL));
}

struct pool_wants pool_wants_auxiliary(const struct pools *p, size_t i,
				       const struct inventory *inv, const struct inv_auxiliary *x)
{
	return wants(&p->list[i], find_selector(&p->list[i], inv, NULL, x));
}

static bool lacks_packages(const struct pool *p, const struct inventory *inv)
{
	for (size_t k = 0; k < inv->n_functions; k++)
		if (*inv->functions[k].ddp)
			return false;
	for (size_t k = 0; k < p->n_selectors; k++)
		if (json_array_size(p->selectors[k].list[SELECT_DDP_PROFILES]) > 0)
			return true;
	return false;
}

/* Of a device that the selectors have. */
static bool cannot_compare(const struct pool *p, const struct inventory *inv)
{
	bool cannot = false;

	for (size_t k = 0; p->match && k < inv->n_functions && !cannot; k++) {
		const struct inv_function *f = &inv->functions[k];
		json_auto_t *attributes = NULL;

		cannot = find_selector(p, inv, f, NULL) && meets(p, inv, f, NULL, &attributes) < 0;
	}
	for (size_t k = 0; p->match && k < inv->n_auxiliaries && !cannot; k++) {
		const struct inv_auxiliary *x = &inv->auxiliaries[k];
		json_auto_t *attributes = NULL;

		cannot = find_selector(p, inv, NULL, x) && meets(p, inv, NULL, x, &attributes) < 0;
	}
	return cannot;
}

const char *pool_unanswered(const struct pools *p, size_t i, const struct inventory *inv)
{
	return lacks_packages(&p->list[i], inv) ? "ddpProfiles" :
	       cannot_compare(&p->list[i], inv) ? "expressions" : NULL;
}
