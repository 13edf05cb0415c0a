/* SPDX-License-Identifier: Apache-2.0 */
/* given.c - to which network namespaces sriov-cni has given VFs, and whether these are there */
#include "manager/inventory/given.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cni/sriovcni/allocation_file.h"
#include "devinfo/journal/owner.h"

#include <stdio.h>
#include <sys/stat.h>

int given_has_netns(const struct host *host, const struct inventory *inv, const char *path,
		    struct err *e)
{
	auto_close int fd = -1;
	struct stat st;

	return inv->node.is_recorded ? fs_exists(host->root, e, "%s", path) :
				       owner_open_path(path, &fd, &st, e);
}

int given_knows_netns(const struct host *host, const struct inventory *inv, struct err *e)
{
	int r = inv->node.is_recorded ? fs_exists(host->root, e, "/run/netns") : 1;

	return r == 0 ? fs_exists(host->root, e, "/var/run/netns") : r;
}

int given_is_left(const struct host *host, const struct inventory *inv, const char *bdf,
		  char netns[PATH_MAX], struct err *e)
{
	struct allocation_file file = { .netns = "" };
	auto_close int dir = -1;
	int r = given_knows_netns(host, inv, e);

	if (r > 0)
		r = fs_find_dir(host->root, host->set.sriov_state_dir, &dir, e);
	if (r > 0)
		r = allocation_file_read(dir, bdf, &file, e);
	if (r < 0 && e->code == ERR_DECODE)	/* sriov-cni itself takes it for free */
		return 0;
	if (r <= 0)
		return r;
	(void)snprintf(netns, PATH_MAX, "%s", file.netns);
	r = given_has_netns(host, inv, file.netns, e);
	return r < 0 ? -1 : !r;
}
