/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - pools of devices, as the configuration of sriov-network-device-plugin says them
 *
 * Its config.json is read as it is: {"resourceList": [{"resourceName", "resourcePrefix",
 * "deviceType", "excludeTopology", "additionalInfo", "selectors": one object or a list}]}.
 */
#ifndef DEVINFO_MATCH_POOL_H
#define DEVINFO_MATCH_POOL_H

#include "base/err.h"
#include "devinfo/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

struct pool;
struct pools {
	json_t *doc;			/* owned: holds the texts */
	struct pool *list;		/* owned */
	size_t n;
};

/* From the text of a file.  ERR_NETCONF names the pool, the key and the value. */
int pools_parse(const char *text, size_t len, struct pools *ret, struct err *e) must_check;
void pools_done(struct pools *p);
#define auto_pools auto_with(pools_done)

/* "intel.com/sriov_netdevice": prefix and name. */
const char *pool_resource(const struct pools *p, size_t i, char ret[320]);

/*
 * Which pool has this function, or device of the auxiliary bus (the other is NULL)?  The first in
 * order that selects it, as there.  Its place, INV_NONE.  A PF that has VFs is in no pool, nor is a
 * function whose network device has the node's default route, nor one that does not fit the
 * deviceType.
 */
int pools_find(const struct pools *p, const struct inventory *inv, const struct inv_function *f,
	       const struct inv_auxiliary *x);

#endif
