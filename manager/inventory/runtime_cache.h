/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_cache.h - libcni's cache, in which the runtime keeps its ADDs
 *
 * libcni, with which containerd, CRI-O and Multus run plugins, keeps a file of each attachment with
 * its configuration, arguments and result, from which it makes a later CHECK or DEL.  This code
 * makes the same request from it.
 */
#ifndef MANAGER_INVENTORY_RUNTIME_CACHE_H
#define MANAGER_INVENTORY_RUNTIME_CACHE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/record.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Read the file of an attachment, and get its path: 1 with a new reference, 0 when there is none,
 * -1.
 */
int runtime_cache_read(const struct host *host, const struct owner *o, json_t **ret,
		       char file[512], struct err *e) must_check;

/*
 * Make the configuration that a CHECK of this attachment would get, with runtimeConfig and
 * prevResult: 1 with a new reference, and the path of the file; 0 when there is no file, or it has
 * no plugin of ours; -1.
 */
int runtime_cache_request(const struct host *host, const struct owner *o, json_t **ret,
			  char file[512], struct err *e) must_check;

/*
 * Call fn with path and content of each file of these caches that has a plugin of ours, until fn
 * returns non-zero, which is then the result; an unreadable file is skipped.
 */
typedef int runtime_cache_fn(const char *file, const json_t *doc, void *arg, struct err *e);
int runtime_cache_each(const struct host *host, runtime_cache_fn *fn, void *arg, struct err *e)
	must_check;

/* The value of one of the CNI_ARGS of such a file, which has them as pairs; "". */
const char *runtime_cache_arg(const json_t *doc, const char *name);
/* Is the file about an attachment of this pod? */
bool runtime_cache_is_of(const json_t *doc, const char *name_space, const char *pod);

/*
 * Has the runtime attached the sandbox of this pod, whichever plugins it did that by?  1; 0 also
 * when it keeps no such files; -1.  What Multus attaches for the runtime is not asked: the runtime
 * has a file of its own when Multus is done.
 */
int runtime_cache_has_sandbox(const struct host *host, const char *name_space, const char *pod,
			      struct err *e) must_check;

#endif
