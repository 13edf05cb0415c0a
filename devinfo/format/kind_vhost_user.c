/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_vhost_user.c - device-info of type "vhost-user" (section 3.1.5)
 *
 * The mode is the application's: "client" attaches to a socket that the host has
 * created, "server" creates it.
 */
#include "devinfo/format/kind.h"

static bool is_mode(const char *value)
{
	static const char *const list[] = { "client", "server" };

	return kind_is_one_of(value, list, ARRAY_SIZE(list));
}

static const struct kind_field fields[] = {
	{ KIND_FIELD(vhost_user.mode, "mode"), .required = true, .fits = is_mode,
	  .want = "'client' or 'server'" },
	{ KIND_FIELD(vhost_user.path, "path"), .required = true, KIND_PATH },
};

const struct kind kind_vhost_user = {
	.name = "vhost-user",
	.fields = fields,
	.count = ARRAY_SIZE(fields),
};
