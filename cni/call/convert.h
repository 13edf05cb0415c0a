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
 * result_read() brings a result of any version into it, result_write() out of it.  What is read
 * has been checked: each member above is absent or of its type, each address can be parsed
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
 * Check a result and bring it into the form of 1.1.0: a new reference, the input is not touched.
 * Its version is the one it says, else `assumed`.  `what` is how it is called in messages
 * ("prevResult"), which have the full path of the key; every error has `code`.
 */
int result_read(const json_t *o, enum cni_version assumed, const char *what, enum err_code code,
		json_t **ret, struct err *e) must_check;

/*
 * The same attachment with exactly the keys of that version: a new reference.  Before 0.3.0 only
 * the first address of a family is told, with that family's routes.  Without any address there is
 * no result of these versions (ERR_NETCONF), so ask result_needs_address() before acting.
 */
int result_write(const json_t *result, enum cni_version v, json_t **ret, struct err *e) must_check;

/* Whether a result of that version cannot do without an address. */
bool result_needs_address(enum cni_version v);

/* The prevResult of a configuration, whose version has to be the configuration's.  ERR_NETCONF. */
int result_read_prev(const struct netconf *nc, json_t **ret, struct err *e) must_check;

/*
 * The elements of ips that are of this interface of the result (NULL: it lists none of ours), or of
 * none in particular: a new reference.
 */
json_t *result_ips(const json_t *result, const json_t *intf);

/*
 * The interface of that name in a result of any version, the container's before the host's;
 * borrowed, NULL when there is none.
 */
json_t *result_interface(const json_t *result, const char *ifname);

#endif
