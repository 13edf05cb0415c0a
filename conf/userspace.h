/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userspace.h - userspace-cni's keys for a socket attachment
 *
 * The keys are host, container, sharedDir and mappedDir.  `host` is the switch's side and
 * `container` the application's; iftype, vhost and memif are read in both, engine and bridge in
 * host.  devinfo.conf(5) has the table.
 */
#ifndef CONF_USERSPACE_H
#define CONF_USERSPACE_H

#include "base/err.h"
#include "conf/socket_conf.h"

#include <jansson.h>

extern const struct conf_key userspace_keys[];

/*
 * Read them: 1, with the other members of *ret unchanged; 0: none of these keys; -1: ERR_NETCONF.
 */
int userspace_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

#endif
