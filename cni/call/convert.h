/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - CNI results of every version, in and out
 *
 * Inside the program a result has one form, that of cniVersion 1.1.0:
 *
 *	{"cniVersion", "interfaces": [{"name", "mac", "mtu", "sandbox", "socketPath", "pciID"}],
 *	 "ips": [{"address", "gateway", "interface"}],
 *	 "routes": [{"dst", "gw", "mtu", "advmss", "priority", "table", "scope"}],
 *	 "dns": {"nameservers", "domain", "search", "options"}}
 *
 * result_read() converts a result of any version to it, result_write() from it.  result_read()
 * checks that each member above is absent or of its type, each address can be parsed
 * (netlink/addr.h), an empty gateway is absent, numbers are integers, ips[].interface is an index
 * of interfaces.  Members that no version knows are kept wherever the other version has the object
 * they are in.
 */
#ifndef CNI_CALL_CONVERT_H
#define CNI_CALL_CONVERT_H

#include "base/err.h"
#include "conf/netconf.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Check a result and convert it to the form of 1.1.0: a new reference, the input is not changed.
 * Its version is its cniVersion, else `assumed`. `what` is its name in messages ("prevResult"),
 * which have the full path of the key; every error has `code`.
 */
int result_read(const json_t *o, enum cni_version assumed, const char *what, enum err_code code,
		json_t **ret, struct err *e) must_check;

/*
 * Convert a result to exactly the keys of that version: a new reference.  Before 0.3.0 it has only
 * the first address of a family, with that family's routes, and needs at least one address
 * (ERR_NETCONF), so call result_needs_address() before any change.
 */
int result_write(const json_t *result, enum cni_version v, json_t **ret, struct err *e) must_check;

/* Does a result of that version need an address? */
bool result_needs_address(enum cni_version v);

/* Read the prevResult of a configuration; both must have one version.  ERR_NETCONF. */
int result_read_prev(const struct netconf *nc, json_t **ret, struct err *e) must_check;

/*
 * Return the elements of ips of this interface of the result (NULL: it lists none of ours), or
 * without an interface: a new reference.
 */
json_t *result_ips(const json_t *result, const json_t *intf);

/*
 * Find the interface of that name in a result of any version, the container's before the host's;
 * borrowed, NULL when there is none.
 */
json_t *result_interface(const json_t *result, const char *ifname);

#endif
