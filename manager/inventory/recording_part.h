/* SPDX-License-Identifier: Apache-2.0 */
/* recording_part.h - what the files of recording*.c have in common */
#ifndef MANAGER_INVENTORY_RECORDING_PART_H
#define MANAGER_INVENTORY_RECORDING_PART_H

#include "base/host.h"
#include "manager/inventory/inventory.h"
#include "manager/inventory/scrub.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* What is written of a file. */
enum form {
	FORM_NONE,			/* of a directory: itself and its links, no file */
	FORM_TEXT,			/* the kernel's: no other words than its own */
	FORM_WORD,			/* one word, a path say */
	FORM_ASSIGNED,			/* lines "NAME=value", or "NAME" */
	FORM_HEX,			/* its line is an address */
	FORM_NUMBERS,			/* of a device node: those that its copy has */
	FORM_EMPTY,			/* that it is there */
	FORM_RECORD,			/* of the journal: of a torn one, whose it was */
	FORM_LEDGER,
	FORM_EARLIER,			/* of a directory: the note of earlier directories */
	FORM_DEVICE_INFO,
	FORM_STATUS,
	FORM_CACHE,			/* libcni's */
	FORM_CONF,			/* of a directory: what a runtime takes for one, as JSON */
	FORM_NODE_FILE,			/* the same of the node's own */
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

/* What is absent or cannot be read is left out, what is there already is passed over. */
void recording_file(struct recording *r, const char *path, enum form form);
/* The first line of a file of /proc, whose size nobody knows before. */
void recording_line(struct recording *r, const char *path);
/* /proc/modules, with the names alone: the rest tells where in the kernel they are. */
void recording_modules(struct recording *r);
/* A link, with its target in *target where that is not NULL: is there one? */
bool recording_link(struct recording *r, const char *path, char target[PATH_MAX]);
/* A directory with all its files in this form, and its links. */
void recording_dir(struct recording *r, const char *path, enum form form);
/* A directory without what is in it: is there one, which was not written before? */
bool recording_bare_dir(struct recording *r, const char *path);
/* A device node, where there is something. */
void recording_node(struct recording *r, const char *dir, const char *name);

/* The devices of the inventory. */
void recording_sysfs(struct recording *r, const struct inventory *inv);

#endif
