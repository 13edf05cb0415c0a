/* SPDX-License-Identifier: Apache-2.0 */
/* driver_policy.c - which drivers for user space may a device be given to? */
#include "cni/driver/driver.h"

#include "base/fs.h"

#include <string.h>

#define PCI_DIR "/sys/bus/pci/devices/"

static bool is_listed(const json_t *list, const char *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (strcmp(json_string_value(v), name) == 0)
			return true;
	return false;
}

/*
 * Does an IOMMU keep its DMA to what it is given?  "DMA", "DMA-FQ" and "blocked" do; "identity"
 * lets all through, and of others ("unknown", as of vfio's groups without an IOMMU) nobody can say.
 */
static int is_confined(const struct host *host, const struct pci_device *dev, struct err *e)
{
	char type[32] = "";

	if (!*dev->iommu_group)
		return 0;
	if (fs_read_line(host->root, type, sizeof(type), e, PCI_DIR "%s/iommu_group/type",
			 dev->bdf) < 0)
		return -1;
	return strncmp(type, "DMA", 3) == 0 || strcmp(type, "blocked") == 0;
}

int driver_check_allowed(const struct host *host, const struct pci_device *dev, const char *driver,
			struct err *e)
{
	const json_t *list = host->set.drivers;
	int r = list ? is_listed(list, driver) :
		driver_is_vfio(driver) ? 1 : is_confined(host, dev, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	if (list)
		return err_set(e, ERR_DEVICE, 0, "device %s may not be bound to %s: it is not in "
			       "drivers of the node's file", dev->bdf, driver);
	return err_set(e, ERR_DEVICE, 0, "device %s may not be bound to %s: no IOMMU confines it, "
		       "and drivers of the node's file does not name %s", dev->bdf, driver, driver);
}
