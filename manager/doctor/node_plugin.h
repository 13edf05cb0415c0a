/* SPDX-License-Identifier: Apache-2.0 */
/* node_plugin.h - the plugins that the node's CNI configurations name */
#ifndef MANAGER_DOCTOR_NODE_PLUGIN_H
#define MANAGER_DOCTOR_NODE_PLUGIN_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>

/*
 * What each answers to VERSION, by its type; a new reference:
 *
 *	{ "devinfo": { "versions": ["0.1.0", "1.1.0"] }, "bridge": { "missing": true },
 *	  "tuning": { "error": "why it does not answer" },
 *	  "sriov": { "versions": [...], "is_devinfo": true },
 *	  "firewall": { "versions": [...], "is_podmans": true } }
 *
 * Of the machine that we run on: plugins are run.  It is the member "plugins" of INVENTORY_FACTS.
 */
json_t *node_plugins(const struct host *host, struct err *e) must_check;

#endif
