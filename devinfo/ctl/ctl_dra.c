/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_dra.c - devinfoctl dra: Dynamic Resource Allocation, as far as it can be told on a node */
#include "devinfo/ctl/ctl_dra.h"

#include <string.h>

enum ctl_status ctl_dra(const struct host *host, const struct ctl_options *opt,
			char *const *operands)
{
	if (strcmp(*operands, "select") != 0)
		return ctl_usage("dra cannot '%s': expected select", *operands);
	return ctl_dra_select(host, opt, operands + 1);
}
