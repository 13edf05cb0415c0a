/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_place.c - where a vDPA device is, or will be, and its driver */
#include "devinfo/node/vdpa_device.h"

#include "base/fs.h"
#include "base/name.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define VDPA_DIR "/sys/bus/vdpa/devices"
#define PCI_DIR "/sys/bus/pci/devices"

static void on_bus(struct vdpa_device *dev, const char *bus, const char *name)
{
	(void)snprintf(dev->mgmt_bus, sizeof(dev->mgmt_bus), "%s", bus);
	(void)snprintf(dev->mgmt_dev, sizeof(dev->mgmt_dev), "%s", name);
}

/* A PCI function, as with most drivers. */
static int place_on_pci(const struct host *host, const char *bdf, struct vdpa_device *dev,
			struct err *e)
{
	if (strlen(bdf) >= sizeof(dev->bdf))
		return err_set(e, ERR_DEVICE, ENAMETOOLONG, "PCI address '%.32s'", bdf);
	(void)snprintf(dev->bdf, sizeof(dev->bdf), "%s", bdf);
	return fs_readlink_base(host->root, dev->pf_bdf, sizeof(dev->pf_bdf), e,
				PCI_DIR "/%s/physfn", bdf);
}

/* A sub-function, which is a device of its own, or another part of a PCI function, which is not. */
static int place_on_auxiliary(const struct host *host, const struct sub_function *sf,
			      struct vdpa_device *dev, struct err *e)
{
	on_bus(dev, "auxiliary", sf->name);
	memcpy(dev->auxiliary, sf->name, sizeof(dev->auxiliary));
	if (!sf->numbered && *sf->pf_bdf)
		return place_on_pci(host, sf->pf_bdf, dev, e);
	memcpy(dev->pf_bdf, sf->pf_bdf, sizeof(dev->pf_bdf));
	return 0;
}

int vdpa_device_place(const struct host *host, const char *parent, struct vdpa_device *ret,
		      struct err *e)
{
	struct sub_function sf;
	int r;

	if (name_is_bdf(parent)) {
		on_bus(ret, "pci", parent);
		return place_on_pci(host, parent, ret, e) < 0 ? -1 : 0;
	}
	r = sysfs_sub_function(host, parent, &sf, e);
	return r < 0 || (r > 0 && place_on_auxiliary(host, &sf, ret, e) < 0) ? -1 : 0;
}

/*
 * ../../../devices/pci0000:64/0000:64:00.0/0000:65:00.2/NAME, ../../../devices/virtual/vduse/D/D,
 * or ../../../devices/NAME of a simulator.
 */
static int read_place(const struct host *host, const char *name, struct vdpa_device *dev,
		      struct err *e)
{
	static const char vduse[] = "/virtual/vduse";
	char target[PATH_MAX], *parent;
	int r = fs_readlink(host->root, target, sizeof(target), e, VDPA_DIR "/%s", name);

	if (r <= 0)
		return r;
	parent = strrchr(target, '/');
	if (parent)
		*parent = '\0';
	parent = parent ? strrchr(target, '/') : NULL;
	if (!parent)
		return 1;
	*parent++ = '\0';
	if (strlen(target) >= strlen(vduse) &&
	    strcmp(target + strlen(target) - strlen(vduse), vduse) == 0) {
		on_bus(dev, "", "vduse");
		return 1;
	}
	return vdpa_device_place(host, parent, dev, e) < 0 ? -1 : 1;
}

int vdpa_device_glance(const struct host *host, const char *name, struct vdpa_device *ret,
		       struct err *e)
{
	struct vdpa_device dev = { .ifindex = 0 };
	int r = read_place(host, name, &dev, e);

	if (r > 0)
		r = fs_readlink_base(host->root, dev.driver, sizeof(dev.driver), e,
				     VDPA_DIR "/%s/driver", name) < 0 ? -1 : 1;
	if (r > 0)
		*ret = dev;
	return r;
}
