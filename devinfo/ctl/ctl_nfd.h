/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_nfd.h - what `devinfoctl nfd` can do, a function each: operands are those behind it */
#ifndef DEVINFO_CTL_NFD_H
#define DEVINFO_CTL_NFD_H

#include "devinfo/ctl/ctl.h"

enum ctl_status ctl_nfd_eval(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);

enum ctl_status ctl_nfd_lint(const struct host *host, const struct ctl_options *opt,
			     char *const *operands);

#endif
