/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.c - is a device well, and if not, why
 *
 * A table of symptoms.  Each that a function has adds its reason, the worst decides.
 */
#include "manager/inventory/health.h"

#include "base/mem.h"
#include "manager/inventory/in_use.h"
#include "manager/inventory/vf_change.h"

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
	const struct host *host;
	const struct inventory *inv;
	const struct inv_function *f;
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
	return p->f->holder != INV_NONE || p->f->given ||
	       in_use_sriov_cnis(p->host, p->inv, p->f);
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

/* The network device, when it has none; or NULL. */
static const char *without_carrier(const struct inventory *inv, int link)
{
	const struct inv_link *l = link == INV_NONE ? NULL : &inv->links[link];

	return l && l->up && !l->carrier ? l->name : NULL;
}

static bool lacks_carrier(struct patient *p)
{
	const char *name = without_carrier(p->inv, p->f->link);

	if (name)
		add_reason(p, "%s has no carrier", name);
	return name;
}

/* What its PF grants it, and nobody asked for. */
static bool is_changed(struct patient *p)
{
	if (*p->f->changes)
		add_reason(p, "nobody has it, and it has %s", p->f->changes);
	return *p->f->changes;
}

static bool is_kept(struct patient *p)
{
	bool ret = in_use_is_kept(p->f);

	if (ret)
		add_reason(p, "nobody has it, and its driver_override is %s",
			   p->f->driver_override);
	return ret;
}

static bool is_out_of_reach(struct patient *p, enum reach which)
{
	bool ret = p->f->reach == (int)which;

	if (ret)
		add_reason(p, "nobody is known to have it, and %s", p->f->reach_why);
	return ret;
}

static bool is_useless(struct patient *p)
{
	return is_out_of_reach(p, REACH_USELESS);
}

/* Somebody has it whom we do not know, so it is told, and is no ill health. */
static bool is_used(struct patient *p)
{
	return is_out_of_reach(p, REACH_USED);
}

static const struct symptom {
	bool (*has)(struct patient *p);
	enum inv_health health;
} symptoms[] = {		/* the worst first */
	{ has_vanished, HEALTH_VANISHED },
	{ lacks_driver, HEALTH_FAILED },
	{ had_fatal_errors, HEALTH_FAILED },
	{ is_changed, HEALTH_CHANGED },
	{ is_kept, HEALTH_CHANGED },
	{ is_useless, HEALTH_DEGRADED },
	{ lacks_carrier, HEALTH_DEGRADED },
	{ had_errors, HEALTH_DEGRADED },
	{ is_used, HEALTH_OK },
};

static void examine(struct patient *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(symptoms) && p->health != HEALTH_VANISHED; i++)
		if (symptoms[i].has(p) && p->health == HEALTH_OK)
			p->health = symptoms[i].health;
}

/* A sub-function works as long as its function does. */
static void judge_auxiliary(const struct inventory *inv, struct inv_auxiliary *x)
{
	const struct inv_function *f = x->function == INV_NONE ? NULL :
							       &inv->functions[x->function];
	const char *name = without_carrier(inv, x->link);
	enum inv_health health = HEALTH_OK;

	*x->health_reason = '\0';
	if (f && strcmp(f->health, health_name(HEALTH_FAILED)) == 0) {
		health = HEALTH_FAILED;
		(void)snprintf(x->health_reason, sizeof(x->health_reason), "%s: %.200s", f->bdf,
			       f->health_reason);
	} else if (!*x->driver) {
		health = HEALTH_FAILED;
		(void)snprintf(x->health_reason, sizeof(x->health_reason), "no driver is bound");
	} else if (name) {
		health = HEALTH_DEGRADED;
		(void)snprintf(x->health_reason, sizeof(x->health_reason), "%s has no carrier",
			       name);
	}
	(void)snprintf(x->health, sizeof(x->health), "%s", health_name(health));
}

void health_judge(const struct host *host, struct inventory *inv)
{
	vf_change_compare(inv);
	for (size_t i = 0; i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i];
		struct patient p = { .host = host, .inv = inv, .f = f };

		vf_change_tell(host, inv, (int)i, f->changes, sizeof(f->changes));
		f->away = in_use_is_away(host, f);
		f->reach = (int)in_use_reach(host, inv, f, f->reach_why, sizeof(f->reach_why));
		examine(&p);
		(void)snprintf(f->health, sizeof(f->health), "%s", health_name(p.health));
		memcpy(f->health_reason, p.reason, sizeof(f->health_reason));
	}
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		judge_auxiliary(inv, &inv->auxiliaries[i]);
}
