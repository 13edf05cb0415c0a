/* SPDX-License-Identifier: Apache-2.0 */
/* hardware.c - is what an attachment was made of still there? */
#include "cni/aspect/hardware.h"

#include "devinfo/node/eswitch.h"

#include <errno.h>

/* The sub-function of the record: 1, 0 when there is none or another of that name, -1. */
static int find_sf(const struct host *host, const struct record *rec, struct sub_function *ret,
		   struct err *e)
{
	int r = sysfs_sub_function(host, rec->netdev.parent, ret, e);

	if (r <= 0)
		return r;
	return !rec->sf_numbered || (ret->numbered && ret->number == rec->sf_number);
}

int hardware_find(const struct host *host, const struct record *rec, struct pci_device *ret,
		  struct err *e)
{
	struct sub_function sf;
	int r;

	if (record_is_auxiliary(rec))
		return find_sf(host, rec, &sf, e);
	if (!rec->is_pci)
		return 1;
	r = eswitch_pci(host, rec->device, ret, e);
	/* ENODEV: its PF was taken away */
	return r < 0 && e->code == ERR_DEVICE && e->sys == ENODEV ? 0 : r;
}

/* One that is at home, and is not the one that was moved, is a new one: that has gone. */
int hardware_has_netdev(const struct host *host, const struct record *rec,
			const struct pci_device *dev, struct err *e)
{
	struct sub_function sf;
	int r;

	if (rec->is_pci)
		return dev->exists && *dev->driver && !driver_is_userspace(dev->driver);
	if (!record_is_auxiliary(rec) || !rec->unique_parent)
		return 0;
	r = find_sf(host, rec, &sf, e);
	return r <= 0 ? r : sf.bound && sf.netdevs == 0;
}
