/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - what people call a vendor and a device, by the PCI ID list of this machine
 *
 * That is a text of vendors, each with its devices behind it:
 *	8086  Intel Corporation
 *		1521  I350 Gigabit Network Connection
 *			1028 1f60  (of a subsystem)
 */
#include "manager/inventory/read.h"

#include "base/fs.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 8 << 20, ID = 4 };	/* some 1.4 MiB today; digits of an ID */

/* The name in a line that begins with this ID and a blank, behind so many tabs; else NULL. */
static const char *name_in(const char *line, size_t tabs, const char *id)
{
	if (strspn(line, "\t") != tabs || strlen(id) != ID ||
	    strncasecmp(line + tabs, id, ID) != 0)
		return NULL;
	line += tabs + ID;
	return *line == ' ' ? line + strspn(line, " ") : NULL;
}

static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line && line[1] ? line + 1 : NULL;
}

static void take_name(const char *name, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%.*s", (int)strcspn(name, "\n"), name);
}

void names_find(const char *list, const char *vendor, const char *device, struct inv_function *f)
{
	const char *name = NULL;

	while (list && !(name = name_in(list, 0, vendor)))
		list = next_line(list);
	if (!name)
		return;
	take_name(name, f->vendor_name, sizeof(f->vendor_name));
	while ((list = next_line(list)) && strchr("\t#\n", *list))
		if ((name = name_in(list, 1, device))) {
			take_name(name, f->device_name, sizeof(f->device_name));
			return;
		}
}

/* Where no list is, or one that cannot be read, there are no names. */
static char *read_list(void)
{
	/* Debian has it in the first place, Fedora and others in the second. */
	static const char *const places[] = {
		"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"
	};
	char *list = NULL;
	struct err ignored;
	size_t len;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (fs_read_path(places[i], LIST_BYTES, &list, &len, &ignored) > 0)
			return list;
	return NULL;
}

/* Neighbours are often the same: VFs. */
void read_names(struct inventory *inv)
{
	auto_free char *list = NULL;

	for (size_t i = 0; i < inv->n_functions; i++) {
		struct inv_function *f = &inv->functions[i], *before = i ? f - 1 : f;

		if (!*f->vendor || *f->vendor_name)
			continue;
		if (i && strcmp(f->vendor, before->vendor) == 0 &&
		    strcmp(f->device, before->device) == 0) {
			memcpy(f->vendor_name, before->vendor_name, sizeof(f->vendor_name));
			memcpy(f->device_name, before->device_name, sizeof(f->device_name));
			continue;
		}
		if (!list && !(list = read_list()))
			return;
		names_find(list, f->vendor, f->device, f);
	}
}
