/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - the frame of a program that runs until it is told to end */
#include "daemon/process/process.h"

#include "base/deadline.h"
#include "base/log.h"
#include "daemon/loop/notify.h"
#include "manager/inventory/facts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the node -- */

int process_open(struct process *p, struct err *e)
{
	struct err ignored;

	if (node_read(getenv("DEVINFO_CONF"), &p->node, e) < 0 ||
	    host_open(p->node.root, &p->host, e) < 0 || facts_read(&p->host, &p->facts, e) < 0)
		return -1;
	p->host.set = p->node.set;
	p->host.facts = p->facts;
	/* a call is told of when it fails, a daemon when it does something */
	log_set_level(p->host.set.log_level > LOG_LEVEL_INFO ? p->host.set.log_level :
							       LOG_LEVEL_INFO);
	/* nor does one end for want of it: a container may not have the node's directory of logs */
	if (p->host.set.log_file && log_open(p->host.root, p->host.set.log_file, &ignored) < 0)
		log_warning("msg=\"the log goes to stderr: %s\" details=\"%s\"", ignored.msg,
			    ignored.details);
	if (p->node.wrong)
		log_warning("msg=\"%s\" details=\"%s\"", p->node.why.msg, p->node.why.details);
	return 0;
}

/* -- signals and the service manager -- */

static void on_stop(void *arg)
{
	struct process *p = arg;

	loop_stop(p->loop);
}

static void on_reload(void *arg)
{
	struct process *p = arg;
	struct err e;

	notify_reloading();
	if (p->host.set.log_file && log_open(p->host.root, p->host.set.log_file, &e) < 0)
		log_error("msg=\"%s\" details=\"%s\"", e.msg, e.details);
	p->reload(p->arg);
	notify("READY=1");
}

static void on_watchdog(void *arg)
{
	struct process *p = arg;

	notify_alive();
	loop_timer_set(p->watchdog, notify_watchdog_ms());
}

int process_begin(struct process *p, void (*reload)(void *arg), void *arg, struct err *e)
{
	p->reload = reload;
	p->arg = arg;
	p->loop = loop_new(e);
	if (!p->loop)
		return -1;
	(void)signal(SIGPIPE, SIG_IGN);
	deadline_catch_signals();
	if (loop_catch(p->loop, SIGTERM, on_stop, p, e) < 0 ||
	    loop_catch(p->loop, SIGINT, on_stop, p, e) < 0 ||
	    loop_catch(p->loop, SIGHUP, on_reload, p, e) < 0)
		return -1;
	p->watchdog = loop_timer_new(p->loop, on_watchdog, p, e);
	if (!p->watchdog)
		return -1;
	loop_timer_set(p->watchdog, notify_watchdog_ms());
	return 0;
}

int process_run(struct process *p, struct err *e)
{
	notify("READY=1");
	if (loop_run(p->loop, e) < 0)
		return -1;
	notify("STOPPING=1");
	return 0;
}

void process_done(struct process *p)
{
	loop_free(p->loop);
	json_decref(p->facts);
	host_done(&p->host);
	node_done(&p->node);
}

/* -- places -- */

static int check_length(int n, const char *path, struct err *e)
{
	return n >= 0 && n < PATH_MAX ? 0 :
		       err_set(e, ERR_NETCONF, 0, "'%.64s...' is too long for a path", path);
}

int process_path(const char *dir, const char *name, char ret[PATH_MAX], struct err *e)
{
	return check_length(snprintf(ret, PATH_MAX, "%s/%s", dir, name), dir, e);
}

int process_directory(const char *path, char ret[PATH_MAX], struct err *e)
{
	int len = (int)(strrchr(path, '/') - path);

	return check_length(snprintf(ret, PATH_MAX, "%.*s", len > 0 ? len : 1, path), path, e);
}
