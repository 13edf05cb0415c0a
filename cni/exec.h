/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - run another plugin
 *
 * The child gets our environment with CNI_COMMAND replaced (CNI spec, section 4),
 * our stderr, and dies with us.  Its input, output and time are bounded; what it
 * leaves running does not hold us, for we wait for the child and not for the pipe.
 */
#ifndef CNI_EXEC_H
#define CNI_EXEC_H

#include "base/deadline.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define EXEC_OUTPUT_MAX	(4 * 1024 * 1024)	/* bytes of a plugin's stdout */

/*
 * Run `type` from the directories of cni_path with `request` on stdin.
 * On success *ret is its stdout as JSON (NULL when that is empty), a new reference.
 * A plugin's own error becomes *e with its code; anything else is ERR_DELEGATE, or ERR_TRY_AGAIN
 * for one that takes too long.  On failure *refused tells that it surely has done nothing: it said
 * so itself, or was never started.
 */
int exec_plugin(const char *cni_path, const char *type, const char *command, const char *request,
		size_t len, const struct deadline *d, json_t **ret, bool *refused, struct err *e)
	must_check;

#endif
