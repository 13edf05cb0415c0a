/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_dra.h - the commands of devinfoctl dra */
#ifndef DEVINFO_CTL_DRA_H
#define DEVINFO_CTL_DRA_H

#include "devinfo/ctl/ctl.h"

/* The operands are those behind its own name. */
enum ctl_status ctl_dra_select(const struct host *host, const struct ctl_options *opt,
			       char *const *operands);

#endif
