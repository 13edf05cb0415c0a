/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf_counter.c - what each VF has sent and received, a PF at a time
 *
 * A recorded node has the answers in its facts (manager/inventory/facts.h), as "vf_stats": a list
 * of {"pf_ifindex", "index", "rx_packets", ...}.
 */
#include "daemon/metrics/vf_counter.h"

#include "base/log.h"
#include "daemon/metrics/snapshot.h"

#include <linux/netlink.h>
#include <stdlib.h>

/* One row for each counter: its metric, and how a recorded node calls it. */
static const struct {
	enum family family;
	const char *name;
} rows[VF_COUNTS] = {
	[VF_RX_PACKETS] = { FAMILY_VF_RX_PACKETS, "rx_packets" },
	[VF_TX_PACKETS] = { FAMILY_VF_TX_PACKETS, "tx_packets" },
	[VF_RX_BYTES] = { FAMILY_VF_RX_BYTES, "rx_bytes" },
	[VF_TX_BYTES] = { FAMILY_VF_TX_BYTES, "tx_bytes" },
	[VF_BROADCAST] = { FAMILY_VF_BROADCAST, "broadcast" },
	[VF_MULTICAST] = { FAMILY_VF_MULTICAST, "multicast" },
	[VF_RX_DROPPED] = { FAMILY_VF_RX_DROPPED, "rx_dropped" },
	[VF_TX_DROPPED] = { FAMILY_VF_TX_DROPPED, "tx_dropped" },
};

/* The number of the PF's network device here; 0: it has none, and nobody to ask. */
static int pf_ifindex(const struct inventory *inv, const struct inv_function *f)
{
	int link = f->pf != INV_NONE ? inv->functions[f->pf].link : INV_NONE;

	return link != INV_NONE ? inv->links[link].ifindex : 0;
}

static int by_pf(const void *a, const void *b)
{
	const struct vf_target *x = a, *y = b;

	return (x->pf_ifindex > y->pf_ifindex) - (x->pf_ifindex < y->pf_ifindex);
}

int vf_counters_begin(struct vf_counters *v, const struct host *host, const struct inventory *inv,
		      struct exposition *x)
{
	v->list = calloc(inv->n_functions + 1, sizeof(*v->list));
	if (!v->list)
		return -1;
	if (host->facts)
		v->recorded = json_incref(json_object_get(host->facts, "vf_stats"));
	if (host->facts && !v->recorded)
		v->recorded = json_array();
	for (size_t i = 0; i < inv->n_functions; i++) {
		const struct inv_function *f = &inv->functions[i];
		struct labels l = { .len = 0 };
		struct vf_target *t = &v->list[v->n];

		if (!f->is_vf || f->vf_index == INV_NONE)
			continue;
		snapshot_add_function(inv, (int)i, &l);
		t->labels = exposition_keep(x, &l);
		t->pf_ifindex = pf_ifindex(inv, f);
		t->index = (unsigned int)f->vf_index;
		exposition_put(x, FAMILY_VF, t->labels, 1);
		v->n += t->pf_ifindex > 0;
	}
	qsort(v->list, v->n, sizeof(*v->list), by_pf);
	return 0;
}

/* -- one PF -- */

struct of_pf {
	struct vf_target *list;
	size_t n;
	bool counts;
};

static void take(unsigned int vf, const struct vf_stats *stats, void *arg)
{
	struct of_pf *pf = arg;

	for (size_t i = 0; i < pf->n; i++)
		if (pf->list[i].index == vf)
			pf->list[i].stats = *stats;
	pf->counts |= !vf_stats_is_empty(stats);
}

static void take_recorded(const json_t *recorded, struct of_pf *pf)
{
	const json_t *o;
	size_t i;

	json_array_foreach(recorded, i, o) {
		struct vf_stats s = { .have = 0 };

		if (json_integer_value(json_object_get(o, "pf_ifindex")) != pf->list->pf_ifindex)
			continue;
		for (unsigned int k = 0; k < VF_COUNTS; k++) {
			const json_t *n = json_object_get(o, rows[k].name);

			s.count[k] = (uint64_t)json_integer_value(n);
			s.have |= json_is_integer(n) ? 1U << k : 0;
		}
		take((unsigned int)json_integer_value(json_object_get(o, "index")), &s, pf);
	}
}

static int ask(struct vf_counters *v, struct of_pf *pf, struct err *e)
{
	if (!v->nl.open && nl_open(NETNS_OWN, NETLINK_ROUTE, &v->nl, e) < 0)
		return -1;
	return vf_stats_each(&v->nl, pf->list->pf_ifindex, take, pf, e);
}

static void put(const struct of_pf *pf, struct exposition *x)
{
	for (size_t i = 0; pf->counts && i < pf->n; i++)
		for (unsigned int k = 0; k < VF_COUNTS; k++)
			if (pf->list[i].stats.have >> k & 1)
				exposition_put(x, rows[k].family, pf->list[i].labels,
					       pf->list[i].stats.count[k]);
}

/* A PF that has gone meanwhile has no samples: the next look knows. */
bool vf_counters_step(struct vf_counters *v, struct exposition *x)
{
	struct of_pf pf = { .list = v->list + v->next };
	struct err e;

	if (v->next == v->n)
		return false;
	while (v->next < v->n && v->list[v->next].pf_ifindex == pf.list->pf_ifindex) {
		v->next++;
		pf.n++;
	}
	if (v->recorded)
		take_recorded(v->recorded, &pf);
	else if (ask(v, &pf, &e) < 0)
		log_debug("msg=\"%s\" details=\"%s\"", e.msg, e.details);
	put(&pf, x);
	return true;
}

void vf_counters_done(struct vf_counters *v)
{
	json_decref(v->recorded);
	nl_done(&v->nl);
	free(v->list);
}
