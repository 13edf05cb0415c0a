/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delegate.h - ask another plugin, which may be older than the request
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
	enum cni_version version;	/* what it was asked in, so the form of doc */
	bool refused;			/* exec.h */
};

/*
 * exec_plugin, and for ADD, DEL and CHECK of cniVersion 1.1.0 once more in 1.0.0 when the plugin
 * does not know that version.  On failure *ret has nothing but `refused`.
 */
int delegate_call(const struct exec_call *c, const struct deadline *d, struct delegate_reply *ret,
		  struct err *e) must_check;

/*
 * 1 when the plugin speaks that version, 0 when it does not, -1 when it is missing, does not run or
 * its answer tells no versions.  Of c's command and request nothing is used.
 */
int delegate_speaks(const struct exec_call *c, const char *version, const struct deadline *d,
		    struct err *e) must_check;

/*
 * GC or STATUS, for a plugin that speaks 1.1.0.  One that does not has no such verb, and that it is
 * there is all there is to know of it.
 */
int delegate_forward(const struct exec_call *c, const struct deadline *d, struct err *e) must_check;

void delegate_reply_done(struct delegate_reply *r);

#define auto_delegate_reply auto_with(delegate_reply_done)

#endif
