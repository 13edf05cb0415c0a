/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status_entry.h - the entries of one attachment in network-status
 *
 * Multi-Network specification 1.3, section 4; device-info as in the Device Information
 * Specification, section 6.  Members, their order and values are those of Multus, but for what
 * SPEC-NOTES.md says of it.
 */
#ifndef CNI_CALL_STATUS_ENTRY_H
#define CNI_CALL_STATUS_ENTRY_H

#include "devinfo/journal/record.h"

#include <jansson.h>
#include <stdint.h>

/* In an entry of another interface that an attachment has made: the attachment's own. */
#define STATUS_OF	"devinfo.cni.dev/attachment"

/*
 * Make the entries of an attachment, a new array, from the namespace of its definition ("": none,
 * or not known), its CNI result in the form of convert.h, its MTU in bytes if the result has none
 * (0: none), and its device-info (NULL: none).  There is one for its own interface, and one for
 * each other that the result has in a sandbox; the device, and addresses of no interface, are its
 * own interface's.
 */
json_t *status_entries(const struct owner *o, const char *name_space, const json_t *result,
		       uint32_t mtu, const json_t *device_info);

/*
 * Return the value of the annotation for a list of entries, as Multus writes it, owned; NULL for
 * want of memory.
 */
char *status_annotation(const json_t *list);

#endif
