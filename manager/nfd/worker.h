/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - the custom rules in nfd-worker's configuration
 *
 *	sources: {custom: [{name: ..., matchFeatures: [...]}]}
 */
#ifndef MANAGER_NFD_WORKER_H
#define MANAGER_NFD_WORKER_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"

#include <jansson.h>
#include <stdbool.h>

/* It has no kind, and `sources` or `core`. */
bool nfd_worker_is(const struct manifest *m);

/*
 * Its rules, borrowed; NULL: it has none.  -1 with ERR_NETCONF.  `warn` is told what nfd-worker
 * does not do any more.
 */
int nfd_worker_rules(const struct manifest *m, const json_t **ret,
		     void (*warn)(const char *text, void *arg), void *arg,
		     struct err *e) must_check;

#endif
