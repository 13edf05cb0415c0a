/* SPDX-License-Identifier: Apache-2.0 */
/* kind_pci.c - device-info of type "pci" (section 3.1.3) */
#include "devinfo/format/kind.h"

#include "base/name.h"

#include <string.h>

/* One name, or several joined with ',' as the SR-IOV device plugin writes them. */
static bool is_rdma_list(const char *value)
{
	size_t len = strlen(value);

	return !strchr(value, '/') && value[0] != ',' && value[len - 1] != ',' &&
	       !strstr(value, ",,");
}

static const struct kind_field fields[] = {
	{ KIND_FIELD(pci.pci_address, "pci-address"), .required = true, KIND_BDF },
	{ KIND_FIELD(pci.vhost_net, "vhost-net"), KIND_PATH },
	{ KIND_FIELD(pci.rdma_device, "rdma-device"), .fits = is_rdma_list,
	  .want = "RDMA device names joined with ','" },
	{ KIND_FIELD(pci.pf_pci_address, "pf-pci-address"), KIND_BDF },
	{ KIND_FIELD(pci.representor_device, "representor-device"), .since_1_1 = true,
	  KIND_NETDEV },
};

const struct kind kind_pci = { .name = "pci", .fields = fields, .count = ARRAY_SIZE(fields) };
