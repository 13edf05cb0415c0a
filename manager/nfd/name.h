/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.h - check labels, annotations, extended resources and taints as NFD does
 * (pkg/apis/nfd/validate)
 */
#ifndef MANAGER_NFD_NAME_H
#define MANAGER_NFD_NAME_H

#include "base/err.h"

#include <jansson.h>

#define NFD_LABEL_NS		"feature.node.kubernetes.io"

/* One byte more than a name may have: one that did not fit is refused, not taken for another. */
enum { NFD_NAME_MAX = 253 + 1 + 63 + 1, NFD_ANNOTATION_MAX = 1024 };

/* Make the full name: one without a prefix gets "feature.node.kubernetes.io/". */
void nfd_name_full(const char *name, char ret[NFD_NAME_MAX + 1]);

/* 0, or -1, ERR_NETCONF, with what is wrong and what is allowed.  The name is a full one. */
int nfd_check_label(const char *name, const char *value, struct err *e) must_check;
/* Check its form alone, as nfd-worker does. */
int nfd_check_label_form(const char *name, const char *value, struct err *e) must_check;

/*
 * The same where nfd-master is told of namespaces: lists of strings, or NULL.  One that is denied
 * may begin with '*', which stands for anything; its own two cannot be.  Extra ones win.
 */
struct nfd_namespaces {
	const json_t *denied, *extra;
};
int nfd_check_label_of(const struct nfd_namespaces *ns, const char *name, const char *value,
		       struct err *e) must_check;
int nfd_check_annotation(const char *name, const char *value, struct err *e) must_check;
int nfd_check_extended_resource(const char *name, const char *value, struct err *e) must_check;
int nfd_check_taint(const char *key, const char *effect, struct err *e) must_check;

/*
 * What NFD takes and writes into the node, the API server may refuse, and all of that change with
 * it: 0, or -1, ERR_NETCONF.  The resource is one that NFD takes.
 */
int nfd_admit_extended_resource(const char *name, const char *value, struct err *e) must_check;
int nfd_admit_taint(const char *key, const char *value, struct err *e) must_check;

#endif
