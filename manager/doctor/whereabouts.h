/* SPDX-License-Identifier: Apache-2.0 */
/* whereabouts.h - in which network namespace is the network device of a PCI function? */
#ifndef MANAGER_DOCTOR_WHEREABOUTS_H
#define MANAGER_DOCTOR_WHEREABOUTS_H

#include "base/host.h"

#include <stddef.h>

/*
 * "net1 of network namespace /run/netns/b", "eth5 of the host"; "" when it is in none of those that
 * were looked at: ours, those with a name in /run/netns and those of processes, as many and as long
 * as a few seconds allow.  Of a recorded node nothing is known.
 */
void whereabouts_find(const struct host *host, const char *bdf, char *ret, size_t size);

#endif
