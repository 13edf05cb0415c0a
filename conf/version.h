/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the versions of the CNI specification that we speak */
#ifndef CONF_VERSION_H
#define CONF_VERSION_H

#include "base/err.h"

/* In ascending order: a comparison tells which is newer. */
enum cni_version {
	CNI_0_1_0, CNI_0_2_0, CNI_0_3_0, CNI_0_3_1, CNI_0_4_0, CNI_1_0_0, CNI_1_1_0, CNI_VERSIONS
};

const char *cni_version_name(enum cni_version v);

/* ERR_VERSION, with what was asked and what is supported, unless it is one of ours. */
int cni_version_parse(const char *text, enum cni_version *ret, struct err *e) must_check;

#endif
