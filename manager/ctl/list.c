/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - devinfoctl list: who has which device?
 *
 * A row for each attachment of the journal, in the order of the devices, with its pod and whether
 * its container lives.  A record that is damaged, or another version's, has a row as well, with as
 * much of its owner as is known.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "devinfo/node/socket_mount.h"
#include "manager/ctl/attachment.h"
#include "manager/ctl/table.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct ctl_column columns[] = {
	{ "DEVICE", "device", .wide = false },
	{ "HOST NAME", "host_name", .wide = false },
	{ "POD", "pod", .wide = false },
	{ "NETWORK", "network", .wide = false },
	{ "INTERFACE", "interface", .wide = false },
	{ "KIND", "kind", .wide = false },
	{ "STATE", "state", .coloured = true },
	{ "CONTAINER", "container_id", .wide = false },
	{ "NETNS", "netns", .wide = true },
	{ "FILE", "file", .wide = true },
};

static bool is_bad(const struct inv_attachment *a)
{
	return strcmp(a->state, "damaged") == 0 || strcmp(a->state, "unreadable") == 0 ||
	       strncmp(a->state, "version ", strlen("version ")) == 0;
}

static void tell_bad(const struct inv_attachment *a)
{
	bool by_another = strncmp(a->state, "version ", strlen("version ")) == 0;

	ctl_put_line(stderr, "devinfoctl: record '%s': %s%s%s", a->file, by_another ? "" : a->state,
		     by_another ? "" : ": ", a->why);
}

/* Another version's is no bad news: that version can read it. */
static bool tell_all_bad(const struct inventory *inv)
{
	unsigned int damaged = 0, unread = 0;

	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (is_bad(a))
			tell_bad(a);
		damaged += strcmp(a->state, "damaged") == 0;
		unread += strcmp(a->state, "unreadable") == 0;
	}
	if (damaged)
		(void)fprintf(stderr, "devinfoctl: damaged records, whose devices are given to "
				      "nobody: %u; see devinfo(8)\n", damaged);
	return damaged || unread;
}

/* Of sockets that a device plugin has made, that is its own concern. */
static void warn_of_sockets(const struct host *host, const struct inventory *inv)
{
	char weak[512];
	size_t i = 0;

	while (i < inv->n_attachments && (strcmp(inv->attachments[i].kind, "socket") != 0 ||
					  inv->attachments[i].from_plugin))
		i++;
	if (i < inv->n_attachments && socket_mount_is_weak(host, weak))
		ctl_put_line(stderr, "devinfoctl: warning: %s", weak);
}

static void put_attachments(const struct ctl_options *opt, const struct inventory *inv)
{
	json_auto_t *rows = json_array();

	for (size_t i = 0; i < inv->n_attachments; i++)
		(void)json_array_append_new(rows, ctl_attachment_row(opt, &inv->attachments[i]));
	ctl_put_rows(opt, columns, ARRAY_SIZE(columns), rows, "no attachments");
}

enum ctl_status ctl_list(const struct host *host, const struct ctl_options *opt,
			 char *const *operands)
{
	auto_inventory struct inventory inv = { .n_attachments = 0 };
	struct err e = { 0 };

	(void)operands;
	if (inventory_read_attachments(host, &inv, &e) < 0)
		return ctl_error(&e);
	put_attachments(opt, &inv);
	warn_of_sockets(host, &inv);
	return tell_all_bad(&inv) ? CTL_FAILED : CTL_OK;
}
