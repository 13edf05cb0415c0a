/* SPDX-License-Identifier: Apache-2.0 */
/* pod.h - what the commands about one pod have in common */
#ifndef MANAGER_CTL_POD_H
#define MANAGER_CTL_POD_H

#include "devinfo/kubelet/allocation.h"
#include "manager/ctl/ctl.h"

#include <stdbool.h>
#include <stddef.h>

/* "namespace/name" into its parts, which are cut out of buf; ret->uid stays. */
bool ctl_split_pod(const char *text, char *buf, size_t size, struct pod *ret);

#endif
