/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_state.c - a vDPA device before the first change, as a part of an attachment's record */
#include "devinfo/journal/vdpa_state.h"

#include "base/name.h"

static bool is_name_or_none(const char *name)
{
	return !*name || name_is_file(name);
}

#define OF(member)	FIELD(struct vdpa_state, member)

/* The names become parts of paths. */
static const struct field field[] = {
	{ "name", OF(name), .required = true, .fits = name_is_file },
	{ "created", OF(created) },
	{ "mgmt", OF(mgmt) },
	{ "driverBefore", OF(driver_before), .fits = is_name_or_none },
	{ "override", OF(override), .fits = is_name_or_none },
	{ "mac", .type = &field_mac, FIELD_AT(struct vdpa_state, mac_before), .required = true },
	{ "macSet", OF(mac_set) },
	{ "driver", OF(driver), .fits = is_name_or_none },
	{ "ownerSet", OF(owner_set) },
	{ "uid", OF(uid) },
	{ "gid", OF(gid) },
	{ "modeSet", OF(mode_set) },
	{ "mode", OF(mode), .max = 07777 },
};

const struct fields vdpa_state_fields = FIELDS(field, NULL);
