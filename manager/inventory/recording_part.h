/* SPDX-License-Identifier: Apache-2.0 */
/* recording_part.h - shared by the files recording*.c */
#ifndef MANAGER_INVENTORY_RECORDING_PART_H
#define MANAGER_INVENTORY_RECORDING_PART_H

#include "base/host.h"
#include "manager/inventory/inventory.h"
#include "manager/inventory/scrub.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* What is written for a file. */
enum form {
	FORM_NONE,			/* of a directory: itself and its links, no file */
	FORM_TEXT,			/* the kernel's own text, unchanged */
	FORM_WORD,			/* one word, a path say */
	FORM_ASSIGNED,			/* lines "NAME=value", or "NAME" */
	FORM_HEX,			/* its line is an address */
	FORM_NUMBERS,			/* of a device node: those that its copy has */
	FORM_EMPTY,			/* only that it exists */
	FORM_RECORD,			/* of the journal; for a truncated one its owner */
	FORM_LEDGER,
	FORM_EARLIER,			/* of a directory: dirs.json, see earlier.h */
	FORM_DEVICE_INFO,
	FORM_STATUS,
	FORM_CACHE,			/* libcni's */
	FORM_CONF,			/* of a directory: what a runtime takes for one, as JSON */
	FORM_NODE_FILE,			/* the same for the node's own */
	FORM_CHECKPOINT,		/* of a directory: kubelet's, what it says of devices */
};

struct recording {
	const struct host *host;
	FILE *to;
	struct scrub scrub;
	json_t *seen;			/* owned: paths that are in the archive */
};

void recording_init(struct recording *r);
void recording_done(struct recording *r);
#define auto_recording auto_with(recording_done)

/*
 * Add a file in this form; nothing happens when it is absent, unreadable or in the archive already.
 */
void recording_file(struct recording *r, const char *path, enum form form);
/* Add the first line of a file of /proc, which has no size. */
void recording_line(struct recording *r, const char *path);
/* Add /proc/modules with the names alone, because the rest has kernel addresses. */
void recording_modules(struct recording *r);
/* Add a link, with its target in *target unless that is NULL; false when there is none. */
bool recording_link(struct recording *r, const char *path, char target[PATH_MAX]);
/* Add a directory with all its files in this form, and its links. */
void recording_dir(struct recording *r, const char *path, enum form form);
/* Add a directory without its content; false when it is absent or in the archive already. */
bool recording_bare_dir(struct recording *r, const char *path);
/* Add a device node, if the path exists. */
void recording_node(struct recording *r, const char *dir, const char *name);

/* Add the sysfs directories of the inventory's devices. */
void recording_sysfs(struct recording *r, const struct inventory *inv);

#endif
