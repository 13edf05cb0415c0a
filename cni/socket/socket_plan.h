/* SPDX-License-Identifier: Apache-2.0 */
/* socket_plan.h - what the parts of a socket attachment share: paths, and what a switch is told */
#ifndef CNI_SOCKET_PLAN_H
#define CNI_SOCKET_PLAN_H

#include "base/err.h"
#include "cni/aspect/attachment.h"
#include "cni/call/call.h"
#include "cni/switch/switch.h"
#include "conf/netconf.h"
#include "conf/socket_path.h"
#include "conf/socket_slot.h"
#include "devinfo/format/device_info.h"

/*
 * Read what the device plugin says about a device, or else, if it may, the copy of that at the
 * place of the attachment's own file: 1, 0 nothing, -1.
 */
int socket_read_given(const struct host *host, const struct netconf *nc, const char *id,
		      bool copied, struct device_info *ret, struct err *e) must_check;

/* Return the path in it, NULL when it is about no socket; put one there. */
const char *socket_given_path(const struct device_info *di);
void socket_set_info_path(struct device_info *info, const char *path);

/* Take the attachment's part of the device plugin's file: its socket as it is, in its words. */
int socket_probe_from_plugin(struct attachment *a, struct err *e) must_check;

/* Is it one that devinfod has given, whose directory is for this device alone? */
bool socket_is_slot(const struct attachment *a, struct socket_slot *ret);
/* Set owner, mode and label of that directory, where the network's configuration has them. */
int socket_prepare_slot(const struct attachment *a, struct err *e) must_check;

/* Make the paths of an attachment; conf is nc's, or a changed one. */
int socket_make_paths(const struct cni_call *call, const struct netconf *nc,
		      const struct socket_conf *conf, const struct settings *set,
		      struct socket_paths *ret, struct err *e) must_check;

/* Make all that a switch is told of an attachment; nc NULL: its configuration is not known now. */
void socket_switch_port(const struct host *host, const struct netconf *nc, const struct record *rec,
			struct switch_port *ret);

/* Return a text that says what of a socket is in the way; "" when nothing is. */
int socket_probe_text(const struct host *host, const struct socket_state *s,
		      char ret[64], struct err *e) must_check;

#endif
