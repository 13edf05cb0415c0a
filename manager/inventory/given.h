/* SPDX-License-Identifier: Apache-2.0 */
/* given.h - to which network namespaces sriov-cni has given VFs, and whether these are there */
#ifndef MANAGER_INVENTORY_GIVEN_H
#define MANAGER_INVENTORY_GIVEN_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <limits.h>

/* A recorded node without any name of a namespace tells nothing of them: 0; else 1; -1. */
int given_knows_netns(const struct host *host, const struct inventory *inv,
		      struct err *e) must_check;

/* Is a network namespace at this path?  1, 0, -1; a recorded node has any file for one. */
int given_has_netns(const struct host *host, const struct inventory *inv, const char *path,
		    struct err *e) must_check;

/* The VF's namespace by sriov-cni's allocation file, if that is gone: 1; 0; -1. */
int given_is_left(const struct host *host, const struct inventory *inv, const char *bdf,
		  char netns[PATH_MAX], struct err *e) must_check;

#endif
