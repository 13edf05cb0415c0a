/* SPDX-License-Identifier: Apache-2.0 */
/* ctl_export.h - what `devinfoctl export` can make, a function each: operands are those behind it */
#ifndef DEVINFO_CTL_EXPORT_H
#define DEVINFO_CTL_EXPORT_H

#include "devinfo/ctl/ctl.h"

#endif
