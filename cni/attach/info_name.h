/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info_name.h - the name of an attachment's device-info file, one attachment's at a time
 *
 * The runtime may name the file (CNIDeviceInfoFile), and so may the network's author.  A name with
 * the attachment's own container id and interface, as Multus and we make it, always belongs to it;
 * any other name belongs to the attachment whose record has it first, while its container lives.
 * An existing file with such a name that is in no record is another plugin's, and is neither
 * written nor removed.
 */
#ifndef CNI_ATTACH_INFO_NAME_H
#define CNI_ATTACH_INFO_NAME_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/record.h"

#include <stdbool.h>

/* Make the name from the given path, or, without one, from the owner. */
int info_name_make(const struct host *host, const char *given, const struct owner *o, char ret[256],
		   struct err *e) must_check;

/* Get the definition's namespace from a name made by Multus; "" when it has none. */
void info_name_namespace(const char *name, const struct owner *o, const char *pod_namespace,
			 char ret[64]);

/*
 * Take a name for an ADD: it is locked until the journal is closed.  ERR_BUSY when it is that of
 * another attachment whose container lives, or of a file that no attachment of ours has made.
 */
int info_name_take(const struct host *host, const struct journal *j, const struct owner *o,
		   const char *name, struct err *e) must_check;

/*
 * Lock a name to remove its file: true, unless it is that of another attachment by now, or may be.
 */
bool info_name_lock(const struct host *host, const struct journal *j, const struct owner *o,
		    const char *name);
void info_name_unlock(const struct journal *j, const char *name);

#endif
