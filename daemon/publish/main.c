/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - devinfo-publish: tell the API server what the node knows of its network devices
 *
 * One process with one loop.  A task that is due may wait for the API server, within bounds;
 * meanwhile nothing else is done, for nobody waits for this program.
 */
#include "daemon/api/api.h"
#include "daemon/process/process.h"
#include "daemon/publish/confine.h"
#include "daemon/publish/options.h"
#include "daemon/publish/publish.h"
#include "daemon/watch/watch.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/version.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What can be published, and the option by which it is. */
static const struct {
	size_t wanted;			/* a bool of struct options */
	const struct subject *subject;
} subjects[] = {
	{ offsetof(struct options, annotations), &annotations_subject },
	{ offsetof(struct options, slices), &slices_subject },
	{ offsetof(struct options, node_feature), &feature_subject },
	{ offsetof(struct options, events), &events_subject },
};

struct program {
	struct options options;
	struct process process;
	char name[NODE_NAME_SIZE];	/* of the node in the cluster */
	char attachments[PATH_MAX], status[PATH_MAX], config_dir[PATH_MAX];

	struct api *api;
	struct publishing publishing;
	struct watch *watch;
	void *begun[ARRAY_SIZE(subjects)];	/* the self of each; NULL: it is not wanted */
};

static void program_done(struct program *p)
{
	watch_free(p->watch);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (p->begun[i])
			subjects[i].subject->end(p->begun[i]);
	api_free(p->api);
	process_done(&p->process);
}

/* -- what happens -- */

/* Each compares all of its subject, so what exactly has changed does not matter. */
static void on_change(unsigned int what, void *arg)
{
	struct program *p = arg;

	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (p->begun[i] && (subjects[i].subject->of & what))
			subjects[i].subject->due(p->begun[i]);
}

/* What SIGHUP does, behind the log. */
static void on_reload(void *arg)
{
	struct program *p = arg;

	api_forget_access(p->api);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		if (p->begun[i] && subjects[i].subject->reload)
			subjects[i].subject->reload(p->begun[i]);
	on_change(WATCH_ALL, p);
}

/* -- start -- */

static int name_node(struct program *p, struct err *e)
{
	const char *said = p->options.node_name;
	int r = said ? 1 : host_node_name(&p->process.host, p->name, e);

	if (said)
		(void)snprintf(p->name, sizeof(p->name), "%s", said);
	if (r > 0 && !name_is_dns_subdomain(p->name))
		r = 0;
	return r > 0 ? 0 : r < 0 ? -1 :
		       err_set(e, ERR_NETCONF, 0, "the node's name in the cluster is not known: "
			       "--node-name is missing");
}

static int name_places(struct program *p, struct err *e)
{
	const struct settings *set = &p->process.host.set;

	return process_path(set->state_dir, "attachments", p->attachments, e) < 0 ||
	       process_path(set->run_dir, "status", p->status, e) < 0 ||
	       (p->options.pool && process_directory(p->options.pool, p->config_dir, e) < 0) ?
		       -1 : 0;
}

static bool is_wanted(const struct options *o, size_t i)
{
	return *(const bool *)((const char *)o + subjects[i].wanted);
}

static int begin_subjects(struct program *p, struct err *e)
{
	p->publishing = (struct publishing){ .host = &p->process.host, .options = &p->options,
					     .node = p->name, .loop = p->process.loop,
					     .api = p->api };
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (!is_wanted(&p->options, i))
			continue;
		p->begun[i] = subjects[i].subject->begin(&p->publishing, e);
		if (!p->begun[i])
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
	if (process_begin(&p->process, on_reload, p, e) < 0)
		return -1;
	p->api = api_new(p->process.loop, p->options.kubeconfig, PUBLISH_NAME "/" DEVINFO_VERSION,
			 e);
	if (!p->api || begin_subjects(p, e) < 0)
		return -1;
	p->watch = watch_new(p->process.loop, &p->process.host, &places, on_change, p, e);
	return p->watch ? 0 : -1;
}

static int start(struct program *p, struct err *e)
{
	if (process_open(&p->process, e) < 0)
		return -1;
	if (publish_confine(p->options.slices || p->options.node_feature, e) < 0)
		return -1;
	return begin(p, e);
}

int main(int argc, char **argv)
{
	auto_with(program_done) struct program p = { .process = PROCESS_NONE };
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
	log_info("msg=\"devinfo-publish has started\" version=%s node=%s", DEVINFO_VERSION, p.name);
	if (process_run(&p.process, &e) < 0) {
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
		return 1;
	}
	log_info("msg=\"devinfo-publish ends\"");
	return 0;
}
