/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_file.h - the device-plugin file of a pool's device: what it says, and what it should say
 *
 * `devinfoctl publish` and devinfod are the same here.  Pools of network devices have such files:
 * device-info has types for PCI functions and vDPA devices.
 */
#ifndef MANAGER_MATCH_POOL_FILE_H
#define MANAGER_MATCH_POOL_FILE_H

#include "base/host.h"
#include "devinfo/format/device_info.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <stdbool.h>

/* One device of a pool and its file; release with pool_file_done(). */
struct pool_file {
	const struct inv_function *f;	/* borrowed */
	size_t pool;
	char resource[320], file[256];
	struct device_info there;	/* what the file says, when it is there */
	bool is_there;
};

/*
 * Name it, one that is not there: 0; -1 with the names filled, ERR_NETCONF when no file can have
 * the name.
 */
int pool_file_name(const struct pools *p, size_t pool, const struct inv_function *f,
		   struct pool_file *ret, struct err *e) must_check;
/* The same, and read it: 0, also when it is absent; or -1, ERR_DEVINFO. */
int pool_file_read(const struct host *host, const struct pools *p, size_t pool,
		   const struct inv_function *f, struct pool_file *ret, struct err *e) must_check;
void pool_file_done(struct pool_file *one);

/* Make what it should say, by the inventory and a look at the device. */
int pool_file_make(const struct host *host, const struct pools *p, const struct inventory *inv,
		   const struct pool_file *one, struct device_info *ret, struct err *e) must_check;

/* Is the file that is there about this device?  0, or -1 with what it is about. */
int pool_file_check(const struct pool_file *one, struct err *e) must_check;

enum pool_file_says {
	POOL_FILE_SAME,
	POOL_FILE_LESS,			/* than we would, and nothing else: each ADD adds that */
	POOL_FILE_OTHER,		/* something else: e names the member */
};
/* Compare the file that is there with what it should say; e is filled for POOL_FILE_OTHER alone. */
enum pool_file_says pool_file_compare(const struct pool_file *one, const struct device_info *ours,
				      struct err *e) must_check;

#endif
