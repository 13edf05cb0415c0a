/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_attachment.c - have living pods what they were given, as they were given it?
 *
 * Of the live node manager/inventory/drift.c has compared, of a recorded one its facts have what
 * that said.  Here it is only judged: a device that the pod does not have is an error, what else a
 * CHECK would tell a warning.  Where nobody has looked, nothing is said.
 */
#include "manager/doctor/leak.h"
#include "manager/doctor/node_check.h"
#include "manager/doctor/whereabouts.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/inventory/drift.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* -- gone from the node -- */

static bool is_live(const struct inv_attachment *a)
{
	return strcmp(a->state, "live") == 0;
}

/* A PCI function that is not there: 1, 0, -1. */
static int is_gone(const struct host *host, const struct inv_attachment *a, struct err *e)
{
	int r;

	if (!name_is_bdf(a->device))
		return 0;
	r = fs_exists(host->root, e, "/sys/bus/pci/devices/%s", a->device);
	return r < 0 ? -1 : !r;
}

int node_device_gone(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	static const struct finding_kind kind = {
		"device-gone", SEVERITY_ERROR, REMEDY_BY_HAND,
		"delete the pod; see why the device has gone: were its PF's VFs made anew?",
	};

	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];
		int r = is_live(a) ? is_gone(host, a, e) : 0;

		if (r < 0 || (r > 0 && finding_tell(ret, &kind, a->device, e, "container %s has "
						     "it as %s, and the node does not have it any "
						     "more", a->container_id, a->ifname) < 0))
			return -1;
	}
	return inv->n_attachments > 0 ? 0 : finding_skip(ret, e, "the journal has no attachment");
}

/* -- away from the pod, or changed -- */

static int tell_attachment(const struct inv_attachment *a, const struct finding_kind *kind,
			   const char *what, struct findings *ret, struct err *e)
{
	char whose[256];

	leak_name_attachment(a, whose, sizeof(whose));
	return finding_tell(ret, kind, *a->device ? a->device : a->file, e, "%s, network %.64s: %s",
			    whose, a->network, what);
}

static bool was_looked_at(const struct inv_attachment *a)
{
	return is_live(a) && *a->drift;
}

/* What is told of one attachment that was looked at. */
typedef int judge_fn(const struct host *host, const struct inv_attachment *a,
		     const struct drift *d, struct findings *ret, struct err *e);

/* Skipped when nobody has looked at any. */
static int judge_all(const struct host *host, const struct inventory *inv, judge_fn *judge,
		     struct findings *ret, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];
		struct drift d;

		if (!was_looked_at(a))
			continue;
		n++;
		drift_of(a, &d);
		if (judge(host, a, &d, ret, e) < 0)
			return -1;
	}
	if (n > 0)
		return 0;
	return finding_skip(ret, e, inv->n_attachments == 0 ? "the journal has no attachment" :
			    "no living attachment was compared");
}

/* Where it is instead; behind what differs, for that is cut where it is too long. */
static void say_where(const struct host *host, const struct inv_attachment *a, const char *what,
		      char *ret, size_t size)
{
	char where[384] = "";

	if (name_is_bdf(a->device))
		whereabouts_find(host, a->device, where, sizeof(where));
	(void)snprintf(ret, size, "%.200s%s%s", what, *where ? "; its network device is " : "",
		       where);
}

/* One that has gone from the node is told as that. */
static int judge_away(const struct host *host, const struct inv_attachment *a,
		      const struct drift *d, struct findings *ret, struct err *e)
{
	static const struct finding_kind away = {
		"device-away", SEVERITY_ERROR, REMEDY_BY_HAND,
		"delete the pod, so that it gets a device anew; see who made the VFs of that PF "
		"anew, bound another driver, or moved the device",
	};
	int r = d->state == DRIFT_FOUND && d->device_away ? is_gone(host, a, e) : 1;
	char what[512];

	if (r != 0)
		return r < 0 ? -1 : 0;
	say_where(host, a, d->what, what, sizeof(what));
	return tell_attachment(a, &away, what, ret, e);
}

/* What a call is changing at the moment is for the next doctor; but no call lasts for ever. */
static int tell_unknown(const struct host *host, const struct inv_attachment *a,
			const struct drift *d, struct findings *ret, struct err *e)
{
	static const struct finding_kind unknown = {
		"drift", SEVERITY_WARNING, REMEDY_BY_HAND,
		"remove what stands in its way, and run doctor again, as root",
	};
	static const struct finding_kind busy = {
		"drift", SEVERITY_INFO, REMEDY_BY_HAND,
		"run doctor again; when that stays so for more than a minute, a process that hangs "
		"has the lock: find it by 'fuser' and end it, for ADD and DEL wait for it",
	};
	const char *state_dir = *a->state_dir ? a->state_dir : host->set.state_dir;
	char text[INV_DRIFT + PATH_MAX];

	if (d->is_busy)
		(void)snprintf(text, sizeof(text), "it was not compared: %s, which has locked it "
			       "in %s/lock", d->what, state_dir);
	else
		(void)snprintf(text, sizeof(text), "it could not be compared: %s", d->what);
	return tell_attachment(a, d->is_busy ? &busy : &unknown, text, ret, e);
}

static int judge_drift(const struct host *host, const struct inv_attachment *a,
		       const struct drift *d, struct findings *ret, struct err *e)
{
	static const struct finding_kind drifted = {
		"drift", SEVERITY_WARNING, REMEDY_BY_HAND,
		"put back what has changed, or delete the pod, so that its devices are attached "
		"anew",
	};
	int r = is_gone(host, a, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	if (d->state == DRIFT_FOUND && !d->device_away)
		return tell_attachment(a, &drifted, d->what, ret, e);
	return d->state == DRIFT_UNKNOWN ? tell_unknown(host, a, d, ret, e) : 0;
}

int node_device_away(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	return judge_all(host, inv, judge_away, ret, e);
}

int node_drift(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	return judge_all(host, inv, judge_drift, ret, e);
}

/* -- the PF -- */

/*
 * Does this VF go without a link when its PF has none?  A link state of "enable" keeps it up, with
 * "disable" it has none anyway, and in switchdev mode the representor says it, not the PF.  Some
 * drivers keep the wire of a PF that is down: an interface that has a carrier in its pod is well.
 */
static bool follows_pf(const struct inventory *inv, const struct inv_attachment *a, size_t pf)
{
	const struct inv_function *f = a->function != INV_NONE ? &inv->functions[a->function] :
								 NULL;
	struct drift d;

	drift_of(a, &d);
	return f && was_looked_at(a) && d.state != DRIFT_UNKNOWN && !a->carrier && f->is_vf &&
	       f->pf == (int)pf && f->vf != INV_NONE &&
	       strcmp(inv->vfs[f->vf].link_state, "auto") == 0;
}

/* "net1 of pod default/a, net1 of pod default/b and 3 more"; how many. */
static size_t name_followers(const struct inventory *inv, size_t pf, char *ret, size_t size)
{
	enum { NAMED_MAX = 3 };
	char whose[256];
	size_t n = 0, used = 0;

	*ret = '\0';
	for (size_t i = 0; i < inv->n_attachments; i++) {
		if (!follows_pf(inv, &inv->attachments[i], pf) || n++ >= NAMED_MAX)
			continue;
		leak_name_attachment(&inv->attachments[i], whose, sizeof(whose));
		(void)snprintf(ret + used, size - used, "%s%.100s", used ? ", " : "", whose);
		used = strlen(ret);
	}
	if (n > NAMED_MAX)
		(void)snprintf(ret + used, size - used, " and %zu more", n - NAMED_MAX);
	return n;
}

static int judge_pf(const struct inventory *inv, size_t pf, struct findings *ret, struct err *e)
{
	static const struct finding_kind down = {
		"pf-down", SEVERITY_WARNING, REMEDY_BY_HAND,
		"set the PF up with 'ip link set NAME up'; VFs that need no wire get link_state "
		"enable",
	};
	static const struct finding_kind no_carrier = {
		"pf-down", SEVERITY_WARNING, REMEDY_BY_HAND,
		"look after cable and switch; VFs that need no wire get link_state enable",
	};
	const struct inv_function *f = &inv->functions[pf];
	const struct inv_link *link = f->link != INV_NONE ? &inv->links[f->link] : NULL;
	char whose[400];

	if (!link || f->is_vf || strcmp(f->eswitch, "switchdev") == 0 ||
	    (link->up && link->carrier) || name_followers(inv, pf, whose, sizeof(whose)) == 0)
		return 0;
	return finding_tell(ret, link->up ? &no_carrier : &down, f->bdf, e,
			    "PF %s %s, and VFs with link_state auto follow it: %s", link->name,
			    link->up ? "has no carrier" : "is down", whose);
}

int node_pf_down(const struct host *host, const struct inventory *inv, struct findings *ret,
		 struct err *e)
{
	(void)host;
	for (size_t i = 0; i < inv->n_functions; i++)
		if (judge_pf(inv, i, ret, e) < 0)
			return -1;
	return inv->n_vfs > 0 ? 0 : finding_skip(ret, e, "the node has no VF");
}
