/* SPDX-License-Identifier: Apache-2.0 */
/* textfile.h - metrics as a file, for node_exporter's textfile collector */
#ifndef DAEMON_METRICS_TEXTFILE_H
#define DAEMON_METRICS_TEXTFILE_H

#include "base/host.h"
#include "daemon/metrics/exposition.h"

/* Replace the file, in one step; everybody may read it.  0, -1. */
int textfile_write(const struct host *host, const char *path, const struct exposition *x,
		   struct err *e) must_check;
/* What is not written any more is not to be told as if it were. */
void textfile_remove(const struct host *host, const char *path);

#endif
