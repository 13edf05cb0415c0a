/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_entry.h - what network-status says of one attachment
 *
 * Multi-Network specification 1.3, section 4; device-info as in the Device Information
 * Specification, section 6.
 */
#ifndef CNI_CALL_STATUS_ENTRY_H
#define CNI_CALL_STATUS_ENTRY_H

#include "devinfo/journal/record.h"

#include <jansson.h>
#include <stdint.h>

/*
 * The entry of an attachment, new reference: from the namespace of its definition ("": it has none,
 * or that is not known), its CNI result in the form of convert.h, of whose addresses those of other
 * interfaces are left out, its MTU in bytes where the result tells none (0: none), and its
 * device-info (NULL: none).
 */
json_t *status_entry(const struct owner *o, const char *name_space, const json_t *result,
		     uint32_t mtu, const json_t *device_info);

#endif
