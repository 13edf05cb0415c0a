/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch_conf.h - the key switch, which makes a socket's other end, or a representor, a switch port
 */
#ifndef CONF_SWITCH_CONF_H
#define CONF_SWITCH_CONF_H

#include "base/err.h"
#include "conf/socket_conf.h"

#include <jansson.h>

#define SWITCH_OVS_MS		5000
#define SWITCH_EXEC_MS		10000
#define SWITCH_EXEC_MAX		255	/* bytes of a program's path */

extern const struct conf_key switch_key[], switch_keys[];

/* Read a configuration: 1, 0 absent, -1 with ERR_NETCONF.  Strings are borrowed from doc. */
int switch_conf_parse(const json_t *doc, struct switch_conf *ret, struct err *e) must_check;

/* Set an Open vSwitch bridge (NULL or "": none) with defaults for all else; key is for messages. */
int switch_conf_bridge(const char *bridge, const char *key, struct switch_conf *ret, struct err *e)
	must_check;

#endif
