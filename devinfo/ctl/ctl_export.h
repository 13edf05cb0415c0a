/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_export.h - what `devinfoctl export` can make, a function each, with the operands behind it */
#ifndef DEVINFO_CTL_EXPORT_H
#define DEVINFO_CTL_EXPORT_H

#include "devinfo/ctl/ctl.h"

enum ctl_status ctl_export_nfd(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);
enum ctl_status ctl_export_nodefeature(const struct host *host, const struct ctl_options *opt,
				       char *const *operands);
enum ctl_status ctl_export_resourceslice(const struct host *host, const struct ctl_options *opt,
					 char *const *operands);
enum ctl_status ctl_export_deviceclass(const struct host *host, const struct ctl_options *opt,
				       char *const *operands);
enum ctl_status ctl_export_claim_status(const struct host *host, const struct ctl_options *opt,
					char *const *operands);

#endif
