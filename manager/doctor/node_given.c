/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_given.c - does a pod wait for a device that kubelet gave it and nobody attaches?
 *
 * Only a pod that has waited for longer than any ADD takes is judged: one that is just starting has
 * its ADD before it, and one whose sandbox has its networks has what it needs, whatever else
 * kubelet gave it.  One that was started before, as before a reboot, looks like that, too
 * (allocated_wait.c), and is not told.
 */
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "cni/call/cache.h"
#include "devinfo/journal/ledger.h"
#include "manager/doctor/leak.h"
#include "manager/inventory/allocated.h"

#include <stdio.h>
#include <string.h>

#define CHECK	"given-unattached"
#define SEE	"says, in the pod's events and in the log of devinfo; 'devinfoctl explain' tells " \
		"more of the pod"

/* Each is compared with all that kubelet gave to anybody. */
enum { JUDGED_MAX = 1000 };

static bool has_waited(const struct inventory *inv, size_t i)
{
	const struct inv_allocation *g = &inv->allocations[i];

	return *g->pod_name && !g->started && g->waits >= LEAK_SETTLED_S &&
	       !allocated_is_again(inv, i) && !allocated_is_attached(inv, g) &&
	       !allocated_holder(inv, g);	/* that is another check's */
}

/* 1, 0, -1.  Without libcni's results it is not known for which part of its start the pod waits. */
static int is_networks(const struct host *host, const struct inventory *inv,
		       const struct inv_allocation *g, struct err *e)
{
	switch (allocated_kind(inv, g)) {
	case ALLOCATED_NETWORK:
		return 1;
	case ALLOCATED_GONE:		/* that is another check's */
	case ALLOCATED_OTHER:
		return 0;
	case ALLOCATED_UNKNOWN:
		break;
	}
	return fs_exists(host->root, e, LIBCNI_CACHE);
}

/* to: the network that it was chosen for; NULL: it is not known. */
static int tell(const struct inv_allocation *g, const struct ledger_entry *to, bool is_network,
		struct findings *ret, struct err *e)
{
	char advice[640];
	const struct finding_kind kind = {
		CHECK, SEVERITY_WARNING, REMEDY_BY_HAND, advice,
	};

	if (to)
		(void)snprintf(advice, sizeof(advice), "look what the ADD of network %.200s " SEE,
			       to->network);
	else if (is_network)
		(void)snprintf(advice, sizeof(advice), "look what the ADD of the network that asks "
			       "for %.200s " SEE, g->resource);
	else
		(void)snprintf(advice, sizeof(advice), "nothing here tells whether a network is to "
			       "attach it: if one of the pod asks for %.200s, look what its ADD "
			       SEE, g->resource);
	return finding_tell(ret, &kind, g->id, e, "pod %s/%s was given it as %.100s, has not "
			    "started for %llu minutes, and nothing has attached it%s%.120s",
			    g->pod_namespace, g->pod_name, g->resource,
			    (unsigned long long)g->waits / 60,
			    *g->unreadable ? "; which device it is cannot be told: " : "",
			    g->unreadable);
}

static int judge(const struct host *host, const struct inventory *inv,
		 const struct inv_allocation *g, struct findings *ret, struct err *e)
{
	const struct pod pod = { .name_space = g->pod_namespace, .name = g->pod_name };
	struct ledger_entry to;
	struct err ignored;		/* then no choice is known */
	int r;

	if (ledger_find_id(host, &pod, g->id, &to, &ignored) > 0)
		return tell(g, &to, true, ret, e);
	r = is_networks(host, inv, g, e);
	return r <= 0 ? r : tell(g, NULL, allocated_kind(inv, g) == ALLOCATED_NETWORK, ret, e);
}

int node_unattached(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	size_t given = 0, known = 0, judged = 0;

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *g = &inv->allocations[i];

		given += *g->pod_name != '\0';
		known += g->started || g->waits > 0;
		if (has_waited(inv, i) && judged++ < JUDGED_MAX &&
		    judge(host, inv, g, ret, e) < 0)
			return -1;
	}
	if (judged > JUDGED_MAX)
		return finding_skip(ret, e, "of the %zu devices that pods wait for the first %d "
				    "were looked at", judged, JUDGED_MAX);
	if (given == 0)
		return finding_skip(ret, e, *inv->node.kubelet_error ?
				    "what kubelet gave is not known" : "no pod was given a device");
	return known > 0 ? 0 : finding_skip(ret, e, "whether pods wait for their networks is not "
					    "known: kubelet's directories of their logs are not "
					    "there");
}
