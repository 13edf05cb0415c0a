/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master.h - what nfd-master's configuration says of what rules give
 *
 *	enableTaints: true
 *	denyLabelNs: ["*.example.com"]
 *	extraLabelNs: ["ok.example.com"]
 *
 * What it has besides does not change what a node gets, or is told to be passed over.
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

/* It has no kind, and one of these keys. */
bool nfd_master_is(const struct manifest *m);

/* -1 with ERR_NETCONF: which key is wrong.  `warn` is told what is passed over. */
int nfd_master_read(const struct manifest *m, struct nfd_master *ret,
		    void (*warn)(const char *text, void *arg), void *arg,
		    struct err *e) must_check;

#endif
