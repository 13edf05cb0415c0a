/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - the runtime's request: the CNI_* environment, checked
 *
 * The room cni/call/ is the plugin's edge to the runtime: environment and process on the way in;
 * result, error and the pod's network-status on the way out.  It touches the process, stdout and
 * the files in <runDir>/status.  It handles results and owners, and no device.
 *
 * All strings are borrowed from the environment, except those of CNI_ARGS, which
 * are cut out of a copy that the call owns.
 */
#ifndef CNI_CALL_H
#define CNI_CALL_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

enum verb { VERB_ADD, VERB_DEL, VERB_CHECK, VERB_GC, VERB_STATUS, VERB_VERSION, VERBS };

/* What is said of one attachment of several (cni/pod); borrowed. */
struct cni_attachment {
	const char *definition;		/* NAMESPACE/NAME; "": the default network of the node */
	const json_t *gateways;		/* of its default routes; NULL: not said */
	bool no_default_v4, no_default_v6;	/* others of the pod have the default route */
};

struct cni_call {
	enum verb verb;
	const char *container_id;
	const char *netns;		/* "" when empty or unset, which DEL allows */
	const char *ifname;
	const char *path;		/* CNI_PATH, "" when unset */
	bool netns_override;		/* CNI_NETNS_OVERRIDE: our own namespace is allowed */
	/* CNI_ARGS; NULL when absent or empty */
	const char *pod_namespace, *pod_name, *pod_uid;
	const char *mac, *device_id;
	char *args;			/* owned */
	const struct cni_attachment *of_pod;	/* NULL: it is the only one that we know of */
};

/* Read CNI_COMMAND alone, for errors before the rest is read.  ERR_ENV. */
int call_verb(enum verb *ret, struct err *e) must_check;

/*
 * Read the variables that verb needs: one ERR_ENV names all missing ones, then forms are checked.
 * CNI_ARGS: pairs are split at the first '=', unknown keys and empty pairs are ignored, the last of
 * a repeated key wins (Multus repeats them).
 */
int call_from_env(enum verb verb, struct cni_call *ret, struct err *e) must_check;

const char *verb_name(enum verb verb);
void call_done(struct cni_call *call);

#define auto_call auto_with(call_done)

#endif
