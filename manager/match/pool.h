/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - pools of devices, by the configuration of sriov-network-device-plugin
 *
 * Its config.json is read as it is: {"resourceList": [{"resourceName", "resourcePrefix",
 * "deviceType", "excludeTopology", "additionalInfo", "selectors": one object or a list}]}.  A key
 * of ours is "expressions", as match.h has them: what a device must meet as well, or without
 * selectors alone.  Two more types are of ours, see pool_slot.c.
 *
 * A mistake in it (a key that is misspelled, or of another deviceType, a list that is none) is an
 * error here; the device plugin ignores it, or the whole pool.  As in the device plugin, a value
 * that no device has (an address with a digit missing, a range like "eth0#3-") selects none, keys
 * match in any case, and of several entries for one PF the first counts.
 */
#ifndef MANAGER_MATCH_POOL_H
#define MANAGER_MATCH_POOL_H

#include "base/err.h"
#include "devinfo/format/device_info.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

enum { POOL_FILE_MAX = 1024 * 1024, POOLS_MAX = 1024 };

/* The last two are of ours: sockets, which no selector is about. */
enum pool_type {
	POOL_NET_DEVICE, POOL_ACCELERATOR, POOL_AUX_NET_DEVICE, POOL_VHOST_USER, POOL_MEMIF,
	POOL_TYPES
};

struct pool;
struct pools {
	json_t *doc;			/* owned: holds the texts */
	struct pool *list;		/* owned */
	size_t n;
};

/*
 * Parse the text of a file.  0, or -1: ERR_NETCONF names the pool, the key and the value.  A comma
 * behind the last element of a list or object, as the plugin's documentation has some, is passed
 * over.
 */
int pools_parse(const char *text, size_t len, struct pools *ret, struct err *e) must_check;
/* The same, with another prefix than intel.com for pools without their own. */
int pools_parse_as(const char *prefix, const char *text, size_t len, struct pools *ret,
		   struct err *e) must_check;
/*
 * Read a file of this machine that an administrator has named by its whole path, with such a
 * prefix.  0, or -1: it is absent, no regular file, or wrong.
 */
int pools_read_file(const char *path, const char *prefix, struct pools *ret,
		    struct err *e) must_check;
void pools_done(struct pools *p);
#define auto_pools auto_with(pools_done)

/* "intel.com/sriov_netdevice": prefix and name. */
const char *pool_resource(const struct pools *p, size_t i, char ret[320]);
enum pool_type pool_type(const struct pools *p, size_t i);

/*
 * -- pool_slot.c: sockets --
 *
 * How many a pool of sockets offers: 1 to POOL_SLOTS_MAX; 0: it is one of devices.
 */
enum { POOL_SLOTS_MAX = 256, POOL_SLOT_ID = 64 };
size_t pool_slots(const struct pools *p, size_t i);
/* Their ids: "NAME-0" and so on, of which no two pools have the same. */
const char *pool_slot_id(const struct pools *p, size_t i, size_t slot, char ret[POOL_SLOT_ID]);
/* What a device-info file says of one with this path. */
void pool_slot_info(const struct pools *p, size_t i, const char *path, struct device_info *ret);

/* Is kubelet not told of which NUMA node its devices are? */
bool pool_excludes_topology(const struct pools *p, size_t i);

/*
 * Return what additionalInfo has of the pool's device with this id, for the environment of its pod:
 * a new reference to an object of strings, those of "*" and over them the device's own.
 */
json_t *pool_info(const struct pools *p, size_t i, const char *id);

/*
 * Find the first pool that selects this function, or device of the auxiliary bus (the other is
 * NULL): returns its place, or INV_NONE.  A PF that has VFs is in no pool, nor is a function whose
 * network device has the node's default route, nor one that does not fit the deviceType.
 */
int pools_find(const struct pools *p, const struct inventory *inv, const struct inv_function *f,
	       const struct inv_auxiliary *x);

/*
 * The requirements of the selector by which the pool has this function, or this device of the
 * auxiliary bus.  One that selectors do not find any more, as in a pod, has those of the pool's
 * only selector, or none.
 */
struct pool_wants {
	bool vhost_net;			/* needVhostNet */
	bool rdma;			/* isRdma */
	const char *vdpa_type;		/* "vhost", "virtio"; NULL: no vDPA device */
};
struct pool_wants pool_wants(const struct pools *p, size_t i, const struct inventory *inv,
			     const struct inv_function *f);
struct pool_wants pool_wants_auxiliary(const struct pools *p, size_t i,
				       const struct inventory *inv, const struct inv_auxiliary *x);

/*
 * Return the name of what this inventory cannot evaluate of a pool, so it selects none; or NULL.
 * That is ddpProfiles, where no driver tells of the package that its card runs, or expressions,
 * where one compares what is no number.
 */
const char *pool_unanswered(const struct pools *p, size_t i, const struct inventory *inv);

#endif
