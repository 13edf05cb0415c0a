/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - which of the devices that kubelet gave to a pod may be an attachment's? */
#include "devinfo/journal/resolve_part.h"

#include "base/log.h"
#include "base/name.h"
#include "devinfo/kubelet/checkpoint.h"
#include "devinfo/kubelet/claim.h"
#include "devinfo/kubelet/kubelet.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX_LEN 5	/* random characters behind the name of a claim made from a template */
#define CUT_BASE 50	/* bytes before them at least, when names were cut to fit */

struct query {
	const struct host *host;
	const struct pod *pod;
	const struct wish *wish;
	const struct deadline *deadline;
};

/* -- the list -- */

static bool has(const struct candidates *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (name_ids_equal(c->list[i].id, id))
			return true;
	return false;
}

static int add(const struct query *q, struct candidates *c, const char *id, const char *label,
	       const struct claimed_device *claimed, const char *source, struct err *e)
{
	struct candidate *more;

	if (has(c, id) || (q->wish->device_id && !name_ids_equal(id, q->wish->device_id)))
		return 0;
	more = reallocarray(c->list, c->n + 1, sizeof(*more));
	if (!more)
		return err_set(e, ERR_PODRES, ENOMEM, "devices of pod %s", q->pod->name);
	c->list = more;
	more = &c->list[c->n++];
	*more = (struct candidate){ .source = source, .of_claim = claimed, .claimed = claimed };
	(void)snprintf(more->id, sizeof(more->id), "%s", id);
	(void)snprintf(more->label, sizeof(more->label), "%s", label);
	return 0;
}

void candidates_done(struct candidates *c)
{
	free(c->list);
	allocation_done(&c->from);
	*c = (struct candidates){ 0 };
}


/* -- devices of device plugins -- */

static int add_devices(const struct query *q, struct candidates *c, struct err *e)
{
	const struct wish *w = q->wish;

	if (wish_wants_claim(w) || (!w->resource && !w->device_id && !w->everything))
		return 0;
	for (size_t i = 0; i < c->from.n_devices; i++) {
		const struct plugin_device *d = &c->from.devices[i];

		if ((!w->resource || strcmp(d->resource, w->resource) == 0) &&
		    add(q, c, d->id, d->resource, NULL, c->from.source, e) < 0)
			return -1;
	}
	return 0;
}

/* -- devices of claims -- */

static bool is_head(const char *head, size_t n, const char *whole)
{
	return n > 0 && n <= strlen(whole) && strncmp(head, whole, n) == 0;
}

/*
 * What kubelet calls a claim that was made from the template of a pod: POD-CLAIM-xxxxx.  Of names
 * that are long together only the heads of both are in it, and the last '-' may not be.
 */
static bool is_generated(const char *claim, const char *pod, const char *pod_claim)
{
	size_t n = strlen(pod), m = strlen(pod_claim), len = strlen(claim), base;

	if (len <= SUFFIX_LEN + 1)
		return false;
	base = len - SUFFIX_LEN - (claim[len - SUFFIX_LEN - 1] == '-');
	if (base == n + 1 + m)
		return is_head(claim, n, pod) && claim[n] == '-' &&
		       strncmp(claim + n + 1, pod_claim, m) == 0;
	for (size_t i = 1; base >= CUT_BASE && base < n + 1 + m && i + 1 < base; i++)
		if (claim[i] == '-' && is_head(claim, i, pod) &&
		    is_head(claim + i + 1, base - i - 1, pod_claim))
			return true;
	return false;
}

static bool is_claim(const struct query *q, const struct claimed_device *d,
		     const struct claim_info *info, const char *name)
{
	if (strcmp(d->claim, name) == 0)
		return true;
	if (*info->pod_claim)
		return strcmp(info->pod_claim, name) == 0;
	return is_generated(d->claim, q->pod->name, name);
}

/* "vf" is any of its subrequests, "vf/fast" that one. */
static bool is_request(const char *its, const char *name)
{
	size_t n = strlen(name);

	return strncmp(its, name, n) == 0 && (!its[n] || its[n] == '/');
}

static bool is_wanted(const struct query *q, const struct claimed_device *d,
		      const struct claim_info *info)
{
	const struct wish *w = q->wish;

	if (w->claim && !is_claim(q, d, info, w->claim))
		return false;
	if (w->request && !is_request(info->request, w->request))
		return false;
	if (!w->resource || wish_wants_claim(w))
		return true;
	/* as Multus up to 4.3 has it, a resource may be a claim's name */
	return strcmp(info->resource, w->resource) == 0 || is_claim(q, d, info, w->resource);
}

/* A pod's graphics card has a PCI address as well. */
static int is_network(const struct host *host, const char *id, struct err *e)
{
	char bdf[NAME_BDF_SIZE];
	struct pci_device pci;
	int r = name_to_bdf(id, bdf) ? sysfs_pci(host, bdf, &pci, e) : 0;

	return r <= 0 ? (r < 0 ? -1 : 1) : pci.is_network;
}

/* 1 with its info when this device is one the attachment may have; 0, -1. */
static int read_claimed(const struct query *q, const struct claimed_device *d,
			   char tried[512], struct claim_info *ret, struct err *e)
{
	struct claim_info info = { 0 };
	int r = claim_resolve(q->host, d, q->deadline, &info, e);

	if (r < 0)
		return -1;
	if (*info.tried && !*tried)
		(void)snprintf(tried, 512, "claim %.64s: %.430s", d->claim, info.tried);
	if (r == 0 || !is_wanted(q, d, &info)) {
		log_debug("msg=\"device of a claim left out\" claim=%s device=\"%s\"", d->claim,
			  d->device);
		return 0;
	}
	r = is_network(q->host, info.id, e);
	if (r > 0)
		*ret = info;
	return r;
}

static int ambiguous(const struct query *q, const char *a, const char *b, struct err *e)
{
	return err_set(e, ERR_DEVICE, 0,
		       "pod %.64s/%.64s has network devices of claims %.40s and %.40s: say which "
		       "by claim or resourceName", q->pod->name_space, q->pod->name, a, b);
}

static int add_claimed(const struct query *q, struct candidates *c, struct err *e)
{
	const struct wish *w = q->wish;
	const char *first = NULL;

	for (size_t i = 0; i < c->from.n_claimed; i++) {
		const struct claimed_device *d = &c->from.claimed[i];
		struct claim_info info;
		int r = read_claimed(q, d, c->tried, &info, e);

		if (r < 0)
			return -1;
		if (r == 0)
			continue;
		if (first && strcmp(first, d->claim) != 0 && !w->resource && !w->request &&
		    !w->device_id && !w->everything)
			return ambiguous(q, first, d->claim, e);
		first = d->claim;
		if (add(q, c, info.id, d->claim, d, info.source, e) < 0)
			return -1;
	}
	return 0;
}

/* -- all of them -- */


/*
 * For kubelet_allocation(): "" is the resource of nothing, for the checkpoint knows no claims, and
 * what is asked for by its id may be of one.
 */
static const char *looked_for(const struct wish *w)
{
	return wish_wants_claim(w) || !w->resource ? "" : w->resource;
}

/*
 * A kubelet that has just started may know the pod, but not its devices yet.  Its checkpoint is
 * about this very pod, by its UID: what it has replaces what kubelet said.
 */
static bool ask_checkpoint(const struct query *q, struct candidates *c)
{
	auto_allocation struct allocation found = { 0 };
	struct err ignored;

	if (!q->wish->resource || wish_wants_claim(q->wish) || !q->pod->uid ||
	    checkpoint_read(q->host, q->pod->uid, &found, &ignored) <= 0 ||
	    !allocation_has_resource(&found, q->wish->resource))
		return false;
	(void)snprintf(found.tried, sizeof(found.tried), "%s has none of %.128s",
		       c->from.source, q->wish->resource);
	allocation_done(&c->from);
	c->from = found;
	found = (struct allocation){ 0 };
	return true;
}

int resolve_candidates(const struct host *host, const struct pod *pod, const struct wish *wish,
		       const struct deadline *d, struct candidates *ret, struct err *e)
{
	const struct query q = { host, pod, wish, d };
	auto_candidates struct candidates c = { .wish = *wish };

	if (kubelet_allocation(host, pod, looked_for(wish), d, &c.from, e) < 0 ||
	    add_devices(&q, &c, e) < 0 || add_claimed(&q, &c, e) < 0)
		return -1;
	if (c.n == 0 && ask_checkpoint(&q, &c) && add_devices(&q, &c, e) < 0)
		return -1;
	if (c.n == 0 && !wish->everything && !wish->optional)
		return resolve_none(pod, &c, e);
	*ret = c;
	c = (struct candidates){ 0 };
	return 0;
}
