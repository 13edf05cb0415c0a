/* SPDX-License-Identifier: Apache-2.0 */
/* feature.h - the NodeFeature of the node, as `devinfoctl export nodefeature` prints it */
#ifndef DAEMON_PUBLISH_FEATURE_H
#define DAEMON_PUBLISH_FEATURE_H

#include "base/err.h"
#include "daemon/publish/publish.h"

struct feature;

struct feature *feature_new(const struct publishing *p, struct err *e) must_check;
/* The node may have changed. */
void feature_due(struct feature *f);
void feature_free(struct feature *f);

#endif
