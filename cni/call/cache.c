/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c - what libcni and Multus remember of attachments, whosever plugin made them */
#include "cni/call/cache.h"

#include "base/fs.h"

#include <string.h>

static int take_words(const char *name, void *arg, struct err *e)
{
	(void)e;
	for (size_t len; *name; name += len + (name[len] == '-')) {
		len = strcspn(name, "-");
		(void)json_object_setn_new(arg, name, len, json_true());
	}
	return 0;
}

int cache_result_words(const struct host *host, json_t *ret, struct err *e)
{
	return fs_each(host->root, LIBCNI_CACHE, take_words, ret, e) < 0 ||
			       fs_each(host->root, MULTUS_RESULTS, take_words, ret, e) < 0 ?
		       -1 : 0;
}

int cache_words(const struct host *host, json_t *ret, struct err *e)
{
	return cache_result_words(host, ret, e) < 0 ||
			       fs_each(host->root, MULTUS_CACHE, take_words, ret, e) < 0 ?
		       -1 : 0;
}

bool cache_has_file(const json_t *ids, const char *name, const char *end)
{
	for (const char *id = end; id > name; id--)
		if (id[-1] == '-' && json_object_getn(ids, id, (size_t)(end - id)))
			return true;
	return false;
}
