/* SPDX-License-Identifier: Apache-2.0 */
/* validate.c - devinfoctl validate: are these device-info files proper? */
#include "manager/ctl/ctl.h"

#include <stdio.h>

enum ctl_status ctl_validate(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	enum ctl_status status = CTL_OK;

	(void)host;
	(void)opt;
	for (; *operands; operands++) {
		auto_device_info struct device_info di = { 0 };
		struct err e = { 0 };

		if (ctl_read_device_info(*operands, &di, &e) == 0) {
			ctl_put_line(stdout, "%s: ok (%s, version %s)", *operands,
				     device_kind_name(di.kind), di.version);
			continue;
		}
		ctl_put_err(stdout, &e);
		status = CTL_FAILED;
	}
	return status;
}
