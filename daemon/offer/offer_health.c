/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offer_health.c - why a device cannot be used
 *
 * A table of reasons, the worst first; the first one that a device has is told.  kubelet gives no
 * unhealthy device to a pod, and when it starts anew it may refuse a pod that has one.  So what
 * keeps a device from being given away counts only while nobody has it, and what keeps it from
 * working counts always.
 */
#include "daemon/offer/offer_part.h"

#include "base/mem.h"
#include "devinfo/taint/device_name.h"
#include "manager/inventory/health.h"
#include "manager/inventory/in_use.h"
#include "manager/match/related.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct examination {
	const struct offering *o;
	const struct offer_device *d;
	const struct inv_function *f;	/* the device itself; NULL: an auxiliary one, or gone */
	const struct inv_function *pf;	/* of a VF; NULL */
	char *reason;			/* OFFER_REASON bytes */
	bool *names;			/* see struct offered */
};

/* Returns true, for a caller that has found the reason. */
static bool tell(const struct examination *x, const char *fmt, ...) printflike(2, 3);
static bool tell(const struct examination *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(x->reason, OFFER_REASON, fmt, ap);
	va_end(ap);
	return true;
}

/* It names whom others of the cluster need not know. */
#define tell_names(x, ...)	(*(x)->names = true, tell((x), __VA_ARGS__))

static bool has_failed(const char *health)
{
	return strcmp(health, health_name(HEALTH_FAILED)) == 0;
}

/* -- the reasons: each says whether the device has it, and tells it -- */

static bool has_vanished(const struct examination *x)
{
	return x->d->vanished && tell(x, "the node does not have it any more");
}

static bool has_no_path(const struct examination *x)
{
	return x->d->slot && !*x->d->slot->at.path && tell(x, "%.200s", x->d->slot->why.msg);
}

static bool lacks_driver(const struct examination *x)
{
	return x->f && has_failed(x->f->health) && !*x->f->driver &&
	       tell(x, "no driver is bound, as after a reset that failed");
}

static bool had_fatal_errors(const struct examination *x)
{
	return x->f && x->f->aer_fatal > 0 &&
	       tell(x, "it had %" PRIu64 " fatal errors (AER)", x->f->aer_fatal);
}

static bool has_failed_otherwise(const struct examination *x)
{
	if (x->f)
		return has_failed(x->f->health) && tell(x, "it has failed: %.200s",
							x->f->health_reason);
	return x->d->x && has_failed(x->d->x->health) &&
	       tell(x, "it has failed: %.200s", x->d->x->health_reason);
}

static bool has_failed_pf(const struct examination *x)
{
	return x->pf && has_failed(x->pf->health) &&
	       tell(x, "its PF %s has failed: %.180s", x->pf->bdf, x->pf->health_reason);
}

static bool has_failed_reset(const struct examination *x)
{
	const struct offer_failures *f = x->o->policy->failures;

	for (size_t i = 0; f && i < f->n; i++)
		if (strcmp(f->list[i].id, x->d->id) == 0)
			return tell(x, "%s", f->list[i].reason);
	return false;
}

/* Its network device is here, with another number than the pod's: its driver made it anew. */
static bool is_made_anew(const struct examination *x)
{
	const struct inv_attachment *a = x->d->holder;
	const struct inv_link *l = related_link(x->o->inv, x->d->x ? x->d->x->link :
							    x->f   ? x->f->link :
								     INV_NONE);
	bool is_other = l && a && a->host_ifindex > 0 && strcmp(a->kind, "netdev") == 0 &&
			l->ifindex != a->host_ifindex;

	return a && offer_is_attached(x->d) && (is_other || a->device_away) &&
	       tell_names(x, "it was made anew, and pod %.64s/%.120s does not have it any more",
			  a->pod_namespace, a->pod_name);
}

static bool is_given_elsewhere(const struct examination *x)
{
	const struct inv_allocation *a = x->d->given ? NULL : x->d->elsewhere;

	return a && tell_names(x, "pod %.64s/%.80s was given it as %.80s", a->pod_namespace,
			       a->pod_name, a->resource);
}

/* Of a container that kubelet does not know, it does not know that the device is in use. */
static bool is_attached_elsewhere(const struct examination *x)
{
	const struct inv_attachment *a = x->d->holder;

	return a && offer_is_attached(x->d) && !x->d->given && !*a->pod_name &&
	       tell_names(x, "network %.100s has attached it to container %.64s, which is no pod's",
			  a->network, a->container_id);
}

/* The ADD of a pod that was given it undoes what the record says. */
static bool is_in_repair(const struct examination *x)
{
	const struct inv_attachment *a = x->d->holder;

	return a && !offer_is_held(x->d) &&
	       tell(x, "an attachment has not given it back: its record is there (%s)", a->state);
}

static bool is_changed(const struct examination *x)
{
	return x->f && *x->f->changes && tell(x, "nobody has it, and it has %s", x->f->changes);
}

static bool is_kept(const struct examination *x)
{
	return x->f && !offer_is_held(x->d) && in_use_is_kept(x->f) &&
	       tell(x, "nobody has it, and its driver_override is %s", x->f->driver_override);
}

static bool is_out_of_reach(const struct examination *x)
{
	return x->f && !offer_is_held(x->d) && x->f->reach != REACH_YES &&
	       tell(x, "no ADD could attach it: %s", x->f->reach_why);
}

static bool has_pf_away(const struct examination *x)
{
	return x->pf && x->pf->away &&
	       tell(x, "the network device of its PF %s is in another network namespace",
		    x->pf->bdf);
}

static const struct inv_link *uplink(const struct examination *x)
{
	return x->pf ? related_link(x->o->inv, x->pf->link) : NULL;
}

/* In switchdev mode a VF follows its representor, and with link state "enable" nothing. */
static bool has_pf_down(const struct examination *x)
{
	const struct inv_link *l = uplink(x);
	const struct inv_vf *vf = x->f ? related_vf(x->o->inv, x->f->vf) : NULL;

	return l && !l->up && strcmp(x->pf->eswitch, "switchdev") != 0 &&
	       !(vf && strcmp(vf->link_state, "enable") == 0) &&
	       tell(x, "its PF %s is down", l->name);
}

/* What has no PF is down while nobody has it, and has no carrier then. */
static bool lacks_carrier(const struct examination *x)
{
	const struct inv_link *l = uplink(x);

	if (!x->o->policy->requires_carrier)
		return false;
	if (l)
		return !l->carrier && tell(x, "its PF %s has no carrier", l->name);
	l = x->f && !x->pf ? related_link(x->o->inv, x->f->link) : NULL;
	return l && l->up && !l->carrier && tell(x, "%s has no carrier", l->name);
}

/* -- taints -- */

/* Who has it already is only told to go: NoExecute. */
static const struct taint_rule *find_taint(const struct examination *x, const char *name)
{
	struct taint_rules rules = *x->o->policy->taints;
	const struct taint_rule *rule = taint_rules_find_here(&rules, x->o->policy->host, name);

	while (rule && offer_is_held(x->d) && rule->effect != TAINT_NO_EXECUTE) {
		rules.n -= (size_t)(rule + 1 - rules.list);
		rules.list += rule + 1 - rules.list;
		rule = taint_rules_find_here(&rules, x->o->policy->host, name);
	}
	return rule;
}

static const struct taint_rule *find_part_taint(const struct examination *x)
{
	const struct taint_rule *rule = NULL;
	char name[DEVICE_NAME_SIZE];

	for (int i = x->f->vdpa; i != INV_NONE && !rule; i = x->o->inv->vdpas[i].next) {
		if (!related_vdpa_is_on(&x->o->inv->vdpas[i], x->f->bdf))
			continue;
		device_name_vdpa(x->o->inv->vdpas[i].name, name);
		rule = find_taint(x, name);
	}
	return rule;
}

/* By the name that slices of this node have for it, and for what is on it. */
static bool is_tainted(const struct examination *x)
{
	const struct inv_auxiliary *aux = x->d->x;
	const struct taint_rule *rule;
	char name[DEVICE_NAME_SIZE], text[TAINT_TEXT_SIZE];

	if (!x->o->policy->taints || (!aux && !x->f))
		return false;
	if (!aux)
		device_name_function(x->f->bdf, name);
	else if (aux->has_sf)
		device_name_sub_function(aux->pf_bdf, (unsigned int)aux->sf, name);
	else
		device_name_auxiliary(aux->name, name);
	rule = find_taint(x, name);
	if (!rule && x->f)
		rule = find_part_taint(x);
	if (!rule)
		return false;
	if (*rule->doubt)
		return tell(x, "whether it is tainted cannot be told: %.200s", rule->doubt);
	taint_text(rule, text);
	return tell(x, "it is tainted %.120s, by DeviceTaintRule %.64s", text, rule->name);
}

/* -- all of them -- */

static bool (*const reasons[])(const struct examination *x) = {		/* the worst first */
	has_vanished, has_no_path, lacks_driver, had_fatal_errors, has_failed_otherwise,
	has_failed_pf, has_failed_reset, is_made_anew, is_given_elsewhere, is_attached_elsewhere,
	is_in_repair, is_changed, is_kept, is_out_of_reach, has_pf_away, has_pf_down,
	lacks_carrier, is_tainted,
};

bool offer_is_healthy(const struct offering *o, const struct offer_device *d,
		      char reason[OFFER_REASON], bool *names)
{
	const struct inv_function *f = d->x ? NULL : d->f;
	const struct examination x = {
		.o = o, .d = d, .reason = reason, .names = names, .f = f,
		.pf = f && f->is_vf ? related_pf(o->inv, f) : NULL,
	};

	*reason = '\0';
	*names = false;
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i](&x))
			return false;
	return true;
}
