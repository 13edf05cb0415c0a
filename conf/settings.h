/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - the keys of the node's file, and those that a network may set as well */
#ifndef CONF_SETTINGS_H
#define CONF_SETTINGS_H

#include "base/err.h"
#include "base/host.h"
#include "conf/keys.h"

#include <jansson.h>

/*
 * Read the settings that conf/keys.h allows there: all from IN_NODE_FILE; from IN_NETWORK the time
 * limits, the log level, and a log file as a request (wanted_log_file).  Other keys are ignored.
 * Strings are borrowed from o.  A log file or level that is not valid is noted in *ret and no
 * error. -1 with ERR_NETCONF for the first wrong key; the valid ones are in *ret, for a DEL that
 * has to continue.
 */
int settings_take(const json_t *o, enum key_in in, struct settings *ret, struct err *e) must_check;

/* The rows of the node's file alone; of both; of a network. */
extern const struct conf_key node_settings_keys[], time_limit_keys[], network_log_keys[];

/* The rows of the object of this name in the node's file, which only devinfod goes by. */
#define DEVINFOD_KEY	"devinfod"
extern const struct conf_key devinfod_keys[];

/* The row "root", for struct node. */
extern const struct conf_key node_root_key[];

/* The keys that podMayOverride may list: those that pods and networks have in common. */
extern const char *const pod_override_choices[];

#endif
