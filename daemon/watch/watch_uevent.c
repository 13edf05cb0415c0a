/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_uevent.c - devices that come, go, or get another driver
 *
 * A uevent of the kernel's is "ACTION@DEVPATH" and then KEY=VALUE, each with a NUL behind it:
 * Documentation/core-api/kobject.rst.
 */
#include "daemon/watch/watch_part.h"

#include "base/mem.h"

#include <string.h>

static const char *const subsystems[] = { "auxiliary", "infiniband", "net", "pci", "vdpa",
					  "virtio" };

/* The value of KEY=..., which the header of the message is none of; NULL. */
static const char *find(const char *uevent, size_t len, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = uevent; at < uevent + len; at += strlen(at) + 1)
		if (strncmp(at, key, n) == 0 && at[n] == '=')
			return at + n + 1;
	return NULL;
}

bool watch_is_device(const void *message, size_t len)
{
	const char *uevent = message, *path, *subsystem;

	if (len == 0 || uevent[len - 1] != '\0')	/* cut: it may have been one */
		return true;
	path = find(uevent, len, "DEVPATH");
	subsystem = find(uevent, len, "SUBSYSTEM");
	if (!path || !subsystem || strncmp(path, "/devices/virtual/", 17) == 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(subsystems); i++)
		if (strcmp(subsystem, subsystems[i]) == 0)
			return true;
	return false;
}
