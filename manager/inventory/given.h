/* SPDX-License-Identifier: Apache-2.0 */
/* given.h - the network namespaces that sriov-cni has moved VFs to, and whether they still exist */
#ifndef MANAGER_INVENTORY_GIVEN_H
#define MANAGER_INVENTORY_GIVEN_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <limits.h>

/* Are the node's namespaces known?  1; 0 for a recorded node without any name of one; -1. */
int given_knows_netns(const struct host *host, const struct inventory *inv,
		      struct err *e) must_check;

/*
 * Is there a network namespace at this path?  1, 0, -1.  On a recorded node any file counts as one.
 */
int given_has_netns(const struct host *host, const struct inventory *inv, const char *path,
		    struct err *e) must_check;

/* Is the VF's namespace in sriov-cni's allocation file gone?  1 with its path, 0, -1. */
int given_is_left(const struct host *host, const struct inventory *inv, const char *bdf,
		  char netns[PATH_MAX], struct err *e) must_check;

#endif
