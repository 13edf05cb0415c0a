/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_memif.c - device-info of type "memif" (section 3.1.6)
 *
 * The role is the application's: "master" creates the socket, "slave" attaches to
 * one that the host has created.
 */
#include "devinfo/format/kind.h"

#include <assert.h>
#include <string.h>

static bool is_role(const char *value)
{
	static const char *const list[] = { "master", "slave" };

	return kind_is_one_of(value, list, ARRAY_SIZE(list));
}

static bool is_mode(const char *value)
{
	static const char *const list[] = { "ethernet", "ip", "inject-punt" };

	return kind_is_one_of(value, list, ARRAY_SIZE(list));
}

/* The Go client's constant for the specification's "inject-punt" is "punt". */
static void canonise_mode(char *value)
{
	static const char spec[] = "inject-punt";

	static_assert(sizeof(spec) <= sizeof(((struct memif_info *)NULL)->mode),
		      "mode is too short");
	if (strcmp(value, "punt") == 0)
		memcpy(value, spec, sizeof(spec));
}

static const struct kind_field fields[] = {
	{ KIND_FIELD(memif.role, "role"), .required = true, .fits = is_role,
	  .want = "'master' or 'slave'" },
	{ KIND_FIELD(memif.path, "path"), .required = true, KIND_PATH },
	{ KIND_FIELD(memif.mode, "mode"), .required = true, .canonise = canonise_mode,
	  .fits = is_mode, .want = "'ethernet', 'ip' or 'inject-punt'" },
};

const struct kind kind_memif = { .name = "memif", .fields = fields, .count = ARRAY_SIZE(fields) };
