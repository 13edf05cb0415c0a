/* SPDX-License-Identifier: Apache-2.0 */
/* in_use.c - does anybody have a function: an attachment, a pod, sriov-cni, the host itself */
#include "manager/inventory/in_use.h"

#include "base/fs.h"
#include "devinfo/node/sysfs.h"
#include "manager/inventory/given.h"

#include <stdio.h>
#include <string.h>

bool in_use_sriov_cnis(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f)
{
	char netns[PATH_MAX];
	struct err ignored;

	return f->sriov_cni && given_is_left(host, inv, f->bdf, netns, &ignored) <= 0;
}

bool in_use_is_kept(const struct inv_function *f)
{
	return *f->driver_override && strcmp(f->driver_override, f->driver) != 0 &&
	       strcmp(f->driver_override, "none") != 0 && !f->has_record && !f->given;
}

/* The kernel makes an address of the link's scope by itself. */
static bool has_address(const struct inv_link *l)
{
	for (size_t i = 0; i < l->n_ips; i++)
		if (strncmp(l->ips[i], "fe80:", 5) != 0)
			return true;
	return false;
}

/* A VLAN, a macvtap of a virtual machine and the like are on it, or that cannot be told. */
static bool is_below_others(const struct host *host, const struct inv_link *l)
{
	struct err ignored;
	char names[128];

	return sysfs_uppers(host, l->name, names, &ignored) < 0 || *names;
}

/*
 * Its network device is here, and idle; or it has no driver; or that of vfio, and kubelet says
 * that it is free.  One whose network device is not here is in a pod of somebody else's.
 */
static bool is_idle(const struct host *host, const struct inventory *inv,
		    const struct inv_function *f)
{
	const struct inv_link *l = f->link == INV_NONE ? NULL : &inv->links[f->link];

	if (f->vdpa != INV_NONE)
		return false;
	if (l)
		return !*l->master && !has_address(l) && !is_below_others(host, l);
	if (strstr(f->driver, "vfio"))
		return inv->node.kubelet_asked && !*inv->node.kubelet_error && f->offered;
	return !*f->driver;
}

bool in_use_is_unknown(const struct host *host, const struct inventory *inv)
{
	struct err ignored;

	return *inv->node.kubelet_error &&
	       fs_exists(host->root, &ignored, "%s", host->set.kubelet_dir) != 0;
}

bool in_use_by_anybody(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f)
{
	return f->has_record || f->given || in_use_is_unknown(host, inv) ||
	       !is_idle(host, inv, f) || in_use_sriov_cnis(host, inv, f);
}

/* -- VFs that an ADD could not attach -- */

static bool has_bound_sibling(const struct inventory *inv, const struct inv_function *f)
{
	for (size_t i = 0; i < inv->n_functions; i++)
		if (inv->functions[i].is_vf && inv->functions[i].pf == f->pf &&
		    *inv->functions[i].driver)
			return true;
	return false;
}

bool in_use_is_away(const struct host *host, const struct inv_function *f)
{
	struct err ignored;

	return *f->driver && f->link == INV_NONE && !f->vanished &&
	       sysfs_has_netdev(host, f->bdf, &ignored) > 0;
}

/* Its PF's network device is here, as it is where the VFs belong.  Not all drivers make one. */
static bool is_moved(const struct inventory *inv, const struct inv_function *f)
{
	return f->away && inv->functions[f->pf].link != INV_NONE;
}

static bool lacks_driver(const struct inventory *inv, const struct inv_function *f)
{
	return !*f->driver && strcmp(f->driver_override, "none") != 0 && !in_use_is_kept(f) &&
	       has_bound_sibling(inv, f);
}

/* What is on its network device, which is here; "" is nothing. */
static void tell_what_is_on(const struct host *host, const struct inv_link *l, char *why,
			    size_t size)
{
	char uppers[128] = "";
	struct err ignored;

	*why = '\0';
	if (sysfs_uppers(host, l->name, uppers, &ignored) == 0 && *uppers)
		(void)snprintf(why, size, "%s is built on its network device", uppers);
	else if (l->xdp)
		(void)snprintf(why, size, "an XDP program (id %u) is on its network device",
			       (unsigned int)l->xdp);
}

/* Only those that could be anybody's. */
static bool is_nobodys(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f)
{
	return f->is_vf && !f->vanished && f->pf != INV_NONE && strncmp(f->class, "02", 2) == 0 &&
	       f->vdpa == INV_NONE && !f->has_record && !f->given &&
	       !in_use_is_unknown(host, inv) && !in_use_sriov_cnis(host, inv, f);
}

enum reach in_use_reach(const struct host *host, const struct inventory *inv,
			const struct inv_function *f, char *why, size_t size)
{
	*why = '\0';
	if (!is_nobodys(host, inv, f))
		return REACH_YES;
	if (lacks_driver(inv, f)) {
		(void)snprintf(why, size, "no driver is bound");
		return REACH_USELESS;
	}
	if (f->link != INV_NONE)
		tell_what_is_on(host, &inv->links[f->link], why, size);
	else if (is_moved(inv, f))
		(void)snprintf(why, size, "its network device is in another network namespace");
	return *why ? REACH_USED : REACH_YES;
}
