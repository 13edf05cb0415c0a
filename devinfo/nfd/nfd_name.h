/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nfd_name.h - which names and values NFD lets a node have: labels, annotations, extended
 * resources, taints (pkg/apis/nfd/validate)
 */
#ifndef DEVINFO_NFD_NAME_H
#define DEVINFO_NFD_NAME_H

#include "base/err.h"

#define NFD_LABEL_NS		"feature.node.kubernetes.io"

enum { NFD_NAME_MAX = 253 + 1 + 63 };

/* The full name: one without a prefix gets "feature.node.kubernetes.io/". */
void nfd_name_full(const char *name, char ret[NFD_NAME_MAX + 1]);

/* 0, or -1 with what is wrong and what is allowed.  The name is a full one. */
int nfd_check_label(const char *name, const char *value, struct err *e) must_check;
int nfd_check_annotation(const char *name, const char *value, struct err *e) must_check;
int nfd_check_extended_resource(const char *name, const char *value, struct err *e) must_check;
/* Value may be NULL. */
int nfd_check_taint(const char *key, const char *value, const char *effect,
		    struct err *e) must_check;

#endif
