/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefer.c - which of a resource's free devices kubelet should give to a container
 *
 * One device after the other is taken: of the best rank that is left, of the node that is best for
 * how many are still wanted, of the PF that has given the fewest.
 */
#include "daemon/offer/prefer.h"

#include "base/mem.h"
#include "devinfo/kubelet/allocation.h"
#include "manager/match/related.h"

#include <stdlib.h>
#include <string.h>

enum rank { RANK_FREE, RANK_PROMISED, RANK_LAST, RANKS };

struct candidate {
	const char *id;			/* as it was asked for */
	enum rank rank;
	int node;			/* INV_NONE: none is told */
	int pf;				/* place in functions; INV_NONE: not known */
	bool taken;
};

struct choosing {
	const struct inventory *inv;
	struct candidate *list;		/* owned; in natural order */
	size_t n;
	size_t *load;			/* owned; of each function, how many devices pods have */
	const char **ret;
	size_t chosen;
};

static void choosing_done(struct choosing *c)
{
	free(c->list);
	free(c->load);
}
#define auto_choosing auto_with(choosing_done)

/* -- candidates -- */

static int pf_of(const struct inventory *inv, const struct offered *d)
{
	const struct inv_function *f = related_function(inv, d->function);

	return f && f->is_vf ? f->pf : f ? d->function : INV_NONE;
}

static struct candidate make_candidate(const struct offer *o, const struct inventory *inv,
				       const char *id)
{
	const struct offered *d = offer_find(o, id);

	if (!d)
		return (struct candidate){ id, RANK_LAST, INV_NONE, INV_NONE, false };
	return (struct candidate){
		.id = id, .node = d->has_numa ? d->numa : INV_NONE, .pf = pf_of(inv, d),
		.rank = !d->healthy || d->held ? RANK_LAST :
			d->promised	       ? RANK_PROMISED :
						 RANK_FREE,
	};
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return device_id_compare(x->id, y->id);
}

static void take(struct choosing *c, struct candidate *one)
{
	one->taken = true;
	c->ret[c->chosen++] = one->id;
	if (one->pf != INV_NONE)
		c->load[one->pf]++;
}

/* One that is there twice is one. */
static void make_unique(struct choosing *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (n == 0 || strcmp(c->list[n - 1].id, c->list[i].id) != 0)
			c->list[n++] = c->list[i];
	c->n = n;
}

static bool open_choice(const struct offer *o, const struct prefer_ids *available,
			struct choosing *c)
{
	c->list = calloc(available->n + 1, sizeof(*c->list));
	c->load = calloc(c->inv->n_functions + 1, sizeof(*c->load));
	if (!c->list || !c->load)
		return false;
	for (size_t i = 0; i < available->n; i++)
		c->list[c->n++] = make_candidate(o, c->inv, available->list[i]);
	qsort(c->list, c->n, sizeof(*c->list), compare);
	make_unique(c);
	for (size_t i = 0; i < o->n; i++) {
		int pf = o->list[i].held ? pf_of(c->inv, &o->list[i]) : INV_NONE;

		if (pf != INV_NONE)
			c->load[pf]++;
	}
	return true;
}

static void take_named(struct choosing *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->list[i].id, id) == 0 && !c->list[i].taken)
			take(c, &c->list[i]);
}

/* -- the node -- */

struct node {
	int number;
	size_t taken, left;		/* left: of the rank in question */
};

static struct node look_at(const struct choosing *c, int number, enum rank rank)
{
	struct node ret = { .number = number };

	for (size_t i = 0; i < c->n; i++) {
		if (c->list[i].node != number)
			continue;
		ret.taken += c->list[i].taken;
		ret.left += !c->list[i].taken && c->list[i].rank == rank;
	}
	return ret;
}

/* Where some are taken already; else where just enough are left; else where most are. */
static bool is_better(const struct node *a, const struct node *b, size_t wanted)
{
	bool a_has = a->left >= wanted, b_has = b->left >= wanted;

	if (a->taken != b->taken)
		return a->taken > b->taken;
	if (a_has != b_has)
		return a_has;
	if (a->left != b->left)
		return a_has ? a->left < b->left : a->left > b->left;
	return a->number < b->number;
}

/* The node of the next device of this rank: false when none is left. */
static bool choose_node(const struct choosing *c, enum rank rank, size_t wanted, int *ret)
{
	struct node best = { .left = 0 };

	for (size_t i = 0; i < c->n; i++) {
		struct node one;

		if (c->list[i].taken || c->list[i].rank != rank ||
		    (best.left > 0 && c->list[i].node == best.number))
			continue;
		one = look_at(c, c->list[i].node, rank);
		if (best.left == 0 || is_better(&one, &best, wanted))
			best = one;
	}
	*ret = best.number;
	return best.left > 0;
}

/* -- the PF -- */

static size_t load_of(const struct choosing *c, const struct candidate *one)
{
	return one->pf == INV_NONE ? 0 : c->load[one->pf];
}

static struct candidate *choose_one(const struct choosing *c, enum rank rank, int node)
{
	struct candidate *best = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct candidate *one = &c->list[i];

		if (!one->taken && one->rank == rank && one->node == node &&
		    (!best || load_of(c, one) < load_of(c, best)))
			best = one;
	}
	return best;
}

static void take_rank(struct choosing *c, enum rank rank, size_t size)
{
	int node;

	while (c->chosen < size && choose_node(c, rank, size - c->chosen, &node)) {
		struct candidate *one;

		while (c->chosen < size && (one = choose_one(c, rank, node)))
			take(c, one);
	}
}

size_t offer_prefer(const struct offer *o, const struct inventory *inv,
		    const struct prefer_ids *available, const struct prefer_ids *must, size_t size,
		    const char **ret)
{
	auto_choosing struct choosing c = { .inv = inv, .ret = ret };

	if (!open_choice(o, available, &c))
		return 0;
	for (size_t i = 0; i < must->n && c.chosen < size; i++)
		take_named(&c, must->list[i]);
	for (int rank = RANK_FREE; rank < RANKS; rank++)
		take_rank(&c, (enum rank)rank, size);
	return c.chosen;
}
