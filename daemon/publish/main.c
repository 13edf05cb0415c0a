/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - devinfo-publish: tell the API server what the node knows of its network devices
 *
 * One process with one loop.  A task that is due may wait for the API server, within bounds;
 * meanwhile nothing else is done, for nobody waits for this program.
 */
#include "daemon/api/api.h"
#include "daemon/loop/loop.h"
#include "daemon/loop/notify.h"
#include "daemon/publish/annotation.h"
#include "daemon/publish/confine.h"
#include "daemon/publish/event.h"
#include "daemon/publish/feature.h"
#include "daemon/publish/options.h"
#include "daemon/publish/publish.h"
#include "daemon/publish/slices.h"
#include "daemon/watch/watch.h"

#include "base/deadline.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/version.h"
#include "conf/node.h"
#include "manager/inventory/facts.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	struct options options;
	struct node node;
	struct host host;
	json_t *facts;			/* owned */
	char name[NODE_NAME_SIZE];	/* of the node in the cluster */
	char attachments[PATH_MAX], status[PATH_MAX], config_dir[PATH_MAX];

	struct loop *loop;
	struct api *api;
	struct publishing publishing;
	struct watch *watch;
	struct loop_timer *watchdog;
	struct annotations *annotations;
	struct slices *slices;
	struct feature *feature;
	struct events *events;
};

static void program_done(struct program *p)
{
	watch_free(p->watch);
	annotations_free(p->annotations);
	slices_free(p->slices);
	feature_free(p->feature);
	events_free(p->events);
	api_free(p->api);
	loop_timer_free(p->watchdog);
	loop_free(p->loop);
	json_decref(p->facts);
	host_done(&p->host);
	node_done(&p->node);
}

/* -- what happens -- */

/* Each compares all of its subject, so what exactly has changed does not matter. */
static void on_change(unsigned int what, void *arg)
{
	struct program *p = arg;

	annotations_due(p->annotations);
	if (!(what & ~(unsigned int)WATCH_STATUS))
		return;
	slices_due(p->slices);
	feature_due(p->feature);
}

static void on_stop(void *arg)
{
	struct program *p = arg;

	loop_stop(p->loop);
}

/* The log may have been renamed: the file of its name is another one then. */
static void on_reload(void *arg)
{
	struct program *p = arg;
	struct err e;

	notify_reloading();
	if (p->host.set.log_file && log_open(p->host.root, p->host.set.log_file, &e) < 0)
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
	api_forget_access(p->api);
	on_change(WATCH_ALL, p);
	notify("READY=1");
}

static void on_watchdog(void *arg)
{
	struct program *p = arg;

	notify("WATCHDOG=1");
	loop_timer_set(p->watchdog, notify_watchdog_ms());
}

static int catch_signals(struct program *p, struct err *e)
{
	(void)signal(SIGPIPE, SIG_IGN);
	deadline_catch_signals();
	if (loop_catch(p->loop, SIGTERM, on_stop, p, e) < 0 ||
	    loop_catch(p->loop, SIGINT, on_stop, p, e) < 0 ||
	    loop_catch(p->loop, SIGHUP, on_reload, p, e) < 0)
		return -1;
	p->watchdog = loop_timer_new(p->loop, on_watchdog, p, e);
	if (p->watchdog && notify_watchdog_ms() > 0)
		loop_timer_set(p->watchdog, notify_watchdog_ms());
	return p->watchdog ? 0 : -1;
}

/* -- start -- */

/* A mistake in the node's file is told; of the rest of it all counts, as for devinfoctl. */
static int open_node(struct program *p, struct err *e)
{
	if (node_read(getenv("DEVINFO_CONF"), &p->node, e) < 0 ||
	    host_open(p->node.root, &p->host, e) < 0 || facts_read(&p->host, &p->facts, e) < 0)
		return -1;
	p->host.set = p->node.set;
	p->host.facts = p->facts;
	log_set_level(p->host.set.log_level > LOG_LEVEL_INFO ? p->host.set.log_level :
							       LOG_LEVEL_INFO);
	if (p->host.set.log_file && log_open(p->host.root, p->host.set.log_file, e) < 0)
		return -1;
	if (p->node.wrong)
		log_warning("msg=\"%s\" details=\"%s\"", p->node.why.msg, p->node.why.details);
	return 0;
}

static int name_node(struct program *p, struct err *e)
{
	const char *said = p->options.node_name;
	int r = said ? 1 : host_node_name(&p->host, p->name, e);

	if (said)
		(void)snprintf(p->name, sizeof(p->name), "%s", said);
	if (r > 0 && !name_is_dns_subdomain(p->name))
		r = 0;
	return r > 0 ? 0 : r < 0 ? -1 :
		       err_set(e, ERR_NETCONF, 0, "the node's name in the cluster is not known: "
			       "--node-name is missing");
}

static int compose(char ret[PATH_MAX], const char *dir, const char *name, struct err *e)
{
	int n = snprintf(ret, PATH_MAX, "%s%s", dir, name);

	return n >= 0 && n < PATH_MAX ? 0 :
		       err_set(e, ERR_NETCONF, 0, "'%.64s...' is too long for a path", dir);
}

static int name_places(struct program *p, struct err *e)
{
	if (compose(p->attachments, p->host.set.state_dir, "/attachments", e) < 0 ||
	    compose(p->status, p->host.set.run_dir, "/status", e) < 0 ||
	    compose(p->config_dir, p->options.pool ? p->options.pool : "/", "", e) < 0)
		return -1;
	*strrchr(p->config_dir, '/') = '\0';
	return 0;
}

static int begin_tasks(struct program *p, struct err *e)
{
	const struct options *o = &p->options;

	p->publishing = (struct publishing){ .host = &p->host, .options = o, .node = p->name,
					     .loop = p->loop, .api = p->api };
	if (o->annotations) {
		p->annotations = annotations_new(&p->publishing, e);
		if (!p->annotations)
			return -1;
	}
	if (o->slices) {
		p->slices = slices_new(&p->publishing, e);
		if (!p->slices)
			return -1;
	}
	if (o->node_feature) {
		p->feature = feature_new(&p->publishing, e);
		if (!p->feature)
			return -1;
	}
	if (o->events) {
		p->events = events_new(&p->publishing, e);
		if (!p->events)
			return -1;
	}
	return 0;
}

static int begin(struct program *p, struct err *e)
{
	const struct watch_places places = {
		.attachments = p->attachments, .status = p->status,
		.config = p->options.pool ? p->config_dir : NULL,
	};

	if (name_node(p, e) < 0 || name_places(p, e) < 0)
		return -1;
	p->loop = loop_new(e);
	if (!p->loop || catch_signals(p, e) < 0)
		return -1;
	p->api = api_new(p->loop, p->options.kubeconfig, PUBLISH_NAME "/" DEVINFO_VERSION, e);
	if (!p->api || begin_tasks(p, e) < 0)
		return -1;
	p->watch = watch_new(p->loop, &p->host, &places, on_change, p, e);
	return p->watch ? 0 : -1;
}

static int start(struct program *p, struct err *e)
{
	if (open_node(p, e) < 0)
		return -1;
	publish_confine(p->options.slices || p->options.node_feature);
	return begin(p, e);
}

int main(int argc, char **argv)
{
	auto_with(program_done) struct program p = { .host = { .root = -1 } };
	struct err e;

	jx_init(NULL);
	switch (options_parse(argc, argv, &p.options)) {
	case OPTIONS_RUN:
		break;
	case OPTIONS_ENOUGH:
		return 0;
	default:
		return 2;
	}
	if (start(&p, &e) < 0) {
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
		return 1;
	}
	notify("READY=1");
	log_info("msg=\"devinfo-publish has started\" version=%s node=%s", DEVINFO_VERSION, p.name);
	if (loop_run(p.loop, &e) < 0) {
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
		return 1;
	}
	notify("STOPPING=1");
	log_info("msg=\"devinfo-publish ends\"");
	return 0;
}
