/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network_call.h - the calls of plugins by which a pod is attached to a network
 *
 * Theory of operation.  A network without this program among its plugins is one call of this
 * program with these as its `delegates`: so each attachment has its record, device, device-info
 * file and entry of network-status, whatever makes the interface.  A network that has this program
 * in its list is called as a runtime would call it, plugin by plugin.
 *
 * Each plugin gets what was asked for this attachment and no other one, and of that only what it
 * declares as a capability; `cni-args` are in args.cni of each, as with Multus.
 */
#ifndef DEVINFO_NETWORK_CALL_H
#define DEVINFO_NETWORK_CALL_H

#include "devinfo/network/network_definition.h"
#include "devinfo/network/network_selection.h"

#include <jansson.h>
#include <stdbool.h>

/* Is this the configuration of a call of this program? */
bool network_call_is_ours(const json_t *call);

/*
 * Return the call of this program that a runtime has made, a new reference: of that type, whatever
 * name the runtime knows this program by.
 */
json_t *network_call_own(const json_t *conf) must_check;

/*
 * Return a list of configurations, a new reference: the plugins to be run for this attachment, in
 * order; prevResult is not in them.  info_file is the CNIDeviceInfoFile of the attachment, which
 * those get that declare it, and this program in any case; NULL: none.  After
 * network_check_request().
 */
json_t *network_calls(const struct network *n, const struct network_selection *s,
		      const char *info_file) must_check;

#endif
