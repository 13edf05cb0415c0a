/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_entry.h - the entry of one attachment in network-status
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
 * Make the entry of an attachment, a new reference, from the namespace of its definition ("": none,
 * or not known), its CNI result in the form of convert.h, without addresses of other interfaces,
 * its MTU in bytes if the result has none (0: none), and its device-info (NULL: none).
 */
json_t *status_entry(const struct owner *o, const char *name_space, const json_t *result,
		     uint32_t mtu, const json_t *device_info);

#endif
