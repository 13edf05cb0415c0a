/* SPDX-License-Identifier: Apache-2.0 */
/* kind_vdpa.c - device-info of type "vdpa" (section 3.1.4) */
#include "devinfo/format/kind.h"

#include "base/name.h"

#include <string.h>

static bool is_driver(const char *value)
{
	static const char *const list[] = { "vhost", "virtio" };

	return kind_is_one_of(value, list, ARRAY_SIZE(list));
}

/* sriov-network-device-plugin#492: what the path of a VF's vDPA device was for a while. */
static const char *hint(const struct device_info *di)
{
	if (strncmp(di->vdpa.path, "pci/", 4) != 0)
		return NULL;
	return "'pci/...' is the handle of the management device, which some device plugins write "
	       "in place of /dev/vhost-vdpa-N";
}

static const struct kind_field fields[] = {
	{ KIND_FIELD(vdpa.parent_device, "parent-device"), .required = true,
	  .repairable = true, .fits = name_is_file, .want = "a name of /sys/bus/vdpa/devices" },
	{ KIND_FIELD(vdpa.driver, "driver"), .required = true, .repairable = true,
	  .fits = is_driver, .want = "'vhost' or 'virtio'" },
	{ KIND_FIELD(vdpa.path, "path"), .required = true, .repairable = true, KIND_PATH },
	{ KIND_FIELD(vdpa.pci_address, "pci-address"), KIND_BDF },
	{ KIND_FIELD(vdpa.pf_pci_address, "pf-pci-address"), KIND_BDF },
	{ KIND_FIELD(vdpa.representor_device, "representor-device"), .since_1_1 = true,
	  KIND_NETDEV },
};

const struct kind kind_vdpa = {
	.name = "vdpa",
	.fields = fields,
	.count = ARRAY_SIZE(fields),
	.hint = hint,
};
