/* SPDX-License-Identifier: Apache-2.0 */
/* verb.h - one function a verb; main.c prints what they return */
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
