/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_nfd.c - devinfoctl nfd */
#include "devinfo/ctl/ctl.h"

enum ctl_status ctl_nfd(const struct host *host, const struct ctl_options *opt,
		       char *const *operands)
{
	(void)host, (void)opt;
	return ctl_usage("nfd cannot %s", *operands);
}
