/* SPDX-License-Identifier: Apache-2.0 */
/* slices.h - the ResourceSlices of the node, as `devinfoctl export resourceslice` prints them */
#ifndef DAEMON_PUBLISH_SLICES_H
#define DAEMON_PUBLISH_SLICES_H

#include "base/err.h"
#include "daemon/publish/publish.h"

struct slices;

struct slices *slices_new(const struct publishing *p, struct err *e) must_check;
/* The node may have changed. */
void slices_due(struct slices *s);
/* The cluster may be another one. */
void slices_ask_version(struct slices *s);
void slices_free(struct slices *s);

#endif
