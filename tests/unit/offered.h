/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offered.h - a recorded node, pools and what they offer, for the tests of daemon/plugin
 *
 * Texts of JSON have ' for ".
 */
#ifndef TESTS_UNIT_OFFERED_H
#define TESTS_UNIT_OFFERED_H

#include "daemon/offer/offer.h"
#include "daemon/plugin/access.h"
#include "manager/inventory/facts.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

enum { OFFERED_MAX = 16 };

struct offered_node {
	struct fake_node node;
	json_t *facts;			/* of a node that has some */
	struct pools pools;
	struct inventory inv;
	struct offered list[4][OFFERED_MAX];
	struct offer offer[4];		/* of the first pools */
	struct offers offers;
};

/* In the pool that selects it; all are well and nobody has them. */
static inline void offered_add(struct offered_node *n, int pool, const char *id, int f, int x)
{
	struct offer *o = pool == INV_NONE || pool > 3 ? NULL : &n->offer[pool];

	if (!o || o->n == OFFERED_MAX)
		return;
	o->list[o->n] = (struct offered){ .healthy = true, .function = f, .auxiliary = x };
	(void)snprintf(o->list[o->n++].id, OFFER_ID, "%s", id);
}

/* Read node and pools anew. */
static inline void offered_read(struct offered_node *n, const char *config)
{
	auto_free char *json = strdup(config);
	struct err e = { 0 };

	for (char *p = json; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	pools_done(&n->pools);
	inventory_done(&n->inv);
	if (pools_parse(json, strlen(json), &n->pools, &e) < 0 ||
	    inventory_read(&n->node.host, &n->inv, &e) < 0)
		bail_out(e.msg);
	for (size_t i = 0; i < n->pools.n && i < 4; i++) {
		n->offer[i] = (struct offer){ .pool = i, .list = n->list[i] };
		(void)pool_resource(&n->pools, i, n->offer[i].resource);
	}
	n->offers = (struct offers){ n->offer, n->pools.n };
	for (size_t i = 0; i < n->inv.n_functions; i++)
		offered_add(n, pools_find(&n->pools, &n->inv, &n->inv.functions[i], NULL),
			    n->inv.functions[i].bdf, (int)i, INV_NONE);
	for (size_t i = 0; i < n->inv.n_auxiliaries; i++)
		offered_add(n, pools_find(&n->pools, &n->inv, NULL, &n->inv.auxiliaries[i]),
			    n->inv.auxiliaries[i].name, INV_NONE, (int)i);
}

/* The recorded node of this name, changed by a command of the shell; NULL: not changed. */
static inline void offered_open(const char *name, const char *change, const char *config,
				struct offered_node *ret)
{
	struct err e = { 0 };

	*ret = (struct offered_node){ .offers = { .n = 0 } };
	node_open(name, &ret->node);
	if (change)
		node_sh(&ret->node, change);
	if (facts_read(&ret->node.host, &ret->facts, &e) < 0)
		bail_out(e.msg);
	ret->node.host.facts = ret->facts;
	offered_read(ret, config);
}

static inline void offered_close(struct offered_node *n)
{
	pools_done(&n->pools);
	inventory_done(&n->inv);
	json_decref(n->facts);
	node_close(&n->node);
}

static inline struct access_world offered_world(const struct offered_node *n, size_t pool)
{
	return (struct access_world){ .host = &n->node.host, .pools = &n->pools, .inv = &n->inv,
				      .offer = &n->offer[pool] };
}

#endif
