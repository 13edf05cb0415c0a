/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the supported versions of the CNI specification */
#ifndef CONF_VERSION_H
#define CONF_VERSION_H

#include "base/err.h"

/* In ascending order, so that they can be compared. */
enum cni_version {
	CNI_0_1_0, CNI_0_2_0, CNI_0_3_0, CNI_0_3_1, CNI_0_4_0, CNI_1_0_0, CNI_1_1_0, CNI_VERSIONS
};

const char *cni_version_name(enum cni_version v);

/* Parse a version; ERR_VERSION, with the requested and the supported ones, for any other. */
int cni_version_parse(const char *text, enum cni_version *ret, struct err *e) must_check;

#endif
