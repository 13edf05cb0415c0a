/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - the custom rules in nfd-worker's configuration */
#include "manager/nfd/worker.h"

#include "base/jx.h"

bool nfd_worker_is(const struct manifest *m)
{
	return json_is_object(m->doc) && !*m->kind &&
	       (json_object_get(m->doc, "sources") || json_object_get(m->doc, "core"));
}

/* Hooks were programs that it ran. */
int nfd_worker_rules(const struct manifest *m, const json_t **ret,
		     void (*warn)(const char *text, void *arg), void *arg, struct err *e)
{
	json_t *sources = NULL, *rules = NULL;

	if (jx_object(m->doc, "", "sources", &sources, e) < 0)
		return -1;
	if (json_object_get(json_object_get(sources, "local"), "hooksEnabled"))
		warn("sources.local.hooksEnabled: NFD runs no hooks since v0.17: write feature "
		     "files", arg);
	if (jx_array(sources, "sources", "custom", &rules, e) < 0)
		return -1;
	*ret = rules;
	return 0;
}
