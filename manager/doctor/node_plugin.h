/* SPDX-License-Identifier: Apache-2.0 */
/* node_plugin.h - the plugins that the node's CNI configurations, and records, name */
#ifndef MANAGER_DOCTOR_NODE_PLUGIN_H
#define MANAGER_DOCTOR_NODE_PLUGIN_H

#include "base/err.h"
#include "base/host.h"
#include "manager/doctor/finding.h"

#include <jansson.h>

/*
 * Return each plugin's answer to VERSION, by its type; a new reference:
 *
 *	{ "devinfo": { "versions": ["0.1.0", "1.1.0"] }, "bridge": { "missing": true },
 *	  "tuning": { "error": "why it does not answer" },
 *	  "sriov": { "versions": [...], "is_devinfo": true },
 *	  "firewall": { "versions": [...], "is_podmans": true },
 *	  "whereabouts": { "missing": true, "records": 2, "record": "the first one's file" } }
 *
 * The last is one that records alone name, whose DEL runs it.  On the machine that we run on the
 * plugins are executed; a recorded node has the member "plugins" of INVENTORY_FACTS.
 */
json_t *node_plugins(const struct host *host, struct err *e) must_check;
enum { PLUGINS_MAX = 64 };

/* leak_record.c: add missing plugins that only records name, in the form above. */
void record_plugins_add(const struct host *host, json_t *types);

#endif
