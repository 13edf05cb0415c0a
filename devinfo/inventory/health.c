/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.c - is a device well, and if not, why
 *
 * A table of symptoms.  Each that a function has adds its reason, the worst decides.  What a free
 * VF is like is judged by what no driver sets of itself: MAC addresses and the spoof check differ
 * between drivers.
 */
#include "devinfo/inventory/health.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *health_name(enum inv_health h)
{
	static const char *const names[] = {
		[HEALTH_OK] = "ok",
		[HEALTH_DEGRADED] = "degraded",
		[HEALTH_FAILED] = "failed",
		[HEALTH_CHANGED] = "changed",
		[HEALTH_VANISHED] = "vanished",
	};

	static_assert(ARRAY_SIZE(names) == HEALTH_VANISHED + 1, "a health without a name");
	return names[h];
}

/* A function and what is known of it elsewhere. */
struct patient {
	const struct inventory *inv;
	const struct inv_function *f;
	bool is_allocated;		/* kubelet has given it to a pod */
	enum inv_health health;
	char reason[INV_LIST];
};

static void add_reason(struct patient *p, const char *fmt, ...) printflike(2, 3);
static void add_reason(struct patient *p, const char *fmt, ...)
{
	size_t at = strlen(p->reason);
	va_list ap;

	if (at > 0)
		at += (size_t)snprintf(p->reason + at, sizeof(p->reason) - at, "; ");
	if (at >= sizeof(p->reason))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(p->reason + at, sizeof(p->reason) - at, fmt, ap);
	va_end(ap);
}

/* -- symptoms: each says whether a function has it, and adds its reason -- */

static bool has_vanished(struct patient *p)
{
	if (p->f->vanished)
		add_reason(p, "the node does not have it");
	return p->f->vanished;
}

static bool is_held(const struct patient *p)
{
	return p->f->holder != INV_NONE || p->f->sriov_cni || p->is_allocated;
}

/* A free VF without a driver waits for the one that its pod wants. */
static bool lacks_driver(struct patient *p)
{
	if (*p->f->driver || (p->f->is_vf && !is_held(p)))
		return false;
	add_reason(p, "no driver is bound");
	return true;
}

static bool had_fatal_errors(struct patient *p)
{
	if (p->f->aer_fatal)
		add_reason(p, "%" PRIu64 " fatal errors (AER)", p->f->aer_fatal);
	return p->f->aer_fatal;
}

static bool had_errors(struct patient *p)
{
	if (p->f->aer_nonfatal)
		add_reason(p, "%" PRIu64 " uncorrected errors (AER)", p->f->aer_nonfatal);
	if (p->f->aer_correctable)
		add_reason(p, "%" PRIu64 " corrected errors (AER)", p->f->aer_correctable);
	return p->f->aer_nonfatal || p->f->aer_correctable;
}

static bool lacks_carrier(struct patient *p)
{
	const struct inv_link *l = p->f->link == INV_NONE ? NULL : &p->inv->links[p->f->link];

	if (!l || !l->up || l->carrier)
		return false;
	add_reason(p, "%s has no carrier", l->name);
	return true;
}

static bool same_vlan(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->vlan == b->vlan && a->qos == b->qos;
}

static bool same_trust(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->trust == b->trust;
}

static bool same_state(const struct inv_vf *a, const struct inv_vf *b)
{
	return strcmp(a->link_state, b->link_state) == 0;
}

static bool same_rate(const struct inv_vf *a, const struct inv_vf *b)
{
	return a->min_tx_rate == b->min_tx_rate && a->max_tx_rate == b->max_tx_rate;
}

/* What all VFs of a PF have is the administrator's wish; of one alone nobody can tell. */
static bool is_own(const struct patient *p, const struct inv_vf *v,
		   bool (*same)(const struct inv_vf *a, const struct inv_vf *b))
{
	size_t n = 0;

	for (size_t i = 0; i < p->inv->n_vfs; i++) {
		if (strcmp(p->inv->vfs[i].pf, v->pf) != 0)
			continue;
		if (!same(&p->inv->vfs[i], v))
			return true;
		n++;
	}
	return n < 2;
}

/* What its PF grants it, and nobody asked for. */
static bool is_changed(struct patient *p)
{
	const struct inv_vf *v = p->f->vf == INV_NONE ? NULL : &p->inv->vfs[p->f->vf];
	size_t before = strlen(p->reason);

	if (!v || is_held(p))
		return false;
	if ((v->vlan || v->qos) && is_own(p, v, same_vlan))
		add_reason(p, "VLAN %d, QoS %d", v->vlan, v->qos);
	if (v->trust && is_own(p, v, same_trust))
		add_reason(p, "trusted");
	if (*v->link_state && strcmp(v->link_state, "auto") != 0 && is_own(p, v, same_state))
		add_reason(p, "link state %s", v->link_state);
	if ((v->min_tx_rate || v->max_tx_rate) && is_own(p, v, same_rate))
		add_reason(p, "rate %d to %d Mbit/s", v->min_tx_rate, v->max_tx_rate);
	if (strlen(p->reason) > before)
		add_reason(p, "and nobody has it");
	return strlen(p->reason) > before;
}

static const struct symptom {
	bool (*has)(struct patient *p);
	enum inv_health health;
} symptoms[] = {		/* the worst first */
	{ has_vanished, HEALTH_VANISHED },
	{ lacks_driver, HEALTH_FAILED },
	{ had_fatal_errors, HEALTH_FAILED },
	{ is_changed, HEALTH_CHANGED },
	{ lacks_carrier, HEALTH_DEGRADED },
	{ had_errors, HEALTH_DEGRADED },
};

static void examine(struct patient *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(symptoms) && p->health != HEALTH_VANISHED; i++)
		if (symptoms[i].has(p) && p->health == HEALTH_OK)
			p->health = symptoms[i].health;
}

void health_judge(struct inventory *inv)
{
	auto_free bool *allocated = calloc(inv->n_functions + 1, sizeof(*allocated));

	for (size_t i = 0; allocated && i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];

		if (a->function != INV_NONE && *a->pod_name)
			allocated[a->function] = true;
	}
	for (size_t i = 0; i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i];
		struct patient p = { .inv = inv, .f = f };

		p.is_allocated = allocated && allocated[i];
		examine(&p);
		(void)snprintf(f->health, sizeof(f->health), "%s", health_name(p.health));
		memcpy(f->health_reason, p.reason, sizeof(f->health_reason));
	}
}
