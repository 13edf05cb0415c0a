/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod.h - all networks of a pod, in one call
 *
 * The room cni/pod/ is a runtime in small: it knows which networks a pod has and in which order,
 * and runs an ordinary call of this program for each, in a process of its own.  An attachment does
 * not learn that there are several.  It writes the record of the pod's networks
 * (devinfo/journal/pod_record.h) and starts processes; it changes no device.
 *
 * Theory of operation.  Where the configuration says podNetworks, an ADD reads the pod's
 * annotation and the definitions (devinfo/network), and checks them before anything is changed.
 * Then it writes the record, attaches the default network, and all others, some at once.  When one
 * fails, the others are stopped and all is detached: all or nothing.  A DEL goes by the record
 * alone, the last attachment first.  We run no attachment ourselves, because one may give up what
 * the next one needs (cni/attach/confine.h), and because it holds its locks until its process ends.
 */
#ifndef CNI_POD_H
#define CNI_POD_H

#include "base/err.h"
#include "base/host.h"
#include "cni/call/call.h"
#include "conf/netconf.h"

/*
 * Serve a call of an attachment as any call of this program is served, and print its answer: its
 * variables are those of the environment, text is its standard input.  Returns the exit status.
 */
typedef int pod_serve_fn(enum verb verb, const char *text, const struct cni_attachment *of,
			 void *arg);

/* All is borrowed. */
struct pod_call {
	const struct host *host;
	const struct cni_call *call;
	struct netconf *conf;
	pod_serve_fn *serve;
	void *arg;
};

/*
 * Do what of a call is about all networks of a pod: 1 when that is all of it; 0 when the verb is
 * still to be run for this configuration alone, as it is without podNetworks; -1.
 */
int pod_verb(const struct pod_call *c, struct err *e) must_check;

#endif
