/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userspace.h - userspace-cni's words for a socket attachment
 *
 * host, container, sharedDir and mappedDir.  `host` is the switch's side and `container` the
 * application's; of each are read iftype, vhost and memif, of the host also engine and bridge.
 * devinfo.conf(5) has the table.
 */
#ifndef CONF_USERSPACE_H
#define CONF_USERSPACE_H

#include "base/err.h"
#include "conf/socket_conf.h"

#include <jansson.h>

extern const struct conf_key userspace_keys[];

/* 1 with what is said in *ret, whose other members stay; 0: not in these words; -1 ERR_NETCONF. */
int userspace_conf_parse(const json_t *doc, struct socket_conf *ret, struct err *e) must_check;

#endif
