/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_info.c - the device-info of a vDPA device, made, completed and repaired */
#include "devinfo/node/vdpa_info.h"

#include "base/fs.h"
#include "devinfo/node/discover.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* driver and path, in the specification's words */
static int reach_by_vhost(const struct vdpa_device *dev, struct vdpa_info *ret, struct err *e)
{
	if (!*dev->node)
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s has no device node", dev->name);
	memcpy(ret->driver, "vhost", sizeof("vhost"));
	(void)snprintf(ret->path, sizeof(ret->path), "/dev/%s", dev->node);
	return 0;
}

static int reach_by_virtio(const struct host *host, const struct vdpa_device *dev,
			   struct vdpa_info *ret, struct err *e)
{
	int r;

	if (!dev->siblings && !*dev->virtio)
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s has no virtio device", dev->name);
	if (!*dev->virtio)
		return err_set(e, ERR_DEVICE, 0,
			       "vDPA device %s: which of %u virtio devices is its own cannot be "
			       "told",
			       dev->name, dev->siblings);
	memcpy(ret->driver, "virtio", sizeof("virtio"));
	(void)snprintf(ret->path, sizeof(ret->path), "/sys/bus/virtio/devices/%s", dev->virtio);
	r = fs_exists(host->root, e, "%s", ret->path);
	return r == 0 ? err_set(e, ERR_DEVICE, ENOENT, "%s of vDPA device %s", dev->virtio,
				dev->name) : r;
}

static int check_reach(const struct host *host, const struct vdpa_device *dev,
			 struct vdpa_info *ret, struct err *e)
{
	(void)snprintf(ret->parent_device, sizeof(ret->parent_device), "%s", dev->name);
	if (strcmp(dev->driver, "vhost_vdpa") == 0)
		return reach_by_vhost(dev, ret, e);
	if (strcmp(dev->driver, "virtio_vdpa") == 0)
		return reach_by_virtio(host, dev, ret, e);
	return err_set(e, ERR_DEVICE, 0, *dev->driver ? "vDPA device %s is bound to %s" :
							"vDPA device %s is bound to no driver",
		       dev->name, dev->driver);
}

int vdpa_info_check(const struct vdpa_device *dev, const struct device_info *di, struct err *e)
{
	/* a sub-function has no address: that of its PF, where a device plugin wrote one */
	const char *bdf = *dev->bdf ? dev->bdf : *dev->auxiliary ? dev->pf_bdf : "";
	const char *said = di->vdpa.pci_address;

	if (di->kind != DEVICE_VDPA)
		return err_set(e, ERR_DEVINFO, 0,
			       "%s is a vDPA device, its device-info is of type '%s'", dev->name,
			       device_kind_name(di->kind));
	if (*said && strcmp(said, bdf) != 0)
		return err_set(e, ERR_DEVINFO, 0,
			       "vDPA device %s is on %s, its device-info is about %s", dev->name,
			       *bdf ? bdf : "no PCI function", said);
	return 0;
}

/* "path 'pci/0000:65:00.3' is '/dev/vhost-vdpa-0'" */
static void repair(char *field, size_t size, const char *key, const char *want,
		   char note[VDPA_REPAIRED])
{
	size_t used = strlen(note);

	if (strcmp(field, want) == 0)
		return;
	if (*field)
		(void)snprintf(note + used, VDPA_REPAIRED - used, "%s%s '%.64s' is '%.64s'",
			       used ? ", " : "", key, field, want);
	else
		(void)snprintf(note + used, VDPA_REPAIRED - used, "%s%s was missing",
			       used ? ", " : "", key);
	(void)snprintf(field, size, "%s", want);
}

/* Its addresses and representor, and that all is well. */
static int complete(const struct host *host, const struct vdpa_device *dev, struct device_info *di,
		    struct err *e)
{
	struct sub_function sf;
	struct pci_device pci;
	int r = 1;

	if (*dev->bdf) {
		r = eswitch_pci(host, dev->bdf, &pci, e);
		if (r > 0 && device_info_enrich(host, &pci, NULL, di, e) < 0)
			return -1;
	} else if (*dev->auxiliary) {
		r = sysfs_sub_function(host, dev->auxiliary, &sf, e);
		if (r > 0 && device_info_enrich_sf(host, &sf, NULL, di, e) < 0)
			return -1;
		if (!*di->vdpa.pf_pci_address)
			memcpy(di->vdpa.pf_pci_address, dev->pf_bdf, sizeof(dev->pf_bdf));
	}
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "what vDPA device %s is on", dev->name);
	return r < 0 ? -1 : device_info_validate(di, dev->name, e);
}

int vdpa_info_enrich(const struct host *host, const struct vdpa_device *dev,
		     struct device_info *di, char repaired[VDPA_REPAIRED], struct err *e)
{
	struct device_info new = *di;	/* borrows the unknown members */
	struct vdpa_info is = { .path = "" }, *said = &new.vdpa;
	char note[VDPA_REPAIRED] = "";

	if (vdpa_info_check(dev, di, e) < 0 || check_reach(host, dev, &is, e) < 0)
		return -1;
	repair(said->parent_device, sizeof(said->parent_device), "parent-device",
	       is.parent_device, note);
	repair(said->driver, sizeof(said->driver), "driver", is.driver, note);
	repair(said->path, sizeof(said->path), "path", is.path, note);
	if (complete(host, dev, &new, e) < 0)
		return -1;
	memcpy(repaired, note, sizeof(note));
	*di = new;
	return 0;
}

int vdpa_info_discover(const struct host *host, const struct vdpa_device *dev,
		       struct device_info *ret, struct err *e)
{
	struct device_info di = { .kind = DEVICE_VDPA, .version = DEVICE_INFO_VERSION };
	char repaired[VDPA_REPAIRED];

	if (vdpa_info_enrich(host, dev, &di, repaired, e) < 0)
		return -1;
	*ret = di;
	return 0;
}
