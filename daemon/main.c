/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - devinfod: serve the node's devices to kubelet, and look again when something changes
 *
 * The rooms of the daemon are joined here: what daemon/watch/ tells, makes the node be looked at
 * (manager/inventory/); daemon/offer/ decides from that what each pool offers, daemon/plugin/ tells
 * kubelet, and daemon/report/ who follows on the node, and the log.  It is one process with one
 * loop, so nothing here waits: kubelet is asked within a bound that a person does not notice, all
 * else is files and the kernel.
 *
 * A mistake in a file that is read again changes nothing: what was offered before stays.
 */
#include "daemon/confine.h"
#include "daemon/instance.h"
#include "daemon/keeper/keeper.h"
#include "daemon/loop/loop.h"
#include "daemon/metrics/metrics.h"
#include "daemon/offer/offer.h"
#include "daemon/options.h"
#include "daemon/plugin/plugin.h"
#include "daemon/process/process.h"
#include "daemon/report/reporter.h"
#include "daemon/reconcile/reconcile.h"
#include "daemon/watch/watch.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/version.h"
#include "devinfo/taint/tainted.h"
#include "manager/inventory/facts.h"

#include <limits.h>
#include <malloc.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	KUBELET_MS = 500,		/* in all, for what it has given; the journal says most */
	AGAIN_MS = 1000,		/* after a look that failed; after more in a row twice as */
	AGAIN_MAX_MS = 64 * AGAIN_MS,	/* long each time, for it may cost much */
	LIST_BYTES = 64 * 1024,		/* from here on memory is given back when it is free */
};

struct daemon {
	struct options options;
	struct process process;
	const struct host *host;	/* of the process */
	int claim;			/* see instance.h */
	bool claim_lost;		/* and that it cannot be kept is told */
	char attachments[PATH_MAX], plugin_dir[PATH_MAX], config_dir[PATH_MAX];

	struct watch *watch;
	struct loop_timer *again;
	unsigned int again_ms;		/* after the last look; 0: it has not failed */
	unsigned int missed;		/* what a look that failed was about; enum watch_what */
	int64_t waited;			/* in ms, by the last look for a kubelet that is silent */
	struct plugin *plugin;
	struct keeper *keeper;		/* NULL: the dead are not ours to release */
	struct reporter *reporter;
	struct reconcile reconcile;
	struct metrics *metrics;
	bool tells_rules;		/* of taints, those that are wrong: not at each look */

	struct pools pools;		/* these three belong together, and the plugin has them */
	struct inventory inv;
	struct offers offers;
};

static void daemon_done(struct daemon *d)
{
	watch_free(d->watch);
	loop_timer_free(d->again);
	metrics_free(d->metrics);
	plugin_free(d->plugin);
	keeper_free(d->keeper);
	reporter_free(d->reporter);
	offers_done(&d->offers);
	inventory_done(&d->inv);
	pools_done(&d->pools);
	mem_close_fd(&d->claim);
	process_done(&d->process);
}

/* -- what is read -- */

static int read_pools(const struct daemon *d, struct pools *ret, struct err *e)
{
	return pools_read_file(d->options.config_file, d->options.resource_prefix, ret, e);
}

static int read_inventory(struct daemon *d, struct inventory *ret, struct err *e)
{
	int64_t start;

	if (inventory_read(d->host, ret, e) < 0 || inventory_join(d->host, ret, e) < 0)
		return -1;
	start = loop_now();
	if (inventory_ask_kubelet(d->host, KUBELET_MS, ret, e) < 0)
		return -1;
	d->waited = *ret->node.kubelet_error ? loop_now() - start : 0;
	return 0;
}

/* -- what is offered -- */

static void on_wrong_rule(const struct err *why, void *arg)
{
	const struct daemon *d = arg;

	if (d->tells_rules)
		log_warning("msg=\"%s\" details=\"%s\"", why->msg, why->details);
}

static int make_offers(struct daemon *d, const struct pools *pools, const struct inventory *inv,
		       struct offers *ret, struct err *e)
{
	auto_offer_promises struct offer_promises promises = { 0 };
	auto_taint_rules struct taint_rules taints = { .n = 0 };
	auto_allocation struct allocation kept = { .n_devices = 0 };
	const struct offer_policy policy = {
		.kept = offer_kept_read(d->host, &kept) ? &kept : NULL,
		.host = d->host, .promises = &promises, .taints = &taints,
		.requires_carrier = d->host->set.require_carrier,
		.failures = plugin_failures(d->plugin),
	};

	return offer_promises_read(d->host, &promises, e) < 0 ||
	       taint_rules_read(d->host, on_wrong_rule, d, &taints, e) < 0 ||
	       offers_make(pools, inv, &d->offers, &policy, ret, e) < 0 ? -1 : 0;
}

#define swap(a, b)					\
	do {						\
		__typeof__(*(a)) swap_ = *(a);		\
		*(a) = *(b);				\
		*(b) = swap_;				\
	} while (0)

/* The plugin lets go of what was before, which is left to the caller, when it has the new. */
static void take(struct daemon *d, struct pools *pools, struct inventory *inv,
		 struct offers *offers)
{
	swap(&d->inv, inv);
	swap(&d->offers, offers);
	if (pools)
		swap(&d->pools, pools);
	reporter_set_offers(d->reporter, &d->inv, &d->offers);
	plugin_set_offers(d->plugin, &d->pools, &d->inv, &d->offers);
	reconcile_tell(&d->reconcile, d->host, &d->inv);
	keeper_take(d->keeper, &d->inv);
}

/*
 * A node that cannot be looked at is as it was, and is looked at again soon.  pools: read anew, and
 * taken with the look by them; NULL: those of before.
 */
static void look(struct daemon *d, struct pools *pools)
{
	auto_inventory struct inventory inv = { 0 };
	auto_offers struct offers offers = { 0 };
	struct err e;

	if (read_inventory(d, &inv, &e) < 0 ||
	    make_offers(d, pools ? pools : &d->pools, &inv, &offers, &e) < 0) {
		log_error("msg=\"the node is not looked at: %s\" details=\"%s\"", e.msg, e.details);
		d->missed |= pools ? WATCH_CONFIG : WATCH_DEVICES;
		d->again_ms = d->again_ms == 0		     ? AGAIN_MS :
			      d->again_ms < AGAIN_MAX_MS ? 2 * d->again_ms :
							   d->again_ms;
		loop_timer_set(d->again, d->again_ms);
	} else {
		d->again_ms = 0;
		take(d, pools, &inv, &offers);
	}
	d->tells_rules = false;
}

/* What was read before stays when it cannot be read. */
static void look_by_new_pools(struct daemon *d)
{
	auto_pools struct pools pools = { 0 };
	struct err e;

	if (read_pools(d, &pools, &e) < 0) {
		log_error("msg=\"the pools are not read again: %s\" details=\"%s\"", e.msg,
			  e.details);
		look(d, NULL);
		return;
	}
	log_info("msg=\"the pools are read\" file=%s pools=%u", d->options.config_file,
		 (unsigned int)pools.n);
	look(d, &pools);
}

/*
 * A second one serves by now, which could start since somebody has removed the lock.  This one ends
 * as if it were killed: its sockets and files are the other's.
 */
static void make_way(const struct err *why)
{
	log_error("msg=\"devinfod ends: %s\" details=\"%s\"", why->msg, why->details);
	_exit(1);
}

static void keep_claim(struct daemon *d)
{
	struct err e;

	if (d->claim < 0)
		return;
	if (instance_keep(d->host, &d->claim, &e) == 0) {
		d->claim_lost = false;
		return;
	}
	if (e.code == ERR_TRY_AGAIN)
		make_way(&e);
	if (!d->claim_lost)
		log_warning("msg=\"a second devinfod may start: %s\" details=\"%s\"", e.msg,
			    e.details);
	d->claim_lost = true;
}

static int64_t cpu_ms(void)
{
	struct timespec t = { 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void on_change(unsigned int what, void *arg)
{
	struct daemon *d = arg;
	int64_t start = cpu_ms();

	keep_claim(d);
	d->tells_rules = what & WATCH_CONFIG;
	if (what & WATCH_PLUGIN_DIR)
		plugin_dir_changed(d->plugin);
	if (what & WATCH_CONFIG)
		look_by_new_pools(d);
	else			/* kubelet's checkpoint is in its directory, too */
		look(d, NULL);
	watch_took(d->watch, (unsigned int)(cpu_ms() - start + d->waited));
}

static void on_again(void *arg)
{
	struct daemon *d = arg;
	unsigned int what = d->missed;

	d->missed = 0;
	on_change(what, d);
}

/* Called while the plugin answers: not before that has been done. */
static void on_failed(void *arg)
{
	struct daemon *d = arg;

	d->missed |= WATCH_DEVICES;
	loop_timer_set(d->again, 1);
}

/* What SIGHUP does, behind the log. */
static void on_reload(void *arg)
{
	struct daemon *d = arg;

	plugin_forget_failures(d->plugin);
	on_change(WATCH_ALL, d);
}

/* -- start -- */

/* Of another machine's records nothing is released on this one.  It goes without a keeper, too. */
static void start_keeper(struct daemon *d)
{
	struct err e;
	int r = d->host->set.gc_interval_s > 0 ? facts_is_live(d->host, &e) : 0;

	if (r > 0)
		d->keeper = keeper_new(&e);
	if (r < 0 || (r > 0 && !d->keeper))
		log_error("msg=\"nothing of the dead is released: %s\" details=\"%s\"", e.msg,
			  e.details);
}

static int name_places(struct daemon *d, struct err *e)
{
	return process_path(d->host->set.state_dir, "attachments", d->attachments, e) < 0 ||
	       process_path(d->host->set.kubelet_dir, "device-plugins", d->plugin_dir, e) < 0 ||
	       process_directory(d->options.config_file, d->config_dir, e) < 0 ? -1 : 0;
}

static int claim(struct daemon *d, struct err *e)
{
	int r = instance_claim(d->host, &d->claim, e);

	if (r == 0)
		log_warning("msg=\"nothing keeps a second devinfod away: '%s' is read-only\"",
			    d->host->set.run_dir);
	return r;
}

/* Who starts without pools is told at once what is wrong with them, not in the log of a node. */
static int begin(struct daemon *d, struct err *e)
{
	const struct watch_places places = {
		.attachments = d->attachments, .plugin_dir = d->plugin_dir,
		.config = d->config_dir, .overrides = d->host->set.overrides_dir,
	};
	const struct plugin_options plugin = {
		.use_cdi = d->options.use_cdi, .reset = d->host->set.reset_before_start,
		.failed = on_failed, .arg = d,
	};
	struct loop *l;

	if (name_places(d, e) < 0 || read_pools(d, &d->pools, e) < 0 || claim(d, e) < 0 ||
	    process_begin(&d->process, on_reload, d, e) < 0)
		return -1;
	l = d->process.loop;
	d->again = loop_timer_new(l, on_again, d, e);
	if (!d->again)
		return -1;
	d->plugin = plugin_new(l, d->host, &plugin, e);
	if (!d->plugin)
		return -1;
	d->reporter = reporter_new(l, d->host, e);
	if (!d->reporter)
		return -1;
	d->watch = watch_new(l, d->host, &places, on_change, d, e);
	if (!d->watch)
		return -1;
	d->metrics = metrics_new(l, d->host, &d->inv, &d->offers, e);
	if (!d->metrics)
		return -1;
	d->tells_rules = true;
	look(d, NULL);
	return d->keeper ? keeper_begin(d->keeper, l, d->host->set.gc_interval_s, e) : 0;
}

static int start(struct daemon *d, struct err *e)
{
	if (process_open(&d->process, e) < 0)
		return -1;
	d->host = &d->process.host;
	start_keeper(d);
	if (confine(e) < 0)
		return -1;
	if (d->options.ignored)
		log_info("msg=\"options of another log are ignored: ours is where the node's file "
			 "says\" option=%s", d->options.ignored);
	return begin(d, e);
}

/*
 * Of two inventories, before and after a look, the former is given back to the system, not kept:
 * the C library would learn from the first that such lists are small change.
 */
static void give_back_memory(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, LIST_BYTES);
}

int main(int argc, char **argv)
{
	auto_with(daemon_done) struct daemon d = { .process = PROCESS_NONE, .claim = -1 };
	struct err e;

	jx_init(NULL);
	give_back_memory();
	switch (options_parse(argc, argv, &d.options)) {
	case OPTIONS_RUN:
		break;
	case OPTIONS_ENOUGH:
		return 0;
	default:
		return 2;
	}
	if (start(&d, &e) < 0) {
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
		return 1;
	}
	log_info("msg=\"devinfod has started\" version=%s", DEVINFO_VERSION);
	if (process_run(&d.process, &e) < 0) {
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
		return 1;
	}
	log_info("msg=\"devinfod ends\"");
	return 0;
}
