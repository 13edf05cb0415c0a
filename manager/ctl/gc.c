/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.c - devinfoctl gc: release what dead attachments have left
 *
 * For a node whose runtime has no GC: of all networks, by the plugin's own undo and from the
 * records alone.  There is no runtime's list: an attachment is dead when the very namespace of its
 * ADD is gone, as for an ADD that finds its device taken (manager/doctor/dead.h).
 */
#include "manager/ctl/ctl.h"

#include "base/deadline.h"
#include "base/log.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/ledger.h"
#include "manager/ctl/table.h"
#include "manager/doctor/dead.h"
#include "manager/inventory/facts.h"

#include <stdbool.h>
#include <stdio.h>

struct collecting {
	const struct host *host;
	struct journal *journal;
	bool only_look, failed, any;	/* any: something is told */
	unsigned int damaged, foreign;	/* records; of another version, which alone can read them */
	json_t *rows;			/* owned; NULL: a line each, at once */
};

static void tell_release(struct collecting *c, const struct record *rec)
{
	const char *result = c->only_look ? "would release" : "released";
	const char *device = *rec->device ? record_device_name(rec) : "none";
	const struct owner *o = &rec->owner;

	c->any = true;
	if (c->rows)
		(void)json_array_append_new(c->rows, json_pack("{ssssssssss}", "result", result,
							       "device", device, "interface",
							       o->ifname, "container_id",
							       o->container_id, "network",
							       o->network));
	else
		ctl_put_line(stdout, "%s %s of container %s, network %s: device %s", result,
			     o->ifname, o->container_id, o->network, device);
}

static int release_if_dead(const struct record *rec, void *arg, struct err *e)
{
	struct collecting *c = arg;
	const struct owner *o = &rec->owner;
	int r;

	log_context(o->container_id, o->ifname);
	r = dead_release(c->host, c->journal, rec, c->only_look, e);
	if (r < 0) {
		c->failed = true;
		(void)err_wrap(e, "%s of container %.64s", o->ifname, o->container_id);
		(void)ctl_error(e);
	}
	if (r > 0 && !c->only_look)
		log_info("msg=\"released by devinfoctl\" network=%s device=%s", o->network,
			 record_device_name(rec));
	if (r > 0)
		tell_release(c, rec);
	log_context(NULL, NULL);
	return deadline_interrupted() ? deadline_error(ERR_INTERRUPTED, e, "gc") : 0;
}

/* Also those that another call has put aside. */
static int count_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	struct collecting *c = arg;

	(void)e;
	if (bad->version)
		c->foreign++;
	else
		c->damaged++;
	return 0;
}

static int collect(struct collecting *c, struct err *e)
{
	return journal_each(c->journal, release_if_dead, c, e) < 0 ?
		       -1 : journal_each_bad(c->journal, count_bad, c, e);
}

/* What an earlier stateDir has is released by the journal there. */
static int collect_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct collecting *c = arg, of = *c;
	int r;

	of.host = there;
	of.journal = j;
	r = collect(&of, e);
	c->failed = of.failed;
	c->damaged = of.damaged;
	c->foreign = of.foreign;
	return r;
}

static void tell_bad(const struct collecting *c)
{
	if (c->damaged)
		(void)fprintf(stderr, "devinfoctl: damaged records, which gc cannot release: %u; "
				      "see devinfo(8)\n", c->damaged);
	if (c->foreign)
		(void)fprintf(stderr, "devinfoctl: records of another version of devinfo, which "
				      "this one cannot read and leaves alone: %u; "
				      "see devinfo(8)\n", c->foreign);
}

enum ctl_status ctl_gc(const struct host *host, const struct ctl_options *opt,
		       char *const *operands)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct collecting c = { .host = host, .journal = &j, .only_look = opt->dry_run };
	struct err e = { 0 };
	int r;

	(void)operands;
	r = c.only_look ? 1 : facts_is_live(host, &e);
	if (r < 0)
		return ctl_error(&e);
	if (r == 0)	/* of another machine's records nothing is released on this one */
		return ctl_usage("a recorded node is not collected, but for --dry-run");
	c.rows = ctl_is_json(opt) ? json_array() : NULL;
	if (!c.only_look)
		ctl_act_as_plugin(host);
	r = journal_open(host, c.only_look ? JOURNAL_READ : JOURNAL_UPDATE, &j, &e);
	if (r > 0)
		r = collect(&c, &e);
	if (r == 0 && !c.only_look)
		r = ledger_sweep(host, &j, LEDGER_SWEEP_S, &e);
	if (r == 0 && !c.only_look)
		journal_tidy(&j);
	if (r == 0)
		r = earlier_each(host, c.only_look ? JOURNAL_READ : JOURNAL_UPDATE, collect_there,
				 &c, &e);
	tell_bad(&c);
	if (c.rows)
		ctl_put_json(c.rows);
	else if (r >= 0 && !c.any && !c.failed && !c.damaged && !c.foreign)
		(void)puts("nothing to release");
	json_decref(c.rows);
	if (r < 0)
		return ctl_error(&e);
	return c.failed || c.damaged ? CTL_FAILED : CTL_OK;
}
