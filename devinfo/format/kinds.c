/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the table of the types of section 3, each of which has its row in a file kind_*.c */
#include "devinfo/format/kind.h"

#include <assert.h>

const struct kind *const kinds[] = {
	[DEVICE_PCI] = &kind_pci,
	[DEVICE_VDPA] = &kind_vdpa,
	[DEVICE_VHOST_USER] = &kind_vhost_user,
	[DEVICE_MEMIF] = &kind_memif,
};
static_assert(ARRAY_SIZE(kinds) == DEVICE_KINDS, "every kind has its table");

const char *device_kind_name(enum device_kind kind)
{
	return kinds[kind]->name;
}
