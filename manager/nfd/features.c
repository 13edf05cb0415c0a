/* SPDX-License-Identifier: Apache-2.0 */
/* features.c - all features of a node, see features.h */
#include "manager/nfd/features.h"

#include "base/mem.h"
#include "manager/nfd/features_part.h"

#include <string.h>

/* A NodeFeature has all three, be they empty. */
static json_t *make(void)
{
	return json_pack("{s:{},s:{},s:{}}", "flags", "attributes", "instances");
}

json_t *nfd_features_with_pools(const struct host *host, const struct inventory *inv,
				const struct pools *pools, struct err *e)
{
	json_auto_t *features = make();

	if (!features) {
		(void)err_set(e, ERR_IO, 0, "out of memory");
		return NULL;
	}
	features_of_network(inv, features);
	features_of_pci(host, features);
	features_of_kernel(host, inv, features);
	features_of_system(host, features);
	features_of_memory(host, features);
	features_of_files(host, features);
	features_of_devices(inv, pools, features);
	return steal_ptr(&features);
}

json_t *nfd_features(const struct host *host, const struct inventory *inv, struct err *e)
{
	return nfd_features_with_pools(host, inv, NULL, e);
}
