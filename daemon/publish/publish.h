/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.h - what the cluster is told of this node
 *
 * The room daemon/publish/ is the program devinfo-publish, which is optional: it writes to the API
 * server what devinfo and devinfoctl know of the node.  It is a program of its own so that devinfod
 * and devinfoctl have neither libcurl nor TLS in them, and this one no right to change the node.
 *
 * To be read in this order:
 *
 *	main.c		the program: its options (options.c), what it gives up (confine.c)
 *	task.c		a piece of work that is done when something has changed, and again until it
 *			succeeds
 *	annotation.c	network-status of pods, from the files of status; merge.c one annotation,
 *			pod_wait.c when a pod is tried again, written.c what is ours in them
 *	object.c	objects that are ours alone: made, changed and removed until the server has
 *			them as we do
 *	slices.c	ResourceSlices; feature.c the NodeFeature; node.c the Node itself
 *	event.c		Events, of what devinfod tells; event_list.c which
 *
 * Each subject is one task, which works by what it finds, not by what it has done: killed at any
 * point, the next run of the task converges.
 */
#ifndef DAEMON_PUBLISH_H
#define DAEMON_PUBLISH_H

#include "base/host.h"
#include "daemon/api/api.h"
#include "daemon/loop/loop.h"
#include "daemon/publish/options.h"

#define PUBLISH_NAME "devinfo-publish"

/* What all tasks have; borrowed. */
struct publishing {
	const struct host *host;
	const struct options *options;
	const char *node;		/* its name in the cluster */
	struct loop *loop;
	struct api *api;
};

/* A subject of which is told; `self` is what its begin() has returned. */
struct subject {
	void *(*begin)(const struct publishing *p, struct err *e);	/* NULL with *e */
	unsigned int of;		/* changes of the node that are its; enum watch_what */
	void (*due)(void *self);	/* there was one; NULL: there is none */
	void (*reload)(void *self);	/* the cluster may be another one; NULL: never mind */
	void (*end)(void *self);	/* never of NULL */
};

extern const struct subject annotations_subject, slices_subject, feature_subject, events_subject;

#endif
