/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb.h - one function a verb; main.c prints what they return
 *
 * The room cni/ itself is main() and the verbs, one file each: it reads stdin and the node's file,
 * and decides who is asked.  Devices it leaves to cni/attach/; what is looked up by CHECK, GC and
 * STATUS may be anywhere, so it sees nearly every room.
 */
#ifndef CNI_VERB_H
#define CNI_VERB_H

#include "base/err.h"
#include "base/host.h"
#include "cni/call/call.h"
#include "conf/netconf.h"

/* What a verb has to work with; borrowed. */
struct verb_input {
	const struct host *host;
	const struct cni_call *call;
	struct netconf *conf;
	const char *request;		/* the bytes of stdin */
};

/* Prints its result itself, for one that cannot be delivered is a failed ADD. */
int verb_add(const struct verb_input *in, struct err *e) must_check;
int verb_del(const struct verb_input *in, struct err *e) must_check;

/* Silent when all is well. */
int verb_check(const struct verb_input *in, struct err *e) must_check;
int verb_gc(const struct verb_input *in, struct err *e) must_check;
int verb_status(const struct verb_input *in, struct err *e) must_check;

#endif
