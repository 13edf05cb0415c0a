/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - run another plugin
 *
 * The room cni/plugins/ runs other programs: IPAM plugins, delegates, what a switch needs.  It
 * touches child processes, and what they are told and answer.  It changes neither device nor
 * record; its callers write down what was asked of whom.
 *
 * The child gets our environment with CNI_COMMAND replaced (CNI spec, section 4), CNI_PATH where
 * that is not the engine's, and DEVINFO_DEPTH, by which this program knows that it is run by
 * itself.  Its stderr goes on to ours; the end of it is kept for the error of a plugin that names
 * none.  program.h tells what else holds.
 */
#ifndef CNI_PLUGINS_EXEC_H
#define CNI_PLUGINS_EXEC_H

#include "base/deadline.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Whose attachment a call is about, where it is not our own: these replace three variables. */
struct exec_as {
	const char *container_id, *netns, *ifname;
};

/* All borrowed. */
struct exec_call {
	const char *cni_path;		/* where to search, and the child's CNI_PATH */
	const char *type;
	const char *command;
	const char *request;		/* its stdin: len bytes */
	size_t len;
	const struct exec_as *as;	/* NULL: the environment as it is */
};

/*
 * On success *ret is the document that ADD and VERSION have printed, a new reference; NULL when
 * they printed nothing or null, and for all other verbs, whose output does not matter.
 * A plugin's own error becomes *e with its code; anything else is ERR_DELEGATE, or ERR_TRY_AGAIN
 * for one that takes too long: it gets SIGTERM and, if that does not help, SIGKILL.
 * *refused is always set; on failure it tells that the plugin surely has done nothing: it said so
 * itself, or was never started.
 */
int exec_plugin(const struct exec_call *c, const struct deadline *d, json_t **ret, bool *refused,
		struct err *e) must_check;

/*
 * The same for a program that is no plugin, whose file is open (O_PATH is enough; it inherits the
 * descriptor): c->type names it, and nothing it prints matters but an error like a plugin's.
 * Why it could not be executed is in e->sys.
 */
int exec_program(int fd, const struct exec_call *c, const struct deadline *d, struct err *e)
	must_check;

/*
 * A delegate or IPAM plugin that is this program, by whatever name and through whatever other
 * plugin, would wait for the lock that the first one holds, or go on for ever: -1, ERR_NETCONF,
 * when we are it.
 */
int exec_check_depth(struct err *e) must_check;

/* Is a plugin of this name there that is not this program, nor a copy of it? */
bool exec_is_another(const char *cni_path, const char *type);

#endif
