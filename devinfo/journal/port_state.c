/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_state.c - a representor before the first change, as a part of an attachment's record
 *
 * VLANs are all of them, and those without a tag.
 */
#include "devinfo/journal/port_state.h"

#include "base/name.h"

static bool is_ifname_or_none(const char *name)
{
	return !*name || name_is_ifname(name);
}

#define OF(member)	FIELD(struct port_state, member)

static const struct field field[] = {
	{ "name", OF(name), .required = true, .fits = name_is_ifname },
	{ "ifindex", OF(ifindex), .required = true, .min = 1 },
	{ "master", OF(master) },
	{ "masterName", OF(master_name), .fits = is_ifname_or_none },
	{ "mtu", OF(mtu) },
	{ "up", OF(up) },
	{ "vlans", OF(vlans.all) },
	{ "untagged", OF(vlans.untagged) },
	{ "pvid", OF(vlans.pvid), .max = IDSET_IDS - 1 },
	{ "bridge", OF(bridge) },
	{ "bridgeName", OF(bridge_name), .fits = is_ifname_or_none },
	{ "vlansSet", OF(vlans_set) },
	{ "mtuSet", OF(mtu_set) },
	{ "upSet", OF(up_set) },
};

const struct fields port_state_fields = FIELDS(field, NULL);
