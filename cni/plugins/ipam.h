/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipam.h - addresses from a real IPAM plugin
 *
 * The plugin gets the bytes of our own stdin (CNI spec, section 4); see delegate.h for
 * one that is older than the request.
 *
 * An ADD is begun and collected: where the plugin does not look at the interface, that is moved
 * meanwhile.
 */
#ifndef CNI_PLUGINS_IPAM_H
#define CNI_PLUGINS_IPAM_H

#include "base/deadline.h"
#include "base/err.h"
#include "cni/plugins/exec.h"
#include "netlink/addr.h"

#include <jansson.h>
#include <stddef.h>

#define IPAM_MAX	4096	/* addresses, and routes, of one attachment */

struct ipam {
	const char *type;
	const char *cni_path;
	const char *request;		/* the bytes of stdin, borrowed */
	unsigned int timeout_ms;
	const struct deadline *all;	/* NULL: of the call */
	unsigned int steps;		/* that need what is left of that, it included; 0: 1 */
	const struct exec_as *as;	/* NULL: the attachment of this call */
};

struct ipam_result {
	json_t *doc;			/* owned, form of 1.1.0; NULL without IPAM */
	const json_t *ips, *routes, *dns;	/* borrowed from doc, NULL when absent */
	struct ip_prefix *addr;		/* owned; the same in binary */
	size_t addrs;
	struct route *route;
	size_t nroutes;
};

/*
 * Begin an ADD: a new one in *ret, which borrows what ipam does.  On failure there certainly is no
 * lease.
 */
struct ipam_run;
int ipam_start(const struct ipam *ipam, struct ipam_run **ret, struct err *e) must_check;

/*
 * Its end; the result is checked: each address, gateway and route can be parsed, at least one
 * address.  On failure *refused says that there certainly is no lease (exec.h).
 */
int ipam_collect(struct ipam_run *run, struct ipam_result *ret, bool *refused, struct err *e)
	must_check;
void ipam_run_free(struct ipam_run *run);

int ipam_del(const struct ipam *ipam, struct err *e) must_check;
int ipam_check(const struct ipam *ipam, struct err *e) must_check;

/* Parse the addresses and routes of a result of result_read(), from which *ret borrows. */
int ipam_result_parse(const json_t *result, const char *what, struct ipam_result *ret,
		      struct err *e) must_check;
void ipam_result_done(struct ipam_result *r);

#define auto_ipam_result auto_with(ipam_result_done)

#endif
