/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - what kubelet has given to the pods of the node, and what it could give
 *
 * By PodResources, which a recorded tree's facts stand in for.  That kubelet does not answer is a
 * fact about the node as well, and no error.
 */
#include "manager/inventory/join.h"
#include "manager/inventory/join_text.h"

#include "base/deadline.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/kubelet/claim.h"
#include "devinfo/kubelet/podres.h"
#include "manager/inventory/allocated.h"
#include "manager/inventory/facts.h"
#include "manager/inventory/health.h"
#include "manager/inventory/read.h"

#include <stdio.h>
#include <string.h>

struct asking {
	const struct host *host;
	struct inventory *inv;
	struct deadline until;		/* of questions, and files that say what claims mean */
	bool allocatable;
};

/* -- the answers -- */

/* By its address, or its name on this node; before Kubernetes 1.31 there is only CDI's for it. */
static void put_claimed(const struct asking *ask, const struct claimed_device *c,
			struct inv_allocation *a)
{
	struct claim_info info = { .source = NULL };
	struct err why = { 0 };
	char resource[600];
	int r;

	(void)snprintf(resource, sizeof(resource), "claim %s/%s", c->name_space, c->claim);
	JOIN_TEXT(a->resource, resource);
	JOIN_TEXT(a->driver, c->driver);
	JOIN_TEXT(a->pool, c->pool);
	JOIN_TEXT(a->claim_device, c->device);
	JOIN_TEXT(a->claim_share, c->share);
	r = claim_resolve(ask->host, c, &ask->until, &info, &why);
	if (r > 0) {
		JOIN_TEXT(a->id, info.id);
		return;
	}
	/* then it goes by the driver's name for it */
	JOIN_TEXT(a->id, *c->device ? c->device : c->n_cdi > 0 ? c->cdi[0] : "");
	a->unresolved = true;
	JOIN_TEXT(a->unreadable, r < 0 ? why.msg : info.tried);
}

static int add_allocation(const struct podres_device *d, void *arg, struct err *e)
{
	const struct asking *ask = arg;
	struct inv_allocation *a = INV_ADD(ask->inv, allocations, e);

	if (!a)
		return -1;
	a->function = INV_NONE;
	a->allocatable = ask->allocatable;
	JOIN_TEXT(a->pod_namespace, d->name_space);
	JOIN_TEXT(a->pod_name, d->pod);
	JOIN_TEXT(a->container, d->container);
	if (d->claimed) {
		put_claimed(ask, d->claimed, a);
		return 0;
	}
	JOIN_TEXT(a->resource, d->device->resource);
	JOIN_TEXT(a->id, d->device->id);
	return 0;
}

/* What is wrong goes to *why, which stays "" after an answer. */
static void ask_one(struct asking *ask, enum podres_method m, char why[INV_LIST])
{
	struct err e = { 0 };
	char text[1024];

	ask->allocatable = m == PODRES_ALLOCATABLE;
	if (podres_each(ask->host, m, &ask->until, add_allocation, ask, &e) == PODRES_FOUND)
		return;
	(void)snprintf(text, sizeof(text), "%s%s%.700s", e.msg, *e.details ? ": " : "", e.details);
	join_text(why, INV_LIST, text);
}

static void ask_both(const struct host *host, const struct deadline *until,
		     struct inventory *inv)
{
	struct asking ask = { .host = host, .inv = inv, .until = *until };
	struct inv_node *node = &inv->node;

	node->kubelet_asked = true;
	ask_one(&ask, PODRES_LIST, node->kubelet_error);
	if (!*node->kubelet_error)	/* who has no answer to one has none to the other */
		ask_one(&ask, PODRES_ALLOCATABLE, node->allocatable_error);
}

/* A recorded node knows whether it was asked, and has the list if it was answered. */
static int take_facts(const json_t *facts, struct inventory *inv, struct err *e)
{
	static const struct facts_list list = {
		FACTS_LIST(allocations, inv_allocation_fields), .find = NULL,
	};

	inv->node.kubelet_asked |= json_object_get(facts, list.what) != NULL;
	if (!inv->node.kubelet_asked)
		JOIN_TEXT(inv->node.kubelet_error, "it was not asked when the node was recorded");
	return facts_fill(facts, &list, inv, e) < 0 ? err_wrap(e, INVENTORY_FACTS) : 0;
}

/* -- order, and what they mean -- */

static int compare_allocations(const void *a, const void *b)
{
	const struct inv_allocation *x = a, *y = b;
	int r = strcmp(x->resource, y->resource);

	r = r ? r : device_id_compare(x->id, y->id);
	r = r ? r : x->allocatable - y->allocatable;
	r = r ? r : strcmp(x->pod_namespace, y->pod_namespace);
	r = r ? r : strcmp(x->pod_name, y->pod_name);
	return r ? r : strcmp(x->container, y->container);
}

/* kubelet tells a device once for each of its NUMA nodes. */
static void sort_allocations(struct inventory *inv)
{
	struct inv_allocation *list = inv->allocations;
	size_t n = 0;

	if (inv->n_allocations == 0)
		return;
	qsort(list, inv->n_allocations, sizeof(*list), compare_allocations);
	for (size_t i = 0; i < inv->n_allocations; i++)
		if (n == 0 || compare_allocations(&list[n - 1], &list[i]) != 0)
			list[n++] = list[i];
	inv->n_allocations = n;
}

static int function_at(const struct inventory *inv, const char *bdf)
{
	int at = inventory_function(inv, bdf);

	return at != INV_NONE && !inv->functions[at].vanished ? at : INV_NONE;
}

/* The function of a device, by whatever name a device plugin gives it. */
static int function_of(const struct inventory *inv, const char *id)
{
	const char *name = device_id_plain(id);
	char bdf[NAME_BDF_SIZE];
	int at;

	if (name_to_bdf(id, bdf))
		return function_at(inv, bdf);
	at = inventory_auxiliary(inv, name);
	if (at != INV_NONE)
		return inv->auxiliaries[at].function;
	at = inventory_vdpa(inv, name);
	if (at != INV_NONE)
		return inv->vdpas[at].function;
	at = inventory_link(inv, name);
	return at != INV_NONE ? inv->links[at].function : INV_NONE;
}

static void place_allocations(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_allocations; i++) {
		struct inv_allocation *a = &inv->allocations[i];
		struct inv_function *f;

		a->function = function_of(inv, a->id);
		if (a->function == INV_NONE)
			continue;
		f = &inv->functions[a->function];
		*(*a->pod_name ? &f->given : &f->offered) = true;
	}
}

static void name_resources(struct inventory *inv)
{
	json_auto_t *by_name = json_object();
	char name[ALLOCATED_FILE];

	for (size_t i = inv->n_allocations; i-- > 0;) {
		allocated_file_name(&inv->allocations[i], name);
		(void)json_object_set_new(by_name, name, json_integer((json_int_t)i));
	}
	for (size_t i = 0; i < inv->n_files; i++) {
		struct inv_file *f = &inv->files[i];
		int at = f->is_dp ? join_place(by_name, f->name) : INV_NONE;

		if (at != INV_NONE)
			JOIN_TEXT(f->resource, inv->allocations[at].resource);
	}
}

int inventory_ask_kubelet(const struct host *host, unsigned int timeout_ms, struct inventory *inv,
			  struct err *e)
{
	json_auto_t *facts = NULL;
	struct deadline until = deadline_in(timeout_ms);
	int r = facts_read(host, &facts, e);

	if (r == 0) {
		ask_both(host, &until, inv);
		allocated_set_waits(host, &until, inv);
	}
	if (r < 0 || (r > 0 && take_facts(facts, inv, e) < 0))
		return -1;
	sort_allocations(inv);
	if (join_vanished(host, inv, e) < 0 || join_holders(host, inv, e) < 0)
		return -1;
	place_allocations(inv);
	name_resources(inv);
	health_judge(host, inv);
	return 0;
}
