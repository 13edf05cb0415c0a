/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - the keys of the node's file, and those of them that a network may say as well */
#ifndef CONF_SETTINGS_H
#define CONF_SETTINGS_H

#include "base/err.h"
#include "base/host.h"
#include "conf/keys.h"

#include <jansson.h>

/*
 * Take the settings that conf/keys.h lets stand there: all of them from IN_NODE_FILE; from
 * IN_NETWORK the time limits, the level of the log, and a log's file as a wish (wanted_log_file).
 * Others are left alone.  Strings are borrowed from o.  A log's file or level that cannot be is
 * only noted.  On an error (ERR_NETCONF, the first) those that are right have been taken all the
 * same, for a DEL that has to go on.
 */
int settings_take(const json_t *o, enum key_in in, struct settings *ret, struct err *e) must_check;

/* Of the node's file alone; of both; of a network. */
extern const struct conf_key node_settings_keys[], time_limit_keys[], network_log_keys[];

/* Of struct node. */
extern const struct conf_key node_root_key[];

/* What podMayOverride may name: the keys that pods and networks have in common. */
extern const char *const pod_override_choices[];

#endif
