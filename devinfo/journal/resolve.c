/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - which of the devices that kubelet gave to a pod is an attachment's? */
#include "devinfo/journal/resolve.h"

#include "base/log.h"
#include "base/name.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/owner.h"
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
#define HAS_MAX 560	/* bytes of what a pod has instead; the longest single one fits */

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

static bool wants_claim(const struct wish *w)
{
	return w->claim || w->request;
}

static int add_devices(const struct query *q, struct candidates *c, struct err *e)
{
	const struct wish *w = q->wish;

	if (wants_claim(w) || (!w->resource && !w->device_id && !w->everything))
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
	if (!w->resource || wants_claim(w))
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

/* -- nothing found -- */

/* One more of the names; false, with nothing added, when there is no room for all of it. */
static bool add_name(char names[HAS_MAX], const char *what, const char *link, const char *of)
{
	size_t used = strlen(names);
	int n = snprintf(names + used, HAS_MAX - used, "%s%s%s%s", used ? ", " : "", what, link,
			 of);

	if (n >= 0 && (size_t)n < HAS_MAX - used)
		return true;
	names[used] = '\0';
	return false;
}

static bool add_nth(char names[HAS_MAX], const struct allocation *a, size_t i)
{
	const struct claimed_device *d;

	if (i < a->n_devices)
		return add_name(names, a->devices[i].resource, " ", a->devices[i].id);
	d = &a->claimed[i - a->n_devices];
	return add_name(names, *d->device ? d->device : "a device", " of claim ", d->claim);
}

/* What the pod has instead: "it has example.com/other v0, example.com/other v1, d0 of claim c". */
static int tell_what_it_has(const struct allocation *a, struct err *e)
{
	size_t all = a->n_devices + a->n_claimed, told = 0;
	char names[HAS_MAX] = "";

	while (told < all && add_nth(names, a, told))
		told++;
	if (all == 0)
		return err_detail(e, "it has no device at all");
	if (told < all)
		return err_detail(e, "it has %s and %zu more", names, all - told);
	return err_detail(e, "it has %s", names);
}

int resolve_tell_pod(const struct host *host, const struct pod *pod, struct err *e)
{
	auto_allocation struct allocation found = { 0 };
	struct err why;

	if (!pod->uid || !*pod->uid)
		return err_detail(e, "what pod %.63s/%.128s has is not known, nor is its UID",
				  pod->name_space, pod->name);
	if (checkpoint_read(host, pod->uid, &found, &why) <= 0)
		return err_detail(e, "what pod %.63s/%.128s has is not known: %.200s",
				  pod->name_space, pod->name, why.msg);
	(void)err_detail(e, "pod %.63s/%.128s, by kubelet's checkpoint", pod->name_space,
			 pod->name);
	return tell_what_it_has(&found, e);
}

/* Goes before what is as long as the pod has devices, so that it is never what is cut off. */
static void tell_source(const struct candidates *c, struct err *e)
{
	(void)err_detail(e, "from %s%s%s", c->from.source, *c->from.tried ? ", for " : "",
			 c->from.tried);
	if (*c->tried)
		(void)err_detail(e, "%s", c->tried);
}

/* Nobody has named one, and no claim of the pod's shows which is meant: say how to name one. */
static int unnamed(const struct query *q, const struct candidates *c, struct err *e)
{
	const struct allocation *a = &c->from;

	(void)err_set(e, ERR_DEVICE, 0, "no device is named, and pod %.64s/%.64s has no claim with "
		      "a network device", q->pod->name_space, q->pod->name);
	if (a->n_devices > 0)
		(void)err_detail(e, "name one, in the network's configuration: resourceName, such "
				 "as %.128s, or deviceID or device", a->devices[0].resource);
	else
		(void)err_detail(e, "let the pod request one, in resources.limits or by a claim, "
				 "and name it in the network's configuration: resourceName or "
				 "claim; or name one of the host: deviceID or device");
	tell_source(c, e);
	return tell_what_it_has(a, e);
}

static int none(const struct query *q, const struct candidates *c, struct err *e)
{
	const struct wish *w = q->wish;
	const char *ns = q->pod->name_space, *name = q->pod->name;
	char hint[NAME_BDF_HINT];

	if (!w->device_id && !wants_claim(w) && !w->resource)
		return unnamed(q, c, e);
	if (w->device_id)
		err_set(e, ERR_DEVICE, 0, "pod %.64s/%.64s has no device %.64s%s%.64s%s", ns, name,
			w->device_id, w->resource ? " of resource " : "",
			w->resource ? w->resource : "", name_bdf_hint(w->device_id, hint));
	else if (wants_claim(w))
		err_set(e, ERR_DEVICE, 0, "pod %.64s/%.64s has no network device of claim %.64s, "
			"request %.64s", ns, name, w->claim ? w->claim : "(any)",
			w->request ? w->request : "(any)");
	else
		err_set(e, ERR_DEVICE, 0,
			"pod %.64s/%.64s has no device of resource %.64s: is it in "
			"resources.limits?", ns, name, w->resource);
	tell_source(c, e);
	return tell_what_it_has(&c->from, e);
}

/*
 * For kubelet_allocation(): "" is the resource of nothing, for the checkpoint knows no claims, and
 * what is asked for by its id may be of one.
 */
static const char *looked_for(const struct wish *w)
{
	return wants_claim(w) || !w->resource ? "" : w->resource;
}

/*
 * A kubelet that has just started may know the pod, but not its devices yet.  Its checkpoint is
 * about this very pod, by its UID: what it has replaces what kubelet said.
 */
static bool ask_checkpoint(const struct query *q, struct candidates *c)
{
	auto_allocation struct allocation found = { 0 };
	struct err ignored;

	if (!q->wish->resource || wants_claim(q->wish) || !q->pod->uid ||
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
		return none(&q, &c, e);
	*ret = c;
	c = (struct candidates){ 0 };
	return 0;
}

/* -- the choice -- */

struct holder {
	const struct host *host;
	const struct owner *who;
	const char *id;
	struct record *ret;
};

static int take_if_live(struct record *rec, void *arg, struct err *e)
{
	const struct holder *h = arg;
	int r;

	if (h->who && owner_equal(h->who, &rec->owner))
		return 0;
	r = owner_is_alive(h->host, rec, e);
	if (r > 0) {
		*h->ret = *rec;
		*rec = (struct record){ 0 };
	}
	return r;
}

/* By the journal of an earlier stateDir. */
static int look_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct holder *h = arg;

	return device_ref_each(there, j, h->id, take_if_live, arg, e);
}

int resolve_holder(const struct host *host, struct journal *j, const struct owner *who,
		   const char *id, struct record *ret, struct err *e)
{
	struct holder h = { host, who, id, ret };
	/* dir -1: nothing was attached ever */
	int r = j->dir < 0 ? 0 : device_ref_each(host, j, id, take_if_live, &h, e);

	return r == 0 ? earlier_each(host, JOURNAL_READ, look_there, &h, e) : r;
}

struct takers {
	const struct host *host;
	struct journal *j;
	const struct owner *who;
};

static int is_taken(const char *id, void *arg, struct err *e)
{
	const struct takers *t = arg;
	auto_record struct record rec = { 0 };

	return resolve_holder(t->host, t->j, t->who, id, &rec, e);
}

static void say_all_taken(const struct pod *pod, const struct candidates *c, struct err *e)
{
	const char *ns = pod->name_space, *name = pod->name;

	if (c->wish.device_id)
		err_set(e, ERR_DEVICE, 0, "device %.64s of pod %.64s/%.64s is attached already",
			c->wish.device_id, ns, name);
	else if (c->list[0].of_claim)
		err_set(e, ERR_DEVICE, 0,
			"pod %.64s/%.64s has %zu network device(s) of claim %.64s and all are "
			"attached already: request %zu in the claim", ns, name, c->n,
			c->list[0].label, c->n + 1);
	else
		err_set(e, ERR_DEVICE, 0,
			"pod %.64s/%.64s has %zu device(s) of %.64s and all are attached already: "
			"request %zu in resources.limits", ns, name, c->n, c->list[0].label,
			c->n + 1);
}

/* A container is told of itself alone. */
static void say_holder(const struct owner *who, const char *id, const struct owner *o,
		       struct err *e)
{
	static int (*const say[])(struct err *e, const char *fmt, ...) = {
		err_private, err_detail,
	};
	bool own = who && strcmp(who->container_id, o->container_id) == 0;

	(void)say[own](e, "%s has %s (network %.64s, container %.64s)", o->ifname, id, o->network,
		       o->container_id);
}

/* Who has which, and what to do. */
static int all_taken(const struct takers *t, const struct pod *pod, const struct candidates *c,
		     struct err *e)
{
	struct err ignored;

	say_all_taken(pod, c, e);
	tell_source(c, e);
	for (size_t i = 0; i < c->n; i++) {
		auto_record struct record rec = { 0 };

		if (resolve_holder(t->host, t->j, t->who, c->list[i].id, &rec, &ignored) > 0)
			say_holder(t->who, c->list[i].id, &rec.owner, e);
	}
	return -1;
}

static int choose(struct takers *t, const struct ledger_ask *ask, const struct candidates *c,
		  struct resolved *ret, struct err *e)
{
	struct ledger_choice choice = { 0 };
	int r = t->j->read_only ? ledger_peek(t->host, ask, &choice, e) :
				  ledger_assign(t->host, t->j, ask, &choice, e);

	if (r == 0)
		return all_taken(t, ask->pod, c, e);
	if (r < 0)
		return -1;
	ret->one = &c->list[choice.index];
	ret->why = choice.why;
	memcpy(ret->lost, choice.lost, sizeof(ret->lost));
	return 0;
}

int resolve_choose(const struct host *host, struct journal *j, const struct pod *pod,
		   const struct owner *who, const struct candidates *c, struct resolved *ret,
		   struct err *e)
{
	struct takers t = { host, j, who };
	const char **ids = calloc(c->n, sizeof(*ids));
	const struct ledger_ask ask = {
		.pod = pod,
		.who = who,
		.resource = c->wish.resource,
		.insists = c->wish.device_id,
		.ids = ids,
		.n = c->n,
		.taken = is_taken,
		.arg = &t,
	};
	int r;

	if (!ids)
		return err_set(e, ERR_PODRES, ENOMEM, "devices of pod %s", pod->name);
	for (size_t i = 0; i < c->n; i++)
		ids[i] = c->list[i].id;
	r = choose(&t, &ask, c, ret, e);
	free(ids);
	return r;
}
