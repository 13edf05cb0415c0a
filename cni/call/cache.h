/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - read which containers libcni and Multus keep attachments of, by any plugin
 *
 * Both keep files, which we only read: libcni has one for each attachment, <network>-<container
 * id>-<interface>, from the end of its ADD to that of its DEL, and Multus one for each container,
 * named by its id, from before the ADD.
 */
#ifndef CNI_CALL_CACHE_H
#define CNI_CALL_CACHE_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>
#include <stdbool.h>

#define LIBCNI_CACHE	"/var/lib/cni/results"
#define MULTUS_CACHE	"/var/lib/cni/multus"
#define MULTUS_RESULTS	"/var/lib/cni/multus/results"

/* Add the parts of their names between '-' as keys; container ids are among them. */
int cache_words(const struct host *host, json_t *ret, struct err *e) must_check;
/* The same for libcni's files alone, in the runtime's cache and in Multus' own. */
int cache_result_words(const struct host *host, json_t *ret, struct err *e) must_check;

/*
 * The name of a device-info file, [<namespace>-]<network>-<container id>_<interface>, up to that
 * '_': is the container one of these keys?  Networks and ids have '-' as well, so it may be what
 * follows any of them.
 */
bool cache_has_file(const json_t *ids, const char *name, const char *end);

#endif
