/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - the keys that the node's file and a configuration have in common */
#ifndef CONF_SETTINGS_H
#define CONF_SETTINGS_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>

/*
 * Take devinfoDir, stateDir, runDir, kubeletSocket, kubeletDir, sriovStateDir, socketDir, logFile,
 * logLevel and the ...TimeoutMs keys that are there; others are left alone.  Strings are borrowed
 * from o.  A log's file or level that is none is only noted.  On an error those that are right have
 * been taken all the same, for a DEL that has to go on.
 */
int settings_from_json(const json_t *o, struct settings *ret, struct err *e) must_check;

/*
 * The node's own key switchPrograms: what a configuration may have run as its switch.  Who may
 * write a configuration need not be who may choose what root runs.
 */
int settings_take_programs(const json_t *o, struct settings *ret, struct err *e) must_check;

/* Whether settings_from_json() knows this key. */
int settings_knows(const char *key) must_check;

#endif
