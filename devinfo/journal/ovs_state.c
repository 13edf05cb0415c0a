/* SPDX-License-Identifier: Apache-2.0 */
/* ovs_state.c - a device's port of Open vSwitch, as a part of an attachment's record */
#include "devinfo/journal/ovs_state.h"

#include "base/name.h"

static bool is_path(const char *path)
{
	return *path == '/';
}

#define OF(member)	FIELD(struct ovs_state, member)

static const struct field field[] = {
	{ "port", OF(port), .required = true, .fits = name_is_ifname },
	{ "bridge", OF(bridge), .required = true, .fits = name_is_ifname },
	{ "db", OF(db), .required = true, .fits = is_path },
	{ "timeoutMs", OF(timeout_ms), .required = true, .min = 1 },
};

const struct fields ovs_state_fields = FIELDS(field, NULL);
