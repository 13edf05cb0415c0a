/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_cache.h - what the runtime remembers of an ADD: libcni's cache
 *
 * libcni, which containerd, CRI-O and Multus call plugins by, keeps a file of each attachment with
 * its configuration, arguments and result, from which it makes a CHECK or DEL later.  This makes
 * the same of it.
 */
#ifndef MANAGER_INVENTORY_RUNTIME_CACHE_H
#define MANAGER_INVENTORY_RUNTIME_CACHE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/record.h"

#include <jansson.h>

/* The file of an attachment, and its path: 1 with a new reference, 0 there is none, -1. */
int runtime_cache_read(const struct host *host, const struct owner *o, json_t **ret,
		       char file[512], struct err *e) must_check;

/*
 * The configuration that a CHECK of this attachment would get, with runtimeConfig and prevResult: 1
 * with a new reference, and the path of the file; 0 when the runtime remembers nothing, or no
 * plugin of ours in it; -1.
 */
int runtime_cache_request(const struct host *host, const struct owner *o, json_t **ret,
			  char file[512], struct err *e) must_check;

/*
 * Each file of these caches that is of a plugin of ours, with its path and what it says, until fn
 * returns non-zero, which is then the result; one that cannot be read is passed over.
 */
typedef int runtime_cache_fn(const char *file, const json_t *doc, void *arg, struct err *e);
int runtime_cache_each(const struct host *host, runtime_cache_fn *fn, void *arg, struct err *e)
	must_check;

#endif
