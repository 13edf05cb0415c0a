/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prestart.h - PreStartContainer: are a container's devices still there and well?
 *
 * Where it is wanted, those that no attachment has are reset as well (reset.h), one after the
 * other, while everything else goes on; kubelet gets its answer after the last, and waits 30 s for
 * it.  A device whose reset has failed stays in failures until the configuration is read again.
 */
#ifndef DAEMON_PLUGIN_PRESTART_H
#define DAEMON_PLUGIN_PRESTART_H

#include "base/err.h"
#include "daemon/plugin/plugin.h"

#include <stddef.h>

struct grpc_call;
struct prestart;
struct resource;

struct prestarts {
	struct plugin *plugin;
	struct prestart *list;		/* owned, as is each; the oldest first */
	struct loop_timer *timer;
	struct offer_failures failures;
};

int prestarts_open(struct plugin *p, struct prestarts *ret, struct err *e) must_check;
/* A call has come. */
void prestart_begin(struct resource *s, struct grpc_call *call, const unsigned char *msg,
		    size_t len);
void prestarts_done(struct prestarts *all);

#endif
