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

/*
 * podMayOverride: which keys of args.cni go before what the network says.  An absent one leaves
 * *ret; borrowed from o.  ERR_NETCONF for a key that pods and networks have not in common.
 */
int settings_overrides(const json_t *o, const json_t **ret, struct err *e) must_check;

#endif
