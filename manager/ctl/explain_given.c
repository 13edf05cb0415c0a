/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_given.c - what kubelet gave to the pod, and none of its attachments has
 *
 * That is what a pod that waits for an ADD that fails looks like from here, whatever kind of device
 * it is.  But a pod may have devices that no network is to attach as well: what is no network
 * device is told and is not wrong, and what may be none is wrong only while the pod has not
 * started.
 */
#include "manager/ctl/explain.h"

#include "base/mem.h"
#include "base/name.h"
#include "cni/call/status.h"
#include "manager/inventory/allocated.h"

#include <stdio.h>
#include <string.h>

#define SEE_ADD		"says: in the pod's events, and in the log of devinfo"
#define ANNOTATION	"in the pod's annotation k8s.v1.cni.cncf.io/networks"

/* Each is compared with all that kubelet gave to anybody. */
enum { GIVEN_MAX = 256 };

/* One device, and what decides about it. */
struct unattached {
	struct explaining *x;
	const struct inv_allocation *g;
	enum allocated_kind kind;
	bool is_claimed;
	bool is_live;			/* a network of the pod is attached */
	bool is_up;			/* it is, or the pod has started */
	char what[700];			/* "kubelet gave example.com/vf v0 to container app" */
};

int explain_find_choice(const struct explaining *x, const struct inv_allocation *g,
			struct ledger_entry *ret, struct err *e)
{
	int r = explain_is_claimed(g) ? 0 :
		ledger_find(x->host, &x->pod, g->resource, g->id, ret, e);

	return r == 0 ? ledger_find_id(x->host, &x->pod, g->id, ret, e) : r;
}

/* -- somebody is known to have it, or was to have it -- */

static void explain_held(const struct unattached *u, const struct inv_attachment *a)
{
	explain_stage(u->x, "", "attachment", STAGE_WRONG, strcmp(a->state, "live") == 0 ?
		      "delete one of the two pods: each takes the device for its own" :
		      "run 'devinfoctl doctor', which says what to do about that attachment",
		      "kubelet gave %s %s, and %s of container %s, network %s, has it (%s)",
		      u->g->resource, u->g->id, *a->ifname ? a->ifname : "an interface",
		      *a->container_id ? a->container_id : "unknown",
		      *a->network ? a->network : "unknown", a->state);
}

/* Is a device-info, with the map that is called as its type, about a device of this id? */
static bool is_about(const json_t *info, const char *id)
{
	const char *type = json_string_value(json_object_get(info, "type"));
	const json_t *map = json_object_get(info, type ? type : "");
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)map, key, v)
		if (json_is_string(v) && name_ids_equal(json_string_value(v), id))
			return true;
	return false;
}

/* An entry of network-status is written by an ADD that has succeeded, of this device or another. */
static bool has_status(const struct unattached *u, const struct ledger_entry *to)
{
	const struct owner o = { .network = to->network, .container_id = to->container_id,
				 .ifname = to->ifname };
	json_auto_t *entry = NULL;
	const json_t *info;
	struct err ignored;

	if (status_get(u->x->host, &o, &entry, &ignored) <= 0)
		return false;
	info = json_object_get(entry, "device-info");
	return !info || is_about(info, u->g->id);
}

static void explain_chosen(const struct unattached *u, const struct ledger_entry *to)
{
	char advice[400];

	if (explain_has_row(u->x, to->ifname, "record"))
		return;		/* that its record is lost, or cannot be read */
	if (has_status(u, to)) {
		explain_stage(u->x, to->ifname, "record", STAGE_MISSING, EXPLAIN_LOST,
			      "%s %s was chosen for network %s, network-status has its entry, and "
			      "no record is of this attachment: a DEL cannot restore its device",
			      u->g->resource, u->g->id, to->network);
		return;
	}
	(void)snprintf(advice, sizeof(advice), "look what the ADD of network %s " SEE_ADD,
		       to->network);
	explain_stage(u->x, to->ifname, "attachment", STAGE_MISSING, advice, "%s %s was chosen for "
		      "network %s, and is not attached: its ADD has failed, or has not ended yet",
		      u->g->resource, u->g->id, to->network);
}

/* -- nobody is -- */

static void explain_gone(const struct unattached *u)
{
	explain_stage(u->x, "", "device", STAGE_MISSING, "delete the pod, for it is given no "
		      "other; see why the device has gone", "%s, and the node does not have it",
		      u->what);
}

static void explain_other(const struct unattached *u)
{
	explain_stage(u->x, "", "attachment", STAGE_OK, "", "%s: it is no network device, and no "
		      "network attaches it", u->what);
}

/* A pod that runs may need no more than the file that its driver made for its containers. */
static void explain_unread(const struct unattached *u)
{
	char advice[600];

	(void)snprintf(advice, sizeof(advice), "see why driver %s writes no file that can be read, "
		       "and what the ADD of the network that asks for %s " SEE_ADD, u->g->driver,
		       u->g->resource);
	explain_stage(u->x, "", "attachment", u->is_up ? STAGE_UNKNOWN : STAGE_WRONG,
		      u->is_up ? "" : advice, "%s, and which device of the node that is cannot be "
		      "told: %s", u->what, u->g->unreadable);
}

static void explain_perhaps(const struct unattached *u, const char *why)
{
	explain_stage(u->x, "", "attachment", STAGE_UNKNOWN, "", "%s, and no attachment is known "
		      "to have it: %s", u->what, why);
}

static void explain_missing(const struct unattached *u)
{
	const char *key = u->is_claimed ? "" : "resourceName ", *name = u->g->resource;
	char advice[1100], waits[120] = "";

	if (u->g->waits > 0)
		(void)snprintf(waits, sizeof(waits), "; the pod has not started for %llu s",
			       (unsigned long long)u->g->waits);
	else if (!u->is_up)
		(void)snprintf(waits, sizeof(waits), "; whether the pod has started is not known: "
			       "kubelet's directory of its logs is not there");
	if (u->g->started)
		(void)snprintf(advice, sizeof(advice), "name a network that asks for %s%s "
			       ANNOTATION "; if the pod has one, and was started before, as before "
			       "a reboot, look what its ADD " SEE_ADD, key, name);
	else
		(void)snprintf(advice, sizeof(advice), "look what the ADD of the network that asks "
			       "for %s%s " SEE_ADD "; if the pod has no such network, name a "
			       "network that asks for %s%s " ANNOTATION, key, name, key, name);
	explain_stage(u->x, "", "attachment", STAGE_MISSING, advice, "%s, and no network of the "
		      "pod has taken it%s", u->what, waits);
}

/* Nothing tells that it is a network's, and the pod's networks are told by their own rows. */
static bool is_beside(const struct unattached *u)
{
	return u->kind == ALLOCATED_UNKNOWN && u->is_live && !*u->g->unreadable;
}

static void explain_unattached(const struct unattached *u)
{
	if (is_beside(u))
		return;
	if (u->kind == ALLOCATED_OTHER)
		explain_other(u);
	else if (u->x->has_rest)
		explain_perhaps(u, "it may be that of the attachment without a record");
	else if (u->kind == ALLOCATED_GONE)
		explain_gone(u);
	else if (*u->g->unreadable)
		explain_unread(u);
	else if (u->kind == ALLOCATED_UNKNOWN && u->is_up)
		explain_perhaps(u, "the pod has started without, and may need none");
	else if (u->is_claimed && u->g->started)
		explain_perhaps(u, "the claim's driver may have attached it itself");
	else
		explain_missing(u);
}

/* -- the pod -- */

static bool has_live(const struct explaining *x)
{
	for (size_t i = 0; i < x->inv->n_attachments; i++)
		if (strcmp(x->inv->attachments[i].state, "live") == 0 &&
		    explain_is_attached(x, &x->inv->attachments[i]))
			return true;
	return false;
}

static void explain_one(struct explaining *x, const struct inv_allocation *g)
{
	const struct inv_attachment *holder = allocated_holder(x->inv, g);
	struct unattached u = {
		.x = x, .g = g, .kind = allocated_kind(x->inv, g), .is_live = has_live(x),
		.is_claimed = explain_is_claimed(g),
	};
	struct ledger_entry to;
	struct err ignored;		/* then no choice is known */

	u.is_up = u.is_live || g->started;
	(void)snprintf(u.what, sizeof(u.what), "kubelet gave %s %s to container %s", g->resource,
		       g->id, *g->container ? g->container : "-");
	if (holder)
		explain_held(&u, holder);
	else if (explain_find_choice(x, g, &to, &ignored) > 0)
		explain_chosen(&u, &to);
	else
		explain_unattached(&u);
}

static bool is_to_explain(const struct explaining *x, size_t i)
{
	return explain_is_given(x, &x->inv->allocations[i]) && !allocated_is_again(x->inv, i) &&
	       !allocated_is_attached(x->inv, &x->inv->allocations[i]);
}

bool explain_given(struct explaining *x)
{
	bool any = false;
	size_t n = 0;

	for (size_t i = 0; i < x->inv->n_allocations; i++) {
		any |= explain_is_given(x, &x->inv->allocations[i]);
		if (is_to_explain(x, i) && n++ < GIVEN_MAX)
			explain_one(x, &x->inv->allocations[i]);
	}
	if (n > GIVEN_MAX)
		explain_stage(x, "", "attachment", STAGE_UNKNOWN, "", "kubelet gave the pod %zu "
			      "more devices that no network has taken: they are not looked at",
			      n - GIVEN_MAX);
	return any;
}
