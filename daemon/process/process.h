/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what the programs of the node that run until they are told to end have in common
 *
 * The room daemon/process/ is the frame of devinfod and devinfo-publish: the node's file, which
 * says where all is and where the log goes; one loop; the signals; the service manager.  It does
 * not know what they do in it.
 *
 *	process_open()		the node's file and the log; then a program gives up what it does
 *				not need, before it reads what others wrote: privilege.h
 *	process_begin()		the loop, with its signals: SIGTERM and SIGINT end it, SIGHUP is a
 *				reload; the watchdog
 *	process_run()		until the end, of which the service manager hears as of the start
 */
#ifndef DAEMON_PROCESS_H
#define DAEMON_PROCESS_H

#include "base/attr.h"
#include "base/err.h"
#include "base/host.h"
#include "conf/node.h"
#include "daemon/loop/loop.h"

#include <jansson.h>
#include <limits.h>

/* It stays where it is: the host, the loop and what is made with them borrow from it. */
struct process {
	struct node node;
	struct host host;
	json_t *facts;			/* owned */
	struct loop *loop;		/* owned */
	struct loop_timer *watchdog;
	void (*reload)(void *arg);
	void *arg;
};

/* Before it is opened. */
#define PROCESS_NONE { .host = { .root = -1 } }

/*
 * Read the node's file, open its root and the log.  A mistake in the file is told; of the rest of
 * it all counts, as for devinfoctl.
 */
int process_open(struct process *p, struct err *e) must_check;

/*
 * Make the loop.  SIGHUP opens the log by its name again, which may have been renamed, and calls
 * reload.
 */
int process_begin(struct process *p, void (*reload)(void *arg), void *arg,
		  struct err *e) must_check;

/* Wait and call until a signal ends it: 0, or -1. */
int process_run(struct process *p, struct err *e) must_check;

/* Last of all: sources and timers of the loop are freed with it. */
void process_done(struct process *p);

/* -- places -- */

/* Compose the path of something in a directory. */
int process_path(const char *dir, const char *name, char ret[PATH_MAX],
		 struct err *e) must_check;
/* The directory that an absolute path is in: of "/x" that is "/". */
int process_directory(const char *path, char ret[PATH_MAX], struct err *e) must_check;

#endif
