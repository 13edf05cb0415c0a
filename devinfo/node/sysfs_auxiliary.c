/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs_auxiliary.c - what /sys says about auxiliary devices, most of them sub-functions */
#include "devinfo/node/sysfs_part.h"

#include "base/fs.h"
#include "base/name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int try_sf_netdev(const char *name, void *arg, struct err *e)
{
	struct sub_function *sf = arg;

	(void)e;
	if (name_is_ifname(name) && (sf->netdevs++ == 0 || strcmp(name, sf->netdev) < 0))
		(void)snprintf(sf->netdev, sizeof(sf->netdev), "%s", name);
	return 0;
}

/* .../0000:01:00.0/mlx5_core.sf.4 */
static int read_sf_parent(const struct host *host, struct sub_function *sf, struct err *e)
{
	char target[PATH_MAX];
	const char *parent;
	int r;

	r = fs_readlink(host->root, target, sizeof(target), e, AUXILIARY_DIR "%s", sf->name);
	if (r <= 0)
		return r;
	(void)sysfs_cut_last(target);
	parent = sysfs_cut_last(target);
	if (name_is_bdf(parent))
		(void)snprintf(sf->pf_bdf, sizeof(sf->pf_bdf), "%s", parent);
	return 1;
}

static int read_sf_driver(const struct host *host, struct sub_function *sf, struct err *e)
{
	char driver[64];
	int r = fs_readlink_base(host->root, driver, sizeof(driver), e, AUXILIARY_DIR "%s/driver",
				 sf->name);

	sf->bound = r > 0;
	return r < 0 ? -1 : 0;
}

static int read_sf_number(const struct host *host, struct sub_function *sf, struct err *e)
{
	char text[16] = "";
	const char *rest = text;
	int r = fs_read_line(host->root, text, sizeof(text), e, AUXILIARY_DIR "%s/sfnum", sf->name);

	sf->numbered = r > 0 && sysfs_take_number(&rest, "", &sf->number) && !*rest;
	return r < 0 ? -1 : 0;
}

int sysfs_sub_function(const struct host *host, const char *name, struct sub_function *ret,
		       struct err *e)
{
	struct sub_function sf = { .netdevs = 0 };
	char dir[128];
	int r;

	if (!name_is_file(name) || strlen(name) >= sizeof(sf.name))
		return 0;
	memcpy(sf.name, name, strlen(name) + 1);
	(void)snprintf(dir, sizeof(dir), AUXILIARY_DIR "%s/net", name);
	r = read_sf_parent(host, &sf, e);
	if (r == 0)
		return 0;
	if (r < 0 || read_sf_number(host, &sf, e) < 0 || read_sf_driver(host, &sf, e) < 0 ||
	    fs_each(host->root, dir, try_sf_netdev, &sf, e) < 0 ||
	    (*sf.netdev && sysfs_read_index(host, dir, sf.netdev, &sf.ifindex, e) < 0))
		return err_wrap(e, "auxiliary device %s", name);
	*ret = sf;
	return 1;
}
