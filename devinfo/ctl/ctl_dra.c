/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_dra.c - devinfoctl dra */
#include "devinfo/ctl/ctl.h"

enum ctl_status ctl_dra(const struct host *host, const struct ctl_options *opt,
		       char *const *operands)
{
	(void)host, (void)opt;
	return ctl_usage("dra cannot %s", *operands);
}
