/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c - what the daemon knows already, as samples */
#include "daemon/metrics/snapshot.h"

#include "base/version.h"
#include "devinfo/tally/tally.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static exposition_labels label(struct exposition *x, const char *name, const char *value)
{
	struct labels l = { .len = 0 };

	labels_add(&l, name, value);
	return exposition_keep(x, &l);
}

static exposition_labels two_labels(struct exposition *x, const char *first, const char *value,
				    const char *second, const char *other)
{
	struct labels l = { .len = 0 };

	labels_add(&l, first, value);
	labels_add(&l, second, other);
	return exposition_keep(x, &l);
}

/* -- devices -- */

void snapshot_offers(const struct offers *o, struct exposition *x)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct offer *of = &o->list[i];
		uint64_t healthy = 0, held = 0;

		for (size_t k = 0; k < of->n; k++) {
			healthy += of->list[k].healthy;
			held += of->list[k].held;
		}
		exposition_put(x, FAMILY_DEVICES, two_labels(x, "resource", of->resource, "health",
							     "healthy"), healthy);
		exposition_put(x, FAMILY_DEVICES, two_labels(x, "resource", of->resource, "health",
							     "unhealthy"), of->n - healthy);
		exposition_put(x, FAMILY_DEVICES_IN_USE, label(x, "resource", of->resource), held);
	}
}

/* -- attachments -- */

/* States of attachments, and the check of doctor that tells of those that nobody lives for. */
static const struct {
	const char *state, *check;
} states[] = {
	{ "live", NULL }, { "unknown", NULL }, { "dead", "record-dead" },
	{ "earlier boot", "record-earlier-boot" }, { "released", "record-released" },
	{ "damaged", "record-damaged" }, { "unreadable", "record-unreadable" },
	{ "other version", "record-version" },
};

static size_t state_of(const struct inv_attachment *a)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(states) - 1 && strcmp(states[i].state, a->state) != 0)
		i++;
	return i;
}

static void put_leak(struct exposition *x, const char *check, uint64_t n)
{
	exposition_put(x, FAMILY_LEAKS, label(x, "check", check), n);
}

void snapshot_node(const struct inventory *inv, struct exposition *x)
{
	uint64_t of_state[ARRAY_SIZE(states)] = { 0 }, changed = 0, files = 0;

	for (size_t i = 0; i < inv->n_attachments; i++)
		of_state[state_of(&inv->attachments[i])]++;
	for (size_t i = 0; i < inv->n_functions; i++)
		changed += *inv->functions[i].changes != '\0';
	for (size_t i = 0; i < inv->n_files; i++)
		files += !inv->files[i].is_dp && inv->files[i].attachment == INV_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		exposition_put(x, FAMILY_ATTACHMENTS, label(x, "state", states[i].state),
			       of_state[i]);
		if (states[i].check)
			put_leak(x, states[i].check, of_state[i]);
	}
	put_leak(x, "vf-changed", changed);
	put_leak(x, "info-file", files);
}

/* The attachment that lives, or may; NULL. */
static const struct inv_attachment *living(const struct inventory *inv, int holder)
{
	const struct inv_attachment *a = holder != INV_NONE ? &inv->attachments[holder] : NULL;

	return a && state_of(a) < 2 ? a : NULL;
}

/* What kubelet gave to a pod; NULL. */
static const struct inv_allocation *given(const struct inventory *inv, int function)
{
	for (size_t i = 0; function != INV_NONE && i < inv->n_allocations; i++)
		if (inv->allocations[i].function == function && *inv->allocations[i].pod_name)
			return &inv->allocations[i];
	return NULL;
}

static bool is_same_pod(const struct inv_attachment *a, const struct inv_allocation *of)
{
	return strcmp(a->pod_name, of->pod_name) == 0 &&
	       strcmp(a->pod_namespace, of->pod_namespace) == 0;
}

void snapshot_add_holder(const struct inventory *inv, int holder, int function, struct labels *l)
{
	const struct inv_attachment *a = living(inv, holder);
	const struct inv_allocation *of = given(inv, function);

	if (a) {
		labels_add(l, "namespace", a->pod_namespace);
		labels_add(l, "pod", a->pod_name);
		labels_add(l, "container", of && is_same_pod(a, of) ? of->container : "");
		labels_add(l, "network", a->network);
		labels_add(l, "interface", a->ifname);
	} else if (of) {
		labels_add(l, "namespace", of->pod_namespace);
		labels_add(l, "pod", of->pod_name);
		labels_add(l, "container", of->container);
	}
}

void snapshot_add_function(const struct inventory *inv, int function, struct labels *l)
{
	const struct inv_function *f = &inv->functions[function];
	const struct inv_function *pf = !f->is_vf ? f : f->pf != INV_NONE ?
						       &inv->functions[f->pf] : NULL;

	if (pf && pf->link != INV_NONE)
		labels_add(l, "pf", inv->links[pf->link].name);
	if (f->is_vf && f->vf_index != INV_NONE)
		labels_add_number(l, "vf", f->vf_index);
	labels_add(l, "pci_address", f->bdf);
	snapshot_add_holder(inv, f->holder, function, l);
}

/* -- calls -- */

static void put_durations(const struct tally_verb *v, exposition_labels verb, struct exposition *x)
{
	struct sample s = { .labels = verb, .part = PART_BUCKET };
	char le[24];

	for (size_t i = 0; i <= TALLY_BOUNDS; i++) {
		unsigned int ms = i < TALLY_BOUNDS ? tally_bounds_ms[i] : 0;

		(void)snprintf(le, sizeof(le), "+Inf");
		if (i < TALLY_BOUNDS)	/* OpenMetrics wants a point in it */
			(void)snprintf(le, sizeof(le), ms % 1000 == 0 ? "%.1f" : "%g",
				       ms / 1000.0);
		s.extra = label(x, "le", le);
		s.value += v->lasted[i];
		exposition_add(x, FAMILY_CALL_DURATION, &s);
	}
	s.extra = 0;
	s.part = PART_COUNT;
	exposition_add(x, FAMILY_CALL_DURATION, &s);
	s.part = PART_SUM;
	s.value = v->us;
	exposition_add(x, FAMILY_CALL_DURATION, &s);
}

void snapshot_calls(const struct host *host, struct exposition *x)
{
	struct tally t;
	struct err ignored;		/* the daemon makes it anew, see metrics.c */

	if (tally_read(host, &t, &ignored) <= 0)
		return;
	for (size_t i = 0; i < TALLY_VERBS; i++) {
		put_durations(&t.verb[i], label(x, "verb", tally_verbs[i]), x);
		for (size_t k = 0; k < TALLY_CODES; k++) {
			char code[16] = "other";

			if (t.verb[i].failed[k] == 0)
				continue;
			if (k < TALLY_CODES - 1)
				(void)snprintf(code, sizeof(code), "%d", tally_codes[k]);
			exposition_put(x, FAMILY_CALL_ERRORS,
				       two_labels(x, "verb", tally_verbs[i], "code", code),
				       t.verb[i].failed[k]);
		}
	}
}

/* -- itself -- */

static uint64_t us_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

void snapshot_daemon(struct exposition *x)
{
	struct rusage used;

	exposition_put(x, FAMILY_BUILD, label(x, "version", DEVINFO_VERSION), 1);
	if (getrusage(RUSAGE_SELF, &used) < 0)
		return;
	exposition_put(x, FAMILY_DAEMON_CPU, 0, us_of(&used.ru_utime) + us_of(&used.ru_stime));
	exposition_put(x, FAMILY_DAEMON_MEMORY, 0, (uint64_t)used.ru_maxrss * 1024);
}
