/* SPDX-License-Identifier: Apache-2.0 */
/* explain_rest.c - what there is of an attachment whose record is not there or not readable */
#include "manager/ctl/explain.h"

#include "base/fs.h"
#include "base/name.h"
#include "manager/doctor/leak.h"
#include "manager/inventory/runtime_cache.h"

#include <string.h>

static const char *member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

bool explain_is_unreadable(const struct inv_attachment *a)
{
	return strcmp(a->state, "damaged") == 0 || strcmp(a->state, "unreadable") == 0 ||
	       strncmp(a->state, "version ", 8) == 0;
}

/* Of a record that cannot be read what is known of it has to fit, the container at least. */
static bool fits(const char *known, const char *want, bool may_miss)
{
	return strcmp(known, want) == 0 || (may_miss && !*known);
}

static const struct inv_attachment *find_fitting(const struct explaining *x, const json_t *doc,
						 bool may_miss)
{
	for (size_t i = 0; i < x->inv->n_attachments; i++) {
		const struct inv_attachment *a = &x->inv->attachments[i];
		bool loose = may_miss && explain_is_unreadable(a);

		if (fits(a->container_id, member(doc, "containerId"), false) &&
		    fits(a->ifname, member(doc, "ifName"), loose) &&
		    fits(a->network, member(doc, "networkName"), loose))
			return a;
	}
	return NULL;
}

/* Its record, be it one that cannot be read; NULL. */
static const struct inv_attachment *find_record(const struct explaining *x, const json_t *doc)
{
	const struct inv_attachment *a = find_fitting(x, doc, false);

	return a ? a : find_fitting(x, doc, true);
}

/* A record of which nothing can be read, not even whose it is: the first; NULL. */
static const struct inv_attachment *find_nobodys(const struct explaining *x)
{
	for (size_t i = 0; i < x->inv->n_attachments; i++) {
		const struct inv_attachment *a = &x->inv->attachments[i];

		if (explain_is_unreadable(a) && !*a->container_id)
			return a;
	}
	return NULL;
}

/* With one that may be its own, it is not said that there is none. */
static void tell_record(struct explaining *x, const char *ifname, const struct inv_attachment *a)
{
	const struct inv_attachment *nobodys = a ? NULL : find_nobodys(x);

	if (nobodys)
		explain_stage(x, ifname, "record", STAGE_UNKNOWN,
			      "run 'devinfoctl doctor', which says what to do about that record; "
			      "do not delete the pod before", "%s, which may be its own, is %s: %s",
			      nobodys->file, nobodys->state, nobodys->why);
	else if (a)
		explain_stage(x, ifname, "record", STAGE_WRONG,
			      "run 'devinfoctl doctor', which says what to do about that record",
			      "%s: it is %s: %s", a->file, a->state, a->why);
	else
		explain_stage(x, ifname, "record", STAGE_MISSING, EXPLAIN_LOST, "no record is of "
			      "this attachment: a DEL cannot restore its device");
}

static void tell_status(struct explaining *x, const char *ifname, const char *container)
{
	struct err ignored;

	if (name_is_file(container) && fs_exists(x->host->root, &ignored, "%s/status/%s.json",
						 x->host->set.run_dir, container) > 0)
		explain_stage(x, ifname, "status", STAGE_OK, "", "%s/status/%s.json is there, "
			      "for the container", x->host->set.run_dir, container);
}

/* libcni keeps results of containers that have died without a DEL: nothing of these is missing. */
static bool is_dead(const struct explaining *x, const json_t *doc)
{
	const struct owner o = {
		.network = member(doc, "networkName"), .container_id = member(doc, "containerId"),
		.ifname = member(doc, "ifName"),
	};
	struct err ignored;

	return leak_life(x->host, x->inv, &o, &ignored) == LEAK_DEAD;
}

static int explain_cached(const char *file, const json_t *doc, void *arg, struct err *e)
{
	struct explaining *x = arg;
	const struct inv_attachment *a = find_record(x, doc);
	const char *ifname = member(doc, "ifName"), *container = member(doc, "containerId");

	(void)e;
	if (!runtime_cache_is_of(doc, x->pod.name_space, x->pod.name) ||
	    (a && !explain_is_unreadable(a)) || (!a && is_dead(x, doc)))
		return 0;
	explain_stage(x, ifname, "runtime", STAGE_OK, "", "%s remembers %s of container %s, "
		      "network %s", file, ifname, container, member(doc, "networkName"));
	tell_record(x, ifname, a);
	tell_status(x, ifname, container);
	x->has_rest = true;
	return 0;
}

void explain_rest(struct explaining *x)
{
	struct err e;

	if (runtime_cache_each(x->host, explain_cached, x, &e) < 0)
		explain_stage(x, "", "runtime", STAGE_UNKNOWN, "", "what libcni remembers of the "
			      "pod: %s", e.msg);
}

/* Whose they are nobody can tell: one of them may be the pod's. */
void explain_strays(struct explaining *x)
{
	for (size_t i = 0; i < x->inv->n_attachments; i++) {
		const struct inv_attachment *a = &x->inv->attachments[i];

		if (explain_is_unreadable(a) && !*a->pod_name)
			explain_stage(x, a->ifname, "record", STAGE_UNKNOWN,
				      "run 'devinfoctl doctor', which says what to do about that "
				      "record", "%s, which may be the pod's, is %s: %s", a->file,
				      a->state, a->why);
	}
}
