/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - run another plugin
 *
 * The room cni/plugins/ runs other programs: IPAM plugins, delegates, what a switch needs.  It
 * touches child processes, their input and output.  It changes neither device nor record; its
 * callers record which plugins were run.
 *
 * The child gets our environment with CNI_COMMAND replaced (CNI spec, section 4), CNI_PATH where
 * that is not the engine's, and DEVINFO_DEPTH, by which this program knows that it is run by
 * itself.  Its stderr goes on to ours; the end of it is kept for the error of a plugin that names
 * none.  See program.h for the rest.
 *
 * A call may be begun and collected, with other work between: it is the same run, with the same
 * bounds, and the plugin has its whole time from its start on.
 */
#ifndef CNI_PLUGINS_EXEC_H
#define CNI_PLUGINS_EXEC_H

#include "base/deadline.h"
#include "base/err.h"
#include "cni/plugins/program.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The attachment of a call, if it is not our own: these replace three variables. */
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

/* A call that has begun.  Begins as EXEC_RUN_NONE; private. */
struct exec_run {
	struct program program;
	struct exec_call call;		/* what it borrows stays until the end of the run */
	struct deadline until;
};

#define EXEC_RUN_NONE	{ .program = PROGRAM_NONE }

/* Start a plugin.  On failure it certainly has done nothing. */
int exec_start(struct exec_run *run, const struct exec_call *c, const struct deadline *d,
	       struct err *e) must_check;

/* Wait for the end of one that was started: once; *ret, *refused and errors as of exec_plugin(). */
int exec_collect(struct exec_run *run, json_t **ret, bool *refused, struct err *e) must_check;

/* One that still runs gets SIGTERM and, if that does not help, SIGKILL. */
void exec_run_done(struct exec_run *run);

#define auto_exec_run auto_with(exec_run_done)

/*
 * Both at once.  On success *ret is the document that ADD and VERSION have printed, a new
 * reference; NULL when they printed nothing or null, and for all other verbs, whose output does not
 * matter.  A plugin's own error becomes *e with its code; anything else is ERR_DELEGATE, or
 * ERR_TRY_AGAIN for one that takes too long: it gets SIGTERM and, if that does not help, SIGKILL.
 * *refused is always set; on failure it says that the plugin certainly has done nothing: its error
 * says so, or it was never started.
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

/* Is there a plugin of this name that is neither this program nor a copy of it? */
bool exec_is_another(const char *cni_path, const char *type);

#endif
