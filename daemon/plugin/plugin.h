/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h - kubelet's device plugin API v1beta1: one server for each resource
 *
 * The room daemon/plugin/ tells kubelet what is on offer, and answers what it asks about devices.
 * It serves on a socket of its own for each resource, beside kubelet's, registers there, and
 * registers again when kubelet has started anew or the socket has vanished.  It writes the
 * device-plugin device-info files and, where CDI is wanted, specifications of that.  It looks at
 * devices and changes none, but for a reset where that is wanted.  What is on offer is
 * daemon/offer's to say; when to look is the caller's.
 *
 * To be read in this order:
 *
 *	plugin.c	resources come and go
 *	server.c	the socket of a resource, and who connects
 *	registration.c	kubelet is told of it, again and again if need be
 *	methods.c	a call of kubelet's
 *	listing.c	ListAndWatch: who listens gets each new list
 *	allocate.c	the other questions, by access*.c, what a container gets, and holder.c
 *	prestart.c	the question before a container starts, and reset.c
 *	messages_*.c	all that on the wire
 *	dp_file.c, cdi_file.c	files about the devices
 *	slot_dir.c	the directories of sockets
 *
 * kubelet connects to the resource's socket, and asks there, before it answers a Register.  So that
 * is sent in steps, from the loop that serves, and nothing here waits for an answer.
 */
#ifndef DAEMON_PLUGIN_PLUGIN_H
#define DAEMON_PLUGIN_PLUGIN_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/loop/loop.h"
#include "daemon/offer/offer.h"

#include <stdbool.h>

struct plugin_options {
	bool use_cdi;			/* containers get names of CDI, not nodes */
	bool reset;			/* before a container starts; see prestart.h */
	void (*failed)(void *arg);	/* a reset has, so a device is not well any more; NULL */
	void *arg;
};

struct plugin;

/*
 * Nothing is served before the first offers.  loop and host are borrowed until plugin_free().  NULL
 * with *e when there is no memory.
 */
struct plugin *plugin_new(struct loop *l, const struct host *host, const struct plugin_options *o,
			  struct err *e) must_check;

/*
 * This is on offer from now on: kubelet is told what has changed, resources that are new are
 * registered, others end.  All three are borrowed until the next call has returned, or
 * plugin_free(): requests are answered from them.  What fails is logged, and tried again where that
 * helps.
 */
void plugin_set_offers(struct plugin *p, const struct pools *pools, const struct inventory *inv,
		       const struct offers *o);

/* The devices whose reset has failed, for the next offers; borrowed. */
const struct offer_failures *plugin_failures(const struct plugin *p);
/* They have been seen to, as far as is known: they are well until they fail again. */
void plugin_forget_failures(struct plugin *p);

/* Something in kubelet's directory has changed; cheap when it is nothing of interest. */
void plugin_dir_changed(struct plugin *p);

/*
 * The end: sockets and, unless a pod has the device, files are removed.  kubelet keeps the devices
 * for five minutes.  NULL is fine.
 */
void plugin_free(struct plugin *p);

#endif
