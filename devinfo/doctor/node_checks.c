/* SPDX-License-Identifier: Apache-2.0 */
/* node_checks.c - the kernel, kubelet, directories and configurations of the node */
#include "devinfo/doctor/finding.h"

#include <stddef.h>

const struct check node_checks[] = {
	{ NULL, NULL, NULL },
};
