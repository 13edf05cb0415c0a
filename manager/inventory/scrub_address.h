/* SPDX-License-Identifier: Apache-2.0 */
/* scrub_address.h - the part of scrub.h that is about hardware addresses */
#ifndef MANAGER_INVENTORY_SCRUB_ADDRESS_H
#define MANAGER_INVENTORY_SCRUB_ADDRESS_H

#include "manager/inventory/scrub.h"

/* Replace len bytes of text, which are one address with any separators between its digits. */
void scrub_digits(struct scrub *s, char *text, size_t len);

#endif
