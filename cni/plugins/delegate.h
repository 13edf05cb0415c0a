/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delegate.h - run another plugin, which may not support the request's version
 *
 * What Debian 12's plugins (1.1.1, up to cniVersion 1.0.0) say to a request of 1.1.0:
 *
 *	ADD, DEL	code 1, "incompatible CNI versions"
 *	CHECK		code 1, "plugin version does not allow CHECK"
 *	GC, STATUS	code 4, "unknown CNI_COMMAND: GC"
 *	VERSION		what they speak
 */
#ifndef CNI_PLUGINS_DELEGATE_H
#define CNI_PLUGINS_DELEGATE_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/mem.h"
#include "cni/plugins/exec.h"
#include "conf/version.h"

#include <jansson.h>
#include <stdbool.h>

struct delegate_reply {
	json_t *doc;			/* owned; NULL when it printed nothing */
	enum cni_version version;	/* the version of the request and of doc */
	bool refused;			/* exec.h */
};

/* A call that has begun.  Begins as DELEGATE_RUN_NONE; private. */
struct delegate_run {
	struct exec_run run;
	json_t *request;		/* owned */
	enum cni_version version;
};

#define DELEGATE_RUN_NONE	{ .run = EXEC_RUN_NONE }

/* As exec_start() and exec_collect(), and once more in 1.0.0 as delegate_call(). */
int delegate_start(struct delegate_run *run, const struct exec_call *c, const struct deadline *d,
		   struct err *e) must_check;
int delegate_collect(struct delegate_run *run, struct delegate_reply *ret, struct err *e)
	must_check;
void delegate_run_done(struct delegate_run *run);

#define auto_delegate_run auto_with(delegate_run_done)

/*
 * exec_plugin, and for ADD, DEL and CHECK of cniVersion 1.1.0 once more in 1.0.0 when the plugin
 * does not know that version.  On failure *ret has nothing but `refused`.
 */
int delegate_call(const struct exec_call *c, const struct deadline *d, struct delegate_reply *ret,
		  struct err *e) must_check;

/*
 * Does the plugin support that version?  1, 0, -1 when it is missing, does not run or its answer
 * has no versions.  c's command and request are not used.
 */
int delegate_speaks(const struct exec_call *c, const char *version, const struct deadline *d,
		    struct err *e) must_check;

/*
 * Run GC or STATUS of a plugin that supports 1.1.0.  An older one has no such verb: 0 if it exists.
 */
int delegate_forward(const struct exec_call *c, const struct deadline *d, struct err *e) must_check;

void delegate_reply_done(struct delegate_reply *r);

#define auto_delegate_reply auto_with(delegate_reply_done)

#endif
