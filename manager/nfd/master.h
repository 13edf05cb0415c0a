/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master.h - the keys of nfd-master's configuration that restrict the results of rules
 *
 *	enableTaints: true
 *	denyLabelNs: ["*.example.com"]
 *	extraLabelNs: ["ok.example.com"]
 *
 * Other keys do not change what a node gets, or are reported as ignored.
 */
#ifndef MANAGER_NFD_MASTER_H
#define MANAGER_NFD_MASTER_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "manager/nfd/name.h"

#include <stdbool.h>

struct nfd_master {
	struct nfd_namespaces namespaces;	/* borrowed from the document */
	bool enables_taints;
};

/* Is this document one?  It has no kind, and one of these keys. */
bool nfd_master_is(const struct manifest *m);

/* Read it: 0, or -1 with ERR_NETCONF for a wrong key.  `warn` is called for ignored keys. */
int nfd_master_read(const struct manifest *m, struct nfd_master *ret,
		    void (*warn)(const char *text, void *arg), void *arg,
		    struct err *e) must_check;

#endif
