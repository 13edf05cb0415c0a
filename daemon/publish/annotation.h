/* SPDX-License-Identifier: Apache-2.0 */
/* annotation.h - network-status of the node's pods, from the files of status */
#ifndef DAEMON_PUBLISH_ANNOTATION_H
#define DAEMON_PUBLISH_ANNOTATION_H

#include "base/err.h"
#include "daemon/publish/publish.h"

struct annotations;

struct annotations *annotations_new(const struct publishing *p, struct err *e) must_check;
/* Files of status may have changed. */
void annotations_due(struct annotations *a);
void annotations_free(struct annotations *a);

#endif
