/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cdi_file.h - specifications of the Container Device Interface about the devices of resources
 *
 * One file a resource, of the kind that cdi_kind() says, with the devices that have nodes, under
 * their ids.  A container that starts again is made from it once more: so what it says of a device
 * that an attachment has stays, and is there for as long.  No other program writes files of these
 * names.
 */
#ifndef DAEMON_PLUGIN_CDI_FILE_H
#define DAEMON_PLUGIN_CDI_FILE_H

#include "daemon/plugin/access.h"

#include <stddef.h>
#include <stdint.h>

#define CDI_DIR "/var/run/cdi"

/* What was logged: zero at first. */
struct cdi_told {
	uint64_t *before, *now;		/* owned; hashes, of the last look and of this one */
	size_t n_before, n_now;
};

/* Another look begins: what was told at the last one is not told again. */
void cdi_told_turn(struct cdi_told *t);
void cdi_told_done(struct cdi_told *t);
/* Is this to be told at this look?  id: of a device, or "". */
bool cdi_told_is_new(struct cdi_told *t, const char *resource, const char *id);

/*
 * Write the specification of an offer, unless its file says the same; where no device has nodes
 * there is no file.  A device of which the nodes cannot be told is left out, which is logged; t may
 * be NULL.
 */
int cdi_file_write(const struct access_world *w, struct cdi_told *t, struct err *e) must_check;

/* Before a container is given them: are these names in the file?  It is written if they are not. */
int cdi_file_ensure(const struct access_world *w, const struct access *a,
		    struct err *e) must_check;

/* The end of a resource: only devices that an attachment has stay in the file. */
int cdi_file_withdraw(const struct host *host, const struct offer *o, struct err *e) must_check;

/* Remove those of other resources than these, but for one by which a pod has a device. */
int cdi_file_remove_others(const struct host *host, const struct offers *o,
			   struct err *e) must_check;

#endif
