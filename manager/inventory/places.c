/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - which devices of an inventory belong together
 *
 * All lists are sorted and will not change any more.  Nothing is searched for each of many: a
 * network device, an auxiliary device and the like know what they are on, so each list is walked
 * once, backwards where chains are made, so that these are in the order of the list.
 */
#include "manager/inventory/read.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void clear(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i];

		f->pf = f->link = f->representor = f->rdma = f->vdpa = f->auxiliary = f->vf =
			f->holder = INV_NONE;
	}
	for (size_t i = 0; i < inv->n_links; i++) {
		struct inv_link *l = &inv->links[i];

		l->function = l->represents = l->represents_auxiliary = INV_NONE;
	}
	for (size_t i = 0; i < inv->n_auxiliaries; i++) {
		struct inv_auxiliary *x = &inv->auxiliaries[i];

		x->function = x->link = x->representor = x->holder = x->next = INV_NONE;
	}
	for (size_t i = 0; i < inv->n_vdpas; i++) {
		struct inv_vdpa *v = &inv->vdpas[i];

		v->function = v->link = v->holder = v->next = INV_NONE;
	}
}

/* -- network devices -- */

/* How much one looks like the uplink; representors are none of their parent's. */
static enum port_kind kind_of(const struct inv_link *l)
{
	return port_parse(l->port_name).kind;
}

/* The better of two: by its port, then by its name, which the list is in the order of. */
static void offer_link(struct inventory *inv, int *best, int link)
{
	enum port_kind kind = kind_of(&inv->links[link]);

	if (kind > PORT_SF && (*best == INV_NONE || kind > kind_of(&inv->links[*best])))
		*best = link;
}

static void place_links(struct inventory *inv)
{
	for (int i = 0; i < (int)inv->n_links; i++) {
		struct inv_link *l = &inv->links[i];
		int x = inventory_auxiliary(inv, l->parent);

		l->function = inventory_function(inv, l->parent);
		if (l->function != INV_NONE)
			offer_link(inv, &inv->functions[l->function].link, i);
		else if (x != INV_NONE)
			offer_link(inv, &inv->auxiliaries[x].link, i);
	}
}

/* -- what is on a function -- */

static void place_functions(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_functions; i++)
		inv->functions[i].pf = inventory_function(inv, inv->functions[i].pf_bdf);
}

/* The head of a chain becomes this one, whose next is the one that was. */
static int chain(int *head, int place)
{
	int next = *head;

	*head = place;
	return next;
}

static void place_auxiliaries(struct inventory *inv)
{
	for (int i = (int)inv->n_auxiliaries - 1; i >= 0; i--) {
		struct inv_auxiliary *x = &inv->auxiliaries[i];

		x->function = inventory_function(inv, x->pf_bdf);
		if (x->function != INV_NONE)
			x->next = chain(&inv->functions[x->function].auxiliary, i);
	}
}

/* A device on an auxiliary device is on the function of that. */
static int function_behind(const struct inventory *inv, const char *parent)
{
	int x = inventory_auxiliary(inv, parent);

	return x != INV_NONE ? inv->auxiliaries[x].function : inventory_function(inv, parent);
}

static void place_vdpas(struct inventory *inv)
{
	for (int i = (int)inv->n_vdpas - 1; i >= 0; i--) {
		struct inv_vdpa *v = &inv->vdpas[i];

		v->function = function_behind(inv, *v->auxiliary ? v->auxiliary : v->bdf);
		v->link = inventory_link(inv, v->netdev);
		if (v->function != INV_NONE)
			v->next = chain(&inv->functions[v->function].vdpa, i);
	}
}

static void place_rdmas(struct inventory *inv)
{
	for (int i = (int)inv->n_rdmas - 1; i >= 0; i--) {
		struct inv_rdma *x = &inv->rdmas[i];

		x->function = function_behind(inv, x->parent);
		x->next = x->function == INV_NONE ?
				  INV_NONE : chain(&inv->functions[x->function].rdma, i);
	}
}

/* "pci/0000:65:00.3", "auxiliary/mlx5_core.sf.4" */
static void place_mgmtdevs(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_mgmtdevs; i++) {
		const char *slash = strchr(inv->mgmtdevs[i].name, '/');

		inv->mgmtdevs[i].function = function_behind(inv, slash ? slash + 1 : "");
	}
}

/* -- VFs and representors: by what they are called, sorted -- */

/* A function of a PF, as its switch and its PF's network device number them. */
struct numbered {
	const char *of;			/* switch id */
	bool is_sf;
	unsigned int number, pf;
	int link;
};

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int r = strcmp(x->of, y->of);

	if (r || x->is_sf != y->is_sf)
		return r ? r : x->is_sf - y->is_sf;
	return x->number < y->number ? -1 : x->number > y->number;
}

struct numbers {
	struct numbered *list;		/* owned */
	size_t n;
};

static void numbers_done(const struct numbers *all)
{
	free(all->list);
}

static int number_representors(const struct inventory *inv, struct numbers *ret, struct err *e)
{
	for (int i = 0; i < (int)inv->n_links; i++) {
		const struct inv_link *l = &inv->links[i];
		struct port port = port_parse(l->port_name);
		struct numbered *one;

		if (!*l->switch_id || (port.kind != PORT_VF && port.kind != PORT_SF))
			continue;
		one = inv_add(&ret->list, &ret->n, sizeof(*one), e);
		if (!one)
			return -1;
		*one = (struct numbered){ l->switch_id, port.kind == PORT_SF, port.number, port.pf,
					  i };
	}
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_number);
	return 0;
}

/* As sysfs_representor(): the PF's own number decides, and else there must be but one. */
static int representor_of(const struct inventory *inv, const struct numbers *all, int pf,
			  bool is_sf, int number)
{
	const struct inv_function *p = &inv->functions[pf];
	struct numbered key = { .is_sf = is_sf, .number = (unsigned int)number }, *at, *end;
	int only = INV_NONE, others = 0;

	if (p->link == INV_NONE || !*inv->links[p->link].switch_id || number < 0 || !all->n)
		return INV_NONE;
	key.of = inv->links[p->link].switch_id;
	at = bsearch(&key, all->list, all->n, sizeof(key), by_number);
	if (!at)
		return INV_NONE;
	while (at > all->list && by_number(at - 1, &key) == 0)
		at--;
	end = all->list + all->n;
	for (; at < end && by_number(at, &key) == 0; at++) {
		if (at->pf == (unsigned int)(p->bdf[strlen(p->bdf) - 1] - '0'))
			return at->link;
		only = at->link;
		others++;
	}
	return others == 1 ? only : INV_NONE;
}

static int place_representors(struct inventory *inv, struct err *e)
{
	auto_with(numbers_done) struct numbers all = { .n = 0 };

	if (number_representors(inv, &all, e) < 0)
		return -1;
	for (int i = 0; i < (int)inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i];

		if (f->pf == INV_NONE)
			continue;
		f->representor = representor_of(inv, &all, f->pf, false, f->vf_index);
		if (f->representor != INV_NONE)
			inv->links[f->representor].represents = i;
	}
	for (int i = 0; i < (int)inv->n_auxiliaries; i++) {
		struct inv_auxiliary *x = &inv->auxiliaries[i];

		if (!x->has_sf || x->function == INV_NONE)
			continue;
		x->representor = representor_of(inv, &all, x->function, true, x->sf);
		if (x->representor != INV_NONE)
			inv->links[x->representor].represents_auxiliary = i;
	}
	return 0;
}

/* How its PF shows a VF: by the PF's network device and the VF's number. */
static void place_vfs(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i];
		int link = f->pf == INV_NONE ? INV_NONE : inv->functions[f->pf].link;

		if (link != INV_NONE)
			f->vf = inventory_vf(inv, inv->links[link].name, f->vf_index);
	}
}

int places_set(struct inventory *inv, struct err *e)
{
	clear(inv);
	place_functions(inv);
	place_auxiliaries(inv);
	place_links(inv);
	place_vdpas(inv);
	place_rdmas(inv);
	place_mgmtdevs(inv);
	place_vfs(inv);
	return place_representors(inv, e);
}
