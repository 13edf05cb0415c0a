/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - which devices a node gives to attachments
 *
 * Two kinds are always refused, because they would take something from the node or from others: a
 * physical function that has VFs, and an interface of a default route of the host.  For the rest
 * the node's file decides, such as devices on which the host has an address.
 */
#ifndef CNI_ATTACH_POLICY_H
#define CNI_ATTACH_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/attach/choose.h"
#include "cni/call/call.h"
#include "netlink/nl.h"

/*
 * May this attachment have the device of a choice, that choose_read() has read?  home is a
 * connection in the host's namespace.  ERR_DEVICE, naming it and the reason.
 */
int policy_check_device(const struct host *host, const struct cni_call *call, struct nl *home,
			const struct choice *c, struct err *e) must_check;

#endif
