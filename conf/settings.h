/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - the keys that the node's file and a configuration have in common, and the node's */
#ifndef CONF_SETTINGS_H
#define CONF_SETTINGS_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>

/*
 * Take devinfoDir, stateDir, runDir, kubeletSocket, kubeletDir, sriovStateDir, logFile, logLevel
 * and the ...TimeoutMs keys that are there; others are left alone.  Strings are borrowed from o.  A
 * log's file or level that is none is only noted.  On an error those that are right have been taken
 * all the same, for a DEL that has to go on.
 */
int settings_from_json(const json_t *o, struct settings *ret, struct err *e) must_check;

/*
 * The node's own keys: socketDir, below which root makes directories and gives them away, and
 * switchPrograms, what root runs as a configuration's switch.  Who may write a configuration need
 * not be who may choose either.  Errors as above.
 */
int settings_take_node(const json_t *o, struct settings *ret, struct err *e) must_check;

/* And so they are refused in a configuration, where they would have no effect.  ERR_NETCONF. */
int settings_refuse_node(const json_t *o, struct err *e) must_check;

/* Whether this key is one of those above. */
int settings_knows(const char *key) must_check;

#endif
