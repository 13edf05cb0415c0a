/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - which devices does the node give away, and to which drivers?
 *
 * What nobody may have, whatever is configured, would take something from the node or from others:
 * a physical function that has VFs, and what a default route of the host leaves by.  The rest is
 * the node's file's to say, as whether a device may go on which the host has an address.
 */
#ifndef CNI_ATTACH_POLICY_H
#define CNI_ATTACH_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/attach/choose.h"
#include "cni/call/call.h"
#include "netlink/mnl.h"

/*
 * May this attachment have the device of a choice, that choose_read() has read?  home is a
 * connection in the host's namespace.  ERR_DEVICE, naming it and the reason.
 */
int policy_check_device(const struct host *host, const struct cni_call *call, struct nl *home,
			const struct choice *c, struct err *e) must_check;

#endif
