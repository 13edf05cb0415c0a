/* SPDX-License-Identifier: Apache-2.0 */
/* node_overrides.c - what administrators say of the node's devices, and does not count */
#include "manager/doctor/node_check.h"

#include "devinfo/taint/tainted.h"
#include "manager/dra/node_view.h"

#include <stdio.h>
#include <string.h>

static const struct finding_kind fault = {
	"overrides", SEVERITY_WARNING, REMEDY_BY_HAND,
	"correct it: it is not applied; see OVERRIDES in devinfoctl(8)",
};
static const struct finding_kind note = {
	"overrides", SEVERITY_INFO, REMEDY_BY_HAND,
	"look whether it is meant so: 'devinfoctl scan --why' tells what comes of it",
};

static int tell_override(const struct override_finding *f, const char *dir, struct findings *ret,
			 struct err *e)
{
	char more[32] = "";

	if (f->devices > 1)
		(void)snprintf(more, sizeof(more), " and %zu more", f->devices - 1);
	return finding_tell(ret, f->is_fault ? &fault : &note, *f->object ? f->object : dir, e,
			    "%s%s%s%s%s", *f->device ? "device " : "", f->device, more,
			    *f->device ? ": " : "", f->text);
}

/* Who marks a device bad in a file here means attachments, too. */
static void note_unheeded(const struct host *host, struct node_view *v)
{
	static const char text[] = "an ADD takes no notice of its taint: refuseTainted is false in "
				   "the node's file";

	for (size_t i = 0; i < v->changes.n && !host->set.refuse_tainted; i++) {
		const struct override_of_device *of = &v->changes.devices[i];

		for (size_t k = 0; k < of->n; k++)
			if (of->list[k].what == OVERRIDE_TAINT &&
			    of->list[k].by->taint->effect != TAINT_NONE)
				override_tell(&v->o, false, of->list[k].by, text,
					      &v->devices.list[i], "%s", text);
	}
}

/* Whether an expression fails is known when it is asked about the node's devices. */
int node_overrides(const struct host *host, const struct inventory *inv, struct findings *ret,
		   struct err *e)
{
	auto_node_view struct node_view v = { .o = { .patches = NULL } };
	struct node_slices_wish wish = { .driver = NODE_SLICES_DRIVER, .host = host };
	char node[NODE_NAME_SIZE];
	int r = overrides_read_dir(host, &v.o, e);
	struct err unnamed;

	if (r < 0)
		return -1;
	if (r == 0)
		return host->set.overrides ?
			       finding_skip(ret, e, "there is no %s", host->set.overrides_dir) :
			       finding_skip(ret, e, "the node's file turns overrides off");
	wish.node = host_node_name(host, node, &unnamed) < 0 ? "localhost" : node;
	if (node_view_make(inv, &wish, &v, e) < 0)
		return -1;
	note_unheeded(host, &v);
	for (size_t i = 0; i < v.o.n_findings; i++)
		if (tell_override(&v.o.findings[i], host->set.overrides_dir, ret, e) < 0)
			return -1;
	return 0;
}

static void say_nothing(const struct err *why, void *arg)
{
	(void)why;
	(void)arg;
}

/* What an ADD reads, as it reads it. */
int node_taint_unknown(const struct host *host, const struct inventory *inv, struct findings *ret,
		       struct err *e)
{
	static const struct finding_kind kind = {
		"taint-unknown", SEVERITY_ERROR, REMEDY_BY_HAND,
		"correct the file, or name driver, pool and device in the rule: until then an ADD "
		"refuses each device that it could be about, for refuseTainted is true",
	};
	auto_taint_rules struct taint_rules rules = { .list = NULL };

	(void)inv;
	if (!host->set.refuse_tainted)
		return finding_skip(ret, e, "refuseTainted is false");
	if (taint_rules_read(host, say_nothing, NULL, &rules, e) < 0)
		return -1;
	for (size_t i = 0; i < rules.n; i++)
		if (*rules.list[i].doubt &&
		    finding_tell(ret, &kind, host->set.overrides_dir, e, "%s",
				 rules.list[i].doubt) < 0)
			return -1;
	return 0;
}
